/** Starts a double for code that wants a handle on it. */
import type { DoubleHandle } from './client/handle.js'
import { createHandle } from './client/handle.js'
import type { DoubleOptions } from './options.js'
import { doubleOptions } from './options.js'
import { validateOptions } from './validate-options.js'

/**
 * Starts a double in this process. It serves when this returns, with every check warm.
 *
 * @param options - Default: the `default` fixture in memory, on a free port of loopback.
 * @throws {ProblemsError} A spec, a fixture or a state file that cannot be trusted; it lists every problem.
 * @throws {TypeError} An option that is unknown, of the wrong type or out of bounds.
 *
 * @example
 * await using double = await startDouble({ fixture: 'default' })
 * const response = await fetch(`${double.url}/orders`, { headers: { authorization: 'Bearer ada-token' } })
 */
export async function startDouble(options: DoubleOptions = {}): Promise<DoubleHandle> {
  validateOptions('startDouble', options, doubleOptions)
  // Loaded when it is first needed: who only connects to a double does without it.
  const { createDouble } = await import('./double.js')
  const double = await createDouble(options)
  return createHandle(double.url, { adminToken: options.adminToken }, () => double.stop())
}
