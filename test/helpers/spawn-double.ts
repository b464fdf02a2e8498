/** Starts doubles in separate processes, for scripts. `await using` ends them. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The command line of this package. */
export const commandFile = fileURLToPath(new URL('../../../bundle/main.js', import.meta.url))

/** A double in a separate process. `await using` kills it. */
export interface Spawned extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  /** Time from the start of the process to its ready message, milliseconds. */
  readonly readyMs: number
  /** The exit code. Null if a signal ended the process. */
  readonly ended: Promise<number | null>
  /** Returns the text that it has written so far to both outputs. */
  printed(): string
  /** Sends a signal, and waits for the end of the process. */
  end(signal?: NodeJS.Signals): Promise<number | null>
  /** Sends a signal, and does not wait. */
  signal(name: NodeJS.Signals): void
}

/** The options of a process. */
export interface SpawnOptions {
  /** The words of the command, without a port. */
  readonly words: readonly string[]
  /** A command that runs the process, such as a tracer. Default: none. */
  readonly under?: readonly string[]
  /** The arguments of Node itself. Default: none. */
  readonly nodeArguments?: readonly string[]
}

/** Starts a double on a free port. @throws {Error} It ended before it was ready. The message contains its output. */
export async function spawnDouble({ words, under = [], nodeArguments = [] }: SpawnOptions): Promise<Spawned> {
  const { PORT: _port, ...env } = process.env
  const [file = '', ...rest] = [...under, process.execPath, ...nodeArguments, commandFile, '--port', '0', ...words]
  const started = performance.now()
  const child = spawn(file, rest, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-1_000_000)))
  const ended = endOf(child)
  const end = (signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> => {
    child.kill(signal)
    return ended
  }
  try {
    const url = await readyAt(child, ended, () => text)
    return {
      pid: child.pid ?? 0,
      url,
      readyMs: performance.now() - started,
      ended,
      printed: () => text,
      end,
      signal: (name) => void child.kill(name),
      [Symbol.asyncDispose]: async () => void (await end()),
    }
  } catch (error) {
    await end()
    throw error
  }
}

const endOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('close', resolve)
    child.once('error', reject)
  })

async function readyAt(child: ChildProcess, ended: Promise<number | null>, text: () => string): Promise<string> {
  const url = (): string | undefined => /(?:ready at |"ready","url":")(http:[^\s"]+)/u.exec(text())?.[1]
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = url()
      if (found === undefined) return
      child.stdout?.off('data', look)
      resolve(found)
    }
    child.stdout?.on('data', look)
    ended.then((code) => reject(new Error(`Ended with ${code} before it was ready\n${text()}`)), reject)
  })
}
