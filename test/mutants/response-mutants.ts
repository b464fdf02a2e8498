/** Mutants of responses and of the connections that they go through. */
import type { Mutant } from './mutant.js'

/** Responses: checked before anything is changed, and complete. */
export const replies: readonly Mutant[] = [
  {
    file: 'http/validate-and-commit.ts',
    search: 'if (validated === response) await commit?.()',
    replace: 'await commit?.()',
    guarantee: 'a change is committed only after its response was validated',
    killedBy: ['dependency-workarounds', 'response-validation'],
  },
  {
    file: 'http/validate-response.ts',
    search: 'if (errors.length === 0 || response.status >= 500)',
    replace: 'if (response.status >= 0)',
    guarantee: 'a response that breaks the contract becomes a 500',
    killedBy: ['response-validation'],
  },
  {
    file: 'contract/prism.ts',
    search: 'responseHeaders.get(code) ?? []',
    replace: 'responseHeaders.get("") ?? []',
    guarantee: 'a reply with a body has the documented header fields',
    killedBy: ['response-validation'],
  },
  {
    file: 'contract/check-response.ts',
    search: 'if (mediaTypes.some((mediaType) => coversMediaType(mediaType, response.mediaType)))',
    replace: 'if (mediaTypes.length > 0)',
    guarantee: 'a response has a documented media type',
    killedBy: ['handlers'],
  },
  {
    file: 'http/validate-response.ts',
    search: '? found.map(toWarning)',
    replace: '? found',
    guarantee: 'an error with an undocumented status is sent, with a warning',
    killedBy: ['response-validation', 'error-bodies', 'spec-diagnostics'],
  },
  {
    file: 'http/validate-response.ts',
    search: '? found.map(allowUndocumentedStatus)',
    replace: '? found',
    guarantee: 'an error of a handler with an undocumented status is sent, with a warning',
    killedBy: ['handlers'],
  },
  {
    file: 'http/cors.ts',
    search: "'access-control-allow-origin': origin,",
    replace: '',
    guarantee: 'pages of every origin may read every response',
    killedBy: ['cors'],
  },
  {
    file: 'http/answer-preflight.ts',
    search: "headers['access-control-request-private-network'] === 'true'",
    replace: "headers['access-control-request-private-network'] === ''",
    guarantee: 'a page of a public network may send requests',
    killedBy: ['cors'],
  },
  {
    file: 'http/router.ts',
    search: "const headers = { allow: allowed.join(', ') }",
    replace: 'const headers = {}',
    guarantee: 'a 405 says what is allowed',
    killedBy: ['routes'],
  },
  {
    file: 'http/send-response.ts',
    search: "if (serverResponse.req.method === 'HEAD')",
    replace: "if (serverResponse.req.method === '')",
    guarantee: 'a HEAD of a stream ends',
    killedBy: ['events'],
  },
  {
    file: 'http/redact-request.ts',
    search: 'result[this.text(name)] = this.isSecretName(name)',
    replace: "result[this.text(name)] = name === ''",
    guarantee: 'credentials in header fields are redacted',
    killedBy: ['journal', 'bearer-tokens'],
  },
  {
    file: 'http/redact-request.ts',
    search: 'this.isSecretName(pair.name) ? `',
    replace: "pair.text === ' ' ? `",
    guarantee: 'values of parameters with a secret name are redacted',
    killedBy: ['secrets', 'redacted-passwords'],
  },
  {
    file: 'http/redact-request.ts',
    search: '[...callers].map(redactorOf)',
    replace: '[].map(redactorOf)',
    guarantee: 'the tokens of callers are redacted in every place',
    killedBy: ['secrets'],
  },
  {
    file: 'http/redact-request.ts',
    search: '.some((part) => secretNames.has(part))',
    replace: ".some((part) => part === '')",
    guarantee: 'a credential in a place that the contract names is redacted',
    killedBy: ['secrets', 'redacted-passwords', 'openapi-features'],
  },
  {
    file: 'http/find-secrets.ts',
    search: 'if (secretPaths.length === 0) return []',
    replace: 'if (secretPaths.length >= 0) return []',
    guarantee: 'a path parameter that is a secret is redacted',
    killedBy: ['redacted-passwords'],
  },
  {
    file: 'http/find-secrets.ts',
    search: 'if (!isKnown) found.push(',
    replace: 'if (isKnown) found.push(',
    guarantee: 'a credential that no caller has is redacted in every place',
    killedBy: ['secrets'],
  },
  {
    file: 'http/record-request.ts',
    search: "severity === 'Error') ? 'violation'",
    replace: "severity.length > 0) ? 'violation'",
    guarantee: 'a warning is not a violation',
    killedBy: ['journal', 'limit', 'readme'],
  },
  {
    file: 'contract/schemas/detect-uncompiled-schemas.ts',
    search: '.some(({ location })',
    replace: '.every(({ location })',
    guarantee: 'a value of a schema that does not compile is refused',
    killedBy: ['large-contracts'],
  },
]

/** Connections: order, ends, and clients that leave. */
export const connections: readonly Mutant[] = [
  {
    file: 'server/pipelining.ts',
    search: 'if (this.isIdle(socket)) startIfOpen()',
    replace: 'if (this.isIdle(socket) || !socket.destroyed) startIfOpen()',
    guarantee: 'requests of a connection are served one after the other',
    killedBy: ['pipelining'],
  },
  {
    file: 'server/http-server.ts',
    search: 'socket.destroySoon = () => closeLingering(socket)',
    replace: '',
    guarantee: 'a client that continues to send gets the last response',
    killedBy: ['regressions/last-response'],
  },
  {
    file: 'server/http-server.ts',
    search: 'Object.assign(server, { httpAllowHalfOpen: true })',
    replace: '',
    guarantee: 'a client that ends its side gets its responses',
    killedBy: ['regressions/half-closed'],
  },
  {
    file: 'http/delay.ts',
    search: 'if (socket.destroyed)',
    replace: 'if (socket.destroyed && milliseconds < 0)',
    guarantee: 'a delayed delete is not served if the client disconnects',
    killedBy: ['regressions/requests-after-the-last'],
  },
]

/** Streams of events, to clients that do not read. */
export const streams: readonly Mutant[] = [
  {
    file: 'control/event-streams.ts',
    search: 'if (this.#unsentBytes > maxUnsentBytes) this.destroy()',
    replace: '',
    guarantee: 'a client that does not read its events is disconnected',
    killedBy: ['event-streams'],
  },
  {
    file: 'control/event-streams.ts',
    search: 'if (this.#isWaiting) {',
    replace: 'if (!this.destroyed) {',
    guarantee: 'events wait in the journal until the client reads',
    killedBy: ['event-streams'],
  },
]
