/** Converts the results of Prism's validators to violations. */
import { errorMessage } from '../error-message.js'
import { formatExactly } from './parse-large-integers.js'
import type { Violation } from './violation.js'

/** The message that is validated. */
export type MessageKind = 'request' | 'response'

/** A diagnostic of Prism. */
interface Diagnostic {
  readonly severity: number
  readonly path?: readonly (string | number)[]
  readonly code?: string | number
  readonly message: string
}

/** The result of a validator: `Left` has diagnostics. */
type Result = { readonly _tag: 'Left'; readonly left: readonly Diagnostic[] } | { readonly _tag: 'Right' }

/** Runs a validator of Prism. If it throws, the message was not validated, which is a violation too. */
export function violationsOf(side: MessageKind, validate: () => Result): Violation[] {
  try {
    const result = validate()
    return result._tag === 'Left' ? result.left.map((diagnostic) => toViolation(side, diagnostic)) : []
  } catch (error) {
    const message = `The ${side} cannot be checked: ${errorMessage(error)}.`
    return [{ location: [side], severity: 'Error', code: 'unreadable', message }]
  }
}

/** Converts a diagnostic of Prism. */
export function toViolation(side: MessageKind, { code, message, path = [], severity }: Diagnostic): Violation {
  return {
    location: [side, ...path.map(String)],
    severity: severity === 0 ? 'Error' : 'Warning',
    code: code ?? 'violation',
    message: message.endsWith('.') ? message : `${message}.`,
  }
}

/** Removes the combined body from a violation of a request: Prism validates parameters as properties of that body. */
export function fromCombinedBody(violation: Violation): Violation {
  const [side = '', , ...inside] = violation.location
  if (inside.length === 0) return violation
  const location = [side, ...inside.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))]
  const text = violation.message.slice('Request body property '.length + inside.join('.').length).trim()
  const rule = text.replace(/(?<=[<>]=? )-?\d{16,}/u, (bound) => formatExactly(Number(bound)))
  const property = inside.slice(1).join('.')
  const subject = inside[0] === 'body' ? `Request body ${property === '' ? '' : `property ${property} `}` : ''
  return { ...violation, location, message: `${subject}${rule}` }
}
