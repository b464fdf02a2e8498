/** Formats the `sl-violations` header. */
import type { Violation } from '../contract/violation.js'

/** The longest `sl-violations` header, in bytes. */
const maxViolationsBytes = 4096

/** Formats violations for the `sl-violations` header, in Prism's format. A last entry counts those that do not fit. */
export function violationsHeader(violations: readonly Violation[]): string {
  const shown = violations.map((violation) => asciiJson(violation))
  let size = 2
  let fitting = 0
  for (const text of shown) {
    if (size + text.length + 1 > maxViolationsBytes - 200) break
    size += text.length + 1
    fitting++
  }
  const omitted = violations.length - fitting
  const rest = {
    location: [],
    severity: 'Warning',
    code: 'cut',
    message: `${omitted} more; the journal has them all.`,
  }
  return `[${[...shown.slice(0, fitting), ...(omitted > 0 ? [asciiJson(rest)] : [])].join(',')}]`
}

/** Formats JSON in visible ASCII, for a header. The pattern has no `u` flag, so that it matches each surrogate. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
