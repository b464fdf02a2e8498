/** Connects to a double in another process. */
import type { ConnectOptions } from '../options.js'
import { validateOptions } from '../validate-options.js'
import type { ControlResponse, SendRequest } from './control-request-types.js'
import { connectOptions, normalizeUrl } from './handle-option-rules.js'
import type { DoubleHandle } from './handle.js'
import { createHandle } from './handle.js'
import { workerConnection } from './worker-connection.js'

/**
 * Creates a handle on a double in another process. Sends no request.
 *
 * @param url - The base URL of the double or of a sandbox, such as `http://127.0.0.1:4010`.
 * @throws {TypeError} The URL is invalid, or an option is unknown or has the wrong type.
 */
export function connectDouble(url: string, options: ConnectOptions = {}): DoubleHandle {
  const base = normalizeUrl(url)
  validateOptions('connectDouble', options, connectOptions)
  return createHandle(base, { ...options, send: sendFromWorker, onStop: async () => {} })
}

/** Sends a request from the worker thread. Replacements of `fetch` or timers in this thread do not affect it. */
const sendFromWorker: SendRequest = (request) => workerConnection().call({ send: request }) as Promise<ControlResponse>
