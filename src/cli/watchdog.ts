/**
 * The thread that ends the process of a double when the command that started it has ended. The double then stops by itself, unless its
 * JavaScript does not end. The command of `run` is ended too, because nothing else can do it then.
 */
import { parentPort, workerData } from 'node:worker_threads'

import { ownPid, parentPid, sendSignal } from '../node-process.js'
import type { CommandProcesses } from './process-tree.js'
import { endProcesses } from './process-tree.js'

/** The interval between checks of the parent process, milliseconds. */
const intervalMs = 200

/** The time from SIGTERM to SIGKILL of the command, milliseconds. */
const killCommandAfterMs = 400

/** The time in which the double stops by itself, milliseconds. */
const stopWithinMs = 4500

let command: CommandProcesses | undefined
parentPort?.on('message', (started: CommandProcesses) => (command = started))
const timer = setInterval(() => {
  if (parentPid() === workerData) return
  clearInterval(timer)
  if (command) void endProcesses(command, killCommandAfterMs)
  setTimeout(() => sendSignal(ownPid, 'SIGKILL'), stopWithinMs)
}, intervalMs)
