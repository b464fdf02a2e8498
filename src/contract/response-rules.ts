import { isObject } from '../documents/object.js'
/** What Prism lets pass in a reply, and the double does not. */
import type { DocumentedResponse, Operation, OperationResponse, Violation } from './contract.js'
import { dateTimePattern } from './schemas/date-time.js'

/**
 * Finds the documented reply that a status belongs to: the status itself, else its class (`4XX`), else `default`.
 *
 * @returns undefined for a status that is not documented.
 */
export function documentedResponse(operation: Operation, status: number): DocumentedResponse | undefined {
  const find = (name: string): DocumentedResponse | undefined =>
    operation.responses.find((reply) => reply.status === name)
  return find(String(status)) ?? find(`${Math.floor(status / 100)}XX`) ?? find('default')
}

/**
 * Checks what Prism does not: that the status is documented, that there is a body where one is documented and none where none is, and
 * that the media type is one of those documented, and not merely like it.
 */
export function checkResponseRules(operation: Operation, reply: OperationResponse): Violation[] {
  const documented = documentedResponse(operation, reply.status)
  const violation = (place: string, code: string, message: string): Violation[] => [
    { location: ['response', place], severity: 'Error', code, message },
  ]
  if (!documented) {
    if (reply.status === operation.successStatus && reply.body === undefined) {
      const message = `${operation.id} documents no 2xx status, so a ${reply.status} without a body is sent.`
      return [{ location: ['response', 'statusCode'], severity: 'Warning', code: 'undocumented', message }]
    }
    const known = operation.responses.map(({ status }) => status).join(', ')
    return violation(
      'statusCode',
      'undocumented',
      `Status ${reply.status} is not documented for ${operation.id}; documented are ${known}.`,
    )
  }
  const { mediaTypes } = documented
  if (mediaTypes.length === 0) {
    return reply.body === undefined
      ? []
      : violation('body', 'undocumented', `A ${reply.status} of ${operation.id} has no body, got one.`)
  }
  if (reply.body === undefined)
    return violation('body', 'required', `A ${reply.status} of ${operation.id} must have a body, got none.`)
  if (mediaTypes.some((mediaType) => coversMediaType(mediaType, reply.mediaType))) return []
  return violation(
    'headers',
    'mediaType',
    `A ${reply.status} of ${operation.id} is sent as ${mediaTypes.join(', ')}, got ${reply.mediaType}.`,
  )
}

/** Whether a documented media type, which may have wildcards, covers one that is sent. Parameters such as charset do not matter. */
export function coversMediaType(documented: string, sent: string): boolean {
  const essence = (mediaType: string): string[] => essenceOf(mediaType).toLowerCase().split('/')
  const [type, subtype] = essence(documented)
  const [sentType, sentSubtype] = essence(sent)
  return (type === '*' || type === sentType) && (subtype === '*' || subtype === sentSubtype)
}

/** Whether a body of a media type is checked by a schema: JSON and forms are, and all else as text. */
export function isEnforced(mediaType: string, schema: unknown): boolean {
  const structured = /^(?:\*\/\*|application\/(?:\*|x-www-form-urlencoded)|multipart\/.+|.*[/+-]json)$/iu
  if (structured.test(essenceOf(mediaType)) || !isObject(schema)) return true
  return Object.keys(schema).length === 0 || [schema['type']].flat().includes('string')
}

/** A media type without its parameters. */
const essenceOf = (mediaType: string): string => (mediaType.split(';')[0] ?? '').trim()

/** Says of date-times what they must be, instead of showing the pattern; and says it once. */
export function describeDateTimes(violations: readonly Violation[]): Violation[] {
  const said = new Set<string>()
  return violations.flatMap((violation) => {
    const isPattern = violation.code === 'pattern' && violation.message.includes(dateTimePattern)
    const isFormat = violation.code === 'format' && violation.message.includes('"date-time"')
    if (!isPattern && !isFormat) return [violation]
    const place = violation.location.join('/')
    if (said.has(place)) return []
    said.add(place)
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
