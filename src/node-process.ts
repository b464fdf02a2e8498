/**
 * The only file that uses `process`: arguments, environment, output, signals, exit and process ids.
 *
 * So no other file can end the process or print.
 */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { isatty } from 'node:tty'

/** Returns the arguments of the command line, without Node and the script. */
export const commandLineArguments = (): readonly string[] => process.argv.slice(2)

/** The id of this process. */
export const ownPid: number = process.pid

/** The id of the parent process at the start. */
export const parentPidAtStart: number = process.ppid

/** Returns the id of the current parent process. It changes when the parent ends, except on Windows. 0 if the parent has ended. */
export const parentPid = (): number => (isProcessAlive(process.ppid) ? process.ppid : 0)

/**
 * Reads an environment variable.
 *
 * @returns Undefined if it is unset or empty.
 */
export function environmentVariable(name: string): string | undefined {
  const value = process.env[name]
  return value === '' ? undefined : value
}

/** Writes text to standard output. Adds no line break. */
export function print(text: string): void {
  process.stdout.write(text)
}

/** Writes text to standard error. Adds no line break. */
export function printError(text: string): void {
  process.stderr.write(text)
}

/** Tells whether a process with this id runs on this machine, also one of another user. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The status of a process. */
export interface ProcessStatus {
  readonly pid: number
  /** The program's name. */
  readonly name: string
  readonly parentPid: number
  /** The session id. It equals `pid` if the process was started in its own session (`setsid`). */
  readonly session: number
  /** Start time in ticks since the boot of the machine. It tells processes with the same id apart. */
  readonly startTime: string
  readonly hasEnded: boolean
}

/** Reads the status of a process. @returns Undefined if there is no such process or no `/proc`, as on macOS and Windows. */
export function processStatus(pid: number): ProcessStatus | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return undefined
  }
  // `1234 (name) S <parent> <group> <session> …`. The name may contain any character.
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

/** The ancestors of this process at its start, the parent first. Empty without `/proc`. */
export const ancestorsAtStart: readonly ProcessStatus[] = ancestors(process.ppid)

function ancestors(pid: number): readonly ProcessStatus[] {
  const parent = processStatus(pid)
  return parent ? [parent, ...ancestors(parent.parentPid)] : []
}

/** Calls back at every SIGTERM and SIGINT. The process then does not end by itself. */
export function onStopSignal(listener: (signal: NodeJS.Signals) => void): void {
  process.on('SIGTERM', listener)
  process.on('SIGINT', listener)
}

/** The signals that ask a process to end. */
const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls back at every SIGINT, SIGTERM and SIGHUP. The process then does not end by itself. */
export function onEndSignal(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of endSignals) process.on(signal, listener)
}

/** Sends a signal to a process, or to a process group if the id is negative. Does nothing if there is none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    const hasEnded = error instanceof Error && 'code' in error && error.code === 'ESRCH'
    if (!hasEnded) throw error
  }
}

/** True if standard input, output or error is a terminal. */
export const hasTerminal: boolean = [0, 1, 2].some((fd) => isatty(fd))

/** True if the system is Windows, which has no process groups. */
export const isWindows: boolean = process.platform === 'win32'

/** Returns the environment of this process with further variables. */
export const environmentWith = (variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...variables,
})

/** Sends a message to the process that forked this one. */
export function sendToParent(message: object): void {
  process.send?.(message)
}

/** Calls back once: at the first message of the process that forked this one, or when that has ended. */
export function onParentMessageOrEnd(listener: () => void): void {
  const callOnce = (): void => {
    process.off('message', callOnce)
    process.off('disconnect', callOnce)
    listener()
  }
  process.on('message', callOnce)
  process.on('disconnect', callOnce)
  if (!process.connected) callOnce()
}

/** Closes the channel to the process that forked this one. It would keep this process running. */
export function disconnectFromParent(): void {
  if (process.connected) process.disconnect()
}

/** Makes a write beyond the file size limit fail like one to a full disk. Without this it ends the process. */
export function ignoreFileSizeSignal(): void {
  process.on('SIGXFSZ', () => {})
}

/** Sets the exit code of the process. */
export function setExitCode(code: number): void {
  process.exitCode = code
}

/** Ends the process immediately. */
export function exitNow(code: number): never {
  process.exit(code)
}

/** Ends the process without an error when the reader of its output closes the pipe (`insights-double requests | head`). */
export function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

/** Goes on when the reader of the output has closed the pipe. What is printed after that is lost. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
