/** Caches of the results of validations that give the same result again. */
import type { Operation, OperationRequest, OperationResponse, RequestValidation } from './contract.js'
import type { Violation } from './violation.js'

/** The maximum number of cached request validations, about half a kilobyte each. Enough for a read of each of 10,000 records. */
const maxRequests = 16_384

/** The maximum length of a cached path and query, in characters. */
const maxKeyLength = 500

/** Returns the cached validation of a message, or validates it. */
type CachedValidation<Message, Result> = (operation: Operation, message: Message, validate: () => Result) => Result

/** Creates a cache for requests. It drops the oldest entry when it is full. */
export function createRequestResultCache(): CachedValidation<OperationRequest, RequestValidation> {
  const results = new Map<string, RequestValidation>()
  return (operation, request, validate) => {
    const key = requestKey(operation, request)
    if (key === undefined) return validate()
    const cached = results.get(key)
    if (cached) return cached
    const result = validate()
    if (results.size >= maxRequests) {
      const [oldest = ''] = results.keys()
      results.delete(oldest)
    }
    results.set(key, result)
    return result
  }
}

/** @returns Undefined if the result depends on more than the path and the query, or if they are too long. */
function requestKey(operation: Operation, request: OperationRequest): string | undefined {
  if (request.body !== undefined || operation.requestBody !== undefined) return undefined
  if (operation.parameters.some(({ in: place }) => place === 'header' || place === 'cookie')) return undefined
  const key = [operation.id, request.query, ...Object.values(request.path)].join('\n')
  return key.length > maxKeyLength ? undefined : key
}

/** Creates a cache for responses. Only frozen bodies are cached, because other bodies can change. */
export function createResponseResultCache(): CachedValidation<OperationResponse, readonly Violation[]> {
  const resultsByBody = new WeakMap<object, Map<string, readonly Violation[]>>()
  return (operation, { body, headers, mediaType, status }, validate) => {
    const isCacheable = typeof body === 'object' && body !== null && Object.isFrozen(body) && isEmpty(headers)
    if (!isCacheable) return validate()
    const results = resultsByBody.get(body) ?? new Map<string, readonly Violation[]>()
    resultsByBody.set(body, results)
    const key = `${operation.id} ${status} ${mediaType}`
    const violations = results.get(key) ?? validate()
    results.set(key, violations)
    return violations
  }
}

/** Tells whether an object has no keys. Faster than `Object.keys`, for each response. */
function isEmpty(object: object): boolean {
  for (const _ in object) return false
  return true
}
