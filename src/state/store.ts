/**
 * Holds a state and saves each change of it, with lowdb: the only file that imports it.
 *
 * A change is visible to the next change at once, and to readers when it is saved. Changes that arrive while a save is under way
 * share the next one. When a save fails, all that was not saved is as if it had never been asked for.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

import type { Adapter } from 'lowdb'
import { Low, Memory } from 'lowdb'

import { errorMessage } from '../error-message.js'
import { createError } from '../errors.js'
import type { State } from '../resources/records/state.js'

/** Where a state is kept: lowdb's interface. It reads null where there is none yet. */
export type StateAdapter = Adapter<State>

/** A state that lasts. */
export interface Store {
  /** The state as it was last saved: what readers see. */
  readonly committed: State
  /** The state with the changes that are being saved: what the next change builds on. The same value as `saved` when there are none. */
  readonly pending: State
  /**
   * Makes `next` the latest state at once, and saves it.
   *
   * @param next - Built on `latest`, with nothing awaited in between.
   * @param onSaved - Called in the same step in which readers begin to see `next`. What goes with the state changes with it.
   * @throws {DoubleError} `state_not_saved`; the store is back at what was saved before.
   */
  commit(next: State, onSaved?: () => void): Promise<void>
  /** Waits until the latest state is saved. @throws {DoubleError} `state_not_saved`. */
  flush(): Promise<void>
}

/**
 * Opens a store.
 *
 * @param seed - The state to begin with, where the adapter holds none yet.
 * @param adapter - Where the state is kept. Default: in memory.
 * @throws What the adapter throws when it reads or first writes.
 */
export async function openStore(seed: State, adapter: StateAdapter = new Memory<State>()): Promise<Store> {
  const database = new Low<State>(adapter, seed)
  await database.read()
  if (database.data === seed) await database.write()
  return new LowStore(database)
}

interface Waiter {
  readonly onSaved: (() => void) | undefined
  resolve(): void
  reject(error: Error): void
}

class LowStore implements Store {
  committed: State
  pending: State
  readonly #database: Low<State>
  #waiting: Waiter[] = []
  #saving = false

  constructor(database: Low<State>) {
    this.#database = database
    this.committed = database.data
    this.pending = database.data
  }

  commit(next: State, onSaved?: () => void): Promise<void> {
    this.pending = next
    return new Promise((resolve, reject) => {
      this.#waiting.push({ onSaved, resolve, reject })
      if (!this.#saving) void this.#save()
    })
  }

  async flush(): Promise<void> {
    if (this.pending !== this.committed) await this.commit(this.pending)
  }

  async #save(): Promise<void> {
    this.#saving = true
    while (this.#waiting.length > 0) {
      // Requests that have arrived by now are handled first: their changes share this save.
      await nextTurn()
      const batch = this.#waiting
      const target = this.pending
      this.#waiting = []
      try {
        this.#database.data = target
        await this.#database.write()
        this.committed = target
        for (const { onSaved } of batch) onSaved?.()
        for (const waiter of batch) waiter.resolve()
      } catch (cause) {
        const error = createError('state_not_saved', { reason: errorMessage(cause) }, { cause })
        const lost = [...batch, ...this.#waiting]
        this.#waiting = []
        this.#database.data = this.committed
        this.pending = this.committed
        // A write may fail after the file was replaced. It must not hold at the next start what was refused at this one.
        await this.#database.write().catch(() => {})
        for (const waiter of lost) waiter.reject(error)
      }
    }
    this.#saving = false
  }
}
