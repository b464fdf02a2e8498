/** Starts doubles in separate processes, for scripts. `await using` ends them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'

import { freePort } from './port.js'
import { succeeds, until } from './until.js'

export const commandFile = fileURLToPath(new URL('../../../bundle/main.js', import.meta.url))

/** A double in a separate process. `await using` kills it. */
export interface Spawned extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  /** Time from the start of the process until it listens, milliseconds. */
  readonly readyMs: number
  /** The exit code. Null if a signal ended the process. */
  readonly ended: Promise<number | null>
  /** Returns the text that it has written so far to both outputs. */
  printed(): string
  end(signal?: NodeJS.Signals): Promise<number | null>
  /** Sends a signal, and does not wait. */
  signal(name: NodeJS.Signals): void
}

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
  // With `--log silent`, a double prints no URL.
  const port = await freePort()
  const command = [process.execPath, ...nodeArguments, commandFile, '--port', `${port}`, ...words]
  const [file = '', ...rest] = [...under, ...command]
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
    const failed = ended.then((code) => {
      throw new Error(`Ended with ${code} before it was ready\n${text}`)
    })
    await Promise.race([until(() => isListening(port)), failed])
    return {
      pid: child.pid ?? 0,
      url: `http://127.0.0.1:${port}`,
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

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return succeeds(once(socket, 'connect')).finally(() => socket.destroy())
}
