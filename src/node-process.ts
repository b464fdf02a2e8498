/** The only file that uses `process`: so no other file can end the process or print. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import nodeModule from 'node:module'
import { basename } from 'node:path'
import process from 'node:process'

import { attempt, errorCode } from './error-message.js'
import { safeLine, safeLines } from './safe-text.js'

/** Gets a module of Node when it is needed. These of the network, threads and the inspector would double the time of an import of the package. */
export const builtinModule: typeof process.getBuiltinModule = (id: string) => process.getBuiltinModule(id)

/** Returns the arguments of the command line, without Node and the script. */
export const commandLineArguments = (): readonly string[] => process.argv.slice(2)

export const nodePath: string = process.execPath

export const ownPid: number = process.pid

export const parentPidAtStart: number = process.ppid

/** Returns the id of the current parent process. It changes when the parent ends, except on Windows. 0 if the parent has ended. */
export const parentPid = (): number => (isProcessAlive(process.ppid) ? process.ppid : 0)

/** Reads an environment variable. @returns Undefined if it is unset or empty. */
export const environmentVariable = (name: string): string | undefined => process.env[name] || undefined

export const environmentWithout = (name: string): NodeJS.ProcessEnv => {
  const { [name]: _, ...others } = process.env
  return others
}

/** Lets Node keep compiled code between runs, from Node 22.1. `NODE_DISABLE_COMPILE_CACHE` prevents it. */
export function enableCompileCache(): void {
  if ('enableCompileCache' in nodeModule && typeof nodeModule.enableCompileCache === 'function')
    nodeModule.enableCompileCache()
}

/** The most that V8 keeps for new objects, bytes, and how often that is read, milliseconds. */
const [maxNewSpace, heapCheckMs] = [8 * 2 ** 20, 50]

/**
 * Lets V8 collect all of the heap when it has grown by 35 %, and keep 8 MB for new objects. By default V8 waits longer and keeps 32 MB: what has left
 * the journal then takes up to 80 MB more. Half of these limits would save 4 MB more, for 5 to 10 % more processor time of a short list. So few new
 * objects are collected by one thread: with more, the threads wait for each other for longer than they work.
 */
export function limitHeapGrowth(): void {
  const { getHeapSpaceStatistics, setFlagsFromString } = builtinModule('node:v8')
  setFlagsFromString('--heap-growing-percent=35')
  setFlagsFromString('--no-parallel-scavenge')
  let mayGrow = true
  const limit = (): void => {
    const { space_size: size = 0 } = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space') ?? {}
    const isSmall = size < maxNewSpace
    if (isSmall !== mayGrow) setFlagsFromString(`--semi-space-growth-factor=${isSmall ? 2 : 1}`)
    mayGrow = isSmall
  }
  setInterval(limit, heapCheckMs).unref()
}

/** Tells whether a debugger can be attached to this thread. A worker thread does not know that of its process. */
export const isDebugged = (): boolean => builtinModule('node:inspector').url() !== undefined

export function usedCpuMs(): number {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** Writes text to standard output. Escapes control characters except line breaks and tabs. Adds no line break. */
export const print = (text: string): void => void process.stdout.write(safeLines(text))

/** Writes text to standard error, likewise. */
export const printError = (text: string): void => void process.stderr.write(safeLines(text))

/** Replaces the current line of standard error, which must be a terminal. */
export const replaceErrorLine = (text: string): void => void process.stderr.write(`\r\u001B[K${safeLine(text)}`)

/** Tells whether a process with this id runs on this machine, also one of another user. A negative id is that of a process group. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
}

export type ProcessTableEntry = NonNullable<ReturnType<typeof readStatus>>

/** Finds a process by its id. @returns Undefined if there is no such process or no `/proc`, as on macOS and Windows. */
export const findProcess = (pid: number): ProcessTableEntry | undefined => readStatus(pid, `/proc/${pid}/stat`)

function readStatus(pid: number, file: string) {
  const text = attempt(() => readFileSync(file, 'utf8'))
  if (text === undefined) return undefined
  // `1234 (name) S <parent> <group> <session> …`. The name may contain any character.
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, end),
    parentPid: Number(fields[1]),
    group: Number(fields[2]),
    /** The session id. It equals `pid` if the process was started in its own session (`setsid`). */
    session: Number(fields[3]),
    /** Start time in ticks since the boot of the machine. It tells processes with the same id apart. */
    startTime: fields[19] ?? '',
    hasEnded: fields[0] === 'Z',
  }
}

/** Lists the processes of this machine. Empty without `/proc`. */
export function processTable(): readonly ProcessTableEntry[] {
  const names = attempt(() => readdirSync('/proc')) ?? []
  return names.flatMap((name) => (/^\d+$/u.test(name) ? (findProcess(Number(name)) ?? []) : []))
}

const threadLink = attempt(() => readlinkSync('/proc/thread-self'))

/** The name of this thread. With `/proc`: its id and start time, which no other thread of this machine has. Without: Node's number of it. */
export const ownThread: string =
  threadLink === undefined
    ? `node:${builtinModule('node:worker_threads').threadId}`
    : `${basename(threadLink)}@${readStatus(ownPid, '/proc/thread-self/stat')?.startTime ?? ''}`

/** @param thread - The value of `ownThread` in that thread. @returns Undefined without `/proc`, for another thread of this process. */
export function isThreadAlive(pid: number, thread: string): boolean | undefined {
  const [id = '', startTime] = thread.split('@')
  if (startTime === undefined) return pid === ownPid ? undefined : isProcessAlive(pid)
  const status = readStatus(pid, `/proc/${pid}/task/${id}/stat`)
  return status !== undefined && status.startTime === startTime && !status.hasEnded
}

/** The ancestors of this process at its start, the parent first. Empty without `/proc`. */
export const ancestorsAtStart: readonly ProcessTableEntry[] = ancestors(process.ppid)

function ancestors(pid: number): readonly ProcessTableEntry[] {
  const parent = findProcess(pid)
  return parent ? [parent, ...ancestors(parent.parentPid)] : []
}

export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls back at every such signal. The process then does not end by itself. */
export function onSignals(signals: readonly NodeJS.Signals[], listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of signals) process.on(signal, listener)
}

/** Sends a signal to a process, or to a process group if the id is negative. Does nothing if there is none. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

const isTerminal = (fd: number): boolean => builtinModule('node:tty').isatty(fd)

export const hasTerminal = (): boolean => [0, 1, 2].some(isTerminal)

export const isErrorTerminal = (): boolean => isTerminal(2)

/** True if Yarn Plug'n'Play finds the packages: its loader is in `NODE_OPTIONS`, and there is no folder `node_modules`. */
export const isPlugAndPlay: boolean = process.versions['pnp'] !== undefined

/** True if the system is Windows, which has no process groups. */
export const isWindows: boolean = process.platform === 'win32'

export const environmentWith = (variables: Readonly<Record<string, string>>) => ({ ...process.env, ...variables })

/** A parent process that has ended gets nothing. */
export const sendToParent = (message: object): void => void process.send?.(message, () => {})

/** Calls back at each message of the process that forked this one, and without a message when that has ended. */
export function onParentMessageOrEnd(listener: (message?: unknown) => void): void {
  process.on('message', listener)
  process.on('disconnect', () => listener())
  if (!process.connected) listener()
}

/** Makes a write beyond the file size limit fail like a write to a full disk. By default, such a write ends the process. */
export const ignoreFileSizeSignal = (): void => void process.on('SIGXFSZ', () => {})

export function setExitCode(code: number): void {
  process.exitCode = code
}

/** Also of rejected promises. @param listener - Returns true to continue. Otherwise the process or thread ends, as it would without a listener. */
export function onUncaughtError(listener: (error: unknown) => boolean): void {
  process.on('uncaughtException', (error) => {
    if (!listener(error)) throw error
  })
}

/** Ends the process immediately. In a worker thread, ends the thread. @param code - Default: that of `setExitCode`. */
export function exitNow(code?: number): never {
  // An argument replaces the exit code, also if it is undefined.
  if (code === undefined) process.exit()
  process.exit(code)
}

/** Ends the process without an error when the reader of its output closes the pipe (`insights-double requests | head`). */
export function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
}

/** Ignores that the reader of the output has closed the pipe. Later output is lost. */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
}
