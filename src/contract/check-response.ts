/** Checks a response: the rules that Prism does not check, then Prism. */
import { isObject } from '../documents/object.js'
import { coversMediaType, essenceOf } from './bodies/media-types.js'
import type { Operation, OperationResponse } from './contract.js'
import type { PrismFunctions } from './prism-interface.js'
import { dateTimePattern } from './schemas/date-time-pattern.js'
import type { Violation } from './violation.js'

/** Validates a response against its operation. Prism checks it only if it satisfies the other rules. Never throws. */
export function checkResponse(checks: PrismFunctions, response: OperationResponse): readonly Violation[] {
  const violations = checkResponseRules(checks.operation, response)
  return violations.length > 0 ? violations : describeDateTimes(checks.checkResponse(response))
}

/**
 * Finds the documented response for a status: the status itself, otherwise its class (`4XX`), otherwise `default`.
 *
 * @returns Undefined if the status is not documented.
 */
export function documentedResponse<Response extends { readonly status: string }>(
  { responses }: { readonly responses: readonly Response[] },
  status: number,
): Response | undefined {
  const find = (name: string): Response | undefined => responses.find((response) => response.status === name)
  return find(String(status)) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default')
}

/** Checks what Prism does not: that the status and the media type are documented, and that there is a body exactly if one is documented. */
function checkResponseRules(operation: Operation, response: OperationResponse): Violation[] {
  const documented = documentedResponse(operation, response.status)
  const violation = (place: string, code: string, message: string): Violation[] => [
    { location: ['response', place], severity: 'Error', code, message },
  ]
  if (!documented) {
    if (response.status === operation.successStatus && response.body === undefined) {
      const message = `${operation.id} documents no 2xx status, so a ${response.status} without a body is sent.`
      return [{ location: ['response', 'statusCode'], severity: 'Warning', code: 'undocumented', message }]
    }
    const known = operation.responses.map(({ status }) => status).join(', ')
    return violation(
      'statusCode',
      'undocumented',
      `Status ${response.status} is not documented for ${operation.id}. Documented: ${known}.`,
    )
  }
  const { mediaTypes } = documented
  if (mediaTypes.length === 0) {
    return response.body === undefined
      ? []
      : violation('body', 'undocumented', `A ${response.status} of ${operation.id} must have no body, got one.`)
  }
  if (response.body === undefined)
    return violation('body', 'required', `A ${response.status} of ${operation.id} must have a body, got none.`)
  if (mediaTypes.some((mediaType) => coversMediaType(mediaType, response.mediaType))) return []
  return violation(
    'headers',
    'mediaType',
    `A ${response.status} of ${operation.id} must be sent as ${mediaTypes.join(', ')}, got ${response.mediaType}.`,
  )
}

/** Tells whether the schema of a body is enforced. JSON and forms are validated as values, all other media types as strings. */
export function isEnforced(mediaType: string, schema: unknown): boolean {
  const structured = /^(?:\*\/\*|application\/(?:\*|x-www-form-urlencoded)|multipart\/.+|.*[/+-]json)$/u
  if (structured.test(essenceOf(mediaType)) || !isObject(schema)) return true
  return Object.keys(schema).length === 0 || [schema['type']].flat().includes('string')
}

/** Replaces violations of the date-time pattern and format by one readable violation for each place. */
export function describeDateTimes(violations: readonly Violation[]): Violation[] {
  const described = new Set<string>()
  return violations.flatMap((violation) => {
    const isPattern = violation.code === 'pattern' && violation.message.includes(dateTimePattern)
    const isFormat = violation.code === 'format' && violation.message.includes('"date-time"')
    if (!isPattern && !isFormat) return [violation]
    const place = violation.location.join('/')
    if (described.has(place)) return []
    described.add(place)
    const subject = violation.message.slice(0, violation.message.indexOf(' must match'))
    return [
      {
        ...violation,
        code: 'format',
        message: `${subject} must be an RFC 3339 date-time such as 2026-01-05T09:30:00Z.`,
      },
    ]
  })
}
