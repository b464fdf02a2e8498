/** Opens the double of a test runner's worker process. */
import type { DoubleHandle, DoubleOptions } from '../index.js'
import { connectDouble, startDouble } from '../index.js'
import { environmentVariable } from '../node-process.js'

/**
 * Connects to the double at `INSIGHTS_DOUBLE_URL`. If that is not set, starts one.
 *
 * @param options - The options of a double that is started.
 */
export async function openDouble(options: DoubleOptions): Promise<DoubleHandle> {
  const url = environmentVariable('INSIGHTS_DOUBLE_URL')
  return url === undefined ? startDouble(options) : connectDouble(url)
}
