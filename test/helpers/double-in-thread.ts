/** Starts doubles in this thread. The package uses a worker thread, which would take longer for each test file. */
import { EventEmitter, on } from 'node:events'

import type { DoubleHandle, DoubleOptions } from 'insights-double'

import { createHandle } from '#src/client/handle.js'
import { sendOverHttp } from '#src/client/send-over-http.js'
import type { DoubleListeners } from '#src/double/reload.js'

/** Starts a double in this thread. @throws The errors of `startDouble`. */
export async function startHere(options: DoubleOptions & DoubleListeners = {}): Promise<DoubleHandle> {
  const { startInThisThread } = await import('#src/double/start-in-this-thread.js')
  const double = await startInThisThread(options)
  return handleOn(double.url, options.adminToken, () => double.stop())
}

/** Creates a handle that sends its requests from this thread. */
export const handleOn = (
  url: string,
  adminToken?: string,
  onStop: () => Promise<void> = async () => {},
): DoubleHandle => createHandle(url, { adminToken, send: sendOverHttp, onStop })

export interface Reload {
  readonly file: string
  readonly problem: Error | undefined
}

/** Listens to the reloads of a double that watches. @returns Its option, and a wait for the next reload, successful or not. */
export function listenToReloads() {
  const emitter = new EventEmitter()
  const reloads = on(emitter, 'reload') as AsyncIterableIterator<[Reload]>
  return {
    onReload: (file: string, problem?: Error): void => void emitter.emit('reload', { file, problem }),
    reload: async (): Promise<Reload> => (await reloads.next()).value[0],
  }
}
