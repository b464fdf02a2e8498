/** Writes the `sl-violations` header. */
import type { Violation } from '../contract/contract.js'

/** The longest `sl-violations` header, in bytes. */
const maxViolationsBytes = 4096

/** Writes violations for the `sl-violations` header, in Prism's shape. What does not fit is counted in a last entry. */
export function violationsHeader(violations: readonly Violation[]): string {
  const shown = violations.map((violation) => asciiJson(violation))
  let size = 2
  let fitting = 0
  for (const text of shown) {
    if (size + text.length + 1 > maxViolationsBytes - 200) break
    size += text.length + 1
    fitting++
  }
  const left = violations.length - fitting
  const rest = {
    location: [],
    severity: 'Warning',
    code: 'cut',
    message: `${left} more; the journal has them all.`,
  }
  return `[${[...shown.slice(0, fitting), ...(left > 0 ? [asciiJson(rest)] : [])].join(',')}]`
}

/** JSON that a header can carry: visible ASCII and nothing else. Without the `u` flag, so that it takes surrogates one by one. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
