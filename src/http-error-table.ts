/**
 * The only table of the errors of requests: code, HTTP status, message.
 *
 * A message says what was wrong, where, what was received, and what would be right.
 */

/** The definition of an error. `D` is the type of the details in its message. */
export interface ErrorDefinition<D> {
  readonly status: number
  readonly message: (details: D) => string
  /** The place in the request that breaks the contract. Undefined if the error is not a violation, or is recorded as one already. */
  readonly location: readonly string[] | undefined
}

const entry = <D = void>(
  status: number,
  message: (details: D) => string,
  ...location: readonly string[]
): ErrorDefinition<D> => ({ status, message, location: location.length > 0 ? ['request', ...location] : undefined })

/** Joins names with commas. @returns `none` if there are none. */
const list = (names: readonly string[]): string => (names.length > 0 ? names.join(', ') : 'none')

/** The definitions by code. `createError` creates all errors of requests from them. */
export const errorTable = {
  // The request as HTTP
  malformed_http: entry<{ reason: string }>(400, ({ reason }) => `The request is not HTTP/1.1: ${reason}.`, 'http'),
  malformed_target: entry(
    400,
    () => 'The request target is not a path such as /orders. Percent-encode every character that is not visible ASCII.',
    'target',
  ),
  request_timeout: entry<{ seconds: number }>(
    408,
    ({ seconds }) =>
      `The request was not complete within ${seconds} seconds. Send its header and its body without pausing.`,
    'http',
  ),
  expectation_failed: entry<{ got: string }>(
    417,
    ({ got }) =>
      `The header Expect must be "100-continue", got ${JSON.stringify(got)}. Send this value, or leave the header out.`,
    'headers',
    'expect',
  ),
  headers_too_large: entry<{ maxBytes: number }>(
    431,
    ({ maxBytes }) => `The request's header is larger than ${maxBytes} bytes. Send fewer or shorter header fields.`,
    'headers',
  ),

  // Route
  unknown_path: entry<{ path: string; known: readonly string[] }>(
    404,
    ({ path, known }) => `There is no path ${JSON.stringify(path)}. The contract has ${list(known)}.`,
    'path',
  ),
  unknown_sandbox: entry<{ name: string }>(
    404,
    ({ name }) =>
      `There is no sandbox ${JSON.stringify(name)}. It was never created here, was dropped, or was idle for too long. POST /__admin/sandboxes creates one. If a test created it, that was at another double: set INSIGHTS_DOUBLE_URL to one URL for the tests and the app's server.`,
    'sandbox',
  ),
  method_not_allowed: entry<{ method: string; path: string; allowed: readonly string[] }>(
    405,
    ({ method, path, allowed }) => `${method} is not a method of ${path}. Allowed: ${list(allowed)}.`,
    'method',
  ),

  forbidden_host: entry<{ host: string }>(
    403,
    ({ host }) =>
      `The control plane does not accept the Host ${JSON.stringify(host)}. Use a loopback name, or start the double with --allowed-host.`,
  ),
  forbidden_origin: entry<{ origin: string }>(
    403,
    ({ origin }) =>
      `The control plane does not accept the Origin ${JSON.stringify(origin)}. Use the origin of the double, or start the double with --admin-origin.`,
  ),

  // Credential
  unknown_admin_token: entry(
    401,
    () =>
      'The admin token is missing or wrong. Send the header Authorization: Bearer <the token given with --admin-token>.',
  ),
  missing_token: entry<{ what: string; send: string }>(
    401,
    ({ what, send }) => `No ${what}. Send ${send}.`,
    'headers',
    'authorization',
  ),
  malformed_token: entry<{ what: string; send: string; rule: string }>(
    401,
    ({ what, send, rule }) => `Malformed ${what}. Send ${send}, once${rule}.`,
    'headers',
    'authorization',
  ),
  unknown_token: entry<{ what: string }>(
    401,
    ({ what }) => `No caller has this ${what}. Use one that the fixture lists under $callers.`,
    'headers',
    'authorization',
  ),
  mixed_tokens: entry(
    401,
    () => 'No caller has all these credentials. Send those of one caller that the fixture lists under $callers.',
    'headers',
    'authorization',
  ),

  // Request
  invalid_request: entry<{ message: string }>(400, ({ message }) => message),
  malformed_parameter: entry<{ name: string; got: string }>(
    400,
    ({ name, got }) => `Path parameter ${name} must be percent-encoded UTF-8, got ${JSON.stringify(got)}.`,
    'path',
  ),
  unexpected_body: entry<{ operation: string }>(
    400,
    ({ operation }) => `${operation} takes no request body. Send the request without one.`,
    'body',
  ),
  malformed_json: entry<{ reason: string }>(400, ({ reason }) => `The request body is not JSON: ${reason}.`, 'body'),
  malformed_body: entry<{ mediaType: string; reason: string }>(
    400,
    ({ mediaType, reason }) => `The request body cannot be decoded as ${mediaType}: ${reason}.`,
    'body',
  ),
  body_too_large: entry<{ maxBytes: number }>(
    413,
    ({ maxBytes }) => `The request body is larger than ${maxBytes} bytes. Send a smaller one.`,
    'body',
  ),
  body_too_complex: entry<{ extent: string }>(
    413,
    ({ extent }) => `The request body contains ${extent}. Send a smaller one.`,
    'body',
  ),
  unsupported_media_type: entry<{ got: string | undefined; supported: readonly string[] }>(
    415,
    ({ got, supported }) =>
      `The request body must be sent with Content-Type ${list(supported)}, got ${got === undefined ? 'none' : JSON.stringify(got)}.`,
    'headers',
    'content-type',
  ),
  unsupported_content_encoding: entry<{ got: string }>(
    415,
    ({ got }) =>
      `The request body must be sent without a Content-Encoding, got ${JSON.stringify(got)}. Send it uncompressed.`,
    'headers',
    'content-encoding',
  ),

  preference_unmet: entry<{ reason: string; operation: string; known: readonly string[] }>(
    400,
    ({ reason, operation, known }) =>
      `The preference cannot be applied: ${reason}. The statuses of ${operation}, each with its examples: ${list(known)}.`,
    'headers',
    'prefer',
  ),
  preference_invalid: entry<{ got: string }>(
    400,
    ({ got }) =>
      `Prefer takes code=<status>, example=<name>, dynamic=<true or false> and delay-ms=<0 to 60000>, each once, got ${JSON.stringify(got)}.`,
    'headers',
    'prefer',
  ),

  // Control plane
  unknown_operation: entry<{ got: string; known: readonly string[] }>(
    400,
    ({ got, known }) => `There is no operation ${JSON.stringify(got)}. The contract has ${list(known)}.`,
  ),
  unknown_caller: entry<{ got: string; known: readonly string[] }>(
    400,
    ({ got, known }) => `There is no caller ${JSON.stringify(got)}. The state has ${list(known)}.`,
  ),
  unknown_parameter: entry<{ got: string; operation: string | undefined; known: readonly string[] }>(
    400,
    ({ got, operation, known }) =>
      `There is no parameter ${JSON.stringify(got)}. ${operation ?? 'The contract'} has ${list(known)}.`,
  ),
  unknown_filter: entry<{ got: string; known: readonly string[] }>(
    400,
    ({ got, known }) => `There is no filter ${JSON.stringify(got)}. The filters are ${list(known)}.`,
  ),
  invalid_state: entry<{ problems: readonly string[] }>(
    400,
    ({ problems }) =>
      `The state has ${problems.length} problem${problems.length === 1 ? '' : 's'}, so nothing was changed: ${problems.join('; ')}.`,
  ),
  invalid_fault: entry<{ reason: string }>(400, ({ reason }) => `Invalid fault: ${reason}.`),
  unknown_fixture: entry<{ got: string; known: readonly string[] }>(
    404,
    ({ got, known }) => `There is no fixture ${JSON.stringify(got)}. The folder has ${list(known)}.`,
  ),
  unknown_collection: entry<{ got: string; known: readonly string[] }>(
    400,
    ({ got, known }) => `There is no collection ${JSON.stringify(got)}. The contract has ${list(known)}.`,
  ),
  record_not_found: entry<{ collection: string; key: string }>(
    404,
    ({ collection, key }) => `${collection} has no record ${JSON.stringify(key)}. It was never added, or was removed.`,
  ),
  record_changed: entry<{ collection: string; key: string }>(
    409,
    ({ collection, key }) =>
      `The record ${JSON.stringify(key)} of ${collection} has changed since it was read. Nothing was changed; read it again.`,
  ),
  record_renamed: entry<{ collection: string; key: string; got: string }>(
    400,
    ({ collection, key, got }) =>
      `The body has the id of the record ${JSON.stringify(got)}, but the request replaces ${JSON.stringify(key)} of ${collection}. Nothing was changed. Send the same id; or add a new record, and remove the old one.`,
  ),
  unknown_fault: entry<{ id: string }>(
    404,
    ({ id }) =>
      `There is no fault ${JSON.stringify(id)}. It was never added, was removed, or has affected all its requests.`,
  ),
  unknown_request: entry<{ id: string }>(
    404,
    ({ id }) =>
      `There is no request ${JSON.stringify(id)} in the journal. It was never recorded, was cleared, or was dropped.`,
  ),
  not_repeatable: entry<{ id: string; reason: string }>(
    409,
    ({ id, reason }) => `Request ${JSON.stringify(id)} cannot be repeated: ${reason}.`,
  ),
  sandbox_exists: entry<{ name: string }>(
    409,
    ({ name }) =>
      `There is already a sandbox ${JSON.stringify(name)}. Choose another name, or leave it out for a random one.`,
  ),
  too_many_sandboxes: entry<{ maxSandboxes: number }>(
    429,
    ({ maxSandboxes }) =>
      `There are ${maxSandboxes} sandboxes, which is the maximum. DELETE /__admin/sandboxes/{name} drops one.`,
  ),
  too_many_event_streams: entry<{ maxStreams: number }>(
    503,
    ({ maxStreams }) =>
      `There are ${maxStreams} event streams, which is the maximum. Close one, or use GET /__admin/requests.`,
  ),

  // State
  unknown_record: entry<{ collection: string; id: string }>(
    404,
    ({ collection, id }) => `${collection} has no record ${JSON.stringify(id)} that the caller has access to.`,
  ),
  id_exists: entry<{ collection: string; id: string; idProperty: string }>(
    409,
    ({ collection, id, idProperty }) =>
      `${collection} already has a record whose ${idProperty} is ${JSON.stringify(id)}. Choose another ${idProperty}, or leave it out.`,
  ),
  id_mismatch: entry<{ collection: string; id: string; idProperty: string }>(
    400,
    ({ collection, id, idProperty }) =>
      `The path names the record ${JSON.stringify(id)} of ${collection}, but the request body has another ${idProperty}. Send the same ${idProperty}, or leave it out.`,
    'body',
  ),
  invalid_record: entry<{ collection: string; validationErrors: readonly string[] }>(
    400,
    ({ collection, validationErrors }) =>
      `The record is not valid in ${collection}: ${validationErrors.join('; ')}. Nothing was changed.`,
    'body',
  ),
  no_more_ids: entry<{ collection: string; operation: string }>(
    500,
    ({ collection, operation }) =>
      `${operation} cannot create another id for ${collection}: its schema allows no more values. Send an id, or reset.`,
  ),
  state_not_saved: entry<{ reason: string }>(
    500,
    ({ reason }) => `The state could not be saved (${reason}). Nothing was changed; remove the cause and try again.`,
  ),

  // The double itself
  reply_violation: entry<{ operation: string; violations: readonly string[] }>(
    500,
    ({ operation, violations }) =>
      `The response of ${operation} would break the contract, so nothing was changed: ${violations.join(' ')}`,
  ),
  handler_failed: entry<{ operation: string; file: string; reason: string }>(500, ({ file, operation, reason }) =>
    `The handler of ${operation} in ${file} failed, so nothing was changed: ${reason}.`.replace(/([.?])\.$/u, '$1'),
  ),
  internal: entry<{ id: string }>(
    500,
    ({ id }) => `The double has an internal error; nothing was changed. Its log has the reason under ${id}.`,
  ),
} as const
