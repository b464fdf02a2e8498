/** Runs a double in a separate process, and checks each line of its output. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

import { commandFile } from '../helpers/spawn-double.js'

export type WatchedLog = 'pretty' | 'json'

/** A double whose output is checked. It stops at the end of the block that uses it. */
export interface Watched extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly pid: number
  isRunning(): boolean
  /** Returns the errors in its output since the last call: control characters, invalid JSON, anything on standard error. */
  complaints(): string
  /** Stops it, and waits until all of its output is checked. @returns The number of lines. */
  stop(): Promise<number>
}

/** The characters that move a cursor, colour a terminal, or begin a line in some terminals. */
const control = /[\p{Cc}\u2028\u2029]/u

/** Starts a double on a free port, in memory. @param further - Further arguments. @throws {Error} It ended before it was ready. */
export async function watchDouble(log: WatchedLog, further: readonly string[] = []): Promise<Watched> {
  const { PORT: _, ...env } = process.env
  const words = [commandFile, '--port', '0', '--memory', '--log', log, ...further]
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let complaints: string[] = []
  const complain = (what: string): void => void (complaints.length < 20 && complaints.push(what.slice(0, 500)))
  let lines = 0
  let exited = false
  let onReady: (url: string) => void = () => {}
  const ready = new Promise<string>((resolve, reject) => {
    onReady = resolve
    child.once('close', (code) => {
      exited = true
      reject(new Error(`The double ended with ${code}: ${complaints.join('\n')}`))
    })
  })
  ready.catch(() => {})
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let tail = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    // Not by readline, which ends a line at a single carriage return too.
    const found = (tail + chunk).split('\n')
    tail = found.pop() ?? ''
    for (const line of found) {
      lines++
      const [, url] = /(?:ready at |"ready","url":")(http:[^\s"]+)/u.exec(line) ?? []
      if (url !== undefined) onReady(url)
      if (control.test(line)) complain(`control character in the log: ${JSON.stringify(line)}`)
      if (log === 'json' && !isObject(line)) complain(`a line that is not JSON: ${JSON.stringify(line)}`)
    }
  })
  createInterface(child.stderr).on('line', (line) => complain(`standard error: ${JSON.stringify(line)}`))
  const stop = async (): Promise<number> => {
    child.kill('SIGTERM')
    await closed
    if (tail !== '') complain(`a line without an end: ${JSON.stringify(tail)}`)
    return lines
  }
  const url = await ready
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    isRunning: () => !exited,
    complaints: () => {
      const found = complaints.join('\n')
      complaints = []
      return found
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      if (!exited) child.kill('SIGKILL')
      await closed
    },
  }
}

function isObject(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && 'event' in value
  } catch {
    return false
  }
}
