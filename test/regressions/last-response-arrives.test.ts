import { once } from 'node:events'
import { setImmediate as breathe } from 'node:timers/promises'

import test from 'ava'

import { pluck } from '../helpers/as-object-or-list.js'
import { serve } from '../helpers/double.js'
import { as, connectTo, get, idsSeenBy, readReplies } from '../helpers/http.js'
import { timed } from '../helpers/scripts.js'

const host = 'Host: localhost\r\n'
const remove = `DELETE /insights/monstera-watering HTTP/1.1\r\n${host}Authorization: Bearer ada-token\r\n\r\n`
const chunked = 'Transfer-Encoding: chunked\r\n'

/** The requests after which the double closes a connection, and the expected statuses. */
const closing: Readonly<Record<string, readonly [request: string, statuses: readonly number[]]>> = {
  'Connection: close': [`GET /nowhere HTTP/1.1\r\n${host}Connection: close\r\n\r\n`, [404]],
  'HTTP/1.0': [`GET /nowhere HTTP/1.0\r\n${host}\r\n`, [404]],
  'malformed HTTP': ['nonsense\r\n\r\n', [400]],
  'malformed HTTP after a request': [`GET /nowhere HTTP/1.1\r\n${host}\r\nnonsense\r\n\r\n`, [404, 400]],
  'a malformed body of a listing': [`GET /insights HTTP/1.1\r\n${host}${chunked}\r\nzz\r\n`, [400]],
  'a malformed body for an unknown sandbox': [
    `GET /sandboxes/no/insights HTTP/1.1\r\n${host}${chunked}\r\nzz\r\n`,
    [404],
  ],
  'a body that is too large': [`POST /__admin/reset HTTP/1.1\r\n${host}Content-Length: 99999999\r\n\r\n`, [413]],
  CONNECT: [`CONNECT localhost:1 HTTP/1.1\r\n${host}\r\n`, [400]],
  'a request for another protocol': [
    `GET /nowhere HTTP/1.1\r\n${host}Upgrade: x\r\nConnection: Upgrade\r\n\r\n`,
    [404],
  ],
}
for (const [title, [request, statuses]] of Object.entries(closing)) {
  // Serial: a client has two seconds to notice the end, and needs only milliseconds if this process is not busy.
  test.serial(`a client that goes on sending gets the last response, and no more is served: ${title}`, async (t) => {
    const double = await serve(t)
    await get(double, '/insights?limit=1', as('grace'))
    const socket = connectTo(double, { allowHalfOpen: true })
    const chunks: Buffer[] = []
    let failure: Error | undefined
    socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', (error) => (failure = error))
    const closed = once(socket, 'close').catch(() => {})
    socket.write(request)
    await once(socket, 'end')
    for (let times = 0; times < 4; times++) {
      socket.write(remove)
      // A write to a reset connection fails only after the reset has arrived.
      await get(double, '/insights?limit=1', as('grace'))
      await breathe()
    }
    socket.end()
    await closed
    t.is(failure, undefined)
    const { replies, rest } = readReplies(Buffer.concat(chunks), [])
    t.deepEqual(pluck(replies, 'status'), statuses)
    t.is(rest.length, 0)
    t.true((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
  })
}

test.serial('the double does not wait for a client that never ends its side', async (t) => {
  const double = await serve(t)
  const socket = connectTo(double, { allowHalfOpen: true })
  const failed = once(socket, 'error').catch((error: unknown) => [error])
  socket.resume().write(`GET /nowhere HTTP/1.1\r\n${host}Connection: close\r\n\r\n`)
  await once(socket, 'end')
  const timer = setInterval(() => socket.write('more'), 100)
  const [[error], took] = await timed(() => failed)
  clearInterval(timer)
  t.true(took > 200, `${took} ms`)
  t.regex(String(error), /EPIPE|ECONNRESET/u)
})
