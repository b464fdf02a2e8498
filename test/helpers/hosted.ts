/** Asks the host of this test file for doubles and for judgements. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { threadId } from 'node:worker_threads'

import type { DoubleHandle, DoubleOptions, Problem } from 'insights-double'
import { connectDouble, ProblemsError } from 'insights-double'

import type { Judged } from './judge.js'

/** The environment variable with the ports of the hosts. Unset: there are none, and each process starts its doubles itself. */
export const hostsVariable = 'INSIGHTS_HOSTS'

/** What a host can be asked: one of these. */
export interface Questions {
  /** Starts a double. Answered by its URL. */
  readonly start?: DoubleOptions
  /** Stops the double with a URL. */
  readonly stop?: string
  /** Judges a response. Answered by what is wrong with it. */
  readonly judge?: { readonly judged: Judged; readonly spec?: string | undefined }
}

/** A question, with the number that its answer has. */
export interface Question extends Questions {
  readonly id: number
}

/** What was thrown in the host. */
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

/** Whether there is a host. */
export const hasHost = process.env[hostsVariable] !== undefined

/** Starts a double in the host. It ends with this process at the latest. @throws What `startDouble` throws. */
export async function startHosted(options: DoubleOptions): Promise<DoubleHandle> {
  const url = String(await askHost({ start: options }))
  const stop = async (): Promise<void> => void (await askHost({ stop: url }))
  return { ...connectDouble(url, { adminToken: options.adminToken }), stop, [Symbol.asyncDispose]: stop }
}

/** Asks the host. @throws What is thrown there. */
export async function askHost(question: Questions): Promise<unknown> {
  const { pending, socket } = await (connection ??= connectHost())
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

let connection: Promise<Connection> | undefined
let last = 0

async function connectHost(): Promise<Connection> {
  const ports = (process.env[hostsVariable] ?? '').split(' ')
  const socket = connect(Number(ports[(process.pid + threadId) % ports.length]), '127.0.0.1').setNoDelay(true)
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
