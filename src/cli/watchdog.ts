/**
 * The thread that ends the process of a double when the command that started it has ended. The double then stops by itself, unless its
 * JavaScript does not end. The command of `run` is ended too, because nothing else can do it then.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

import { exitNow, ownPid, parentPid, sendSignal } from '../node-process.js'
import { type CommandProcesses, endProcesses } from './process-tree.js'

/** A message to this thread: the command to end, or that the double has stopped. */
export type WatchdogMessage = CommandProcesses | 'stopped'

const intervalMs = 200

const killCommandAfterMs = 400

/** The time in which the double stops by itself, milliseconds: it waits 3.5 s for requests in progress. */
const stopWithinMs = 3800

let command: CommandProcesses | undefined
const stopped = new Promise<true>((resolve) => {
  parentPort?.on('message', (message: WatchdogMessage) => {
    if (message === 'stopped') resolve(true)
    else command = message
  })
})

while (parentPid() === workerData) await wait(intervalMs)
const deadline = wait(stopWithinMs, false)
if (command) await endProcesses(command, killCommandAfterMs)
if (!(await Promise.race([stopped, deadline]))) sendSignal(ownPid, 'SIGKILL')
// The deadline would keep this thread.
exitNow(0)
