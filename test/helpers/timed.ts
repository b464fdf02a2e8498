/** Measures the time of calls. */

/** Measures the time of a call, milliseconds. Assert lower limits only: on a busy machine any call may take long. */
export async function timed<T>(run: () => Promise<T>): Promise<readonly [result: T, milliseconds: number]> {
  const started = performance.now()
  const result = await run()
  return [result, performance.now() - started]
}
