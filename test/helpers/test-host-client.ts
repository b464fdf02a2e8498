/** Sends requests to the host processes: to start doubles, to validate responses and to run commands. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { threadId } from 'node:worker_threads'

import { type DoubleHandle, type DoubleOptions, type Problem, ProblemsError } from 'insights-double'

import { handleOn } from './double-in-thread.js'
import type { Exchange } from './independent-validator.js'

/** The environment variable with the ports of the hosts. Unset: there are no hosts, and each process starts its doubles itself. */
export const hostsVariable = 'INSIGHTS_HOSTS'

/** The environment variable with the port of the host that runs commands. It is set if the other one is set. */
export const commandHostVariable = 'INSIGHTS_COMMAND_HOST'

/** A command line, its working folder and its environment. */
export interface Command {
  readonly words: readonly string[]
  readonly cwd: string
  /** Environment variables in addition to those of the host. The host has none that the command line reads. */
  readonly env: Readonly<Record<string, string>>
}

export interface Ended {
  /** The exit code. Null if a signal ended the command. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A request to a host. It has one of these properties. */
export interface HostRequest {
  /** Starts a double. The value is its URL. */
  readonly start?: DoubleOptions
  /** Stops the double with this URL. */
  readonly stop?: string
  /** Validates a response. The value is the list of violations. */
  readonly validate?: { readonly exchange: Exchange; readonly spec?: string | undefined }
  /** Runs a command to its end. The value is its result. */
  readonly run?: Command
  /** Runs a command that serves a double until it is ready. The value is the text that it has printed. */
  readonly serve?: Command & { readonly name: string }
  /** Stops the double that the command with this name serves. The value is the result of the command. */
  readonly end?: string
}

/** A request with an id, which its response repeats. */
export interface NumberedRequest extends HostRequest {
  readonly id: number
}

export interface Failure {
  readonly kind: 'problems' | 'type' | 'other'
  readonly message: string
  readonly problems?: readonly Problem[]
  readonly code?: string | undefined
}

export interface HostResponse {
  readonly id: number
  readonly value?: unknown
  readonly failure?: Failure
}

export const hasHost = process.env[hostsVariable] !== undefined

/** Starts a double in a host. It ends with this process at the latest. @throws The errors of `startDouble`. */
export async function startHosted(options: DoubleOptions): Promise<DoubleHandle> {
  const url = String(await requestHost({ start: options }))
  return handleOn(url, options.adminToken, async () => void (await requestHost({ stop: url })))
}

/** Runs a command in the host of commands. @throws {Error} The command started a double, which does not end by itself. */
export async function runHosted(command: Command): Promise<Ended> {
  const host = (commandHost ??= connectHost(process.env[commandHostVariable]))
  return (await send(host, { run: command })) as Ended
}

/** A double that a command serves in the host of commands. */
export interface HostedCommand {
  readonly ready: string
  /** Stops it as a signal does. */
  end(): Promise<Ended>
}

/**
 * Runs a command that serves a double in the host of commands. It stops with this process at the latest.
 *
 * @throws {Error} The command ended. The message contains its output.
 */
export async function serveCommandHosted(command: Command): Promise<HostedCommand> {
  const host = (commandHost ??= connectHost(process.env[commandHostVariable]))
  const name = String(++last)
  const ready = String(await send(host, { serve: { ...command, name } }))
  let ended: Promise<unknown> | undefined
  return { ready, end: async () => (await (ended ??= send(host, { end: name }))) as Ended }
}

/** Sends a request to a host of doubles. @throws The error that the host throws. */
export async function requestHost(request: HostRequest): Promise<unknown> {
  const ports = (process.env[hostsVariable] ?? '').split(' ')
  doubleHost ??= connectHost(ports[(process.pid + threadId) % ports.length])
  return send(doubleHost, request)
}

/** Writes a value as one line of JSON. `readline` of Node 24 ends a line at U+2028 and U+2029 too, so these are escaped. */
export const toLine = (value: object): string =>
  `${JSON.stringify(value)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)}\n`

async function send(host: Promise<Connection>, request: HostRequest): Promise<unknown> {
  const { pending, socket } = await host
  const id = ++last
  const answer = new Promise((resolve, reject) => pending.set(id, { resolve, reject }))
  // A pending request keeps the process alive; an idle connection does not.
  socket.ref()
  socket.write(toLine({ id, ...request } satisfies NumberedRequest))
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
    const { failure, id, value } = JSON.parse(line) as HostResponse
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
