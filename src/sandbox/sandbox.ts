/** A sandbox: a whole double under a base URL of its own, with its own state, journal, faults and coverage. */
import type { Fixture } from '../state/fixtures.js'
import type { Store } from '../state/store.js'
import { Coverage } from './coverage.js'
import { Faults } from './faults.js'
import type { JournalLimits } from './journal.js'
import { Journal } from './journal.js'

/** The name of the sandbox at the root. */
export const rootName = 'root'

/** One sandbox. */
export class Sandbox {
  /** Names it in URLs, the header and the journal. */
  readonly name: string
  readonly store: Store
  readonly journal: Journal
  readonly faults = new Faults()
  readonly coverage = new Coverage()
  /** Whether its violations are meant: they are no reason to fail a run. Stays for as long as the sandbox does. */
  readonly expectsViolations: boolean
  /** What the last reset went back to. */
  fixture: Fixture
  /** What the last reset or the last replacement of the state put in place: what a diff compares with. */
  baseline: Fixture
  /** When it was last asked for anything, milliseconds since 1970. */
  lastUsed = Date.now()
  /** How many replies of it are under way. A sandbox in use is not idle, however long somebody waits. */
  inUse = 0

  constructor(
    name: string,
    store: Store,
    { baseline, fixture }: Pick<Sandbox, 'baseline' | 'fixture'>,
    limits?: JournalLimits,
    expectsViolations = false,
  ) {
    this.name = name
    this.store = store
    this.fixture = fixture
    this.baseline = baseline
    this.journal = new Journal(limits)
    this.expectsViolations = expectsViolations
  }

  /** The path that its URLs begin with. Empty for the root. */
  get basePath(): string {
    return this.name === rootName ? '' : `/sandboxes/${this.name}`
  }

  /**
   * Goes back to a fixture: state, journal, faults and coverage, in one step that no request sees half of.
   *
   * @throws {DoubleError} `state_not_saved`; then all is as before.
   */
  async reset(fixture: Fixture): Promise<void> {
    await this.store.commit(fixture.state, () => {
      this.fixture = fixture
      this.baseline = fixture
      this.journal.clear()
      this.faults.clear()
      this.coverage.clear()
    })
  }

  /**
   * Replaces the state. Journal, faults and coverage stay.
   *
   * @throws {DoubleError} `state_not_saved`; then all is as before.
   */
  async replaceState(document: Fixture): Promise<void> {
    await this.store.commit(document.state, () => (this.baseline = document))
  }
}
