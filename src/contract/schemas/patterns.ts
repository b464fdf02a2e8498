/** Makes patterns compile with the u flag, which Ajv sets and which makes many valid JavaScript patterns invalid. Finds slow ones. */
import { type JsonObject, listOf } from '../../documents/object.js'
import { attempt } from '../../error-message.js'
import { onceFor } from '../../once.js'
import { runAgainWithTimeLimit, TimeLimitError } from '../../run-with-time-limit.js'
import { generateMatchingText } from '../matching-text.js'

/**
 * Rewrites the needless escapes, the unpaired brackets, and the hyphens next to a class such as `\w` of a pattern, so that it compiles with the u
 * flag and matches the same texts. Undefined: it still does not compile.
 */
export function withUnicodeFlag(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern
  if (!compiles(pattern, '')) return undefined
  let isInClass = false
  const parts = [...pattern.matchAll(/\\[^]|\{\d+(?:,\d*)?\}|[^]/gu)].map(([part]) => part)
  const rewritten = parts.map((part, index) => {
    const neighbours = [parts[index - 1] ?? '', parts[index + 1] ?? '']
    const isHyphenNextToClass = isInClass && part === '-' && neighbours.some((each) => /^\\[dDwWsS]$/u.test(each))
    const isUnpairedBracket = !isInClass && /^[{}\]]$/u.test(part)
    if (part === '[') isInClass = true
    if (part === ']') isInClass = false
    if (isHyphenNextToClass || isUnpairedBracket) return `\\${part}`
    return isNeedlessEscape(part, isInClass) ? part.slice(1) : part
  })
  const text = rewritten.join('')
  return compiles(text, 'u') ? text : undefined
}

/** Adds a pattern to a schema in place. A schema that has another one gets both. */
export function addPattern(schema: JsonObject, pattern: string): void {
  const own: { pattern?: unknown; allOf?: unknown } = schema
  if (typeof own.pattern !== 'string') return void (own.pattern = pattern)
  // Prism joins patterns by lookaheads, which look at the start alone.
  if (!own.pattern.startsWith('^')) own.pattern = String.raw`^[\s\S]*(?:${own.pattern})`
  own.allOf = [...listOf(own.allOf), { pattern }]
}

const compiles = (pattern: string, flags: string): boolean => attempt(() => new RegExp(pattern, flags)) !== undefined

/** Tells whether an escape, such as `\_` or `\@`, means the character itself. `\-` is needed in a class. */
const isNeedlessEscape = (part: string, isInClass: boolean): boolean =>
  /^\\[^A-Za-z0-9^$\\.*+?()[\]{}|/]$/u.test(part) && !(isInClass && part === String.raw`\-`)

/** The time of a validation, milliseconds. A value with very many parts gets one more for each thousand of them. */
export const patternLimitMs = 100

/** Finds unbounded groups of varying content: only these may match in exponentially many ways, and most do not. */
function repeatedGroups(pattern: string) {
  const found = []
  const open = [{ start: 0, varies: false }]
  let closed: { readonly start: number; readonly end: number; readonly varies: boolean } | undefined
  const tokens = /\\[^]|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu
  for (const { 0: token, index } of pattern.matchAll(tokens)) {
    const group = open.at(-1)
    const [, least = '', most = least] = /^\{(\d+)(?:,(\d*))?\}/u.exec(token) ?? []
    const isQuantifier = /^[*+?]/u.test(token) || least !== ''
    const isMany = /^[*+]/u.test(token) || (least !== '' && (most === '' || Number(most) >= 10))
    if (token.startsWith('(')) open.push({ start: index + token.length, varies: false })
    else if (token === ')' && group && open.length > 1) {
      open.pop()
      closed = { ...group, end: index }
      const outer = open.at(-1)
      if (outer && group.varies) outer.varies = true
      continue
    } else if (group && (token === '|' || (isQuantifier && least !== most) || /^[*+?]/u.test(token)))
      group.varies = true
    if (closed?.varies && isMany && closed.end === index - 1) {
      const before = pattern.slice(0, closed.start).replace(/\([^(]*$/u, '')
      found.push({ before, content: pattern.slice(closed.start, closed.end) })
    }
    closed = undefined
  }
  return found
}

const groupsOf = onceFor(repeatedGroups)

/** Tells whether a pattern may take exponential time. Most patterns that may do not. */
export const mayTakeExponentialTime = (pattern: string): boolean => groupsOf(pattern).length > 0

/** Tells whether a valid pattern takes longer than the limit for a text of 60 characters that repeats its groups. */
export function isSlowPattern(pattern: string): boolean {
  const groups = groupsOf(pattern)
  if (groups.length === 0) return false
  const expression = new RegExp(pattern, 'u')
  const texts = groups.flatMap(({ before, content }) => {
    const start = generateMatchingText(before) ?? ''
    // Generated texts are short, so parts that may be empty must not be.
    const filled = content.replaceAll('*', '+').replaceAll(')?', ')')
    const parts = [content, filled, ...filled.split('|')].map((part) => generateMatchingText(part) ?? '')
    return [...new Set(parts)].flatMap((part) =>
      part === '' ? [] : ['\0', '\n'].map((end) => start + part.repeat(Math.ceil(60 / part.length)) + end),
    )
  })
  return texts.some((text) => isTooLong(() => expression.test(text)))
}

function isTooLong(run: () => void): boolean {
  try {
    runAgainWithTimeLimit(patternLimitMs, run)
    return false
  } catch (error) {
    if (error instanceof TimeLimitError) return true
    throw error
  }
}

/**
 * The pattern of an RFC 3339 date-time. Prism's own check of the format accepts a space or a newline in place of the T, and offsets such as
 * `+01` and `+24:00`. Prism's check covers the calendar too, so the format stays in the schema.
 */
export const dateTimePattern = String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$`
