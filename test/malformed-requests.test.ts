import test from 'ava'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { serve, serveChanged, testOnDouble } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, assertError, ask, get, json, raw, rawAll, violationsOf, wire } from './helpers/http.js'

const credential = 'Authorization: Bearer ada-token'

/** Bytes that are not HTTP, or that request something unsupported, and the status of the response. */
const refused: readonly (readonly [title: string, status: number, request: string])[] = [
  ['an unknown method', 400, wire('FETCH /insights')],
  ['no method', 400, wire('/insights')],
  ['a line of nonsense', 400, 'nonsense\r\n\r\n'],
  ['the first bytes of TLS', 400, '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001'],
  ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['version 9.9', 400, 'GET /insights HTTP/9.9\r\nHost: localhost\r\n\r\n'],
  ['version 2.0', 400, 'GET /insights HTTP/2.0\r\nHost: localhost\r\n\r\n'],
  ['version 0.9', 400, 'GET /insights\r\n\r\n'],
  ['a version in lower case', 400, 'GET /insights http/1.1\r\nHost: localhost\r\n\r\n'],
  ['no Host', 400, `GET /insights HTTP/1.1\r\n${credential}\r\nConnection: close\r\n\r\n`],
  ['a header without a colon', 400, wire('GET /insights', ['Authorization'])],
  ['a space before the colon', 400, wire('GET /insights', ['Authorization : Bearer ada-token'])],
  ['a header without a name', 400, wire('GET /insights', [': x'])],
  ['a NUL in a header', 400, wire('GET /insights', ['X-Odd: a\u0000b'])],
  ['a folded header', 400, wire('GET /insights', ['X-Odd: a', ' b'])],
  ['lines that end in LF only', 400, 'GET /insights HTTP/1.1\nHost: localhost\n\n'],
  ['a Content-Length that is not a number', 400, wire('GET /insights', ['Content-Length: two'])],
  ['a Content-Length below 0', 400, wire('GET /insights', ['Content-Length: -1'])],
  ['two Content-Length fields', 400, wire('GET /insights', ['Content-Length: 0', 'Content-Length: 2'], '{}')],
  ['a length and chunks', 400, wire('GET /insights', ['Content-Length: 2', 'Transfer-Encoding: chunked'], '{}')],
  ['a Transfer-Encoding that is not chunked', 400, wire('GET /insights', ['Transfer-Encoding: gzip, identity'])],
  ['bytes that are not ASCII in the target', 400, wire('GET /insights?limit=\u00E9', ['Connection: close'])],
  ['a fragment in the target', 400, wire('GET /insights#top', ['Connection: close'])],
  ['an expectation that cannot be met', 417, wire('GET /insights', [credential, 'Expect: foo', 'Connection: close'])],
  ['a header of 20,000 bytes', 431, wire('GET /insights', [`X-Long: ${'x'.repeat(20_000)}`])],
  ['a target of 20,000 bytes', 431, wire(`GET /insights?x=${'x'.repeat(20_000)}`)],
]
for (const [title, status, request] of refused)
  testOnDouble(`a request with ${title} gets an Error`, async (t, double) => {
    const replies = await rawAll(double, Buffer.from(request, 'latin1'))
    t.is(replies.length, 1)
    for (const reply of replies) {
      assertError(t, reply, status)
      t.is(reply.headers['connection'], 'close')
      const [violation] = violationsOf(reply)
      t.is(violation?.['severity'], 'Error')
      t.is(violation?.['message'], asObject(json(reply))['message'])
    }
    t.is((await get(double, '/insights', as('ada'))).status, 200)
  })

testOnDouble('a body that becomes malformed gets one response, a 400', async (t, double) => {
  const replies = await rawAll(double, wire('GET /insights', [credential, 'Transfer-Encoding: chunked'], 'zz\r\n'))
  t.deepEqual(pluck(replies, 'status'), [400])
})

test('a request that ends in the middle gets a 400, and affects no other client', async (t) => {
  const failures: unknown[] = []
  const double = await serve(t, { onFailure: (_, error) => failures.push(error) })
  const halves = ['GET /ins', wire('DELETE /insights/monstera-watering').slice(0, -2)]
  // Each half continues with a NUL, which is not valid. So the 400 shows that the double has read the half.
  for (const half of halves) t.is((await raw(double, `${half}\u0000\r\n\r\n`)).status, 400)
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  t.deepEqual(failures, [])
})

test('errors of every kind have the same shape, and each response has its own id', async (t) => {
  const listing = ['paths', '/insights', 'get', 'responses', '200', 'content', 'application/json', 'schema']
  const double = await serveChanged(t, (spec) => spec.setIn([...listing, 'maxItems'], 1))
  const replies = await Promise.all([
    get(double, '/insights?limit=0', as('ada')),
    get(double, '/insights'),
    get(double, '/insights', as('nobody')),
    get(double, '/nowhere'),
    ask(double, 'DELETE', '/insights/never-was', as('ada')),
    ask(double, 'PATCH', '/insights'),
    get(double, '/insights', as('ada')),
    raw(double, 'nonsense\r\n\r\n'),
    raw(double, wire('GET /insights', ['Expect: foo'])),
  ])
  const statuses = [400, 401, 401, 404, 404, 405, 500, 400, 417]
  for (const [index, reply] of replies.entries()) assertError(t, reply, statuses[index] ?? 0)
  t.is(new Set(replies.map(({ headers }) => headers['x-request-id'])).size, replies.length)
})

testOnDouble('the content length of an Error with non-ASCII text is in bytes', async (t, double) => {
  const reply = await get(double, '/insights?limit=%F0%9F%8C%B1%D9%A5', as('ada'))
  const rule = 'Query parameter limit must be an integer from 1 to 2147483647'
  assertError(t, reply, 400, `${rule}, got "\u{1F331}\u0665".`)
})

testOnDouble('a response to malformed HTTP has a Date, like every response', async (t, double) => {
  for (const request of ['nonsense\r\n\r\n', wire('GET /nowhere')])
    t.regex((await raw(double, request)).headers['date'] ?? '', / GMT$/u)
})

testOnDouble('an HTTP/1.0 request needs no Host', async (t, double) => {
  t.is((await raw(double, `GET /insights HTTP/1.0\r\n${credential}\r\n\r\n`)).status, 200)
})

test('no Error contains a path of the source code', async (t) => {
  const fixture = await writeTemporary(t, 'a.json', '{"$callers":{"ada":{"token":"a"}},"insights":[]}')
  const double = await serve(t, { fixture })
  const [odd, plain] = [wire('GET /insights?%F0%9F%8C%B1=1', ['Authorization: Bearer a']), wire('GET /x')]
  for (const request of ['nonsense\r\n\r\n', plain, odd])
    t.notRegex((await raw(double, request)).text, /node_modules|\.[jt]s\b|\bat /u)
})
