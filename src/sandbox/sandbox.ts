/** A sandbox: an isolated double under its own base URL, with its own state, journal, faults and coverage. */
import type { State } from '../resources/records/state.js'
import type { Fixture } from '../state/fixtures.js'
import type { Store } from '../state/store.js'
import type { SandboxTokens } from '../state/tokens.js'
import { Coverage } from './coverage.js'
import { Faults } from './faults.js'
import type { JournalLimits } from './journal.js'
import { Journal } from './journal.js'

/** The name of the sandbox at the root. */
export const rootName = 'root'

/** The properties of a sandbox that no reset changes. */
export interface SandboxSettings {
  readonly journal?: JournalLimits
  /** True if violations are expected. They then do not fail a run. Default false. */
  readonly expectsViolations?: boolean
  /** Fixed time for the dates that the double fills in, RFC 3339. Default: the clock runs. */
  readonly now?: string | undefined
  /** The tokens that the callers have instead of those of the fixture. Default: none. */
  readonly uniqueTokens?: SandboxTokens | undefined
}

const runningClock = {
  get now(): string {
    return new Date().toISOString()
  },
}

/** One sandbox. */
export class Sandbox {
  /** The name in URLs, in the header and in the journal. */
  readonly name: string
  readonly store: Store
  readonly journal: Journal
  readonly faults = new Faults()
  readonly coverage = new Coverage()
  /** True if violations are expected. They then do not fail a run. */
  readonly expectsViolations: boolean
  /** Fixed time for the dates that the double fills in. Undefined: the clock runs. */
  readonly now: string | undefined
  /** The present time for the dates that the double fills in. It creates the text only for a role that needs it. */
  readonly clock: { readonly now: string }
  /** The tokens that the callers have instead of those of the fixture. */
  readonly uniqueTokens: SandboxTokens | undefined
  /** The fixture of the last reset. */
  fixture: Fixture
  /** The state that the last reset or the last replacement set. A diff compares the state with it. */
  baseline: Fixture
  readonly createdAt = new Date().toISOString()
  /** Time of the last request, milliseconds since 1970. */
  lastUsed = Date.now()
  /** Number of requests in progress. A sandbox with any is not idle. */
  inUse = 0

  constructor(
    name: string,
    store: Store,
    { baseline, fixture }: Pick<Sandbox, 'baseline' | 'fixture'>,
    { expectsViolations = false, journal, now, uniqueTokens }: SandboxSettings = {},
  ) {
    this.name = name
    this.store = store
    this.fixture = fixture
    this.baseline = baseline
    this.journal = new Journal(journal)
    this.expectsViolations = expectsViolations
    this.now = now
    this.clock = now === undefined ? runningClock : { now }
    this.uniqueTokens = uniqueTokens
  }

  /** The path prefix of the sandbox's URLs. Empty for the root. */
  get basePath(): string {
    return this.name === rootName ? '' : `/sandboxes/${this.name}`
  }

  /**
   * Resets the sandbox to a fixture: state, journal, faults and coverage, in one atomic step.
   *
   * @throws {DoubleError} `state_not_saved`. Nothing is changed then.
   */
  async reset(fixture: Fixture): Promise<void> {
    const state = this.#ownState(fixture)
    await this.store.commit(state, () => {
      this.fixture = fixture
      this.baseline = { ...fixture, state }
      this.journal.clear()
      this.faults.clear()
      this.coverage.clear()
    })
  }

  /**
   * Replaces the state. Journal, faults and coverage stay.
   *
   * @throws {DoubleError} `state_not_saved`. Nothing is changed then.
   */
  async replaceState(document: Fixture): Promise<void> {
    const state = this.#ownState(document)
    await this.store.commit(state, () => (this.baseline = { ...document, state }))
  }

  #ownState({ state }: Fixture): State {
    return this.uniqueTokens?.applyTo(state) ?? state
  }
}
