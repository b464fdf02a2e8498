/** Mutants of sandboxes and of what is around the double. */
import type { Mutant } from './mutant.js'

/** Sandboxes, with journal, faults and coverage. */
export const sandboxes: readonly Mutant[] = [
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
    search: 'counted.fault.fired >= fault.times)',
    replace: 'counted.fault.fired > fault.times)',
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
export const edges: readonly Mutant[] = [
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
