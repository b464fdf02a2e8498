/** Reads an operation from the spec. */
import { isObject } from '../documents/object.js'
import { once } from '../once.js'
import { isSecretName } from '../redaction.js'
import type { DocumentedResponse, Operation } from './contract.js'
import { hasNoBody, operationName } from './contract.js'
import type { DocumentedOperation } from './prism-document.js'
import { credentialPlacesOf } from './read-security.js'
import { findSecretNames, isPassword } from './schemas/find-secret-names.js'

/** Lists the names of the examples of a documented status. Called when they are first needed. */
type ExamplesOf = (status: string) => readonly string[]

/** Reads an operation. */
export function readOperation(documented: DocumentedOperation, examplesOf: ExamplesOf): Operation {
  const { described, method, parameters, path, requestBody, scopes, secured, security } = documented
  const responses = Object.entries(isObject(described['responses']) ? described['responses'] : {})
    .filter(([status]) => !status.startsWith('x-'))
    .map(([status, response]) => toResponse(status, response, examplesOf))
  const hasDefault = responses.some(({ status }) => status === 'default')
  const success = responses.find(({ status }) => status.startsWith('2'))?.status ?? (hasDefault ? '200' : '204')
  const credentialPlaces = credentialPlacesOf(security)
  const hasSecretRequest = hasSecretContent(described['requestBody'])
  const documentsSecrets = once(
    () =>
      hasSecretRequest ||
      parameters.some(({ in: place, isSecret }) => isSecret && place !== 'cookie') ||
      credentialPlaces.some(({ in: place, name }) => place !== 'cookie' && name.toLowerCase() !== 'authorization') ||
      findSecretNames(described, isSecretName).size > 0,
  )
  return {
    id: operationName(described['operationId'], method, path),
    method,
    path,
    summary: typeof described['summary'] === 'string' ? described['summary'] : '',
    parameters,
    requestBody,
    responses,
    successStatus: success === '2XX' ? 200 : Number(success),
    security,
    credentialPlaces,
    secured,
    scopes,
    get documentsSecrets() {
      return documentsSecrets()
    },
    hasSecretRequest,
    hasSecretResponse: Object.values(isObject(described['responses']) ? described['responses'] : {}).some(
      hasSecretContent,
    ),
  }
}

/** Tells whether a request body or a response is a password, or contains one without a name. */
function hasSecretContent(described: unknown): boolean {
  const content = isObject(described) && isObject(described['content']) ? described['content'] : {}
  return Object.values(content).some((media) => isObject(media) && isPassword(media['schema']))
}

function toResponse(status: string, response: unknown, examplesOf: ExamplesOf): DocumentedResponse {
  const content = isObject(response) && isObject(response['content']) ? response['content'] : {}
  const isWithoutBody = hasNoBody(Number(status))
  return {
    status,
    mediaTypes: isWithoutBody ? [] : Object.keys(content).filter((mediaType) => isObject(content[mediaType])),
    get examples() {
      return examplesOf(status)
    },
  }
}
