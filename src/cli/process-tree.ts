/** A command and all processes that it has started, also those whose parent has ended. */
import { setTimeout as wait } from 'node:timers/promises'

import { isProcessAlive, processTable, type ProcessTableEntry, sendSignal } from '../node-process.js'

export interface CommandProcesses {
  readonly pid: number
  /** True if the command leads a process group of its own, which its descendants share. */
  readonly hasOwnGroup: boolean
}

/** The interval between checks whether the processes have ended, milliseconds. */
const checkMs = 50

/** Ends all processes of a command: with SIGTERM, after `killAfterMs` with SIGKILL. Without `/proc`, those are its process group, or it alone. */
export async function endProcesses(command: CommandProcesses, killAfterMs: number): Promise<void> {
  let known: readonly ProcessTableEntry[] = []
  const running = (): readonly number[] => {
    const table = processTable().filter(({ hasEnded }) => !hasEnded)
    if (table.length === 0) {
      const target = command.hasOwnGroup ? -command.pid : command.pid
      return isProcessAlive(target) ? [target] : []
    }
    // A process whose parent has ended is no descendant any more, so those that were found before count too.
    const found = new Set(descendants(command, table))
    const isKnown = ({ pid, startTime }: ProcessTableEntry): boolean =>
      known.some((each) => each.pid === pid && each.startTime === startTime)
    known = table.filter((each) => found.has(each) || isKnown(each))
    return known.map(({ pid }) => pid)
  }
  for (const pid of running()) sendSignal(pid, 'SIGTERM')
  for (let waited = 0; waited < killAfterMs; waited += checkMs) {
    if (running().length === 0) return
    await wait(checkMs)
  }
  for (const pid of running()) sendSignal(pid, 'SIGKILL')
}

function descendants(
  { hasOwnGroup, pid }: CommandProcesses,
  table: readonly ProcessTableEntry[],
): readonly ProcessTableEntry[] {
  const found = table.filter((each) => each.pid === pid || (hasOwnGroup && each.group === pid))
  for (const parent of found)
    found.push(...table.filter((each) => each.parentPid === parent.pid && !found.includes(each)))
  return found
}
