import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

import test, { type ExecutionContext } from 'ava'

import { pluck } from './helpers/as-object-or-list.js'
import { everything, serve, type Served, testOnDouble } from './helpers/double.js'
import { as, assertError, connectTo, get, idsSeenBy, raw, rawAll, readReplies, wire } from './helpers/http.js'

const mebibyte = 1024 * 1024

/** Sends the beginning, then the rest byte by byte until the double responds. @returns The response, and the number of unsent bytes. */
async function trickle(double: Served, beginning: string, rest: string) {
  const socket = connectTo(double)
  let text = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => (text = Buffer.concat([text, chunk])))
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  socket.write(beginning)
  let left = rest.length
  for (const piece of rest) {
    if (socket.closed || socket.readableEnded) break
    socket.write(piece)
    left--
    await Promise.race([closed, wait(100)])
  }
  await closed
  const [reply, ...others] = readReplies(text, []).replies
  if (!reply || others.length > 0) throw new Error(`One reply was to come, got ${text.toString()}`)
  return { reply, left }
}

const slowHeader = 'GET /insights HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
const slowBody = (header: string): string => wire('POST /__admin/reset', ['Content-Type: application/json', header])
const slowState = (header: string): string => wire('PUT /__admin/state', ['Content-Type: application/json', header])

/** Requests that would take several minutes at ten bytes a second, with their time limit in seconds. */
const slow: readonly (readonly [title: string, beginning: string, rest: string, seconds: number])[] = [
  ['a header', slowHeader, 'x'.repeat(3000), 5],
  ['a request line', 'GET /', 'x'.repeat(3000), 5],
  ['a body with Content-Length', slowBody('Content-Length: 3000'), ' '.repeat(3000), 10],
  ['a body in chunks', slowBody('Transfer-Encoding: chunked'), '1\r\n \r\n'.repeat(500), 10],
  ['a body that never begins', slowBody('Content-Length: 300'), '', 10],
  ['a whole state', slowState('Content-Length: 99999999'), ' '.repeat(3000), 10],
  ['a whole state in chunks', slowState('Transfer-Encoding: chunked'), '1\r\n \r\n'.repeat(500), 10],
]
for (const [title, beginning, rest, seconds] of slow)
  test(`a request that arrives too slowly gets a 408 after ${seconds} s, before it is complete: ${title}`, async (t) => {
    const double = await serve(t)
    const { left, reply } = await trickle(double, beginning, rest)
    assertError(t, reply, 408)
    t.regex(reply.text, new RegExp(`within ${seconds} seconds`, 'u'))
    t.true(left >= rest.length / 2, `${left} of ${rest.length} bytes were not sent`)
    t.is(reply.headers['connection'], 'close')
    t.true(rest.length - left >= Math.min(seconds, rest.length), 'the double waited for some bytes')
    t.is((await get(double, '/insights', as('ada'))).status, 200)
  })

const fields = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `X-${index}: ${'x'.repeat(length)}`)
const large: readonly (readonly [title: string, headers: readonly string[]])[] = [
  ['one long field', fields(1, 16 * 1024)],
  ['many short fields', fields(4000, 1)],
  ['a long cookie', [`Cookie: ${'x'.repeat(17_000)}`]],
]
for (const [title, headers] of large)
  testOnDouble(`a header block over 16 KiB is refused with 431: ${title}`, async (t, double) => {
    assertError(t, await raw(double, wire('GET /insights', headers)), 431)
    t.is((await get(double, '/insights', as('ada'))).status, 200)
  })

testOnDouble('a header block of almost 16 KiB is read', async (t, double) => {
  const reply = await raw(double, wire('GET /insights', ['Authorization: Bearer ada-token', ...fields(1, 16_000)]))
  t.is(reply.status, 200)
})

const json = 'Content-Type: application/json'
const over = ' '.repeat(mebibyte + 1)
const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
const bodies: readonly (readonly [title: string, headers: readonly string[], body: string])[] = [
  ['with Content-Length', [`Content-Length: ${over.length}`], over],
  ['with Content-Length, of which no byte is sent', ['Content-Length: 99999999999'], ''],
  ['in chunks', ['Transfer-Encoding: chunked'], `${chunk.repeat(16)}2\r\n{}\r\n0\r\n\r\n`],
  ['in chunks, without the last chunk', ['Transfer-Encoding: chunked'], chunk.repeat(40)],
]
// A whole state may be larger. large-state.test.ts tests its maximum.
for (const line of ['POST /__admin/reset', 'POST /__admin/faults', 'POST /__admin/sandboxes'])
  for (const [title, headers, body] of bodies)
    testOnDouble(`${line} refuses a body over 1 MiB with 413: ${title}`, async (t, double) => {
      const before = await everything(double)
      const message = 'The request body is larger than 1048576 bytes. Send a smaller one.'
      assertError(t, await raw(double, wire(line, [json, ...headers], body)), 413, message)
      t.deepEqual(await everything(double), before)
      t.is((await get(double, '/insights', as('ada'))).status, 200)
    })

testOnDouble('a whole state that takes longer than 10 s is read if it arrives at 1 MiB a second', async (t, double) => {
  const text = Buffer.from('{"$callers":{"ada":{"token":"ada-token"}},"insights":[{"id":"late","content":"Moss."}]}')
  // They take 11.7 s, which is longer than the limit of other bodies.
  const pieces = Array.from({ length: 26 }, () => Buffer.alloc(mebibyte, ' '))
  async function* paced(): AsyncGenerator<Buffer> {
    for (const piece of pieces) {
      yield piece
      await wait(450)
    }
    yield text
  }
  const sent = {
    headers: { 'content-type': 'application/json' },
    body: Readable.from(paced()),
    duplex: 'half',
  } as const
  const reply = await fetch(`${double.url}/__admin/state`, { method: 'PUT', ...sent })
  t.is(reply.status, 204, await reply.text())
  t.deepEqual(await idsSeenBy(double, 'ada'), ['late'])
})

test('a body that arrives in time is read, although the request before it takes longer than 10 s', async (t) => {
  const double = await serve(t, { delayMs: 12_000 })
  const body = '{}'.padEnd(mebibyte)
  const resetting = wire('POST /__admin/reset', [json, `Content-Length: ${body.length}`], body)
  const listing = wire('GET /insights', ['Authorization: Bearer ada-token'])
  t.deepEqual(pluck(await rawAll(double, listing + resetting, 2), 'status'), [200, 200])
})

testOnDouble('a body of exactly 1 MiB is read', async (t, double) => {
  const body = '{}'.padEnd(mebibyte)
  t.is((await raw(double, wire('POST /__admin/reset', [json, `Content-Length: ${body.length}`], body))).status, 200)
})

/** Opens connections that send half of a request. @returns The open connections, as many as the system allows. */
async function halfOpen(t: ExecutionContext, double: Served, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () => connectTo(double))
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
  })
  const opened = await Promise.allSettled(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) {
    socket.on('error', () => {})
    if (!socket.destroyed) socket.write('GET /insights HTTP/1.1\r\nHost:')
  }
  return sockets.filter((_, index) => opened[index]?.status === 'fulfilled')
}

testOnDouble('2,000 connections that never finish their request delay no other client', async (t, double) => {
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  const sockets = await halfOpen(t, double, 2000)
  t.true(sockets.length > 500, `${sockets.length}`)
  const order: string[] = []
  sockets.at(-1)?.once('data', () => order.push('a connection is given up'))
  for (let round = 0; round < 5; round++) {
    t.is((await get(double, '/insights', as('ada'))).status, 200)
    order.push('a listing')
  }
  t.log(`${sockets.length} connections`)
  t.is(order[0], 'a listing')
})
