/**
 * Stops a double while clients keep it busy, and finds the result of every request.
 *
 * Each client has one kept-alive connection, and sends a request as soon as it has the last response. A request is lost if it was passed
 * to the system before the signal was sent, and did not get its whole response. A request after the signal may get a response, may find
 * the connection closed, or may get no connection. No response may be cut, and a delete without a response must not change the state.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

import { asList, asObject } from '../helpers/as-object-or-list.js'
import { type Random, shuffled } from '../helpers/seeded-random.js'
import { spawnDouble } from '../helpers/spawn-double.js'

/** The number of requests by their result. */
export interface Stopped {
  /** The exit code of the double, and the time since the signal, in milliseconds. */
  readonly code: number | null
  readonly tookMs: number
  /** Requests with a complete response: those sent before the signal, and those after it. */
  readonly answeredBefore: number
  readonly answeredAfter: number
  /** Requests that were in progress when the signal was sent. */
  readonly inFlight: number
  /** Requests that were sent after the signal and got no byte of a response. */
  readonly turnedAway: number
  readonly wrong: readonly string[]
}

export interface BusyOptions {
  /** The state file, which does not exist yet. */
  readonly file: string
  readonly clients: number
  readonly random: Random
  /** Maximum time between the first responses and the signal, in milliseconds. */
  readonly signalWithinMs: number
}

interface Sent {
  readonly what: string
  /** The id to delete. Undefined: the request lists. */
  readonly id: string | undefined
  readonly at: number
  status: number | undefined
  /** The number of received bytes of an incomplete response. */
  received: number
}

/** Starts a double, sends requests, stops it, and checks the result of each. */
export async function stopBusyDouble({ clients, file, random, signalWithinMs }: BusyOptions): Promise<Stopped> {
  await using double = await spawnDouble({ words: ['--state', file, '--fixture', 'many', '--log', 'silent'] })
  const before = await idsIn(file)
  const queue = shuffled(
    before.filter(({ isOwn }) => isOwn),
    random,
  ).values()
  const sent: Sent[] = []
  const sockets = await Promise.all(Array.from({ length: clients }, () => connected(double.url)))
  const busy = sockets.map((socket, client) => keepBusy(socket, client, queue, sent))
  // On a busy machine a client may wait long for its first response; the double stops within two seconds.
  const isAnswered = (_: Socket, client: number): boolean => sent[client]?.status !== undefined
  while (!sockets.every(isAnswered)) await wait(1)
  await wait(random() * signalWithinMs)
  const signalledAt = performance.now()
  const underWay = sent.filter(({ status }) => status === undefined)
  const ended = double.end('SIGTERM')
  const code = await ended
  const tookMs = performance.now() - signalledAt
  await Promise.all(busy)
  for (const socket of sockets) socket.destroy()
  const wrong: string[] = []
  const left = new Set((await idsIn(file)).map(({ id }) => id))
  for (const { at, id, received, status, what } of sent) {
    const isBefore = at <= signalledAt
    if (status === undefined && isBefore)
      wrong.push(`${what} was lost, sent ${(signalledAt - at).toFixed(2)} ms before the signal`)
    if (status === undefined && received > 0) wrong.push(`the response to ${what} was cut after ${received} bytes`)
    if (status !== undefined && status !== (id === undefined ? 200 : 204)) wrong.push(`${what} got ${status}`)
    if (id !== undefined && (status === 204) === left.has(id))
      wrong.push(
        `${what} was ${status === 204 ? 'acknowledged, but the insight is in the file' : 'not acknowledged, but the insight is not in the file'}`,
      )
  }
  const whole = sent.filter(({ status }) => status !== undefined)
  return {
    code,
    tookMs,
    answeredBefore: whole.filter(({ at }) => at <= signalledAt).length,
    answeredAfter: whole.filter(({ at }) => at > signalledAt).length,
    inFlight: underWay.length,
    turnedAway: sent.filter(({ at, status }) => status === undefined && at > signalledAt).length,
    wrong,
  }
}

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  return socket
}

/** Sends requests on a connection, one after the other, until it is closed or the double announces the close. */
async function keepBusy(
  socket: Socket,
  client: number,
  ids: Iterator<{ readonly id: string }>,
  sent: Sent[],
): Promise<void> {
  const end = new AbortController()
  let text = ''
  let wake = (): void => {}
  socket.setEncoding('latin1')
  socket.on('data', (chunk: string) => {
    text += chunk
    wake()
  })
  const finish = (): void => {
    end.abort()
    wake()
  }
  socket.on('error', finish).on('end', finish).on('close', finish)
  for (let count = 0; !end.signal.aborted; count++) {
    const next = (client + count) % 2 === 0 ? ids.next() : undefined
    if (next?.done) return
    const id = next?.value.id
    const what = id === undefined ? `GET ${count} of client ${client}` : `DELETE ${id}`
    const line = id === undefined ? 'GET /insights?limit=20' : `DELETE /insights/${id}`
    const request: Sent = { what, id, at: performance.now(), status: undefined, received: 0 }
    sent.push(request)
    text = ''
    socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada-token\r\n\r\n`)
    while (!end.signal.aborted && !isWhole(text)) await new Promise<void>((resolve) => (wake = resolve))
    request.received = text.length
    if (!isWhole(text)) return
    request.status = Number(text.slice(9, 12))
    if (/^connection: close\r$/imu.test(text)) return
  }
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /^content-length: (\d+)\r$/imu.exec(text.slice(0, end + 2))?.[1]
  return text.length >= end + 4 + Number(length ?? 0)
}

/** Reads the insights of a state file without the product's code. True: ada may delete the insight. */
const idsIn = async (file: string): Promise<readonly { readonly id: string; readonly isOwn: boolean }[]> =>
  asList(asObject(JSON.parse(await readFile(file, 'utf8')))['insights']).map((record) => {
    const { $access: access, id } = asObject(record)
    return { id: String(id), isOwn: access === undefined || asList(access).includes('ada') }
  })
