import test from 'ava'

import { pluck } from './helpers/as-object-or-list.js'
import { serve, testOnDouble } from './helpers/double.js'
import { as, get, idsSeenBy, rawAll, wire } from './helpers/http.js'

const credential = 'Authorization: Bearer ada-token'
const good = wire('GET /insights?limit=1', [credential])

/** The requests that end a connection, and the status of their response. */
const last: readonly (readonly [title: string, status: number, request: string])[] = [
  ['a line of nonsense', 400, 'nonsense\r\n\r\n'],
  ['an unknown method', 400, wire('FETCH /insights')],
  ['a header without a colon', 400, wire('GET /insights', ['Authorization'])],
  ['two Content-Length fields', 400, wire('GET /insights', ['Content-Length: 0', 'Content-Length: 2'], '{}')],
  ['no Host', 400, `GET /insights HTTP/1.1\r\n${credential}\r\nConnection: close\r\n\r\n`],
  ['an oversized header', 431, wire('GET /insights', [`X-Long: ${'x'.repeat(20_000)}`])],
  ['an expectation that cannot be met', 417, wire('GET /insights', ['Expect: foo', 'Connection: close'])],
]
for (const [title, status, request] of last)
  testOnDouble(`a valid request before a request with ${title} gets the first response`, async (t, double) => {
    t.deepEqual(pluck(await rawAll(double, good + request), 'status'), [200, status])
  })

test('a slow response is sent before the response to a later malformed request', async (t) => {
  t.deepEqual(pluck(await rawAll(await serve(t, { delayMs: 50 }), `${good}nonsense\r\n\r\n`), 'status'), [200, 400])
})

for (const [title, before, status] of [
  ['an expectation that cannot be met', wire('GET /insights', [credential, 'Expect: foo']), 417],
  ['an unknown path', wire('GET /nowhere'), 404],
] as const)
  testOnDouble(`a request with ${title} gets its response before a later malformed request`, async (t, double) => {
    t.deepEqual(pluck(await rawAll(double, `${before}nonsense\r\n\r\n`), 'status'), [status, 400])
  })

testOnDouble('a CONNECT gets its response after the request before it, and the double continues', async (t, double) => {
  t.deepEqual(pluck(await rawAll(double, good + wire('CONNECT localhost:1')), 'status'), [200, 400])
  t.is((await get(double, '/insights', as('ada'))).status, 200)
})

testOnDouble('requests on one connection get their responses in order', async (t, double) => {
  const replies = await rawAll(
    double,
    [
      wire('DELETE /insights/monstera-watering', [credential]),
      wire('GET /insights?limit=1', [credential]),
      wire('DELETE /insights/monstera-watering', [credential]),
      wire('GET /nowhere', ['Connection: close']),
    ].join(''),
  )
  t.deepEqual(pluck(replies, 'status'), [204, 200, 404, 404])
  t.false((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
})
