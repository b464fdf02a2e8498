/** The sandboxes of a double: the root and those that clients create. */
import { randomBytes } from 'node:crypto'

import { createError } from '../http-errors.js'
import type { Fixture } from '../state/fixtures.js'
import { openStore } from '../state/store.js'
import { SandboxTokens, sandboxOfToken } from '../state/tokens.js'
import type { JournalLimits } from './journal.js'
import { Sandbox, rootName } from './sandbox.js'

/** The limits of sandboxes. */
export interface SandboxLimits {
  /** Most sandboxes, not counting the root, from 1. Default 1,000. */
  readonly maxSandboxes: number
  /** Time after which an unused sandbox is dropped, milliseconds. Default one hour. */
  readonly idleMs: number
  readonly journal: JournalLimits
}

/** The settings of a new sandbox, in the form of the control plane. */
export interface NewSandboxOptions {
  readonly name?: string
  readonly expectViolations?: boolean
  readonly now?: string
  readonly uniqueTokens?: boolean
}

/** The sandboxes of a double. */
export class Sandboxes {
  readonly root: Sandbox
  /** True if there is or was a sandbox with unique tokens. Every request reads it. */
  hasUniqueTokens = false
  readonly #limits: SandboxLimits
  readonly #byName = new Map<string, Sandbox>()

  constructor(root: Sandbox, limits: SandboxLimits) {
    this.root = root
    this.#limits = limits
  }

  /** Finds a sandbox and sets its time of last use. @throws {DoubleError} `unknown_sandbox`. */
  get(name: string): Sandbox {
    const sandbox = name === rootName ? this.root : this.#byName.get(name)
    if (!sandbox || this.#isIdle(sandbox)) throw createError('unknown_sandbox', { name })
    sandbox.lastUsed = Date.now()
    return sandbox
  }

  /** Returns all sandboxes but the root, oldest first. */
  list(): readonly Sandbox[] {
    this.sweep()
    return [...this.#byName.values()]
  }

  /** Finds the sandbox of a unique token, and sets its time of last use. */
  findByToken(token: string): Sandbox | undefined {
    const sandbox = this.#byName.get(sandboxOfToken(token) ?? '')
    if (!sandbox?.uniqueTokens?.has(token) || this.#isIdle(sandbox)) return undefined
    sandbox.lastUsed = Date.now()
    return sandbox
  }

  /**
   * Creates a sandbox with its state in memory. It is not added yet.
   *
   * @param options.name - Default: a random name.
   * @param options.uniqueTokens - True if its callers get unique tokens. Default false.
   * @throws {DoubleError} `sandbox_exists`, `too_many_sandboxes`.
   */
  async prepare(fixture: Fixture, options: NewSandboxOptions): Promise<Sandbox> {
    const { expectViolations: expectsViolations = false, name = randomBytes(6).toString('hex') } = options
    this.#ensureAvailable(name)
    const { journal } = this.#limits
    const now = options.now === undefined ? this.root.now : new Date(options.now).toISOString()
    const uniqueTokens = options.uniqueTokens ? new SandboxTokens(name) : undefined
    const state = uniqueTokens?.applyTo(fixture.state) ?? fixture.state
    const baseline = { ...fixture, state }
    const settings = { expectsViolations, journal, now, uniqueTokens }
    return new Sandbox(name, await openStore(state), { fixture, baseline }, settings)
  }

  /** Adds a sandbox. @throws {DoubleError} `sandbox_exists`, `too_many_sandboxes`. */
  add(sandbox: Sandbox): void {
    this.#ensureAvailable(sandbox.name)
    this.#byName.set(sandbox.name, sandbox)
    this.hasUniqueTokens ||= sandbox.uniqueTokens !== undefined
  }

  /** Drops a sandbox. @throws {DoubleError} `unknown_sandbox`. */
  drop(name: string): void {
    if (!this.#byName.delete(name)) throw createError('unknown_sandbox', { name })
  }

  /** Drops the sandboxes that were idle for longer than `idleMs`. */
  sweep(): void {
    for (const [name, sandbox] of this.#byName) if (this.#isIdle(sandbox)) this.#byName.delete(name)
  }

  #ensureAvailable(name: string): void {
    this.sweep()
    const { maxSandboxes } = this.#limits
    if (name === rootName || this.#byName.has(name)) throw createError('sandbox_exists', { name })
    if (this.#byName.size >= maxSandboxes) throw createError('too_many_sandboxes', { maxSandboxes })
  }

  #isIdle(sandbox: Sandbox): boolean {
    return sandbox !== this.root && sandbox.inUse === 0 && Date.now() - sandbox.lastUsed > this.#limits.idleMs
  }
}
