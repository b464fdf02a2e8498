/**
 * The only file that touches `process`: arguments, environment, output, signals, exit, and which process this is.
 *
 * Everything else gets what it needs from here, so that nothing can end the process or print behind the caller's back.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'

/** The command line's words, without the two that name Node and the script. */
export const commandLineArguments: readonly string[] = process.argv.slice(2)

/** This process's id. */
export const ownPid: number = process.pid

/** The id of the process that started this one. */
export const parentPidAtStart: number = process.ppid

/** The id of the parent process now. It is another one once the process that started this one has ended, except on Windows. */
export const parentPid = (): number => (isProcessAlive(process.ppid) ? process.ppid : 0)

/**
 * Reads an environment variable.
 *
 * @returns Its value, or undefined where it is unset or empty.
 */
export function environmentVariable(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

/** Writes to standard output as it is; the caller ends its lines. */
export function print(text: string): void {
  process.stdout.write(text)
}

/** Writes to standard error as it is; the caller ends its lines. */
export function printError(text: string): void {
  process.stderr.write(text)
}

/** Whether a process with this id runs on this machine. One that belongs to somebody else counts. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** What the system says of a process. */
export interface ProcessStatus {
  readonly pid: number
  /** The program's name. */
  readonly name: string
  readonly parentPid: number
  /** The id of its session, which is its own where it was started to outlive what started it. */
  readonly session: number
  /** When it was started, in ticks since the machine was. Another process of the same id has another. */
  readonly startTime: string
  readonly hasEnded: boolean
}

/** Asks the system about a process. @returns Undefined where it has no `/proc`, as on macOS and Windows, or no such process. */
export function processStatus(pid: number): ProcessStatus | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // `1234 (name) S <parent> <group> <session> …`, where the name may hold anything.
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, end),
    parentPid: Number(fields[1]),
    session: Number(fields[3]),
    startTime: fields[19] ?? '',
    hasEnded: fields[0] === 'Z',
  }
}

/** The processes above this one when it started, the parent first. Empty where the system has no `/proc`. */
export const ancestorsAtStart: readonly ProcessStatus[] = ancestors(process.ppid)

function ancestors(pid: number): readonly ProcessStatus[] {
  const parent = processStatus(pid)
  return parent ? [parent, ...ancestors(parent.parentPid)] : []
}

/** Calls back at every SIGTERM and SIGINT, instead of ending the process at once. */
export function onStopSignal(listener: (signal: NodeJS.Signals) => void): void {
  process.on('SIGTERM', listener)
  process.on('SIGINT', listener)
}

/** Makes a write beyond the limit of a file's size fail, like one to a full disk, instead of ending the process. */
export function ignoreFileSizeSignal(): void {
  process.on('SIGXFSZ', () => {})
}

/** Sets the code that the process ends with, once nothing is left to do. */
export function setExitCode(code: number): void {
  process.exitCode = code
}

/** Ends the process now, whatever is under way. */
export function exitNow(code: number): never {
  process.exit(code)
}

/** Stops reading on from a pipe that was closed (`insights-double requests | head`) from being an error. */
export function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}
