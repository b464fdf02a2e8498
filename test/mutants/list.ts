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
    file: 'http/bearer-token.ts',
    search: "{ 'www-authenticate': 'Bearer' }",
    replace: '{}',
    guarantee: 'a 401 for a missing token says which scheme to use',
    killedBy: ['authentication'],
  },
  {
    file: 'http/service-plane.ts',
    search: `headers: { 'www-authenticate': 'Bearer error="invalid_token"' },`,
    replace: '',
    guarantee: 'a 401 for an unknown token says that the token is wrong',
    killedBy: ['authentication'],
  },
  {
    file: 'http/bearer-token.ts',
    search: "|| isRepeated(request, 'authorization')",
    replace: '',
    guarantee: 'two credentials are refused',
    killedBy: ['authentication'],
  },
  {
    file: 'state/callers.ts',
    search: '(byToken.get(token) ?? byToken.get(anyToken))',
    replace: 'byToken.values().next().value',
    guarantee: 'a token is that of its caller',
    killedBy: ['authentication'],
  },
  {
    file: 'http/authorize-admin.ts',
    search: ' && timingSafeEqual(left, right)',
    replace: '',
    guarantee: 'the admin token is compared whole',
    killedBy: ['admin-token'],
  },
  {
    file: 'http/authorize-admin.ts',
    search: 'if (!isKnown) throw',
    replace: "if (!isKnown && host === '') throw",
    guarantee: 'the control plane answers known hosts only',
    killedBy: ['guard'],
  },
  {
    file: 'http/check-headers.ts',
    search: "if (isRepeated(request, 'host')) return",
    replace: "if (url === '') return",
    guarantee: 'two Host lines are refused',
    killedBy: ['guard'],
  },
  {
    file: 'http/authorize-admin.ts',
    search: "isIPv4(name) && name.startsWith('127.')",
    replace: 'isIPv4(name)',
    guarantee: 'loopback is loopback',
    killedBy: ['guard'],
  },
  {
    file: 'http/authorize-admin.ts',
    search: '!adminOrigins.includes(origin)',
    replace: "origin === ''",
    guarantee: 'the control plane refuses pages of other origins',
    killedBy: ['guard'],
  },
  {
    file: 'create-double.ts',
    search: '!isLoopback(host) && options.adminToken === undefined',
    replace: "!isLoopback(host) && host === ''",
    guarantee: 'a host beyond loopback needs an admin token',
    killedBy: ['admin-token', 'command-line'],
  },
  {
    file: 'http/check-headers.ts',
    search: 'host === undefined &&',
    replace: "host === '' &&",
    guarantee: 'a request without Host is refused',
    killedBy: ['guard', 'regressions/one-packet'],
  },
  {
    file: 'http/app.ts',
    search: 'authorize, // 401, 403',
    replace: 'validateRequest, authorize,',
    guarantee: 'the credential is checked before the request',
    killedBy: ['authentication'],
  },
  {
    file: 'http/app.ts',
    search: 'injectFault,',
    replace: 'authorize, injectFault,',
    guarantee: 'a fault comes before the credential',
    killedBy: ['faults'],
  },
]

/** What a caller may see and delete, and what a request may say. */
const service: readonly Mutant[] = [
  {
    file: 'resources/records/chunk.ts',
    search: 'this.entries.filter((entry) => hasAccess(entry, caller))',
    replace: 'this.entries.filter(() => true)',
    guarantee: 'a listing has only what the caller has access to',
    killedBy: ['list-insights'],
  },
  {
    file: 'resources/roles/find-record.ts',
    search: 'if (entry && hasAccess(entry, caller?.name)) return entry',
    replace: 'if (entry) return entry',
    guarantee: 'a caller deletes only what it has access to',
    killedBy: ['delete-insight'],
  },
  {
    file: 'resources/roles/find-record.ts',
    search: "fail(target, 'unknown_record', { id: idIn(target, request), note })",
    replace: "fail(target, 'unknown_record', { id: entry ? note : idIn(target, request), note })",
    guarantee: 'a 404 does not tell whether the insight exists',
    killedBy: ['delete-insight'],
  },
  {
    file: 'resources/roles/select-page.ts',
    search: 'found.slice(start, start + cap - entries.length)',
    replace: 'found.slice(start, start + cap + 1 - entries.length)',
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
    file: 'contract/parameters/decode-parameters.ts',
    search: "parameter.in === 'path' ? decodeURIComponent : (part) => part",
    replace: '(part) => part',
    guarantee: 'path parameters are percent-decoded',
    killedBy: ['delete-insight', 'routes'],
  },
  {
    file: 'http/read-body.ts',
    search: 'if (size > maxBytes) throw tooLarge',
    replace: '',
    guarantee: 'a body of unannounced length is bounded',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'http/body-limits.ts',
    search: 'maxBytes: mebibyte,',
    replace: 'maxBytes: mebibyte - 1,',
    guarantee: 'a body of just the limit is read',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'http/body-limits.ts',
    search: 'maxBytes: 256 * mebibyte,',
    replace: 'maxBytes: mebibyte,',
    guarantee: 'a whole state may have more than 1 MiB',
    killedBy: ['large-state'],
  },
  {
    file: 'http/body-limits.ts',
    search: 'maxBytes: 256 * mebibyte,',
    replace: 'maxBytes: 257 * mebibyte,',
    guarantee: 'a whole state of more than 256 MiB is refused',
    killedBy: ['large-state'],
  },
  {
    file: 'http/body-limits.ts',
    search: "method === 'PUT' && path === '/__admin/state' ?",
    replace: "path.startsWith('/__admin/') ?",
    guarantee: 'only a whole state may have more than 1 MiB',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'server/limits.ts',
    search: 'maxHeaderBytes = 16 * 1024',
    replace: 'maxHeaderBytes = 64 * 1024',
    guarantee: 'the header block is bounded',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'server/limits.ts',
    search: 'headersTimeoutMs = 5000',
    replace: 'headersTimeoutMs = 4000',
    guarantee: 'a header has five seconds',
    killedBy: ['slow-and-large'],
  },
  {
    file: 'server/check-timeouts.ts',
    search: 'tickedAt - stalledAt < limitMs ? limitInTicks : 0',
    replace: '0',
    guarantee: 'time in which the process was stalled does not count',
    killedBy: ['stalled'],
  },
  {
    file: 'http/apply-preference.ts',
    search: 'if (!isValid) throw',
    replace: "if (!isValid && text === '') throw",
    guarantee: 'a preference with an invalid value is refused',
    killedBy: ['prefer'],
  },
  {
    file: 'http/apply-preference.ts',
    search: 'if (values.has(name)) throw',
    replace: "if (values.has(name) && name === '') throw",
    guarantee: 'preferences that contradict each other are refused',
    killedBy: ['prefer'],
  },
]

/** Records: what is created, replaced and updated. */
const records: readonly Mutant[] = [
  {
    file: 'resources/roles/create.ts',
    search: 'return isTaken(sentId) ? fail(',
    replace: "return sentId === '' ? fail(",
    guarantee: 'a taken id is refused with 409',
    killedBy: ['resources/roles'],
  },
  {
    file: 'resources/roles/change-record.ts',
    search: 'if (validationErrors.length > 0) return fail(',
    replace: 'if (validationErrors.length > 1000) return fail(',
    guarantee: 'a changed record is validated before it is committed',
    killedBy: ['resources/roles'],
  },
  {
    file: 'resources/roles/change-record.ts',
    search: 'String(sent[idProperty]) !== id',
    replace: "String(sent[idProperty]) === ''",
    guarantee: 'a body with another id than the path is refused',
    killedBy: ['resources/roles'],
  },
  {
    file: 'resources/roles/change-record.ts',
    search: 'new Set([...serverOwned, idProperty, ',
    replace: 'new Set([...serverOwned, ',
    guarantee: 'a replaced record keeps the id of the path',
    killedBy: ['resources/roles', 'model'],
  },
  {
    file: 'resources/roles/add-record.ts',
    search: '{ ...sent, ...parents.properties, ',
    replace: '{ ...parents.properties, ...sent, ',
    guarantee: 'a created record has the parent of the path',
    killedBy: ['resources/parents', 'model'],
  },
  {
    file: 'resources/roles/add-record.ts',
    search: 'access: caller && Object.freeze([caller.name])',
    replace: 'access: undefined',
    guarantee: 'a created record belongs to its caller',
    killedBy: ['resources/roles'],
  },
  {
    file: 'resources/roles/create.ts',
    search: 'isTaken(id) || wasRemoved(records.removed, keyWithId(target, sentRequest, id))',
    replace: 'isTaken(id)',
    guarantee: 'the id of a removed record is not made again',
    killedBy: ['resources/roles'],
  },
]

/** Replies: checked before anything is changed, and complete. */
const replies: readonly Mutant[] = [
  {
    file: 'http/validate-and-commit.ts',
    search: 'if (validated === response) await commit?.()',
    replace: 'await commit?.()',
    guarantee: 'a change is made only after its reply was checked',
    killedBy: ['traps', 'replies-are-checked'],
  },
  {
    file: 'http/validate-response.ts',
    search: 'if (errors.length === 0 || response.status >= 500)',
    replace: 'if (response.status >= 0)',
    guarantee: 'a reply that breaks the contract becomes a 500',
    killedBy: ['replies-are-checked'],
  },
  {
    file: 'contract/validate-response.ts',
    search: 'if (mediaTypes.some((mediaType) => coversMediaType(mediaType, response.mediaType)))',
    replace: 'if (mediaTypes.length > 0)',
    guarantee: 'a reply has a documented media type',
    killedBy: ['replies-are-checked', 'traps'],
  },
  {
    file: 'http/validate-response.ts',
    search: 'response.status >= 400 ? found.map(allowUndocumentedStatus) : found',
    replace: 'found',
    guarantee: 'an error with an undocumented status is sent, with a warning',
    killedBy: ['replies-are-checked'],
  },
  {
    file: 'http/cors.ts',
    search: "'access-control-allow-origin': origin,",
    replace: '',
    guarantee: 'pages of every origin may read every reply',
    killedBy: ['cors'],
  },
  {
    file: 'http/answer-preflight.ts',
    search: "headers['access-control-request-private-network'] === 'true'",
    replace: "headers['access-control-request-private-network'] === ''",
    guarantee: 'a page of a public network may ask',
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
    killedBy: ['journal', 'authentication'],
  },
  {
    file: 'http/redact-request.ts',
    search: 'this.isSecretName(pair.name) ? `',
    replace: "pair.text === ' ' ? `",
    guarantee: 'values of parameters with a secret name are redacted',
    killedBy: ['secrets'],
  },
  {
    file: 'http/redact-request.ts',
    search: 'const known = [...lists].map(redactorOf)',
    replace: 'const known: Redact[] = []',
    guarantee: 'the tokens of callers are redacted in every place',
    killedBy: ['secrets'],
  },
  {
    file: 'http/redact-request.ts',
    search: '(secretNames.size > 0 && secretNames.has(name.toLowerCase()))',
    replace: "name === ''",
    guarantee: 'a credential in a place that the contract names is redacted',
    killedBy: ['secrets', 'openapi-features'],
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
    guarantee: 'a warning is no violation',
    killedBy: ['journal', 'limit', 'readme'],
  },
]

/** The state file and the store. */
const durability: readonly Mutant[] = [
  {
    file: 'http/validate-and-commit.ts',
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
    search: 'await removeTemporaryFiles(realFile)',
    replace: '',
    guarantee: 'a start removes what a killed double left behind',
    killedBy: ['state-file', 'crash'],
  },
  {
    file: 'state/state-file.ts',
    search: 'await lock.ensureHeld()',
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
    search: ': isProcessAlive(holder.pid)',
    replace: ': holder.pid < 0',
    guarantee: 'a second process does not get the state file',
    killedBy: ['second-double'],
  },
  {
    file: 'state/lock.ts',
    search: 'isSelf(holder) ? lockedFiles.has(file)',
    replace: "isSelf(holder) ? file === ''",
    guarantee: 'a second double of one process does not get the state file',
    killedBy: ['second-double'],
  },
  {
    file: 'state/lock.ts',
    search: 'lock !== undefined && Date.now() - lock.mtimeMs < staleMs',
    replace: 'lock !== undefined',
    guarantee: 'a lock of an unknown holder that shows no sign of life is taken over',
    killedBy: ['second-double'],
  },
  {
    file: 'state/store.ts',
    search: 'this.pending = next',
    replace: 'this.pending = this.committed = next',
    guarantee: 'a change is seen only when it is saved',
    killedBy: ['durable'],
  },
  {
    file: 'state/store.ts',
    search: 'this.pending = this.committed',
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
    file: 'http/service-plane.ts',
    search: 'isRead(operation) ? undefined : () => store.flush()',
    replace: 'undefined',
    guarantee: 'a 404 that rests on a delete under way waits for it',
    killedBy: ['write-fails', 'durable'],
  },
  {
    file: 'migrate-states.ts',
    search: "if (!('collections' in next)) throw new ProblemsError(next)",
    replace:
      "if (!('collections' in next)) return { sandbox, next: sandbox.store.pending, baseline: sandbox.baseline.state }",
    guarantee: 'a contract that the current state does not match is not taken over',
    killedBy: ['watch'],
  },
  {
    file: 'reload.ts',
    search: 'await root.store.flush()',
    replace: 'setService(next); await root.store.flush()',
    guarantee: 'every state is checked before a changed contract is served',
    killedBy: ['watch'],
  },
]

/** Connections: order, ends, and clients that leave. */
const connections: readonly Mutant[] = [
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
    guarantee: 'a client that goes on sending gets the last reply',
    killedBy: ['regressions/last-reply'],
  },
  {
    file: 'server/http-server.ts',
    search: 'Object.assign(server, { httpAllowHalfOpen: true })',
    replace: '',
    guarantee: 'a client that shuts its side gets its replies',
    killedBy: ['regressions/half-closed'],
  },
  {
    file: 'http/delay.ts',
    search: 'if (socket.destroyed)',
    replace: 'if (socket.destroyed && milliseconds < 0)',
    guarantee: 'a delete that is given up during a delay is not made',
    killedBy: ['regressions/behind-the-last'],
  },
]

/** Streams of events, to clients that do not read. */
const streams: readonly Mutant[] = [
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

/** Sandboxes, with journal, faults and coverage. */
const sandboxes: readonly Mutant[] = [
  {
    file: 'http/select-sandbox.ts',
    search: 'enter(context, sandboxes.get(String(header)))',
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
    search: 'counted.skipped < fault.skip',
    replace: 'counted.skipped <= fault.skip',
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
    search: 'await this.store.commit(fixture.state,',
    replace: 'this.journal.clear(); await this.store.commit(fixture.state,',
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
    search: 'this.#size > maxEntries ||',
    replace: 'this.#size > maxEntries + 1 ||',
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
    search: '&& ++matching >= atLeast && isSatisfied()) finish()',
    replace: ') finish()',
    guarantee: 'a wait lasts until enough requests match',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'http/record-request.ts',
    search: 'sandbox.coverage.count(route.operation.id, sent.status)',
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
    search: 'failure: 2',
    replace: 'failure: 1',
    guarantee: 'wrong usage exits with 2',
    killedBy: ['command-line'],
  },
  {
    file: 'cli/report/run-report.ts',
    search: "if (entry.verdict === 'ok') return",
    replace: '',
    guarantee: 'a report lists what broke the contract, and nothing else',
    killedBy: ['recipes', 'command-line'],
  },
  {
    file: 'cli/request-log.ts',
    search: '.map(escapeControlCharacters)',
    replace: '',
    guarantee: 'a log line is a line',
    killedBy: ['log'],
  },
]

/** All of them. */
export const mutants: readonly Mutant[] = [
  ...admission,
  ...service,
  ...records,
  ...replies,
  ...durability,
  ...connections,
  ...streams,
  ...sandboxes,
  ...edges,
]
