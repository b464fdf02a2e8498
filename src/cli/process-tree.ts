/** Processes around the double: a command with all that it has started, and the package manager that has started the double. */
import { setTimeout as wait } from 'node:timers/promises'

import * as node from '../node-process.js'

export interface CommandProcesses {
  readonly pid: number
  /** True if the command leads a process group of its own, which its descendants share. */
  readonly hasOwnGroup: boolean
}

/** The interval between checks whether the processes have ended, milliseconds. */
const checkMs = 50

/** Ends all processes of a command: with SIGTERM, after `killAfterMs` with SIGKILL. Without `/proc`, those are its process group, or it alone. */
export async function endProcesses(command: CommandProcesses, killAfterMs: number): Promise<void> {
  let known: readonly node.ProcessTableEntry[] = []
  const running = (): readonly number[] => {
    const table = node.processTable().filter(({ hasEnded }) => !hasEnded)
    if (table.length === 0) {
      const target = command.hasOwnGroup ? -command.pid : command.pid
      return node.isProcessAlive(target) ? [target] : []
    }
    // A process whose parent has ended is no descendant any more, so those that were found before count too.
    const found = new Set(descendants(command, table))
    const isKnown = ({ pid, startTime }: node.ProcessTableEntry): boolean =>
      known.some((each) => each.pid === pid && each.startTime === startTime)
    known = table.filter((each) => found.has(each) || isKnown(each))
    return known.map(({ pid }) => pid)
  }
  for (const pid of running()) node.sendSignal(pid, 'SIGTERM')
  for (let waited = 0; waited < killAfterMs; waited += checkMs) {
    if (running().length === 0) return
    await wait(checkMs)
  }
  for (const pid of running()) node.sendSignal(pid, 'SIGKILL')
}

function descendants({ hasOwnGroup, pid }: CommandProcesses, table: readonly node.ProcessTableEntry[]) {
  const found = table.filter((each) => each.pid === pid || (hasOwnGroup && each.group === pid))
  for (const parent of found)
    found.push(...table.filter((each) => each.parentPid === parent.pid && !found.includes(each)))
  return found
}

/** The interval between checks of the package manager, milliseconds. */
const intervalMs = 250

const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'zsh', 'ash', 'busybox', 'ksh'])

/**
 * Waits until the package manager that started the double has ended: a signal that npm forwards ends only the shell of `npm start`, and SIGKILL
 * of npm neither. Its own parent may end, as the shell of a CI step does. The promise stays pending if no package manager started the double,
 * or if the double has its own session (`setsid`).
 */
export async function packageManagerExit(): Promise<void> {
  // npm, npx, pnpm, Yarn and Bun set it.
  const isWatched = node.environmentVariable('npm_lifecycle_event') !== undefined
  const hasOwnSession = node.findProcess(node.ownPid)?.session === node.ownPid
  if (!isWatched || hasOwnSession) return new Promise(() => {})
  // Without `/proc`, the parent is watched.
  const ancestor = node.ancestorsAtStart.find(({ name }) => !shells.has(name))
  const hasEnded = (): boolean => {
    if (!ancestor) return node.parentPid() !== node.parentPidAtStart
    const status = node.findProcess(ancestor.pid)
    return !status || status.hasEnded || status.startTime !== ancestor.startTime
  }
  do await wait(intervalMs, undefined, { ref: false })
  while (!hasEnded())
}
