/** Sends requests to the hosts of this test file: for doubles, for judgements and for commands. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { threadId } from 'node:worker_threads'

import type { DoubleHandle, DoubleOptions, Problem } from 'insights-double'
import { ProblemsError } from 'insights-double'

import { handleOn } from './double-in-thread.js'
import type { Judged } from './independent-validator.js'

/** The environment variable with the ports of the hosts. Unset: there are none, and each process starts its doubles itself. */
export const hostsVariable = 'INSIGHTS_HOSTS'

/** The environment variable with the port of the host that runs commands. It is set where the other is. */
export const commandHostVariable = 'INSIGHTS_COMMAND_HOST'

/** A command line, and where to run it. */
export interface Command {
  readonly words: readonly string[]
  readonly cwd: string
  /** Environment variables in addition to those of the host, which has none that the command line reads. */
  readonly env: Readonly<Record<string, string>>
}

/** A command that has ended. */
export interface Ended {
  /** The exit code. Null where a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The requests to a host: one of these. */
export interface Questions {
  /** Starts a double. Answered by its URL. */
  readonly start?: DoubleOptions
  /** Stops the double with a URL. */
  readonly stop?: string
  /** Judges a response. Answered by what is wrong with it. */
  readonly judge?: { readonly judged: Judged; readonly spec?: string | undefined }
  /** Runs a command to its end. Answered by its output. */
  readonly run?: Command
}

/** A question, with the number that its answer has. */
export interface Question extends Questions {
  readonly id: number
}

/** An error that was thrown in the host. */
export interface Failure {
  readonly kind: 'problems' | 'type' | 'other'
  readonly message: string
  readonly problems?: readonly Problem[]
  readonly code?: string | undefined
}

/** The answer to a question. */
export interface Answer {
  readonly id: number
  readonly value?: unknown
  readonly failure?: Failure
}

/** True if there is a host. */
export const hasHost = process.env[hostsVariable] !== undefined

/** Starts a double in the host. It ends with this process at the latest. @throws What `startDouble` throws. */
export async function startHosted(options: DoubleOptions): Promise<DoubleHandle> {
  const url = String(await askHost({ start: options }))
  return handleOn(url, options.adminToken, async () => void (await askHost({ stop: url })))
}

/** Runs a command in the host of commands. @throws {Error} The command started a double, which does not end by itself. */
export async function runHosted(command: Command): Promise<Ended> {
  const host = (commandHost ??= connectHost(process.env[commandHostVariable]))
  return (await askWhere(host, { run: command })) as Ended
}

/** Asks the host of doubles. @throws What is thrown there. */
export async function askHost(question: Questions): Promise<unknown> {
  const ports = (process.env[hostsVariable] ?? '').split(' ')
  doubleHost ??= connectHost(ports[(process.pid + threadId) % ports.length])
  return askWhere(doubleHost, question)
}

async function askWhere(host: Promise<Connection>, question: Questions): Promise<unknown> {
  const { pending, socket } = await host
  const id = ++last
  const answer = new Promise((resolve, reject) => pending.set(id, { resolve, reject }))
  // What waits for an answer keeps the process; a connection that is idle does not.
  socket.ref()
  socket.write(`${JSON.stringify({ id, ...question } satisfies Question)}\n`)
  return answer
}

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
}

interface Connection {
  readonly socket: Socket
  readonly pending: Map<number, Pending>
}

let doubleHost: Promise<Connection> | undefined
let commandHost: Promise<Connection> | undefined
let last = 0

async function connectHost(port: string | undefined): Promise<Connection> {
  const socket = connect(Number(port), '127.0.0.1').setNoDelay(true)
  await once(socket, 'connect')
  const pending = new Map<number, Pending>()
  createInterface(socket).on('line', (line) => {
    const { failure, id, value } = JSON.parse(line) as Answer
    const asked = pending.get(id)
    pending.delete(id)
    if (pending.size === 0) socket.unref()
    if (failure) asked?.reject(thrown(failure))
    else asked?.resolve(value)
  })
  socket.once('close', () => {
    for (const { reject } of pending.values()) reject(new Error('The host of the doubles ended.'))
  })
  return { socket, pending }
}

function thrown({ code, kind, message, problems }: Failure): Error {
  if (problems) return new ProblemsError(problems)
  const error = kind === 'type' ? new TypeError(message) : new Error(message)
  return code === undefined ? error : Object.assign(error, { code })
}
