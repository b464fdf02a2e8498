/** Reads the errors that Prism reports. No other file reads its English. */
import { errorMessage } from '../../error-message.js'
import { formatExactly } from '../parse-large-integers.js'
import { dateTimePattern } from '../schemas/patterns.js'
import type { Violation } from '../violation.js'

export type MessageKind = 'request' | 'response'

export interface SchemaError extends Pick<Violation, 'code' | 'severity'> {
  /** The place in the message (`body`, `header`, or the location of a parameter), then the path in its value. Empty: the whole message. */
  readonly path: readonly string[]
  /** The broken rule, as the end of a sentence: `must be integer`. */
  readonly rule: string
  /** The property that is required and missing. */
  readonly missing?: string | undefined
  /** True if `rule` is a whole sentence, because the message could not be validated. */
  readonly isSentence?: boolean
}

interface Diagnostic {
  readonly severity: number
  readonly path?: readonly (string | number)[]
  readonly code?: string | number
  readonly message: string
}

/** The result of a validator: `Left` has diagnostics. */
type Result = { readonly _tag: 'Left'; readonly left: readonly Diagnostic[] } | { readonly _tag: 'Right' }

/** Creates the error of a message that was not validated. @param sentence - Without a full stop. */
export function notValidated(path: readonly string[], code: string, sentence: string): SchemaError {
  return { path, severity: 'Error', code, rule: sentence, isSentence: true }
}

/** Runs a validator of Prism. If it throws, the message was not validated, which is an error too. */
export function schemaErrorsOf(side: MessageKind, validate: () => Result): SchemaError[] {
  try {
    const result = validate()
    return result._tag === 'Left' ? readDiagnostics(result.left) : []
  } catch (error) {
    return [notValidated([], 'unreadable', `The ${side} cannot be checked: ${errorMessage(error)}`)]
  }
}

/** Reads diagnostics. A date-time breaks a pattern and a format, which is one error. */
export function readDiagnostics(diagnostics: readonly Diagnostic[]): SchemaError[] {
  const dateTimes = new Set<string>()
  return diagnostics.flatMap((diagnostic) => {
    const error = readDiagnostic(diagnostic)
    const isPattern = error.code === 'pattern' && error.rule.includes(dateTimePattern)
    const isFormat = error.code === 'format' && error.rule.includes('"date-time"')
    if (!isPattern && !isFormat) return [error]
    const place = error.path.join('/')
    if (dateTimes.has(place)) return []
    dateTimes.add(place)
    return [{ ...error, code: 'format', rule: 'must be an RFC 3339 date-time such as 2026-01-05T09:30:00Z' }]
  })
}

function readDiagnostic({ code = 'violation', message, path = [], severity }: Diagnostic): SchemaError {
  const [place, ...inside] = path.map(String)
  // `Request body property lines.0.sku must be string`.
  const subject = `${place ?? ''} ${inside.length === 0 ? '' : `${place === 'body' ? 'property' : 'parameter'} ${inside.join('.').trim()} `}`
  const start = message.indexOf(subject)
  const isSubject = place !== undefined && /^(?:Request|Response) $/u.test(message.slice(0, Math.max(0, start)))
  const rule = (isSubject ? message.slice(start + subject.length) : message).replace(/\.$/u, '')
  return {
    path: [...(place === undefined ? [] : [place]), ...inside.map(unescapeSegment)],
    severity: severity === 0 ? 'Error' : 'Warning',
    code,
    rule: rule.replace(/(?<=[<>]=? )-?\d{16,}/u, (bound) => formatExactly(Number(bound))),
    missing: /required property '(.*)'/u.exec(rule)?.[1],
    ...(isSubject ? {} : { isSentence: true }),
  }
}

export const unescapeSegment = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~')

/** Removes the combined body from the path of an error: Prism validates parameters as properties of that body. */
export const fromCombinedBody = (error: SchemaError): SchemaError =>
  error.path.length > 1 && !error.isSentence ? { ...error, path: error.path.slice(1) } : error
