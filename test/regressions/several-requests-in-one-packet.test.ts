import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as breathe } from 'node:timers/promises'

import test from 'ava'

import { watchDouble } from '../fuzz/watched-double.js'
import { pluck } from '../helpers/as-object-or-list.js'
import { readReplies } from '../helpers/http.js'

const host = 'Host: localhost\r\n'
const nowhere = `GET /nowhere HTTP/1.1\r\n${host}\r\n`
const noHost = 'GET /nowhere HTTP/1.1\r\n\r\n'
const tunnel = `CONNECT localhost:1 HTTP/1.1\r\n${host}\r\n`
const oddly = `GET /nowhere HTTP/1.1\r\n${host}Expect: x\r\n\r\n`
const patient = `POST /__admin/reset HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 0\r\n\r\n`
const impatient = `GET /nowhere HTTP/1.1\r\n${host}Expect: 100-continue, x\r\n\r\n`
const final = `GET /nowhere HTTP/1.1\r\n${host}Connection: close\r\n\r\n`
const finalOdd = `GET /nowhere HTTP/1.1\r\n${host}Expect: x\r\nConnection: close\r\n\r\n`
const upgrade = `GET /nowhere HTTP/1.1\r\n${host}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`
const brokenBody = (fields: string): string =>
  `GET /insights HTTP/1.1\r\n${host}${fields}Transfer-Encoding: chunked\r\n\r\nzz\r\n`

/** The requests of one packet, and the expected statuses, in order. */
const packets: readonly (readonly [title: string, packet: string, statuses: readonly number[]])[] = [
  ['CONNECT after a request without Host', noHost + tunnel, [400, 400]],
  ['CONNECT after an expectation that cannot be met', oddly + tunnel, [417, 400]],
  ['CONNECT after an invalid request target', `GET http://a@b/x HTTP/1.1\r\n${host}\r\n${tunnel}`, [400, 400]],
  ['CONNECT after a request that was served', nowhere + tunnel, [404, 400]],
  ['100-continue after a request', nowhere + patient, [404, 200]],
  ['100-continue after a request without Host', noHost + patient, [400, 200]],
  ['a second expectation after a request', nowhere + impatient, [404, 417]],
  ['a second expectation after one that cannot be met', oddly + impatient, [417, 417]],
  ['a request after one with Connection: close', final + nowhere, [404]],
  ['a request after one with Connection: close and an unknown expectation', finalOdd + nowhere, [417]],
  ['a request after one to upgrade the protocol, after which Node reads no requests', upgrade + nowhere, [404]],
  ['a malformed body after a request without Host', noHost + brokenBody(''), [400, 400]],
  ['a malformed body with an unknown expectation', noHost + brokenBody('Expect: x\r\n'), [400, 417]],
  ['a malformed body for an unknown sandbox', brokenBody('Insights-Sandbox: no\r\n'), [404]],
]

/** One double for all tests. If a test ends the double, all later tests fail. */
const shared = await watchDouble('json')
// The first request loads the control plane.
await fetch(`${shared.url}/__admin/health`)
test.after('the output of the double is valid', async (t) => {
  await shared.stop()
  t.is(shared.complaints(), '')
})
test.after.always(() => shared[Symbol.asyncDispose]())

for (const [title, packet, statuses] of packets)
  test(`each request of a packet gets one response, in order: ${title}`, async (t) => {
    const socket = connect({ host: '127.0.0.1', port: shared.port })
    const chunks: Buffer[] = []
    const whole = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (readReplies(Buffer.concat(chunks), []).replies.length >= statuses.length) setTimeout(resolve, 50)
      })
      socket.on('close', () => resolve())
      setTimeout(resolve, 120_000).unref()
    })
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(packet)
    await whole
    socket.destroy()
    t.true(shared.isRunning(), shared.complaints())
    const { replies, rest } = readReplies(Buffer.concat(chunks), [])
    t.deepEqual(pluck(replies, 'status'), statuses)
    t.is(rest.toString(), '')
    t.is((await fetch(`${shared.url}/__admin/health`)).status, 200)
  })

const hasty: readonly (readonly [title: string, packet: string])[] = [
  ['requests for a listing', `GET /insights HTTP/1.1\r\n${host}Authorization: Bearer ada-token\r\n\r\n`.repeat(20)],
  ['CONNECT', tunnel],
  ['CONNECT after a request', nowhere + tunnel],
  ['malformed HTTP', 'nonsense\r\n\r\n'],
]
for (const [title, packet] of hasty)
  test(`a client that sends ${title} and resets its connection does not end the double`, async (t) => {
    for (let round = 0; round < 50 && shared.isRunning(); round++) {
      const socket = connect({ host: '127.0.0.1', port: shared.port })
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.write(packet)
      if (round % 2 === 0) await breathe()
      socket.resetAndDestroy()
      await once(socket, 'close')
    }
    t.true(shared.isRunning(), shared.complaints())
    t.is((await fetch(`${shared.url}/__admin/health`)).status, 200)
  })

test('a request with a malformed body ends its connection, and its response says so', async (t) => {
  const socket = connect({ host: '127.0.0.1', port: shared.port })
  let text = ''
  socket.on('error', () => {}).on('data', (chunk: Buffer) => (text += chunk.toString()))
  socket.write(brokenBody('Insights-Sandbox: no\r\n'))
  const tooLong = new Promise((resolve) => setTimeout(resolve, 120_000, 'open').unref())
  const closed = await Promise.race([once(socket, 'close'), tooLong])
  socket.destroy()
  t.not(closed, 'open')
  t.regex(text, /^connection: close\r$/imu)
})
