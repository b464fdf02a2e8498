/** Runs the command line as a user does. Processes that a test starts here end with the test. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, TextDecoder } from 'node:util'

import type { ExecutionContext } from 'ava'

import { temporaryFolder } from './files.js'
import { type Command, type Ended, hasHost, runHosted, serveCommandHosted } from './test-host-client.js'
import { validateWith } from './validate-responses.js'

const command = fileURLToPath(new URL('../../../bundle/main.js', import.meta.url))

export interface Running extends WatchedProcess {
  readonly pid: number
  /** Sends a signal, and does not wait. */
  signal(name: NodeJS.Signals): void
  /** Sends a signal, and waits for the end of the process. */
  end(name?: NodeJS.Signals): Promise<Ended>
}

/** The folder and environment of a command. */
export interface Surroundings {
  /** The working folder. Default: a new folder. */
  readonly cwd?: string
  /** Environment variables in addition to those of this process. Those that the command line reads are not passed on. */
  readonly env?: Readonly<Record<string, string>>
}

export async function launch(
  t: ExecutionContext,
  words: readonly string[],
  { cwd, env = {} }: Surroundings = {},
): Promise<Running> {
  const { INSIGHTS_DOUBLE_URL: _url, PORT: _port, ...inherited } = process.env
  const child = spawn(process.execPath, [command, ...words], {
    cwd: cwd ?? (await temporaryFolder(t)),
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const { ended, printed } = watchProcess(child)
  t.teardown(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await once(child, 'spawn')
  return {
    pid: child.pid ?? 0,
    ended,
    printed,
    signal: (name) => void child.kill(name),
    end: (name = 'SIGTERM') => {
      child.kill(name)
      return ended
    },
  }
}

/** Runs the command line to its end, in the process that hosts commands. Use it only for commands that end by themselves. */
export async function run(
  t: ExecutionContext,
  words: readonly string[],
  { cwd, env = {} }: Surroundings = {},
): Promise<Ended> {
  if (!hasHost) return runProcess(t, words, { ...(cwd === undefined ? {} : { cwd }), env })
  return runHosted({ words, cwd: cwd ?? (await temporaryFolder(t)), env })
}

/** Runs the command line to its end as `run` does, and asserts its exit code. @returns What it printed. */
export async function exits(
  t: ExecutionContext,
  code: number,
  words: readonly string[],
  surroundings?: Surroundings,
): Promise<Ended> {
  const ended = await run(t, words, surroundings)
  t.is(ended.code, code, ended.stderr + ended.stdout)
  return ended
}

/** Runs the command line to its end as `run` does, but always in a new process: to check the exit code and open resources. */
export const runProcess = async (
  t: ExecutionContext,
  words: readonly string[],
  surroundings?: Surroundings,
): Promise<Ended> => fewAtOnce(async () => (await launch(t, words, surroundings)).ended)

/** Runs commands one after the other in one new process, which must end by itself: to check that they leave nothing open. */
export async function runInOneProcess(commands: readonly Command[]): Promise<readonly Ended[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', scriptOf(commands)])
  return JSON.parse(stdout) as readonly Ended[]
}

/** Returns a script for Node that runs commands one after the other, and prints their results. */
export const scriptOf = (commands: readonly Command[]): string =>
  `const { runHere } = await import(${JSON.stringify(new URL('run-in-this-process.js', import.meta.url).href)})
const ended = []
for (const command of ${JSON.stringify(commands)}) ended.push(await runHere(command))
console.log(JSON.stringify(ended))`

/** The number of processes that a test file starts at once. More of them would only slow each other down. */
const mostAtOnce = 2
let startingNow = 0
const waiting: (() => void)[] = []

async function fewAtOnce<T>(start: () => Promise<T>): Promise<T> {
  if (startingNow < mostAtOnce) startingNow++
  else await new Promise<void>((go) => waiting.push(go))
  try {
    return await start()
  } finally {
    const next = waiting.shift()
    if (next) next()
    else startingNow--
  }
}

export interface ServedByCommand {
  readonly url: string
  readonly ready: string
  /** Stops it as a signal does. */
  end(): Promise<Ended>
}

/** A double in a separate process. */
export interface ServedByProcess extends Running {
  readonly url: string
  readonly ready: string
}

const readyMessage = /^(?:.* ready at (http:\S+) .*\n(?: {2}.*\n)* {2}try .*|\{"event":"ready","url":"([^"]+)".*\})\n/u

/** Starts a double by the command line, on a free port unless the words name one, in the process that hosts commands. */
export async function serveByCommand(
  t: ExecutionContext,
  words: readonly string[],
  { cwd, env = {} }: Surroundings = {},
): Promise<ServedByCommand> {
  const folder = cwd ?? (await temporaryFolder(t))
  if (!hasHost) return serveByProcess(t, words, { cwd: folder, env })
  const hosted = await serveCommandHosted({ words: withPort(words), cwd: folder, env })
  t.teardown(hosted.end)
  return validated({ ...hosted, url: urlIn(readyMessage.exec(hosted.ready)) }, words, folder)
}

/** Starts a double as `serveByCommand` does, but always in a new process: for signals, warnings of Node, and what it leaves. */
export async function serveByProcess(
  t: ExecutionContext,
  words: readonly string[],
  surroundings?: Surroundings,
): Promise<ServedByProcess> {
  const { ready, running } = await fewAtOnce(async () => {
    const launched = await launch(t, withPort(words), surroundings)
    return { running: launched, ready: await launched.printed(readyMessage) }
  })
  return validated({ ...running, ready: ready[0], url: urlIn(ready) }, words, surroundings?.cwd)
}

const withPort = (words: readonly string[]): readonly string[] =>
  words.includes('--port') ? words : ['--port', '0', ...words]

const urlIn = (ready: RegExpExecArray | null): string => ready?.[1] ?? ready?.[2] ?? ''

/** A command may begin with its contract. */
const sourceExtension = /^[^-].*\.(?:json|ya?ml)$/u

/** Lets the responses of a double be validated against the contract that its command names. */
function validated<T extends { readonly url: string }>(served: T, words: readonly string[], cwd = ''): T {
  const flag = words.indexOf('--spec')
  const [first = ''] = words
  const spec = flag === -1 ? (sourceExtension.test(first) ? first : undefined) : words[flag + 1]
  validateWith(served, spec === undefined ? undefined : resolve(cwd, spec))
  return served
}

export interface WatchedProcess {
  readonly ended: Promise<Ended>
  /** Waits until standard output or standard error holds a match. @throws {Error} The process ended without one. */
  printed(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>
}

export function watchProcess(child: ChildProcess): WatchedProcess {
  const text = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    child[stream]?.on('data', (chunk: Buffer) => (text[stream] += decode(decoder, chunk)))
  }
  const ended = new Promise<Ended>((resolve_, reject) => {
    child.once('close', (code) => resolve_({ code, ...text })).once('error', reject)
  })
  const printed: WatchedProcess['printed'] = async (pattern, stream = 'stdout') => {
    const match = await new Promise<RegExpExecArray | null>((settle, fail) => {
      const look = (): void => {
        const now = pattern.exec(text[stream])
        if (!now) return
        child[stream]?.off('data', look)
        settle(now)
      }
      child[stream]?.on('data', look)
      look()
      ended.then(() => settle(pattern.exec(text[stream])), fail)
    })
    if (match) return match
    throw new Error(`Ended with ${(await ended).code} and never printed ${String(pattern)}\n${JSON.stringify(text)}`)
  }
  return { ended, printed }
}

/** Decodes invalid UTF-8 byte by byte, so that a test sees control characters as a terminal would. */
function decode(decoder: TextDecoder, chunk: Buffer): string {
  try {
    return decoder.decode(chunk, { stream: true })
  } catch {
    return chunk.toString('latin1')
  }
}
