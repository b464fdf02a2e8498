import { pluck } from './helpers/as-object-or-list.js'
import { testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn } from './helpers/files.js'
import { as, assertError, get, idsSeenBy, json, raw, rawAll, violationsOf, wire } from './helpers/http.js'

const credential = 'Authorization: Bearer ada-token'
const operations: readonly (readonly [line: string, operation: string, status: number])[] = [
  ['GET /insights', 'listInsights', 200],
  ['DELETE /insights/monstera-watering', 'deleteInsight', 204],
]

/** Ways to send a body: header fields, and the bytes of the body. */
const bodies: readonly (readonly [title: string, headers: readonly string[], body: string])[] = [
  ['with Content-Length', ['Content-Type: application/json', 'Content-Length: 2'], '{}'],
  ['with Content-Length and without Content-Type', ['Content-Length: 1'], ' '],
  ['in chunks', ['Content-Type: application/json', 'Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ['in chunks, without Content-Type', ['Transfer-Encoding: chunked'], '1\r\nx\r\n1\r\ny\r\n0\r\n\r\n'],
  ['that is not JSON', ['Content-Type: application/json', 'Content-Length: 1'], '{'],
  ['with a malformed Content-Type', ['Content-Type: ;;;', 'Content-Length: 2'], '{}'],
  ['with Content-Length, of which no byte is sent', ['Content-Length: 5'], ''],
  ['larger than every limit', ['Content-Length: 999999999999'], 'x'],
]

/** Header fields about a body, without a body. */
const empty: readonly (readonly [title: string, headers: readonly string[], body: string])[] = [
  ['Content-Length: 0', ['Content-Length: 0'], ''],
  ['Content-Length: 0 and a Content-Type', ['Content-Type: application/json', 'Content-Length: 0'], ''],
  ['an empty chunked body', ['Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ['an empty chunked body and a trailer', ['Transfer-Encoding: chunked', 'Trailer: X-End'], '0\r\nX-End: 1\r\n\r\n'],
]

for (const [line, operation, status] of operations) {
  for (const [title, headers, body] of bodies)
    testOnDouble(`${operation} refuses a body ${title}`, async (t, double) => {
      const reply = await raw(double, wire(line, [credential, ...headers], body))
      assertError(t, reply, 400, `${operation} takes no request body. Send the request without one.`)
      t.deepEqual(violationsOf(reply)[0]?.['location'], ['request', 'body'])
      t.is((await idsSeenBy(double, 'ada'))[0], 'monstera-watering')
    })

  for (const [title, headers, body] of empty)
    testOnDouble(`${operation} is served with ${title}`, async (t, double) => {
      const reply = await raw(double, wire(line, [credential, 'Connection: close', ...headers], body))
      t.like(reply, { status, headers: { 'sl-violations': undefined } })
    })

  for (const type of ['foo', ';;;', 'application/json, text/html', '', '/', 'a/b; charset', '*/*'])
    testOnDouble(`${operation} is served with the Content-Type "${type}" and without a body`, async (t, double) => {
      const headers = [credential, 'Connection: close', `Content-Type: ${type}`]
      t.is((await raw(double, wire(line, headers))).status, status)
      t.is((await raw(double, wire(line, [...headers, 'Content-Length: 0']))).status, status === 204 ? 404 : 200)
    })
}

for (const [title, headers, body] of bodies.slice(0, 4))
  testOnDouble(`a refused body ${title} is not parsed as the next request`, async (t, double) => {
    const refused = wire('GET /insights', [credential, ...headers], body)
    const next = wire('GET /insights?limit=1', [credential, 'Connection: close'])
    const [first, second, ...others] = await rawAll(double, refused + next)
    t.is(first?.status, 400)
    t.is(second?.status, 200)
    t.deepEqual(others, [])
  })

testOnDouble('a request inside a body is not served', async (t, double) => {
  const smuggled = wire('DELETE /insights/monstera-watering', [credential])
  const headers = [credential, 'Connection: close', `Content-Length: ${smuggled.length}`]
  t.deepEqual(pluck(await rawAll(double, wire('GET /insights', headers, smuggled)), 'status'), [400])
  t.is((await idsSeenBy(double, 'ada'))[0], 'monstera-watering')
})

testOnDouble('a refused body does not change the next listing', async (t, double) => {
  await raw(double, wire('GET /insights', [credential, 'Content-Length: 2'], '{}'))
  t.deepEqual(json(await get(double, '/insights', as('ada'))), visibleIn(await readFixture('default.json'), 'ada'))
})
