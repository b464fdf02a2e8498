/** Starts a double for code that wants a handle on it. */
import type { DoubleHandle } from './control/client.js'
import { createHandle } from './control/client.js'
import { createDouble } from './double.js'
import type { DoubleOptions } from './options.js'

/**
 * Starts a double in this process. It serves when this returns, with every check warm.
 *
 * @param options - Default: the `default` fixture in memory, on a free port of loopback.
 * @throws {ProblemsError} A spec, a fixture or a state file that cannot be trusted; it lists every problem.
 *
 * @example
 * await using double = await startDouble({ fixture: 'default' })
 * const response = await fetch(`${double.url}/insights`, { headers: { authorization: 'Bearer ada-token' } })
 */
export async function startDouble(options: DoubleOptions = {}): Promise<DoubleHandle> {
  const double = await createDouble(options)
  return createHandle(double.url, { adminToken: options.adminToken }, () => double.stop())
}
