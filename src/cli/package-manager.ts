/**
 * Watches the package manager that started the double. `npm start` runs `sh -c "node …"`: a signal that npm passes on ends the shell
 * and not the double, and the end of npm by SIGKILL ends neither.
 */
import {
  environmentVariable,
  hasOwnSession,
  originalParentPid,
  parentPid,
  parentPidOf,
  processName,
} from '../process.js'

/** How often the ancestors are looked at, milliseconds. */
const intervalMs = 250

/** What package managers run a script with. */
const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'zsh', 'ash', 'busybox', 'ksh'])

/**
 * Waits until the package manager that started the double, or the shell in between, has ended.
 *
 * A double that was started otherwise, or that was given a session of its own (`setsid`), is not watched. What started the package
 * manager is not watched either: it may end, as the shell of a CI step does.
 *
 * @returns A promise that stays pending where there is nothing to watch.
 */
export async function packageManagerEnd(): Promise<void> {
  // npm, npx, pnpm, Yarn and Bun all set it.
  const isWatched = environmentVariable('npm_lifecycle_event') !== undefined && !hasOwnSession()
  const shell = shells.has(processName(originalParentPid) ?? '') ? originalParentPid : undefined
  const starter = shell === undefined ? undefined : parentPidOf(shell)
  const isGone = (): boolean =>
    parentPid() !== originalParentPid || (shell !== undefined && parentPidOf(shell) !== starter)
  return new Promise((resolve) => {
    if (!isWatched) return
    const timer = setInterval(() => {
      if (!isGone()) return
      clearInterval(timer)
      resolve()
    }, intervalMs).unref()
  })
}
