/** The only table of the errors of requests, and the class of these errors. */
import { plural } from './error-message.js'

/** `D` is the type of the details in the message. */
interface ErrorDefinition<D> {
  readonly status: number
  readonly message: (details: D) => string
  /** As `DoubleError` has it. */
  readonly location: readonly string[] | undefined
}

type Parts = readonly ((details: never) => string)[]

/** The details that all parts of a message need. */
type DetailsOf<P extends Parts> = P[number] extends (details: infer D) => string ? D : never

/** Creates a row of the table. @param place - The place in the request, if the error is a violation. */
const row =
  (status: number, ...place: readonly string[]) =>
  <P extends Parts>(texts: TemplateStringsArray, ...parts: P): ErrorDefinition<DetailsOf<P>> => ({
    status,
    message: (details) => String.raw({ raw: texts }, ...parts.map((format) => format(details as never))),
    location: place.length === 0 ? undefined : ['request', ...place],
  })

/** Creates a part of a message: that of a detail. */
const part =
  <Name extends string, Value>(name: Name, format: (value: Value) => string) =>
  (details: { readonly [Each in Name]: Value }): string =>
    format(details[name])

const text = <Name extends string>(name: Name) => part<Name, string | number>(name, String)
const quoted = <Name extends string>(name: Name) => part<Name, string>(name, JSON.stringify)
const list = <Name extends string>(name: Name) =>
  part<Name, readonly string[]>(name, (names) => (names.length > 0 ? names.join(', ') : 'none'))

const count = ({ length }: readonly string[]): string => plural(length, 'problem')
const join = (texts: readonly string[]): string => texts.join('; ')
const sentences = (texts: readonly string[]): string => texts.join(' ')
const sentence = (reason: string): string => (/[.?]$/u.test(reason) ? reason : `${reason}.`)
const orNone = (got: string | undefined): string => (got === undefined ? 'none' : JSON.stringify(got))
const orContract = (operation: string | undefined): string => operation ?? 'The contract'

const badRequest = row(400)
const badBody = row(400, 'body')
const badPreference = row(400, 'headers', 'prefer')
const badTarget = row(400, 'target')
const badPath = row(400, 'path')
const badCredential = row(401, 'headers', 'authorization')
const unauthorized = row(401)
const forbidden = row(403)
const notFound = row(404)
const noSandbox = row(404, 'sandbox')
const badMethod = row(405, 'method')
const tooSlow = row(408, 'http')
const conflict = row(409)
const unmetCondition = row(412)
const tooLarge = row(413, 'body')
const badMediaType = row(415, 'headers', 'content-type')
const badEncoding = row(415, 'headers', 'content-encoding')
const badExpectation = row(417, 'headers', 'expect')
const tooMany = row(429)
const tooLargeHeader = row(431, 'headers')
const failed = row(500)
const busy = row(503)

/** By code. A message says what was wrong, where, what was received, and what would be right. */
const errorTable = {
  // The request as HTTP
  malformed_http: row(400, 'http')`The request is not HTTP/1.1: ${text('reason')}.`,
  malformed_target: badTarget`The request target is not a path such as /orders. Percent-encode every character that is not visible ASCII.`,
  request_timeout: tooSlow`The request was not complete within ${text('seconds')} seconds. Send its header and its body without pausing.`,
  expectation_failed: badExpectation`The header Expect must be "100-continue", got ${quoted('got')}. Send this value, or leave the header out.`,
  headers_too_large: tooLargeHeader`The request's header is larger than ${text('maxBytes')} bytes. Send fewer or shorter header fields.`,

  // Route
  unknown_path: row(404, 'path')`There is no path ${quoted('path')}. The contract has ${list('known')}.`,
  unknown_sandbox: noSandbox`There is no sandbox ${quoted('name')}. It was never created here, was dropped, or was idle for too long. POST /__admin/sandboxes creates one. If a test created it, that was at another double: set INSIGHTS_DOUBLE_URL to one URL for the tests and the app's server.`,
  method_not_allowed: badMethod`${text('method')} is not a method of ${text('path')}. Allowed: ${list('allowed')}.`,

  forbidden_host: forbidden`The control plane does not accept the Host ${quoted('host')}. Use a loopback name, or start the double with --allowed-host.`,
  forbidden_origin: forbidden`The control plane does not accept the Origin ${quoted('origin')}. Use the origin of the double, or start the double with --admin-origin.`,

  // Credential
  unknown_admin_token: unauthorized`The admin token is missing or wrong. Send the header Authorization: Bearer <the token given with --admin-token>.`,
  missing_token: badCredential`No ${text('what')}. Send ${text('send')}.`,
  malformed_token: badCredential`Malformed ${text('what')}. Send ${text('send')}, once${text('rule')}.`,
  unknown_token: badCredential`No caller has this ${text('what')}. Use one that the fixture lists under $callers.`,
  mixed_tokens: badCredential`No caller has all these credentials. Send those of one caller that the fixture lists under $callers.`,

  // Request
  invalid_request: badRequest`${text('message')}`,
  missing_body: badRequest`${text('message')}`,
  malformed_parameter: badPath`Path parameter ${text('name')} must be percent-encoded UTF-8, got ${quoted('got')}.`,
  unexpected_body: badBody`${text('operation')} takes no request body. Send the request without one.`,
  malformed_json: badBody`The request body is not JSON: ${text('reason')}.`,
  malformed_body: badBody`The request body cannot be decoded as ${text('mediaType')}: ${text('reason')}.`,
  body_too_large: tooLarge`The request body is larger than ${text('maxBytes')} bytes. Send a smaller one.`,
  body_too_complex: tooLarge`The request body contains ${text('extent')}. Send a smaller one.`,
  unsupported_media_type: badMediaType`The request body must be sent with Content-Type ${list('supported')}, got ${part('got', orNone)}.`,
  unsupported_content_encoding: badEncoding`The request body must be sent without a Content-Encoding, got ${quoted('got')}. Send it uncompressed.`,

  preference_unmet: badPreference`The preference cannot be applied: ${text('reason')}. The statuses of ${text('operation')}, each with its examples: ${list('known')}.`,
  preference_invalid: badPreference`Prefer takes code=<status>, example=<name>, dynamic=<true or false> and delay-ms=<0 to 60000>, each once, got ${quoted('got')}.`,

  // Control plane
  unknown_operation: badRequest`There is no operation ${quoted('got')}. The contract has ${list('known')}.`,
  unknown_variation: badRequest`There is no variation ${quoted('got')} of this contract; did you mean ${text('hint')}?`,
  unknown_caller: badRequest`There is no caller ${quoted('got')}. The state has ${list('known')}.`,
  unknown_parameter: badRequest`There is no parameter ${quoted('got')}. ${part('operation', orContract)} has ${list('known')}.`,
  unknown_filter: badRequest`There is no filter ${quoted('got')}. The filters are ${list('known')}.`,
  invalid_state: badRequest`The state has ${part('problems', count)}, so nothing was changed: ${part('problems', join)}.`,
  two_fixtures: badRequest`A fixture has its own records, so fixture excludes records and seed. Leave one of them out.`,
  invalid_fault: badRequest`Invalid fault: ${text('reason')}.`,
  fixtures_not_writable: forbidden`The double may not write into the folder of fixtures. Start it with --fixtures-writable to allow it.`,
  unknown_fixture: notFound`There is no fixture ${quoted('got')}. The folder has ${list('known')}.`,
  unknown_collection: badRequest`There is no collection ${quoted('got')}. The contract has ${list('known')}.`,
  record_not_found: notFound`${text('collection')} has no record ${quoted('key')}. It was never added, or was removed.`,
  record_changed: conflict`The record ${quoted('key')} of ${text('collection')} has changed since it was read. Nothing was changed; read it again.`,
  record_renamed: badRequest`The body has the id of the record ${quoted('got')}, but the request replaces ${quoted('key')} of ${text('collection')}. Nothing was changed. Send the same id; or add a new record, and remove the old one.`,
  nothing_to_undo: conflict`There is no change to undo. Changes of the control plane can be undone, those of the service cannot.`,
  changed_since: conflict`The state has changed since, so the change cannot be undone. Nothing was changed.`,
  unknown_fault: notFound`There is no fault ${quoted('id')}. It was never added, was removed, or has affected all its requests.`,
  unknown_request: notFound`There is no request ${quoted('id')} in the journal. It was never recorded, was cleared, or was dropped.`,
  not_repeatable: conflict`Request ${quoted('id')} cannot be repeated: ${text('reason')}.`,
  sandbox_exists: conflict`There is already a sandbox ${quoted('name')}. Choose another name, or leave it out for a random one.`,
  too_many_sandboxes: tooMany`There are ${text('maxSandboxes')} sandboxes, which is the maximum. DELETE /__admin/sandboxes/{name} drops one.`,
  too_many_event_streams: busy`There are ${text('maxStreams')} event streams, which is the maximum. Close one, or use GET /__admin/requests.`,

  // State
  unknown_record: notFound`${text('collection')} has no record ${quoted('id')} that the caller has access to.`,
  foreign_cursor: badRequest`${text('parameter')} is no cursor of ${text('operation')}. Send one that a response of it shows, with the same order, or leave it out.`,
  id_exists: conflict`${text('collection')} already has a record whose ${text('idProperty')} is ${quoted('id')}. Choose another ${text('idProperty')}, or leave it out.`,
  taken: conflict`${text('collection')} already has a record whose ${text('property')} is ${quoted('value')}, and the contract says that this is refused. Send other values, or remove that record.`,
  wrong_state: conflict`${text('operation')} is refused for the record ${quoted('id')} of ${text('collection')}, because its ${text('property')} is ${quoted('value')}.`,
  id_mismatch: badBody`The path names the record ${quoted('id')} of ${text('collection')}, but the request body has another ${text('idProperty')}. Send the same ${text('idProperty')}, or leave it out.`,
  invalid_record: badBody`The record is not valid in ${text('collection')}: ${part('validationErrors', join)}. Nothing was changed.`,
  no_more_ids: failed`${text('operation')} cannot create another id for ${text('collection')}: its schema allows no more values. Send an id, or reset.`,
  condition_failed: unmetCondition`${text('header')} does not hold: the ETag of ${quoted('id')} is ${text('tag')}. Read it again.`,
  condition_missing: row(428)`Send If-Match with the ETag of ${quoted('id')} that you have read.`,
  idempotency_key_used: row(422)`Another request had this idempotency key. Send a new key with a new request.`,
  state_not_saved: failed`The state could not be saved (${text('reason')}). Nothing was changed; remove the cause and try again.`,

  // The double itself
  reply_violation: failed`The response of ${text('operation')} would break the contract, so nothing was changed: ${part('violations', sentences)}`,
  handler_failed: failed`The handler of ${text('operation')} in ${text('file')} failed, so nothing was changed: ${part('reason', sentence)}`,
  internal: failed`The double has an internal error; nothing was changed. Its log has the reason under ${text('id')}.`,
} as const

/** The code of an error, for programs. */
export type ErrorCode = keyof typeof errorTable

export const errorCodes = Object.keys(errorTable)

type ErrorDetails<C extends ErrorCode> = Parameters<(typeof errorTable)[C]['message']>[0]

const errorPlaces = ['name', 'value', 'id', 'uuid', 'now'] as const

/**
 * The parameter or the property that an error is about, what was sent as its value, and the id of a record; a new UUID, and the present time.
 * Missing: the error is about none.
 */
export type ErrorPlaces = Readonly<Partial<Record<(typeof errorPlaces)[number], string | undefined>>>

export const isErrorPlace = (name: string): name is keyof ErrorPlaces => errorPlaces.some((each) => each === name)

export interface CreateErrorOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The place in the request. Default: that of the table. */
  readonly location?: readonly string[] | undefined
  /** Default: that of the table. */
  readonly status?: number | undefined
  /** The rule of the contract that the request breaks, such as `required`. */
  readonly rule?: string
  /** The parts of the request that a body of the contract may name. Default: those in the message. */
  readonly places?: ErrorPlaces
  readonly cause?: unknown
}

export class DoubleError extends Error {
  override readonly name = 'DoubleError'
  readonly code: ErrorCode
  /** HTTP status, 400 to 599. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly rule: string | undefined
  readonly places: ErrorPlaces
  /** The place in the request that breaks the contract. Undefined if the error is not a violation, or is recorded as one already. */
  readonly location: readonly string[] | undefined

  constructor(code: ErrorCode, message: string, status: number, options: CreateErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = status
    this.location = options.location
    this.headers = options.headers ?? {}
    this.rule = options.rule
    this.places = options.places ?? {}
  }
}

export function createError<C extends ErrorCode>(code: C, details: ErrorDetails<C>, options: CreateErrorOptions = {}) {
  // The compiler checks the details at every call. Here C is generic, so it cannot select the entry.
  const { location, message, status } = errorTable[code] as ErrorDefinition<ErrorDetails<C>>
  const said = new Map<string, unknown>(Object.entries(details ?? {}))
  const textIn = (...names: readonly string[]): unknown =>
    names.map((name) => said.get(name)).find((each) => typeof each === 'string' && each !== '')
  const known = { name: textIn('name', 'property'), value: textIn('value', 'got'), id: textIn('id') }
  const places: ErrorPlaces = Object.fromEntries(Object.entries(known).filter(([, each]) => each !== undefined))
  return new DoubleError(code, message(details), options.status ?? status, {
    places,
    ...options,
    location: options.location ?? location,
  })
}
