/** Finds patterns that can take exponential time, and limits the time of validations that use them. */
import { runAgainWithTimeLimit, TimeLimitError } from '../../run-with-time-limit.js'
import { generateMatchingText } from '../generate-matching-text.js'

/** The time of a validation, milliseconds. A value with very many parts gets one more for each thousand of them. */
export const patternLimitMs = 100

/** A repeated group of a pattern. */
interface RepeatedGroup {
  /** The pattern before the group. */
  readonly before: string
  readonly content: string
}

/**
 * Finds the groups that are repeated without a bound, and whose content varies in length or has alternatives. Only these can match a text in
 * exponentially many ways. Most of them do not.
 */
function repeatedGroups(pattern: string): readonly RepeatedGroup[] {
  const found: RepeatedGroup[] = []
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
    if (closed?.varies && isMany && closed.end === index - 1)
      found.push({
        before: pattern.slice(0, closed.start).replace(/\([^(]*$/u, ''),
        content: pattern.slice(closed.start, closed.end),
      })
    closed = undefined
  }
  return found
}

const groupsByPattern = new Map<string, readonly RepeatedGroup[]>()

function groupsOf(pattern: string): readonly RepeatedGroup[] {
  const groups = groupsByPattern.get(pattern) ?? repeatedGroups(pattern)
  groupsByPattern.set(pattern, groups)
  return groups
}

/** Tells whether a pattern may take exponential time. Most patterns that may do not. */
export const mayTakeExponentialTime = (pattern: string): boolean => groupsOf(pattern).length > 0

/**
 * Tells whether a pattern takes longer than the limit for a text of about 60 characters, by trying texts that repeat what its groups match.
 *
 * @param pattern - A valid pattern.
 */
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
