/**
 * Watches the package manager that started the double. `npm start` runs `sh -c "node …"`: a signal that npm passes on ends the shell
 * and not the double, and the end of npm by SIGKILL ends neither.
 */
import {
  environmentVariable,
  ancestorsAtStart,
  parentPidAtStart,
  ownPid,
  parentPid,
  processStatus,
} from '../node-process.js'

/** How often the package manager is looked at, milliseconds. */
const intervalMs = 250

/** What package managers run a script with. */
const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'zsh', 'ash', 'busybox', 'ksh'])

/**
 * Waits until the package manager that started the double has ended.
 *
 * A double that was started otherwise, or that was given a session of its own (`setsid`), is not watched. What started the package
 * manager is not watched either: it may end, as the shell of a CI step does.
 *
 * @returns A promise that stays pending where there is nothing to watch.
 */
export async function packageManagerExit(): Promise<void> {
  // npm, npx, pnpm, Yarn and Bun all set it.
  const isWatched = environmentVariable('npm_lifecycle_event') !== undefined
  const hasOwnSession = processStatus(ownPid)?.session === ownPid
  const hasEnded = watchStarter()
  return new Promise((resolve) => {
    if (!isWatched || hasOwnSession) return
    const timer = setInterval(() => {
      if (!hasEnded()) return
      clearInterval(timer)
      resolve()
    }, intervalMs).unref()
  })
}

/** Watches the first process above the double that is no shell, without `/proc` the parent. @returns Whether it has ended. */
function watchStarter(): () => boolean {
  const starter = ancestorsAtStart.find(({ name }) => !shells.has(name))
  if (!starter) return () => parentPid() !== parentPidAtStart
  return () => {
    const now = processStatus(starter.pid)
    return !now || now.hasEnded || now.startTime !== starter.startTime
  }
}
