/** Regular expressions as Ajv compiles them: with the u flag, under which much that JavaScript takes without it is an error. */
import { errorMessage } from '../../error-message.js'

/**
 * Writes a pattern so that it compiles with the u flag and means the same: an escape that escapes nothing loses its backslash, and a
 * lone bracket, or a hyphen beside a class such as `\w`, gets one.
 *
 * @returns Undefined where that does not help.
 */
export function withUnicodeFlag(pattern: string): string | undefined {
  if (compiles(pattern, 'u')) return pattern
  if (!compiles(pattern, '')) return undefined
  let isInClass = false
  let last = ''
  const parts = [...pattern.matchAll(/\\[^]|\{\d+(?:,\d*)?\}|[^]/gu)].map(([part]) => part)
  const written = parts.map((part, index) => {
    const isHyphenBesideClass =
      isInClass && part === '-' && (/^\\[dDwWsS]$/u.test(last) || /^\\[dDwWsS]$/u.test(parts[index + 1] ?? ''))
    const isLoneBracket = !isInClass && /^[{}\]]$/u.test(part)
    if (part === '[') isInClass = true
    if (part === ']') isInClass = false
    last = part
    if (isHyphenBesideClass || isLoneBracket) return `\\${part}`
    return isEmptyEscape(part, isInClass) ? part.slice(1) : part
  })
  const text = written.join('')
  return compiles(text, 'u') ? text : undefined
}

/** What regular expressions have in other languages: inline flags, named groups of Python, atomic groups, possessive repeats, POSIX classes. */
const foreign = /\(\?[imsux-]+[):]|\(\?P[<=>]|\(\?>|[*+?}]\+|\[\[:\w+:\]/u

/** Says why a pattern is no regular expression at all. Undefined where it is one, if only of another language. */
export function patternError(pattern: string): string | undefined {
  try {
    return void new RegExp(pattern)
  } catch (error) {
    return foreign.test(pattern) ? undefined : `it is not a regular expression (${errorMessage(error)})`
  }
}

function compiles(pattern: string, flags: string): boolean {
  try {
    return Boolean(new RegExp(pattern, flags))
  } catch {
    return false
  }
}

/** Whether an escape means just the character itself: `\_`, `\@`. Letters and digits never do, and `\-` may stand in a class. */
const isEmptyEscape = (part: string, isInClass: boolean): boolean =>
  /^\\[^A-Za-z0-9^$\\.*+?()[\]{}|/]$/u.test(part) && !(isInClass && part === String.raw`\-`)
