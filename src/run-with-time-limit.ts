/** Runs synchronous code that may not end, such as a handler of a user or a pattern of a contract. */
import { createContext, Script } from 'node:vm'

import { isDebugged, usedCpuMs } from './node-process.js'
import { once } from './once.js'

export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError'
}

/** A script that calls a function from outside of its context. V8 then ends loops and regular expressions in that function too. */
const caller = once(() => {
  const context: { call?: (() => void) | undefined } = {}
  return { context, script: new Script('call()'), sandbox: createContext(context) }
})

/**
 * A call costs 0.1 ms more than without a limit. There is no limit while a debugger is attached: a breakpoint would outlast it. Native code,
 * such as a large `JSON.parse` or `execSync`, ends first. What the code calls later, in a timer or a promise, has no limit.
 * @param limitMs - Milliseconds, at least 1.
 * @throws {TimeLimitError} It took longer.
 */
export function runWithTimeLimit<T>(limitMs: number, run: () => T): T {
  if (isDebugged()) return run()
  const { context, sandbox, script } = caller()
  const results: T[] = []
  context.call = () => void results.push(run())
  try {
    script.runInContext(sandbox, { timeout: limitMs })
  } catch (error) {
    // The error belongs to the context, so it is no instance of this Error.
    const { code } = (error ?? {}) as { readonly code?: unknown }
    throw code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? new TimeLimitError(`it took longer than ${limitMs} ms`) : error
  } finally {
    context.call = undefined
  }
  return results[0] as T
}

/** The most runs of code that gets no processor time. */
const maxRuns = 10

/** Runs code again if the machine was too busy to run it for half of that time. So a busy machine ends nothing that is fast. */
export function runAgainWithTimeLimit<T>(limitMs: number, run: () => T): T {
  for (let runs = 1; ; runs++) {
    const start = usedCpuMs()
    try {
      return runWithTimeLimit(limitMs, run)
    } catch (error) {
      const wasRunning = usedCpuMs() - start >= limitMs / 2
      if (!(error instanceof TimeLimitError) || wasRunning || runs === maxRuns) throw error
    }
  }
}
