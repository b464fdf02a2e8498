/** `npm start` runs `sh -c "node …"`. A signal that npm forwards ends the shell and not the double. SIGKILL of npm ends neither. */
import {
  environmentVariable,
  ancestorsAtStart,
  parentPidAtStart,
  ownPid,
  parentPid,
  findProcess,
} from '../node-process.js'

/** The interval between checks of the package manager, milliseconds. */
const intervalMs = 250

const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'zsh', 'ash', 'busybox', 'ksh'])

/**
 * Waits until the package manager that started the double has ended. Its own parent may end, as the shell of a CI step does. The promise stays
 * pending if no package manager started the double, or if the double has its own session (`setsid`).
 */
export async function packageManagerExit(): Promise<void> {
  // npm, npx, pnpm, Yarn and Bun set it.
  const isWatched = environmentVariable('npm_lifecycle_event') !== undefined
  const hasOwnSession = findProcess(ownPid)?.session === ownPid
  const hasEnded = watchAncestor()
  return new Promise((resolve) => {
    if (!isWatched || hasOwnSession) return
    const timer = setInterval(() => {
      if (!hasEnded()) return
      clearInterval(timer)
      resolve()
    }, intervalMs).unref()
  })
}

/** Finds the nearest ancestor that is not a shell; without `/proc`, the parent. @returns A function that tells whether it has ended. */
function watchAncestor(): () => boolean {
  const ancestor = ancestorsAtStart.find(({ name }) => !shells.has(name))
  if (!ancestor) return () => parentPid() !== parentPidAtStart
  return () => {
    const status = findProcess(ancestor.pid)
    return !status || status.hasEnded || status.startTime !== ancestor.startTime
  }
}
