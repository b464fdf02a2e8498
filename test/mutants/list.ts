/** Mutants: changes of one line, each of which takes a guarantee away. A suite that stays green with one of them does not test it. */

/** A change of one line. */
export interface Mutant {
  /** The source file, below `src`. */
  readonly file: string
  /** A part of a line that the file has exactly once. */
  readonly search: string
  /** What takes its place. */
  readonly replace: string
  /** What no longer holds. */
  readonly guarantee: string
  /** Test files that are tried before the whole suite, below `test`, without their ending. */
  readonly killedBy: readonly string[]
}

/** Where requests lead: who is let in, and in which order things are checked. */
const admission: readonly Mutant[] = [
  {
    file: 'http/bearer.ts',
    search: "{ 'www-authenticate': 'Bearer' }",
    replace: '{}',
    guarantee: 'a 401 for a missing token says which scheme to use',
    killedBy: ['authentication'],
  },
  {
    file: 'http/insights-plane.ts',
    search: "headers: { 'www-authenticate': 'Bearer error=\"invalid_token\"' },",
    replace: '',
    guarantee: 'a 401 for an unknown token says that the token is wrong',
    killedBy: ['authentication'],
  },
  {
    file: 'http/bearer.ts',
    search: "|| isRepeated(request, 'authorization')",
    replace: '',
    guarantee: 'two credentials are refused',
    killedBy: ['authentication'],
  },
  {
    file: 'state/state.ts',
    search: '(byToken.get(token) ?? byToken.get(anyToken))',
    replace: 'byToken.values().next().value',
    guarantee: 'a token is that of its caller',
    killedBy: ['authentication'],
  },
  {
    file: 'http/guard.ts',
    search: ' && timingSafeEqual(left, right)',
    replace: '',
    guarantee: 'the admin token is compared whole',
    killedBy: ['admin-token'],
  },
  {
    file: 'http/guard.ts',
    search: "if (!isKnown || isRepeated(request, 'host'))",
    replace: "if (isRepeated(request, 'host'))",
    guarantee: 'the control plane answers known hosts only',
    killedBy: ['guard'],
  },
  {
    file: 'http/guard.ts',
    search: " || isRepeated(request, 'host'))",
    replace: ')',
    guarantee: 'two Host lines are refused',
    killedBy: ['guard'],
  },
  {
    file: 'http/guard.ts',
    search: "isIPv4(name) && name.startsWith('127.')",
    replace: 'isIPv4(name)',
    guarantee: 'loopback is loopback',
    killedBy: ['guard'],
  },
  {
    file: 'http/guard.ts',
    search: '!adminOrigins.includes(origin)',
    replace: "origin === ''",
    guarantee: 'the control plane refuses pages of other origins',
    killedBy: ['guard'],
  },
  {
    file: 'double.ts',
    search: '!isLoopback(host) && options.adminToken === undefined',
    replace: "!isLoopback(host) && host === ''",
    guarantee: 'a host beyond loopback needs an admin token',
    killedBy: ['admin-token', 'command-line'],
  },
  {
    file: 'http/vet-header.ts',
    search: 'host === undefined &&',
    replace: "host === '' &&",
    guarantee: 'a request without Host is refused',
    killedBy: ['guard', 'regressions/one-packet'],
  },
  {
    file: 'http/app.ts',
    search: 'plane.admit(exchange, operation)',
    replace: 'await readRequest(plane.contract, way); plane.admit(exchange, operation)',
    guarantee: 'the credential is checked before the request',
    killedBy: ['authentication'],
  },
  {
    file: 'http/app.ts',
    search: 'const disturbed = await disturb(service, plane.contract, way)',
    replace: 'plane.admit(exchange, operation); const disturbed = await disturb(service, plane.contract, way)',
    guarantee: 'a fault comes before the credential',
    killedBy: ['faults'],
  },
]

/** What a caller may see and delete, and what a request may say. */
const service: readonly Mutant[] = [
  {
    file: 'state/state.ts',
    search: 'state.insights.filter((record) => hasAccess(record, caller))',
    replace: 'state.insights.filter(() => true)',
    guarantee: 'a listing has only what the caller has access to',
    killedBy: ['list-insights'],
  },
  {
    file: 'insights/handlers.ts',
    search: 'if (record && hasAccess(record, caller))',
    replace: 'if (record)',
    guarantee: 'a caller deletes only what it has access to',
    killedBy: ['delete-insight'],
  },
  {
    file: 'insights/handlers.ts',
    search: "return failure('unknown_insight', undefined, {",
    replace: "return failure('unknown_insight', undefined, { headers: record ? { 'x-there': 'yes' } : {},",
    guarantee: 'a 404 does not tell whether the insight exists',
    killedBy: ['delete-insight'],
  },
  {
    file: 'state/state.ts',
    search: 'view.all.slice(0, limit)',
    replace: 'view.all.slice(0, limit + 1)',
    guarantee: 'a limit is the most that is listed',
    killedBy: ['limit'],
  },
  {
    file: 'contract/parameters/convert-text.ts',
    search: String.raw`/^(?:0|-?[1-9]\d*)$/u`,
    replace: String.raw`/^-?\d+$/u`,
    guarantee: 'a limit is written as JSON writes integers',
    killedBy: ['limit'],
  },
  {
    file: 'http/request.ts',
    search: 'decodeURIComponent(value) : value]',
    replace: 'value : value]',
    guarantee: 'path parameters are percent-decoded',
    killedBy: ['delete-insight', 'routes'],
  },
  {
    file: 'http/body.ts',
    search: 'if (size > maxBodyBytes) throw tooLarge',
    replace: '',
    guarantee: 'a body of unannounced length is bounded',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'http/limits.ts',
    search: 'maxBodyBytes = 1024 * 1024',
    replace: 'maxBodyBytes = 1024 * 1024 - 1',
    guarantee: 'a body of just the limit is read',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'http/limits.ts',
    search: 'maxHeaderBytes = 16 * 1024',
    replace: 'maxHeaderBytes = 64 * 1024',
    guarantee: 'the header block is bounded',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'http/limits.ts',
    search: 'headersTimeoutMs = 5000',
    replace: 'headersTimeoutMs = 4000',
    guarantee: 'a header has five seconds',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'http/prefer.ts',
    search: "else throw failure('preference_invalid', { got: part })",
    replace: 'else continue',
    guarantee: 'a preference that is not known is refused',
    killedBy: ['prefer'],
  },
  {
    file: 'http/prefer.ts',
    search: 'if (isRepeated) throw',
    replace: "if (isRepeated && key === '') throw",
    guarantee: 'preferences that contradict each other are refused',
    killedBy: ['prefer'],
  },
]

/** Replies: checked before anything is changed, and complete. */
const replies: readonly Mutant[] = [
  {
    file: 'http/settle.ts',
    search: 'if (judged === reply) await commit?.()',
    replace: 'await commit?.()',
    guarantee: 'a change is made only after its reply was checked',
    killedBy: ['traps', 'replies-are-checked'],
  },
  {
    file: 'http/settle.ts',
    search: 'if (violations.length === 0 || reply.status >= 500)',
    replace: 'if (reply.status >= 0)',
    guarantee: 'a reply that breaks the contract becomes a 500',
    killedBy: ['replies-are-checked'],
  },
  {
    file: 'contract/response-rules.ts',
    search: 'if (mediaTypes.some((mediaType) => coversMediaType(mediaType, response.mediaType)))',
    replace: 'if (mediaTypes.length > 0)',
    guarantee: 'a reply has a documented media type',
    killedBy: ['replies-are-checked', 'traps'],
  },
  {
    file: 'http/cors.ts',
    search: "'access-control-allow-origin': origin,",
    replace: '',
    guarantee: 'pages of every origin may read every reply',
    killedBy: ['cors'],
  },
  {
    file: 'http/cors.ts',
    search: "headers['access-control-request-private-network'] === 'true'",
    replace: "headers['access-control-request-private-network'] === ''",
    guarantee: 'a page of a public network may ask',
    killedBy: ['cors'],
  },
  {
    file: 'http/routes.ts',
    search: "const headers = { allow: allowed.join(', ') }",
    replace: 'const headers = {}',
    guarantee: 'a 405 says what is allowed',
    killedBy: ['routes'],
  },
  {
    file: 'http/reply.ts',
    search: "if (response.req.method === 'HEAD')",
    replace: "if (response.req.method === '')",
    guarantee: 'a HEAD of a stream ends',
    killedBy: ['events'],
  },
  {
    file: 'http/exchange.ts',
    search: "secretHeaders.has(name) ? '[redacted]'",
    replace: "name === '' ? '[redacted]'",
    guarantee: 'credentials in header fields are redacted',
    killedBy: ['journal', 'authentication'],
  },
  {
    file: 'http/exchange.ts',
    search: '(isToken(pair) ?',
    replace: "(pair === '' ?",
    guarantee: 'tokens in a query are redacted',
    killedBy: ['journal', 'authentication'],
  },
  {
    file: 'http/exchange.ts',
    search: "severity === 'Error') ? 'violation'",
    replace: "severity.length > 0) ? 'violation'",
    guarantee: 'a warning is no violation',
    killedBy: ['journal', 'limit', 'readme'],
  },
]

/** The state file and the store. */
const durability: readonly Mutant[] = [
  {
    file: 'http/settle.ts',
    search: 'await commit?.()',
    replace: 'void commit?.()',
    guarantee: 'a delete is saved before it is acknowledged',
    killedBy: ['durable'],
  },
  {
    file: 'state/durable-file.ts',
    search: 'await handle.sync()',
    replace: '',
    guarantee: 'the file is flushed',
    killedBy: ['durable'],
  },
  {
    file: 'state/durable-file.ts',
    search: 'await syncFolder(dirname(file))',
    replace: '',
    guarantee: 'the folder is flushed',
    killedBy: ['durable'],
  },
  {
    file: 'state/durable-file.ts',
    search: "open(temporary, 'wx',",
    replace: "open(temporary, 'w',",
    guarantee: 'a link at the name of the temporary file is not followed',
    killedBy: ['durable'],
  },
  {
    file: 'state/durable-file.ts',
    search: 'randomInt(maxSerial)',
    replace: '1',
    guarantee: 'no two writes share a temporary file',
    killedBy: ['durable'],
  },
  {
    file: 'state/durable-file.ts',
    search: 'await handle.chmod(mode)',
    replace: '',
    guarantee: 'the file keeps its mode',
    killedBy: ['durable'],
  },
  {
    file: 'state/durable-file.ts',
    search: 'await rm(temporary, { force: true })',
    replace: '',
    guarantee: 'a write that fails leaves no temporary file',
    killedBy: ['write-fails'],
  },
  {
    file: 'state/state-file.ts',
    search: 'await removeTemporaries(real)',
    replace: '',
    guarantee: 'a start removes what a killed double left behind',
    killedBy: ['state-file', 'crash'],
  },
  {
    file: 'state/state-file.ts',
    search: 'await lock.confirm()',
    replace: '',
    guarantee: 'before each write the lock is known to be held still',
    killedBy: ['lost-lock'],
  },
  {
    file: 'state/lock.ts',
    search: 'if (holder && !isSelf(holder)) throw',
    replace: 'if (holder && holder.pid < 0) throw',
    guarantee: 'a double does not write over the state of one that took over',
    killedBy: ['lost-lock'],
  },
  {
    file: 'state/lock.ts',
    search: ': isAlive(holder.pid)',
    replace: ': holder.pid < 0',
    guarantee: 'a second process does not get the state file',
    killedBy: ['second-double'],
  },
  {
    file: 'state/lock.ts',
    search: 'isSelf(holder) ? heldHere.has(file)',
    replace: "isSelf(holder) ? file === ''",
    guarantee: 'a second double of one process does not get the state file',
    killedBy: ['second-double'],
  },
  {
    file: 'state/store.ts',
    search: 'this.latest = next',
    replace: 'this.latest = this.saved = next',
    guarantee: 'a change is seen only when it is saved',
    killedBy: ['durable'],
  },
  {
    file: 'state/store.ts',
    search: 'this.latest = this.saved',
    replace: '',
    guarantee: 'a write that fails takes every change back that built on it',
    killedBy: ['write-fails'],
  },
  {
    file: 'state/store.ts',
    search: 'await this.#database.write().catch(() => {})',
    replace: '',
    guarantee: 'what was refused is not in the file at the next start',
    killedBy: ['write-fails'],
  },
  {
    file: 'http/insights-plane.ts',
    search: '() => store.settled()',
    replace: 'undefined',
    guarantee: 'a 404 that rests on a delete under way waits for it',
    killedBy: ['write-fails', 'durable'],
  },
]

/** Connections: order, ends, and clients that leave. */
const connections: readonly Mutant[] = [
  {
    file: 'http/turns.ts',
    search: 'if (this.isSilent(socket)) beginIfOpen()',
    replace: 'if (this.isSilent(socket) || !socket.destroyed) beginIfOpen()',
    guarantee: 'requests of a connection are served one after the other',
    killedBy: ['pipelining'],
  },
  {
    file: 'http/server.ts',
    search: 'socket.destroySoon = () => linger(socket)',
    replace: '',
    guarantee: 'a client that goes on sending gets the last reply',
    killedBy: ['regressions/last-reply'],
  },
  {
    file: 'http/server.ts',
    search: 'Object.assign(server, { httpAllowHalfOpen: true })',
    replace: '',
    guarantee: 'a client that shuts its side gets its replies',
    killedBy: ['regressions/half-closed'],
  },
  {
    file: 'http/delay.ts',
    search: 'if (socket.destroyed) throw',
    replace: 'if (socket.destroyed && milliseconds < 0) throw',
    guarantee: 'a delete that is given up during a delay is not made',
    killedBy: ['regressions/behind-the-last'],
  },
]

/** Sandboxes, with journal, faults and coverage. */
const sandboxes: readonly Mutant[] = [
  {
    file: 'http/sandbox.ts',
    search: 'use(exchange, sandboxes.get(String(header)))',
    replace: 'sandboxes.get(String(header))',
    guarantee: 'the header picks the sandbox',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/sandboxes.ts',
    search: 'sandbox.inUse === 0 && ',
    replace: '',
    guarantee: 'a sandbox in use is not dropped',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/sandboxes.ts',
    search: 'Date.now() - sandbox.lastUsed > this.#limits.idleMs',
    replace: 'Date.now() < sandbox.lastUsed',
    guarantee: 'an idle sandbox is dropped',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/sandboxes.ts',
    search: 'this.#byName.size >= maxSandboxes',
    replace: 'this.#byName.size > maxSandboxes',
    guarantee: 'there are no more sandboxes than there may be',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/faults.ts',
    search: 'counted.passed < fault.skip',
    replace: 'counted.passed <= fault.skip',
    guarantee: 'a fault lets as many pass as was ordered',
    killedBy: ['faults'],
  },
  {
    file: 'sandbox/faults.ts',
    search: 'counted.fault.fired >= fault.times',
    replace: 'counted.fault.fired > fault.times',
    guarantee: 'a fault affects as many as was ordered',
    killedBy: ['faults'],
  },
  {
    file: 'sandbox/sandbox.ts',
    search: 'await this.store.commit(',
    replace: 'this.journal.clear(); await this.store.commit(',
    guarantee: 'a reset that is not saved changes nothing',
    killedBy: ['write-fails'],
  },
  {
    file: 'sandbox/sandbox.ts',
    search: 'this.faults.clear()',
    replace: '',
    guarantee: 'a reset removes the faults',
    killedBy: ['reset'],
  },
  {
    file: 'sandbox/sandbox.ts',
    search: 'this.coverage.clear()',
    replace: '',
    guarantee: 'a reset forgets the coverage',
    killedBy: ['reset'],
  },
  {
    file: 'sandbox/journal.ts',
    search: 'this.#kept.length > maxEntries ||',
    replace: 'this.#kept.length > maxEntries + 1 ||',
    guarantee: 'the journal is bounded in entries',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'sandbox/journal.ts',
    search: 'this.#bytes > maxBytes &&',
    replace: 'this.#bytes > 2 * maxBytes &&',
    guarantee: 'the journal is bounded in bytes',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'sandbox/journal.ts',
    search: 'this.#evicted++',
    replace: '',
    guarantee: 'what the journal had to drop is counted',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'sandbox/journal.ts',
    search: 'if (matches(entry, filter) && satisfied()) finish()',
    replace: 'if (matches(entry, filter)) finish()',
    guarantee: 'a wait lasts until enough requests match',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'http/app.ts',
    search: 'sandbox.coverage.count(route.operation.id, status)',
    replace: 'sandbox.coverage.count(route.operation.id, 200)',
    guarantee: 'coverage counts the status that was answered',
    killedBy: ['journal-bounds'],
  },
]

/** Documents, and the command line. */
const edges: readonly Mutant[] = [
  {
    file: 'documents/json.ts',
    search: 'if (countKeys(value) !== keys)',
    replace: 'if (keys < 0)',
    guarantee: 'a key that is given twice is found',
    killedBy: ['unreadable-fixture', 'untrusted-fixture'],
  },
  {
    file: 'documents/yaml.ts',
    search: 'document.toJS()',
    replace: 'document.toJS({ maxAliasCount: -1 })',
    guarantee: 'YAML aliases are bounded',
    killedBy: ['unreadable-fixture'],
  },
  {
    file: 'documents/source.ts',
    search: 'maxYamlBytes = 8 *',
    replace: 'maxYamlBytes = 9 *',
    guarantee: 'a file is bounded',
    killedBy: ['unreadable-fixture'],
  },
  {
    file: 'state/fixture-library.ts',
    search: 'const file = files.get(name)',
    replace: 'const file = files.get(name) ?? `${folder}/${name}`',
    guarantee: 'the name of a fixture never becomes a path',
    killedBy: ['reset'],
  },
  {
    file: 'cli/exit-codes.ts',
    search: 'violations: 3',
    replace: 'violations: 1',
    guarantee: '--fail-on-violation exits with 3',
    killedBy: ['readme'],
  },
  {
    file: 'cli/exit-codes.ts',
    search: 'unusable: 2',
    replace: 'unusable: 1',
    guarantee: 'wrong usage exits with 2',
    killedBy: ['command-line'],
  },
  {
    file: 'cli/report.ts',
    search: "if (entry.verdict === 'ok') return",
    replace: '',
    guarantee: 'a report lists what broke the contract, and nothing else',
    killedBy: ['recipes', 'command-line'],
  },
  {
    file: 'cli/log.ts',
    search: ".map(withoutControls).join('\\n')",
    replace: ".join('\\n')",
    guarantee: 'a log line is a line',
    killedBy: ['log'],
  },
]

/** All of them. */
export const mutants: readonly Mutant[] = [
  ...admission,
  ...service,
  ...replies,
  ...durability,
  ...connections,
  ...sandboxes,
  ...edges,
]
