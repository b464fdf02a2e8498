/**
 * The process of the double that `insights-double run` starts. It reports that it is ready. It stops when it gets a message or when `run`
 * has ended. It exits with the exit code of the double.
 *
 * It is a separate process: it stops in order when `run` is killed, and `run` can stop the command when the double dies.
 */
import {
  commandLineArguments,
  disconnectFromParent,
  ignoreClosedOutput,
  ignoreFileSizeSignal,
  onEndSignal,
  onParentMessageOrEnd,
  sendToParent,
  setExitCode,
} from '../node-process.js'
import { failWithError } from './fail-with-error.js'
import { parseArguments } from './parse-arguments.js'
import { serveDouble } from './serve.js'

/** Serves until `run` asks to stop, or has ended. */
async function serveUntilStopped(): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    onParentMessageOrEnd(resolve)
  })
  const double = await serveDouble(parseArguments(commandLineArguments()), { port: 0, state: undefined })
  sendToParent({ url: double.url })
  await stopped
  setExitCode(await double.stop())
}

// Ctrl-C reaches this process too. The command may still send requests while it ends, so `run` decides when to stop.
onEndSignal(() => {})
ignoreClosedOutput()
ignoreFileSizeSignal()
try {
  await serveUntilStopped()
} catch (error) {
  failWithError(error)
} finally {
  disconnectFromParent()
}
