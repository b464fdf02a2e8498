/** Saves each change with lowdb. The next builds on it at once; readers see it saved. A failure discards the unsaved. */
import { setImmediate as nextTurn } from 'node:timers/promises'

import { type Adapter, Low, Memory } from 'lowdb'

import { errorMessage } from '../error-message.js'
import { createError } from '../http-errors.js'
import type { State } from '../resources/records/state.js'

/** Reads and writes a state: the interface of lowdb. It reads null if there is no state yet. */
export type StateAdapter = Adapter<State>

export type Store = Readonly<Awaited<ReturnType<typeof openStore>>>

interface Waiter {
  readonly onSaved: (() => void) | undefined
  resolve(): void
  reject(error: Error): void
}

/** @param seed - The initial state if the adapter has none. @param adapter - Default: in memory. @throws The error of the adapter. */
export async function openStore(seed: State, adapter: StateAdapter = new Memory<State>()) {
  const database = new Low<State>(adapter, seed)
  await database.read()
  if (database.data === seed) await database.write()
  let waiters: Waiter[] = []
  let isSaving = false

  async function save(): Promise<void> {
    isSaving = true
    while (waiters.length > 0) {
      // Requests that have arrived by now are handled first: their changes share this save.
      await nextTurn()
      const batch = waiters
      const target = store.pending
      waiters = []
      try {
        database.data = target
        await database.write()
        store.committed = target
        for (const { onSaved } of batch) onSaved?.()
        for (const waiter of batch) waiter.resolve()
      } catch (cause) {
        const error = createError('state_not_saved', { reason: errorMessage(cause) }, { cause })
        const rejected = [...batch, ...waiters]
        waiters = []
        database.data = store.committed
        store.pending = store.committed
        // The write may fail after the file was replaced. Write the committed state, so that the next start does not read the refused change.
        await database.write().catch(() => {})
        for (const waiter of rejected) waiter.reject(error)
      }
    }
    isSaving = false
  }

  const store = {
    /** The last saved state. For reads. */
    committed: database.data,
    /** The state with all changes, saved or not. For writes. The same value as `committed` if every change is saved. */
    pending: database.data,
    /**
     * @param next - Built on `pending`, with no `await` in between. It is pending at once.
     * @param onSaved - Called synchronously when it becomes the committed state, for values that must change with it.
     * @throws {DoubleError} `state_not_saved`. The pending state is then the committed state.
     */
    commit: (next: State, onSaved?: () => void): Promise<void> => {
      store.pending = next
      return new Promise((resolve, reject) => {
        waiters.push({ onSaved, resolve, reject })
        if (!isSaving) void save()
      })
    },
    /** Waits until the pending state is saved. @throws {DoubleError} `state_not_saved`. */
    flush: async (): Promise<void> => {
      if (store.pending !== store.committed) await store.commit(store.pending)
    },
  }
  return store
}
