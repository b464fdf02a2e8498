/** Calls the handler that a user wrote for an operation, and checks what it returns. */
import { validateHeaderName, validateHeaderValue } from 'node:http'

import { documentedResponse } from '../contract/check-response.js'
import type { Operation, OperationResponse } from '../contract/contract.js'
import { isObject } from '../documents/object.js'
import { errorMessage } from '../error-message.js'
import { createError } from '../http-errors.js'
import { nearestName } from '../nearest-name.js'
import { deepFreeze } from '../resources/freeze-compare-and-merge-json.js'
import type { State } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { lineInStack } from '../resources/user-handlers/line-in-stack.js'
import { handlersPath } from '../resources/user-handlers/load-handlers.js'
import { documentOf, stateOf } from '../resources/user-handlers/state-document.js'
import type { UserHandler } from '../resources/user-handlers/user-handler-types.js'
import { describeValue } from '../validate-options.js'
import type { RequestContext } from './request-context.js'

/** A response, and the state after it. */
export interface HandlerResponse {
  readonly response: OperationResponse
  /** Undefined: it did not change. */
  readonly next: State | undefined
}

/** The values that a call of a handler needs. */
export interface HandlerCall {
  readonly handler: UserHandler
  /** The file and the line of the handler, for messages. */
  readonly file: string
  readonly line: number | undefined
  readonly resources: Resources
  readonly state: State
  /** The present time, an RFC 3339 date-time. */
  readonly now: string
  /** Creates the response without the handler. */
  next(): HandlerResponse
}

/** Calls the handler. @throws {DoubleError} `handler_failed`: it throws, or returns a value that cannot be sent or stored. */
export function callUserHandler(context: RequestContext, call: HandlerCall): HandlerResponse {
  const { caller, operation, validRequest } = context
  const { body, parameters } = validRequest
  const fail = (reason: string, cause?: unknown): never => {
    const thrownAt = cause instanceof Error ? lineInStack(cause.stack ?? '', handlersPath(call.file)) : undefined
    const line = thrownAt ?? call.line
    const file = line === undefined ? call.file : `${call.file}:${line}`
    throw createError('handler_failed', { operation: operation.id, file, reason }, { cause })
  }
  const attempt = <T>(act: () => T): T => {
    try {
      return act()
    } catch (error) {
      const name = error instanceof Error ? error.name : 'a value'
      const hint = isMutation(error) ? '; the state and the request are frozen, return a changed copy' : ''
      return fail(`it threw ${name}: ${errorMessage(error)}${hint}`, error)
    }
  }
  const returned = attempt(() =>
    call.handler({
      state: documentOf(call.state),
      caller: caller?.name,
      path: deepFreeze(parameters.path),
      query: deepFreeze(parameters.query),
      headers: deepFreeze(parameters.header),
      body: deepFreeze(body),
      now: call.now,
      next: () => {
        const { next, response } = call.next()
        const { headers, status } = response
        return deepFreeze({ status, headers, body: response.body, state: documentOf(next ?? call.state) })
      },
    }),
  )
  const wrong = findJunk(returned)
  if (!isObject(returned) || wrong !== undefined) return fail(wrong ?? '')
  const { state: document } = returned
  const next = document === undefined ? undefined : attempt(() => stateOf(document, call.state, call.resources))
  if (next && !('collections' in next)) return fail(`it returned a state that is not valid: ${next.join('; ')}`)
  return {
    response: attempt(() => toResponse(operation, returned)),
    next: next === call.state ? undefined : next,
  }
}

const keys = ['status', 'headers', 'body', 'state']
const expected = 'return {status?, headers?, body?, state?}'

/** Header fields that the double sets, so that a handler cannot. */
const ownHeaders = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'x-request-id',
])

/** Finds the reason why a value is not a response, as a clause. */
function findJunk(returned: unknown): string | undefined {
  if (isObject(returned) && typeof returned['then'] === 'function') {
    // A promise that is rejected later must not end the process.
    Promise.resolve(returned).catch(() => {})
    return 'it returned a promise; handlers are synchronous'
  }
  if (!isObject(returned)) return `it returned ${describeValue(returned)}; ${expected}`
  for (const key of Object.keys(returned))
    if (!keys.includes(key)) {
      const near = nearestName(key, keys)
      return `it returned an unknown key "${key}"; ${near === undefined ? expected : `did you mean ${near}?`}`
    }
  const { headers = {}, status = 200 } = returned
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    return `it returned the status ${describeValue(status)}; use an integer from 200 to 599`
  if (!isObject(headers)) return `it returned headers that are ${describeValue(headers)}; use an object`
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.has(name.toLowerCase())) return `it returned the header ${name}, which the double sets itself`
    if (typeof value !== 'string') return `it returned the header ${name} as ${describeValue(value)}; use a string`
  }
  return undefined
}

/** Tells whether an error is that of V8 for a change of a frozen value. */
const isMutation = (error: unknown): boolean =>
  error instanceof TypeError &&
  /object is not extensible|^Cannot (?:assign to read only|delete|add) property/u.test(error.message)

function toResponse(operation: Operation, returned: object): OperationResponse {
  const { body, headers = {}, status = operation.successStatus } = returned as Partial<OperationResponse>
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    fields.set(name.toLowerCase(), value)
  }
  const documented = documentedResponse(operation, status)?.mediaTypes ?? []
  const json = documented.find((mediaType) => /[/+]json/u.test(mediaType))
  const mediaType = fields.get('content-type') ?? json ?? documented.find((each) => !each.includes('*'))
  fields.delete('content-type')
  return {
    status,
    headers: Object.fromEntries(fields),
    mediaType: body === undefined ? '' : (mediaType ?? 'application/json'),
    // A frozen body is the double's and cannot change. Copy any other body, so that the double sends the value that it has validated.
    body: body === undefined || Object.isFrozen(body) ? body : JSON.parse(JSON.stringify(body)),
  }
}
