/** Provides the double of a test runner's worker process. */
import type { DoubleHandle, DoubleOptions } from '../index.js'
import { connectDouble, startDouble } from '../index.js'
import { environmentVariable } from '../node-process.js'

/** Gives a value to a test runner, and waits until the runner no longer needs it. */
export type Use<Value> = (value: Value) => Promise<void>

/**
 * Returns the double at `INSIGHTS_DOUBLE_URL`. If that is not set, starts one that does not keep the process alive: a runner keeps its
 * workers alive, and may end without a teardown. `stop` ends only a double that was started here.
 *
 * @param options - The options of a double that is started.
 */
export async function connectOrStartDouble(options: DoubleOptions): Promise<DoubleHandle> {
  const url = environmentVariable('INSIGHTS_DOUBLE_URL')
  if (url !== undefined) return connectDouble(url)
  const double = await startDouble(options)
  double.unref()
  return double
}

/** Gives the double of `connectOrStartDouble` to a runner, and stops it afterwards. */
export async function useDouble(options: DoubleOptions, use: Use<DoubleHandle>): Promise<void> {
  const double = await connectOrStartDouble(options)
  await use(double)
  await double.stop()
}
