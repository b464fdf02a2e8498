/** Runs commands in a shell, as a user does. Processes that a test starts here end with the test. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { ExecutionContext } from 'ava'

import { type WatchedProcess, watchProcess } from './cli.js'
import { temporaryFolder, writeExecutable } from './files.js'
import type { Ended } from './test-host-client.js'

export interface ShellOptions {
  /** The working folder. Default: a new folder. */
  readonly cwd?: string
  /** Environment variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** The shell, with its flags. Default: `sh`. */
  readonly shell?: readonly [file: string, ...flags: string[]]
  /** True to hide the curl of the machine. */
  readonly withoutCurl?: boolean
}

export interface Shell extends WatchedProcess {
  /** Ends the script and all processes that it started. */
  end(): Promise<Ended>
}

const standIn = fileURLToPath(new URL('./curl-stand-in.js', import.meta.url))

export async function shell(t: ExecutionContext, script: string, options: ShellOptions = {}): Promise<Ended> {
  return (await launchShell(t, script, options)).ended
}

export async function launchShell(t: ExecutionContext, script: string, options: ShellOptions = {}): Promise<Shell> {
  const { cwd = await temporaryFolder(t), env = {}, shell: [file, ...flags] = ['sh'] } = options
  const { INSIGHTS_DOUBLE_URL: _url, PATH = '', PORT: _port, ...inherited } = process.env
  const child = spawn(file, [...flags, '-c', script], {
    cwd,
    env: { ...inherited, PATH: await pathWithCurl(t, PATH, options.withoutCurl ?? false), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const watched = watchProcess(child)
  // Processes that it leaves running are ended, as on a CI machine.
  child.once('exit', () => killGroup(child.pid))
  const end = (): Promise<Ended> => {
    killGroup(child.pid)
    return watched.ended
  }
  t.teardown(end)
  return { ...watched, end }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Returns a PATH with a curl: that of the machine, or else the one of the tests. */
async function pathWithCurl(t: ExecutionContext, path: string, withoutCurl: boolean): Promise<string> {
  const bin = await temporaryFolder(t)
  const code = `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`
  await writeExecutable(join(bin, 'curl'), code)
  return withoutCurl ? `${bin}:${path}` : `${path}:${bin}`
}
