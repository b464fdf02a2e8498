/** Starts a double in this process. */
import type { DoubleHandle } from './client/handle.js'
import { createHandle } from './client/handle.js'
import type { DoubleOptions } from './options.js'
import { doubleOptionRules } from './options.js'
import { validateOptions } from './validate-options.js'

/**
 * Starts a double in this process. It is ready to serve when the promise resolves, and all validators are compiled.
 *
 * @param options - Default: the `default` fixture in memory, on a free port of loopback.
 * @throws {ProblemsError} The spec, the fixture or the state file is invalid. It lists all problems.
 * @throws {TypeError} An option is unknown, has the wrong type or is out of bounds.
 *
 * @example
 * await using double = await startDouble({ fixture: 'default' })
 * const response = await fetch(`${double.url}/orders`, { headers: { authorization: 'Bearer ada-token' } })
 */
export async function startDouble(options: DoubleOptions = {}): Promise<DoubleHandle> {
  validateOptions('startDouble', options, doubleOptionRules)
  // Loaded on first use: clients that only connect to a double do not need it.
  const { createDouble } = await import('./create-double.js')
  const double = await createDouble(options)
  return createHandle(double.url, { adminToken: options.adminToken }, () => double.stop())
}
