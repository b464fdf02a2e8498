/** Makes patterns compile with the u flag, which Ajv sets. The flag makes many valid JavaScript patterns invalid. */
import type { JsonObject } from '../../documents/object.js'
import { errorMessage } from '../../error-message.js'
import { listOf } from './read-schema.js'

/**
 * Rewrites a pattern so that it compiles with the u flag and matches the same texts. It removes the backslash of a needless escape, and adds
 * one to an unpaired bracket or a hyphen next to a class such as `\w`.
 *
 * @returns Undefined if the pattern still does not compile.
 */
export function withUnicodeFlag(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern
  if (!compiles(pattern, '')) return undefined
  let isInClass = false
  let last = ''
  const parts = [...pattern.matchAll(/\\[^]|\{\d+(?:,\d*)?\}|[^]/gu)].map(([part]) => part)
  const rewritten = parts.map((part, index) => {
    const isHyphenNextToClass =
      isInClass && part === '-' && (/^\\[dDwWsS]$/u.test(last) || /^\\[dDwWsS]$/u.test(parts[index + 1] ?? ''))
    const isUnpairedBracket = !isInClass && /^[{}\]]$/u.test(part)
    if (part === '[') isInClass = true
    if (part === ']') isInClass = false
    last = part
    if (isHyphenNextToClass || isUnpairedBracket) return `\\${part}`
    return isNeedlessEscape(part, isInClass) ? part.slice(1) : part
  })
  const text = rewritten.join('')
  return compiles(text, 'u') ? text : undefined
}

/** Syntax of other languages: inline flags, Python's named groups, atomic groups, possessive quantifiers, POSIX classes. */
const foreignSyntax = /\(\?[imsux-]+[):]|\(\?P[<=>]|\(\?>|[*+?}]\+|\[\[:\w+:\]/u

/** Describes why a pattern is invalid. Undefined if it is valid in JavaScript or uses the syntax of another language. */
export function patternError(pattern: string): string | undefined {
  try {
    return void new RegExp(pattern)
  } catch (error) {
    return foreignSyntax.test(pattern) ? undefined : `it is not a regular expression (${errorMessage(error)})`
  }
}

/** Adds a pattern to a schema in place. A schema that has another one gets both. */
export function addPattern(schema: JsonObject, pattern: string): void {
  const own: { pattern?: unknown; allOf?: unknown } = schema
  if (own.pattern === undefined) own.pattern = pattern
  else own.allOf = [...listOf(own.allOf), { pattern }]
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(pattern, flags))
  } catch {
    return false
  }
}

/** Tells whether an escape, such as `\_` or `\@`, means the character itself. `\-` is needed in a class. */
const isNeedlessEscape = (part: string, isInClass: boolean): boolean =>
  /^\\[^A-Za-z0-9^$\\.*+?()[\]{}|/]$/u.test(part) && !(isInClass && part === String.raw`\-`)
