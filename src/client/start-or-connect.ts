import { describeAddressError } from '../addresses.js'
import { isDebugged } from '../node-process.js'
import { type ConnectOptions, type DoubleOptions, doubleOptions } from '../options.js'
import { validateOptions } from '../validate-options.js'
import type { ControlResponse } from './control-request.js'
import { connectOptions, normalizeUrl, serializeArgument } from './handle-arguments.js'
import { createHandle, type DoubleHandle } from './handle.js'
import { workerConnection } from './worker-connection.js'

/** The longest timeout of Node, 24 days, in milliseconds. */
const noTimeoutMs = 2 ** 31 - 1

/** A handle on a double that `startDouble` started. */
export interface StartedDouble extends DoubleHandle {
  /** Lets the process end although the double runs, as `unref` of Node's servers does. The double ends with the process. */
  unref(): void
}

/**
 * Starts a double in a worker thread, which all doubles of this thread share. It is ready to serve when the promise resolves. It keeps the
 * process alive until `stop()` or `unref()`.
 *
 * @param options - Default: the `default` fixture in memory, on a free port of loopback.
 * @throws {ProblemsError} The spec, the fixture or the state file is invalid. It lists all problems.
 * @throws Node's error if the address is not available, such as `EADDRINUSE`.
 * @throws {TypeError} An option is unknown, has the wrong type, is out of bounds, or contains a function or an instance of a class.
 *
 * @example
 * await using double = await startDouble({ fixture: 'default' })
 * const response = await fetch(`${double.url}/orders`, { headers: { authorization: 'Bearer ada-token' } })
 */
export async function startDouble(options: DoubleOptions = {}): Promise<StartedDouble> {
  validateOptions('startDouble', options, doubleOptions)
  const { handlers } = options
  const plain = {
    ...options,
    handlers: typeof handlers === 'object' ? handlers.href : handlers,
    // A breakpoint may outlast every limit. The worker does not know that a debugger is attached.
    handlerTimeoutMs: isDebugged() ? noTimeoutMs : options.handlerTimeoutMs,
  }
  const start = JSON.parse(serializeArgument('startDouble', undefined, plain)) as DoubleOptions
  const worker = workerConnection()
  // The worker has started the double when it answers, so this is its URL.
  const started = worker.call({ start }).catch((error: Error) => {
    error.message = describeAddressError(error, 'the option port', 'the option host') ?? error.message
    throw error
  })
  const url = String(await started)
  const unref = worker.keepAlive()
  const handle = createHandle(url, {
    adminToken: options.adminToken,
    // Not from the next worker, if this one ends: the double has ended with it.
    send: (request) => worker.call({ send: request }) as Promise<ControlResponse>,
    onStop: () => worker.stop(url).finally(unref),
  })
  return Object.assign(handle, { unref })
}

/**
 * Creates a handle on a double in another process. Sends no request.
 *
 * @param url - The base URL of the double or of a sandbox, such as `http://127.0.0.1:4010`.
 * @throws {TypeError} The URL is invalid, or an option is unknown or has the wrong type.
 */
export function connectDouble(url: string, options: ConnectOptions = {}): DoubleHandle {
  const base = normalizeUrl(url)
  validateOptions('connectDouble', options, connectOptions)
  return createHandle(base, {
    ...options,
    // Replacements of `fetch` or timers in this thread do not affect the worker thread.
    send: (request) => workerConnection().call({ send: request }) as Promise<ControlResponse>,
  })
}
