/** Mutants of sandboxes. */
import type { Mutant } from './mutant.js'

/** Sandboxes, with their journal, faults and coverage. */
export const sandboxes: readonly Mutant[] = [
  {
    file: 'http/select-sandbox.ts',
    search: 'else if (header !== undefined) enterSandbox(context, sandboxes.get(String(header)))',
    replace: 'else if (header !== undefined) sandboxes.get(String(header))',
    guarantee: 'the header selects the sandbox',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/sandbox.ts',
    search: 'sandbox.inUse === 0 && ',
    replace: '',
    guarantee: 'a sandbox in use is not dropped',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/sandbox.ts',
    search: 'Date.now() - sandbox.lastUsed > this.#limits.idleMs',
    replace: 'Date.now() < sandbox.lastUsed',
    guarantee: 'an idle sandbox is dropped',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/sandbox.ts',
    search: 'this.#byName.size >= maxSandboxes',
    replace: 'this.#byName.size > maxSandboxes',
    guarantee: 'the number of sandboxes is limited',
    killedBy: ['sandboxes'],
  },
  {
    file: 'sandbox/faults.ts',
    search: 'counted.skipped < fault.skip',
    replace: 'counted.skipped <= fault.skip',
    guarantee: 'a fault skips the number of requests that skip gives',
    killedBy: ['faults'],
  },
  {
    file: 'sandbox/faults.ts',
    search: 'counted.fault.fired >= fault.times)',
    replace: 'counted.fault.fired > fault.times)',
    guarantee: 'a fault affects the number of requests that times gives',
    killedBy: ['faults'],
  },
  {
    file: 'sandbox/sandbox.ts',
    search: 'const state = this.#ownState(fixture)',
    replace: 'const state = this.#ownState(fixture); this.journal.clear()',
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
    guarantee: 'a reset clears the coverage',
    killedBy: ['reset'],
  },
  {
    file: 'sandbox/journal.ts',
    search: 'this.#size > maxEntries ||',
    replace: 'this.#size > maxEntries + 1 ||',
    guarantee: 'the number of entries of the journal is limited',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'sandbox/journal.ts',
    search: 'this.#bytes > maxBytes &&',
    replace: 'this.#bytes > 2 * maxBytes &&',
    guarantee: 'the size of the journal is limited',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'sandbox/journal.ts',
    search: 'this.#evicted++',
    replace: '',
    guarantee: 'the entries that the journal drops are counted',
    killedBy: ['journal-bounds'],
  },
  {
    file: 'sandbox/journal.ts',
    search: '&& ++matching >= atLeast && isSatisfied()) finish()',
    replace: ') finish()',
    guarantee: 'a wait lasts until enough requests match',
    killedBy: ['journal-waits'],
  },
  {
    file: 'http/record-request.ts',
    search: 'sandbox.coverage.count(route.operation.id, sent.status)',
    replace: 'sandbox.coverage.count(route.operation.id, 200)',
    guarantee: 'coverage counts the status that was sent',
    killedBy: ['coverage'],
  },
]
