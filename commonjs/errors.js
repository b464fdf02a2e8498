"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.DoubleError = void 0;
exports.createError = createError;
const entry = (status, message, ...location) => ({
    status,
    message,
    location: location.length > 0 ? ['request', ...location] : undefined,
});
const list = (names) => (names.length > 0 ? names.join(', ') : 'none');
const table = {
    malformed_http: entry(400, ({ reason }) => `The request is not HTTP/1.1: ${reason}.`, 'http'),
    malformed_target: entry(400, () => 'The request target is not a path such as /orders. Percent-encode every character that is not visible ASCII.', 'target'),
    request_timeout: entry(408, ({ seconds }) => `The request was not complete within ${seconds} seconds. Send its header and its body without pausing.`, 'http'),
    expectation_failed: entry(417, () => 'The header Expect must be "100-continue". Send this value, or leave the header out.', 'headers', 'expect'),
    headers_too_large: entry(431, ({ maxBytes }) => `The request's header is larger than ${maxBytes} bytes. Send fewer or shorter header fields.`, 'headers'),
    unknown_path: entry(404, ({ path, known }) => `There is no path ${JSON.stringify(path)}. The contract has ${list(known)}.`, 'path'),
    unknown_sandbox: entry(404, ({ name }) => `There is no sandbox ${JSON.stringify(name)}. It was never created, was deleted, or was idle for too long. POST /__admin/sandboxes creates one.`, 'sandbox'),
    method_not_allowed: entry(405, ({ method, path, allowed }) => `${method} is not a method of ${path}. Allowed: ${list(allowed)}.`, 'method'),
    forbidden_host: entry(403, ({ host }) => `The control plane does not accept the Host ${JSON.stringify(host)}. Use a loopback name, or start it with --allowed-host.`),
    forbidden_origin: entry(403, ({ origin }) => `The control plane does not accept the Origin ${JSON.stringify(origin)}. Use the origin of the double, or start it with --admin-origin.`),
    unknown_admin_token: entry(401, () => 'The control plane needs the header Authorization: Bearer <the token given with --admin-token>.'),
    missing_token: entry(401, ({ what, send }) => `No ${what}. Send ${send}.`, 'headers', 'authorization'),
    malformed_token: entry(401, ({ what, send, rule }) => `Malformed ${what}. Send ${send}, once${rule}.`, 'headers', 'authorization'),
    unknown_token: entry(401, ({ what }) => `No caller has this ${what}. Use one that the fixture lists under $callers.`, 'headers', 'authorization'),
    mixed_tokens: entry(401, () => 'No caller has all these credentials. Send those of one caller that the fixture lists under $callers.', 'headers', 'authorization'),
    invalid_request: entry(400, ({ message }) => message),
    malformed_parameter: entry(400, ({ name, got }) => `Path parameter ${name} must be percent-encoded UTF-8, got ${JSON.stringify(got)}.`, 'path'),
    unexpected_body: entry(400, ({ operation }) => `${operation} takes no request body. Send the request without one.`, 'body'),
    malformed_json: entry(400, ({ reason }) => `The request body is not JSON: ${reason}.`, 'body'),
    malformed_body: entry(400, ({ mediaType, reason }) => `The request body cannot be decoded as ${mediaType}: ${reason}.`, 'body'),
    body_too_large: entry(413, ({ maxBytes }) => `The request body is larger than ${maxBytes} bytes. Send a smaller one.`, 'body'),
    body_too_complex: entry(413, ({ extent }) => `The request body contains ${extent}. Send a smaller one.`, 'body'),
    unsupported_media_type: entry(415, ({ got, supported }) => `The request body must be sent with Content-Type ${list(supported)}, got ${got === undefined ? 'none' : JSON.stringify(got)}.`, 'headers', 'content-type'),
    preference_unmet: entry(400, ({ reason, operation, known }) => `The preference cannot be applied: ${reason}. ${operation} documents, as code (examples): ${list(known)}.`, 'headers', 'prefer'),
    preference_invalid: entry(400, ({ got }) => `Prefer takes code=<status>, example=<name>, dynamic=<true or false> and delay-ms=<0 to 60000>, got ${JSON.stringify(got)}.`, 'headers', 'prefer'),
    unknown_operation: entry(400, ({ got, known }) => `There is no operation ${JSON.stringify(got)}. The contract has ${list(known)}.`),
    unknown_caller: entry(400, ({ got, known }) => `There is no caller ${JSON.stringify(got)}. The state has ${list(known)}.`),
    unknown_parameter: entry(400, ({ got, operation, known }) => `There is no parameter ${JSON.stringify(got)}. ${operation ?? 'The contract'} has ${list(known)}.`),
    unknown_filter: entry(400, ({ got, known }) => `There is no filter ${JSON.stringify(got)}. The filters are ${list(known)}.`),
    invalid_state: entry(400, ({ problems }) => `The state has ${problems.length} problem${problems.length === 1 ? '' : 's'}, so nothing was changed: ${problems.join('; ')}.`),
    invalid_fault: entry(400, ({ reason }) => `Invalid fault: ${reason}.`),
    unknown_fixture: entry(404, ({ got, known }) => `There is no fixture ${JSON.stringify(got)}. The folder has ${list(known)}.`),
    unknown_collection: entry(400, ({ got, known }) => `There is no collection ${JSON.stringify(got)}. The contract has ${list(known)}.`),
    record_not_found: entry(404, ({ collection, key }) => `${collection} has no record ${JSON.stringify(key)}. It was never added, or was removed.`),
    record_changed: entry(409, ({ collection, key }) => `The record ${JSON.stringify(key)} of ${collection} has changed since it was read. Nothing was changed; read it again.`),
    record_renamed: entry(400, ({ collection, key, got }) => `The body has the id of the record ${JSON.stringify(got)}, and the request replaces ${JSON.stringify(key)} of ${collection}. Nothing was changed. Send the same id; or add a new record, and remove the old one.`),
    unknown_fault: entry(404, ({ id }) => `There is no fault ${JSON.stringify(id)}. It was never added, was removed, or has affected all its requests.`),
    unknown_request: entry(404, ({ id }) => `There is no request ${JSON.stringify(id)} in the journal. It was never recorded, was cleared, or was dropped.`),
    not_repeatable: entry(409, ({ id, reason }) => `Request ${JSON.stringify(id)} cannot be repeated: ${reason}.`),
    sandbox_exists: entry(409, ({ name }) => `There is already a sandbox ${JSON.stringify(name)}. Choose another name, or leave it out for a random one.`),
    too_many_sandboxes: entry(429, ({ maxSandboxes }) => `There are ${maxSandboxes} sandboxes already, the maximum. DELETE /__admin/sandboxes/{name} drops one.`),
    too_many_event_streams: entry(503, ({ maxStreams }) => `There are ${maxStreams} event streams already, the maximum. Close one, or use GET /__admin/requests.`),
    unknown_record: entry(404, ({ collection, id }) => `${collection} has no record ${JSON.stringify(id)} that the caller has access to.`),
    id_exists: entry(409, ({ collection, id, idProperty }) => `${collection} already has a record whose ${idProperty} is ${JSON.stringify(id)}. Choose another ${idProperty}, or leave it out.`),
    id_mismatch: entry(400, ({ collection, id, idProperty }) => `The path names the record ${JSON.stringify(id)} of ${collection}, and the request body has another ${idProperty}. Send the same ${idProperty}, or leave it out.`, 'body'),
    invalid_record: entry(400, ({ collection, validationErrors }) => `The record is not valid in ${collection}: ${validationErrors.join('; ')}. Nothing was changed.`, 'body'),
    no_more_ids: entry(500, ({ collection, operation }) => `${operation} cannot create another id for ${collection}: its schema allows no more values. Send an id, or reset.`),
    state_not_saved: entry(500, ({ reason }) => `The state could not be saved (${reason}). Nothing was changed; remove the cause and try again.`),
    reply_violation: entry(500, ({ operation, violations }) => `The response of ${operation} would break the contract, so nothing was changed: ${violations.join(' ')}`),
    handler_failed: entry(500, ({ file, operation, reason }) => `The handler of ${operation} in ${file} failed, so nothing was changed: ${reason}.`.replace(/([.?])\.$/u, '$1')),
    internal: entry(500, ({ id }) => `The double has an internal error; nothing was changed. Its log has the reason under ${id}.`),
};
class DoubleError extends Error {
    name = 'DoubleError';
    code;
    status;
    headers;
    note;
    location;
    constructor(code, message, { status, location }, options) {
        super(message, { cause: options.cause });
        this.code = code;
        this.status = status;
        this.location = options.location ?? location;
        this.headers = options.headers ?? {};
        this.note = options.note;
    }
}
exports.DoubleError = DoubleError;
function createError(code, details, options = {}) {
    const found = table[code];
    return new DoubleError(code, found.message(details), found, options);
}
