/** Creates the bodies of requests that create and change records. */
import type { BodyContent, Json, Operation } from '../contract/contract.js'
import { generateMinimalValue } from '../contract/generate.js'
import { isJson } from '../contract/media-types.js'
import { examplesAt } from '../contract/references.js'
import type { ProbeContext, ProbedOperation } from './probe-context.js'
import type { ProbeStep } from './probe.js'
import { operationCursor } from './spec-places.js'

/** Creates a body that the contract allows: an example, else a generated one. Undefined: the operation takes none, or none is known. */
export function validBody({ contract }: ProbeContext, { operation, path }: ProbedOperation): Json | undefined {
  const content = jsonContent(operation)
  if (!content) return undefined
  const media = operationCursor(contract, operation).at('requestBody').at('content').at(content.mediaType)
  const generated = generateMinimalValue(contract.document, content.schema)
  return [...examplesAt(media), generated].find((body): body is Json => {
    const request = { path: {}, query: '', headers: {}, body: body as Json, content }
    const { violations } = contract.checkRequest(operation, request)
    return !violations.some(({ location, severity }) => severity === 'Error' && location[1] === 'body') && path !== ''
  })
}

/** Returns the JSON content of a request body. Undefined: the operation takes none. */
export const jsonContent = ({ requestBody }: Operation): BodyContent | undefined =>
  requestBody?.contents.find(({ mediaType }) => isJson(mediaType))

/** Returns the body and the content type of a step. Empty if there is no body. */
export function bodyParts({ operation }: ProbedOperation, body: Json | undefined): Pick<ProbeStep, 'body' | 'headers'> {
  const mediaType = jsonContent(operation)?.mediaType
  return body === undefined || mediaType === undefined
    ? {}
    : { body: JSON.stringify(body), headers: { 'content-type': mediaType } }
}
