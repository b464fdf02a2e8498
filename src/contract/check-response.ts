/** Checks a response: the rules that Prism does not check, then Prism. */
import { documentedResponse, type Operation, type OperationResponse } from './contract.js'
import { coversMediaType } from './media-types.js'
import type { OperationChecks, SchemaError } from './prism/index.js'
import type { Violation } from './violation.js'

/** Validates a response against its operation. Prism checks it only if it satisfies the other rules. Never throws. */
export function checkResponse(
  operation: Operation,
  checks: OperationChecks,
  response: OperationResponse,
): readonly Violation[] {
  const violations = checkResponseRules(operation, response)
  return violations.length > 0
    ? violations
    : checks.checkResponse(response).map((error) => toViolation('response', error))
}

/** Describes an error of a message. The errors of parameters of requests are described by `parameterViolation`. */
export function toViolation(side: 'request' | 'response', error: SchemaError): Violation {
  const { code, isSentence, path, rule, severity } = error
  const [place = '', ...inside] = path
  const part = inside.length === 0 ? '' : ` ${place === 'body' ? 'property' : 'parameter'} ${inside.join('.')}`
  const subject = `${side === 'request' ? 'Request' : 'Response'} ${place}${part} `
  return { location: [side, ...path], severity, code, message: `${isSentence ? '' : subject}${rule}.` }
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
    const message = `Status ${response.status} is not documented for ${operation.id}. Documented: ${known}.`
    return violation('statusCode', 'undocumented', message)
  }
  const subject = `A ${response.status} of ${operation.id} must`
  const mediaTypes = documented.contents.map(({ mediaType }) => mediaType)
  if (mediaTypes.length === 0 && response.body === undefined) return []
  if (mediaTypes.length === 0) return violation('body', 'undocumented', `${subject} have no body, got one.`)
  if (response.body === undefined) return violation('body', 'required', `${subject} have a body, got none.`)
  if (mediaTypes.some((mediaType) => coversMediaType(mediaType, response.mediaType))) return []
  const message = `${subject} be sent as ${mediaTypes.join(', ')}, got ${response.mediaType}.`
  return violation('headers', 'mediaType', message)
}
