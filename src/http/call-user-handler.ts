/** Calls the handler that a user wrote for an operation, and checks what it returns. Nothing of what it returns is trusted. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { validateHeaderName, validateHeaderValue } from 'node:http'

import { documentedResponse, type Operation, type OperationResponse } from '../contract/contract.js'
import { isJson } from '../contract/media-types.js'
import type { StateDocument } from '../control/document-types.js'
import { isObject } from '../documents/object.js'
import type { HandlerRequest, NextResult } from '../handler-types.js'
import { createError } from '../http-errors.js'
import { suggest } from '../nearest-name.js'
import { onUncaughtError } from '../node-process.js'
import { once } from '../once.js'
import { isSecretName } from '../redaction.js'
import { deepFreeze } from '../resources/json.js'
import type { State } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'
import { handlersPath, lineInStack, type UserHandlers } from '../resources/user-handlers/load-handlers.js'
import { copyDocument, documentOf, stateOf } from '../resources/user-handlers/state-document.js'
import { TimeLimitError, runWithTimeLimit } from '../run-with-time-limit.js'
import { describeValue } from '../validate-options.js'
import type { RequestContext } from './request-context.js'

export interface HandlerResponse {
  readonly response: OperationResponse
  readonly next: State | undefined
  /** Adds to the context what the journal says of this response. Called if the response is used. */
  readonly record?: () => void
  readonly note?: string | undefined
}

export interface HandlerSettings {
  readonly handlers: UserHandlers
  readonly resources: Resources
  /** The time that each call has, milliseconds. */
  readonly timeoutMs: number
  /** Called for what a handler throws after it has returned, in a timer or a promise, with the id of its request. */
  readonly onLateError: (id: string, error: Error) => void
}

interface Returned {
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly state: unknown
}

/** The functions that report late errors: that of the handler in which the code was started. */
const lateErrors = new AsyncLocalStorage<(thrown: unknown) => void>()

/** That of the handler that was called last: a microtask has lost its context, and so has an error inside of Node. */
let reportOfLastCall: ((thrown: unknown) => void) | undefined

/** The URL of the double's own modules, as it stands in a stack. */
const ownModules = new URL('.', import.meta.url).href

/** Keeps the process alive when code that a handler started throws later, or rejects a promise. Errors of the double end it, as before. */
const catchLateErrors = once(() =>
  onUncaughtError((error) => {
    const isOwn = describeThrown(error).stack?.includes(ownModules) === true
    const report = lateErrors.getStore() ?? (isOwn ? undefined : reportOfLastCall)
    report?.(error)
    return report !== undefined
  }),
)

/**
 * @param respond - The response without the handler. It is called once, before the handler: its time is not the handler's.
 * @throws {DoubleError} `handler_failed`: it throws, takes too long, or returns a value that cannot be sent or stored.
 */
export function callUserHandler(
  context: RequestContext,
  { handlers: { byOperation, file }, onLateError, resources, timeoutMs }: HandlerSettings,
  state: State,
  respond: () => HandlerResponse,
): HandlerResponse {
  const { operation } = context
  const { handle, line: ownLine } = byOperation.get(operation.id) ?? {}
  const place = (cause?: Error): string => {
    const line = lineInStack(cause?.stack ?? '', handlersPath(file)) ?? ownLine
    return line === undefined ? file : `${file}:${line}`
  }
  const fail = (reason: string, cause?: Error): never => {
    throw createError('handler_failed', { operation: operation.id, file: place(cause), reason }, { cause })
  }
  const next = computeNext(state, respond)
  const request = createRequest(context, state, next)
  const reportLate = (thrown: unknown): void => {
    const cause = describeThrown(thrown)
    const message = `The handler of ${operation.id} in ${place(cause)} failed after it had returned: ${describeError(cause)}`
    onLateError(context.id, Object.assign(new Error(message), { stack: message }))
  }
  catchLateErrors()
  reportOfLastCall = reportLate
  const callAndRead = (): Returned | Failure => {
    // What was thrown or returned can run code when it is read, so it is read here.
    try {
      const returned = lateErrors.run(reportLate, () => handle?.(request))
      return readReturned(returned, 'result' in next ? next.result.body : undefined, state, resources)
    } catch (thrown) {
      const cause = describeThrown(thrown)
      return { failure: `it threw ${describeError(cause)}`, cause }
    }
  }
  let returned: Returned | Failure
  try {
    returned = runWithTimeLimit(timeoutMs, callAndRead)
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    return fail(`${error.message}, the limit of --handler-timeout`)
  }
  if ('failure' in returned) return fail(returned.failure, returned.cause)
  const { state: document } = returned
  const changed = document === undefined ? state : stateOf(document, state, resources)
  if (!('collections' in changed)) return fail(`it returned a state that is not valid: ${changed.join('; ')}`)
  const response = toResponse(operation, returned)
  if (Buffer.isBuffer(response.body) && isJson(response.mediaType))
    return fail(`it returned bytes as ${response.mediaType}; return a value for JSON`)
  return { response, next: changed === state ? undefined : changed }
}

type Failure = { readonly failure: string; readonly cause?: Error }

function createRequest(context: RequestContext, state: State, without: NextOutcome): HandlerRequest {
  const { baseUrl, caller, contract, request, validRequest } = context
  const { parameters, withBytes = validRequest.body } = validRequest
  const { secretNames } = contract
  const sent = Object.entries(request.headers).filter(([name]) => !isSecretName(name) && !secretNames.has(name))
  const documented = Object.entries(parameters.header).map(([name, value]) => [name.toLowerCase(), value] as const)
  return {
    state: documentOf(state) as StateDocument,
    caller: caller?.name,
    baseUrl,
    path: deepFreeze(parameters.path),
    query: deepFreeze(parameters.query),
    headers: deepFreeze(Object.fromEntries<unknown>([...sent, ...documented])),
    body: deepFreeze(withBytes),
    now: context.sandbox.now,
    next: () => {
      if ('error' in without) throw without.error
      without.record()
      return without.result
    },
  }
}

type NextOutcome = { readonly result: NextResult; readonly record: () => void } | { readonly error: unknown }

function computeNext(before: State, respond: () => HandlerResponse): NextOutcome {
  try {
    const { next = before, record = () => {}, response } = respond()
    const { body, headers, status } = response
    const result = deepFreeze({ status, headers, body, state: documentOf(next) as StateDocument })
    return { record: once(record), result }
  } catch (error) {
    return { error }
  }
}

const keys = ['status', 'headers', 'body', 'state']
const expected = 'return {status?, headers?, body?, state?}'

/** Header fields that the double sets, so that a handler cannot. */
const ownHeaders = /^(?:connection|content-length|keep-alive|transfer-encoding|upgrade|x-request-id)$/iu

/** Reads and copies what a handler returned. @param nextBody - The body of `next()`. It is frozen, so it is not copied. */
function readReturned(returned: unknown, nextBody: unknown, state: State, resources: Resources): Returned | Failure {
  if (!isObject(returned)) return { failure: `it returned ${describeValue(returned)}; ${expected}` }
  if (typeof returned['then'] === 'function') {
    // A promise that is rejected later must not end the process.
    Promise.resolve(returned).catch(() => {})
    return { failure: 'it returned a promise; handlers are synchronous' }
  }
  const unknown = Object.keys(returned).find((key) => !keys.includes(key))
  if (unknown !== undefined)
    return { failure: `it returned an unknown key "${unknown}"; ${suggest(unknown, keys, expected)}` }
  const { body, headers = {}, state: document, status } = returned
  if (status !== undefined && (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599))
    return { failure: `it returned the status ${describeValue(status)}; use an integer from 200 to 599` }
  if (!isObject(headers)) return { failure: `it returned headers that are ${describeValue(headers)}; use an object` }
  const fields = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    if (ownHeaders.test(name)) return { failure: `it returned the header ${name}, which the double sets itself` }
    if (typeof value !== 'string')
      return { failure: `it returned the header ${name} as ${describeValue(value)}; use a string` }
    validateHeaderName(name)
    validateHeaderValue(name, value)
    fields.set(name.toLowerCase(), value)
  }
  return {
    status,
    headers: Object.fromEntries(fields),
    body: body === nextBody ? body : copyBody(body),
    state: document === undefined ? undefined : copyDocument(document, state, resources),
  }
}

/** Copies a body, so that the double sends the value that it has validated. Bytes stay bytes. */
function copyBody(body: unknown): unknown {
  if (body instanceof Uint8Array) return Buffer.from(body)
  const text = JSON.stringify(body) as string | undefined
  return text === undefined ? undefined : (JSON.parse(text) as unknown)
}

/** Copies what was thrown. JavaScript can throw any value, also one that throws when it is read. */
function describeThrown(thrown: unknown): Error {
  try {
    if (!(thrown instanceof Error)) return Object.assign(new Error(String(thrown)), { name: 'a value', stack: '' })
    const { message, name, stack } = thrown as { readonly [Key in keyof Error]: unknown }
    return Object.assign(new Error(String(message)), { name: String(name), stack: String(stack) })
  } catch {
    return Object.assign(new Error('it cannot be read'), { name: 'a value' })
  }
}

const describeError = ({ message, name }: Error): string => `${name}: ${message}`

function toResponse(operation: Operation, { body, headers: given, status = operation.successStatus }: Returned) {
  const { 'content-type': own, ...headers } = given
  const isBinary = body instanceof Uint8Array
  const documented = (documentedResponse(operation, status)?.contents ?? []).map((content) => content.mediaType)
  const concrete = documented.filter((mediaType) => !mediaType.includes('*'))
  const fitting = concrete.find((mediaType) => isJson(mediaType) !== isBinary) ?? concrete[0]
  const mediaType = own ?? fitting ?? (isBinary ? 'application/octet-stream' : 'application/json')
  return { status, headers, mediaType: body === undefined ? '' : mediaType, body }
}
