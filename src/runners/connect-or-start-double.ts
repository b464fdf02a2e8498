/** Provides the double of a test runner's worker process. */
import type { DoubleHandle, DoubleOptions } from '../index.js'
import { connectDouble, startDouble } from '../index.js'
import { environmentVariable } from '../node-process.js'

/** Gives a value to a test runner, and waits until the runner no longer needs it. */
export type Use<Value> = (value: Value) => Promise<void>

/**
 * Provides the double at `INSIGHTS_DOUBLE_URL`. If that is not set, starts one, and stops it afterwards.
 *
 * @param options - The options of a double that is started.
 */
export async function connectOrStartDouble(options: DoubleOptions, use: Use<DoubleHandle>): Promise<void> {
  const url = environmentVariable('INSIGHTS_DOUBLE_URL')
  const double = url === undefined ? await startUnreferenced(options) : connectDouble(url)
  await use(double)
  await double.stop()
}

/** Starts a double that does not keep the process alive: a runner keeps its workers alive, and may end without a teardown. */
async function startUnreferenced(options: DoubleOptions): Promise<DoubleHandle> {
  const double = await startDouble(options)
  double.unref()
  return double
}
