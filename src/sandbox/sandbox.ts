/** A sandbox, an isolated double under its own base URL with its own state, journal, faults and coverage; and all of a double. */
import { randomBytes } from 'node:crypto'

import type { OperationResponse } from '../contract/contract.js'
import { createError } from '../http-errors.js'
import { countRecords, type State } from '../resources/records/state.js'
import type { Fixture } from '../state/fixtures.js'
import { openStore, type Store } from '../state/store.js'
import { createSandboxTokens, type SandboxTokens, sandboxOfToken } from '../state/tokens.js'
import { Variations } from '../vary/variations.js'
import { Coverage } from './coverage.js'
import { Faults } from './faults.js'
import { Journal, type JournalLimits } from './journal.js'
import type { SandboxTest, TestResult } from './test-result.js'
import { type KeptChange, maxKeptChanges, takeBack, type UndoableChange } from './undo.js'

export const rootName = 'root'

interface SandboxSettings extends Partial<Pick<SandboxTest, 'expectsViolations' | 'title'>> {
  readonly journal: JournalLimits
  /** Fixed time for the dates that the double fills in, RFC 3339. Default: the clock runs. */
  readonly now?: string | undefined
  /** The tokens that the callers have instead of those of the fixture. Default: none. */
  readonly uniqueTokens?: SandboxTokens | undefined
  readonly variations: Variations
}

export class Sandbox {
  readonly name: string
  readonly store: Store
  readonly journal: Journal
  readonly faults = new Faults()
  /** Since the last reset. */
  coverage = new Coverage()
  readonly wholeCoverage = new Coverage()
  readonly variations: Variations
  /** The responses to requests with an idempotency key, the oldest first, at most 1,000. */
  readonly keptResponses = new Map<string, { readonly sent: string; readonly response: OperationResponse }>()
  readonly settings: SandboxSettings
  #changes: readonly KeptChange<Pick<Sandbox, 'baseline' | 'fixture'>>[] = []
  /** Brings back what the last reset has cleared. Earlier resets have none, so that it is one journal at most. */
  #cleared: { change: UndoableChange; restore: () => void } | undefined
  fixture: Fixture
  /** The state that the last reset or the last replacement set. A diff compares the state with it. */
  baseline: Fixture
  readonly createdAt = new Date().toISOString()
  /** Time of the last request, milliseconds since 1970. */
  lastUsed = Date.now()
  /** Undefined: it is not dropped. */
  droppedAt: string | undefined
  readonly test: SandboxTest
  /** Number of requests in progress. A sandbox with any is not idle. */
  inUse = 0

  constructor(name: string, store: Store, from: Pick<Sandbox, 'baseline' | 'fixture'>, settings: SandboxSettings) {
    this.name = name
    this.store = store
    this.fixture = from.fixture
    this.baseline = from.baseline
    this.settings = settings
    const { expectsViolations = false, title } = settings
    this.test = { sandbox: name, title, expectsViolations, result: undefined }
    this.journal = new Journal(settings.journal)
    this.variations = settings.variations
  }

  /** The present time for the dates that the double fills in. */
  get now(): string {
    return this.settings.now ?? new Date().toISOString()
  }

  /** The path prefix of the sandbox's URLs. Empty for the root. */
  get basePath(): string {
    return this.name === rootName ? '' : `/sandboxes/${this.name}`
  }

  /** The changes that can be undone, the last one first. */
  get undoable(): readonly UndoableChange[] {
    return this.#changes.map(({ change }) => change)
  }

  /** Commits a change of the control plane, which can be undone. @throws {DoubleError} `state_not_saved`. Nothing is changed then. */
  async change(what: Omit<UndoableChange, 'time'>, after: State, onSaved?: (change: UndoableChange) => void) {
    const { baseline, fixture } = this
    const change = { ...what, time: new Date().toISOString() }
    const kept = { change, before: this.store.pending, after, origin: { baseline, fixture } }
    await this.store.commit(after, () => {
      this.#changes = [kept, ...this.#changes].slice(0, maxKeptChanges)
      onSaved?.(change)
    })
  }

  /** Undoes the last change. The last reset also gives back the requests, the faults and the coverage. @throws {DoubleError} `nothing_to_undo`, `changed_since`, `state_not_saved`. */
  prepareUndo(): { readonly change: UndoableChange; commit(): Promise<void> } {
    const [last, ...others] = this.#changes
    if (!last) throw createError('nothing_to_undo', undefined)
    const state = takeBack(last, this.store.pending)
    if (!state) throw createError('changed_since', undefined)
    const commit = (): Promise<void> =>
      this.store.commit(state, () => {
        this.#changes = others
        Object.assign(this, last.origin)
        if (this.#cleared?.change !== last.change) return
        this.#cleared.restore()
        this.#cleared = undefined
      })
    return { change: last.change, commit }
  }

  /** Resets state, kept responses, journal, faults and coverage, in one atomic step. @throws {DoubleError} `state_not_saved`. Nothing is changed then. */
  async reset(fixture: Fixture): Promise<void> {
    const state = this.#ownState(fixture)
    await this.change({ operation: 'reset' }, state, (change) => {
      this.fixture = fixture
      this.baseline = { ...fixture, state }
      const { coverage, faults, journal } = this
      const restores = [journal.clear(), faults.clear(), () => this.coverage.add(coverage)]
      this.#cleared = { change, restore: () => restores.forEach((restore) => restore()) }
      this.coverage = new Coverage()
      this.keptResponses.clear()
    })
  }

  /** Replaces the state. Journal, faults and coverage stay. @throws {DoubleError} `state_not_saved`. Nothing is changed then. */
  async replaceState(document: Fixture): Promise<void> {
    const state = this.#ownState(document)
    await this.change({ operation: 'setState' }, state, () => (this.baseline = { ...document, state }))
  }

  /** Frees what an undo needs. */
  forgetChanges(): void {
    this.#changes = []
    this.#cleared = undefined
  }

  #ownState({ state }: Fixture): State {
    return this.settings.uniqueTokens?.applyTo(state) ?? state
  }
}

interface SandboxLimits {
  /** Most sandboxes, not counting the root, from 1. Default 1,000. */
  readonly maxSandboxes: number
  /** Time after which an unused sandbox is dropped, milliseconds. Default one hour. */
  readonly idleMs: number
  /** Most dropped sandboxes that can still be read, from 0. Default 50. Their journals have the limits of one journal together. */
  readonly kept: number
  readonly journal: JournalLimits
}

/** The approximate size of a record of a dropped sandbox, bytes. */
const recordBytes = 500

/** The settings of a new sandbox, in the form of the control plane. */
export interface NewSandboxOptions {
  readonly name?: string
  readonly title?: string
  readonly expectViolations?: boolean
  readonly now?: string
  readonly uniqueTokens?: boolean
  readonly vary?: readonly string[]
}

function sizeOf({ journal, store }: Sandbox): number {
  const records = Object.values(countRecords(store.committed)).reduce((sum, count) => sum + count, 0)
  return journal.bytes + records * recordBytes
}

export class Sandboxes {
  readonly root: Sandbox
  /** True if there is or was a sandbox with unique tokens. Every request reads it. */
  hasUniqueTokens = false
  readonly #limits: SandboxLimits
  readonly #byName = new Map<string, Sandbox>()
  /** The dropped ones that can still be read, in the order in which they were dropped. */
  readonly #kept = new Map<string, Sandbox>()

  constructor(root: Sandbox, limits: SandboxLimits) {
    this.root = root
    this.#limits = limits
  }

  /** Finds a sandbox and sets its time of last use. @param isForReading - True to find a dropped one too. @throws {DoubleError} `unknown_sandbox`. */
  get(name: string, isForReading = false): Sandbox {
    const idle = this.#byName.get(name)
    if (idle && this.#isIdle(idle)) this.drop(name)
    const live = name === rootName ? this.root : this.#byName.get(name)
    const sandbox = live ?? (isForReading ? this.#kept.get(name) : undefined)
    if (!sandbox) throw createError('unknown_sandbox', { name })
    sandbox.lastUsed = Date.now()
    return sandbox
  }

  /** Sets the result of the test of a sandbox, also of a dropped one. @throws {DoubleError} `unknown_sandbox`. */
  setResult(name: string, result: TestResult): void {
    const sandbox = this.#byName.get(name) ?? this.#kept.get(name)
    if (!sandbox) throw createError('unknown_sandbox', { name })
    sandbox.test.result = result
  }

  /** Returns the dropped sandboxes that can still be read, in the order in which they were dropped, then the others without the root. */
  listed(): readonly Sandbox[] {
    const live = this.list()
    return [...this.#kept.values(), ...live]
  }

  /** Returns all sandboxes but the root, oldest first. */
  list(): readonly Sandbox[] {
    this.sweep()
    return [...this.#byName.values()]
  }

  /** Finds the sandbox of a unique token, and sets its time of last use. */
  findByToken(token: string): Sandbox | undefined {
    const sandbox = this.#byName.get(sandboxOfToken(token) ?? '')
    if (!sandbox?.settings.uniqueTokens?.has(token) || this.#isIdle(sandbox)) return undefined
    sandbox.lastUsed = Date.now()
    return sandbox
  }

  /** Creates a sandbox with its state in memory. It is not added yet. @throws {DoubleError} `sandbox_exists`, `too_many_sandboxes`. */
  async prepare(fixture: Fixture, options: NewSandboxOptions): Promise<Sandbox> {
    const { expectViolations: expectsViolations = false, name = randomBytes(6).toString('hex'), title } = options
    this.#ensureAvailable(name)
    const now = options.now === undefined ? this.root.settings.now : new Date(options.now).toISOString()
    const uniqueTokens = options.uniqueTokens ? createSandboxTokens(name) : undefined
    const state = uniqueTokens?.applyTo(fixture.state) ?? fixture.state
    const baseline = { ...fixture, state }
    const variations = new Variations(this.root.variations)
    if (options.vary) variations.set(options.vary)
    const settings = { expectsViolations, journal: this.#limits.journal, now, title, uniqueTokens, variations }
    return new Sandbox(name, await openStore(state), { fixture, baseline }, settings)
  }

  add(sandbox: Sandbox): void {
    this.#ensureAvailable(sandbox.name)
    this.#kept.delete(sandbox.name)
    this.#byName.set(sandbox.name, sandbox)
    this.hasUniqueTokens ||= sandbox.settings.uniqueTokens !== undefined
  }

  /** Drops a sandbox. It can still be read until others have taken its place. @throws {DoubleError} `unknown_sandbox`. */
  drop(name: string): void {
    const sandbox = this.#byName.get(name)
    if (!sandbox) throw createError('unknown_sandbox', { name })
    this.#byName.delete(name)
    sandbox.droppedAt = new Date().toISOString()
    sandbox.keptResponses.clear()
    sandbox.forgetChanges()
    this.#kept.set(name, sandbox)
    this.#evict()
  }

  /** Removes dropped sandboxes beyond the limits: first those whose test has not failed and whose client kept the contract. */
  #evict(): void {
    const { journal, kept: most } = this.#limits
    const dropped = [...this.#kept.values()]
    let bytes = dropped.reduce((sum, sandbox) => sum + sizeOf(sandbox), 0)
    const isOk = ({ journal: { violating }, test: { result } }: Sandbox): boolean =>
      violating === 0 && result?.outcome !== 'failed'
    for (const next of [...dropped.filter(isOk), ...dropped.filter((each) => !isOk(each))]) {
      if (this.#kept.size <= most && bytes <= journal.maxBytes) return
      bytes -= sizeOf(next)
      this.#kept.delete(next.name)
    }
  }

  sweep(): void {
    for (const [name, sandbox] of this.#byName) if (this.#isIdle(sandbox)) this.drop(name)
  }

  #ensureAvailable(name: string): void {
    this.sweep()
    const { maxSandboxes } = this.#limits
    if (name === rootName || this.#byName.has(name)) throw createError('sandbox_exists', { name })
    if (this.#byName.size >= maxSandboxes) throw createError('too_many_sandboxes', { maxSandboxes })
  }

  #isIdle(sandbox: Sandbox): boolean {
    return sandbox.inUse === 0 && Date.now() - sandbox.lastUsed > this.#limits.idleMs
  }
}
