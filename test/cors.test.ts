import test, { type ExecutionContext } from 'ava'
import type { DoubleOptions } from 'insights-double'

import { changedSpec, serve, testOnDouble } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, ask, get, type Headers, raw, type Reply, violationsOf, wire } from './helpers/http.js'
import { integer, text } from './resources/plants-contract.js'

const origin = 'http://app.example:5173'

/** The fields between Node and its client, which no page needs. */
const ofConnection = new Set(['connection', 'keep-alive', 'transfer-encoding'])

const listOf = (header = ''): readonly string[] => header.split(',').map((name) => name.trim())

function assertReadable(t: ExecutionContext, reply: Reply, by: string): void {
  t.is(reply.headers['access-control-allow-origin'], by)
  t.is(reply.headers['access-control-allow-credentials'], by === '*' ? undefined : 'true')
  const names = listOf(reply.headers['access-control-expose-headers'])
  const lower = new Set(names.map((name) => name.toLowerCase()))
  t.is(lower.size, names.length)
  for (const name of Object.keys(reply.headers))
    t.true(ofConnection.has(name) || name === 'access-control-expose-headers' || lower.has(name), name)
  t.false(names.includes('*'))
  t.true(listOf(reply.headers['vary']).includes('Origin'))
}

/** Changes the spec so that it allows only one insight. So a listing breaks it. */
const narrow = async (t: ExecutionContext): Promise<DoubleOptions> => ({
  spec: await changedSpec(t, (spec) => {
    const schema = ['responses', '200', 'content', 'application/json', 'schema', 'maxItems']
    spec.setIn(['paths', '/insights', 'get', ...schema], 1)
  }),
})

const credential = as('ada')
/** By title: the request, the status, header fields, and the options of the double. */
type Row = readonly [line: string, status: number, headers?: Headers, options?: typeof narrow]
const replies: Readonly<Record<string, Row>> = {
  'a listing': ['GET /insights', 200, credential],
  'a HEAD': ['HEAD /insights', 200, credential],
  'a delete': ['DELETE /insights/monstera-watering', 204, credential],
  'a plain OPTIONS': ['OPTIONS /insights', 204],
  'a wrong limit': ['GET /insights?limit=x', 400, credential],
  'an id that is not UTF-8': ['DELETE /insights/%FF', 400, credential],
  'a wrong preference': ['GET /insights', 400, { ...credential, prefer: 'code=x' }],
  'a missing token': ['GET /insights', 401],
  'an unknown token': ['GET /insights', 401, as('nobody')],
  'an unknown path': ['GET /nowhere', 404],
  'an unknown sandbox': ['GET /sandboxes/none/insights', 404],
  'an unknown insight': ['DELETE /insights/none', 404, credential],
  'a wrong method': ['PUT /insights', 405],
  'a request whose response would break the contract': ['GET /insights', 500, credential, narrow],
}
for (const [title, [line, status, headers, options]] of Object.entries(replies))
  test(`pages of any origin can read the response to ${title}`, async (t) => {
    const double = await serve(t, await options?.(t))
    const [method = '', path = ''] = line.split(' ')
    const reply = await ask(double, method, path, { ...headers, origin })
    t.is(reply.status, status)
    assertReadable(t, reply, origin)
  })

const fromPage = `Origin: ${origin}`
for (const [title, request, status, by] of [
  // The double does not know the origin of a request that is not HTTP.
  ['a target that is not a path', wire('GET insights', [fromPage, 'Connection: close']), 400, '*'],
  [
    'an expectation that cannot be met',
    wire('GET /insights', [fromPage, 'Expect: more', 'Connection: close']),
    417,
    origin,
  ],
  ['a missing Host', `GET /insights HTTP/1.1\r\n${fromPage}\r\nConnection: close\r\n\r\n`, 400, origin],
  ['an oversized header', wire('GET /insights', [fromPage, `X-Long: ${'x'.repeat(20_000)}`]), 431, '*'],
] as const)
  testOnDouble(`pages of any origin can read the response to ${title}`, async (t, double) => {
    const reply = await raw(double, request)
    t.is(reply.status, status)
    assertReadable(t, reply, by)
  })

test('the response to a request without an Origin allows every origin, without credentials', async (t) => {
  const double = await serve(t)
  assertReadable(t, await get(double, '/insights', credential), '*')
})

testOnDouble('each response on one connection allows the origin of its own request', async (t, double) => {
  for (const one of ['http://a.example', 'http://b.example', 'null', 'http://a.example'])
    assertReadable(t, await get(double, '/insights', { ...credential, origin: one }), one)
})

test('pages of any origin can read each documented header field, and those of handlers and faults', async (t) => {
  const example = (value: string): object => ({ schema: text, example: value })
  const headers = {
    ETag: example('"1"'),
    Link: example('</?page=2>; rel="next"'),
    'X-Total-Count': { required: true, schema: integer, example: 12 },
    'Access-Control-Expose-Headers': example('ETag'),
  }
  const spec = await changedSpec(t, (document) => {
    for (const name of ['documented', 'handled']) {
      const responses = { 204: { description: 'Nothing', headers } }
      document.setIn(['paths', `/${name}`], { get: { operationId: name, security: [], responses } })
    }
  })
  const code = `export const handled = () => ({ headers: { 'X-Total-Count': '1', 'X-Own': 'a' } })`
  const double = await serve(t, { spec, handlers: await writeTemporary(t, 'handlers.mjs', code) })
  const sent = { documented: ['etag', 'link', 'x-total-count'], handled: ['x-total-count', 'x-own'] }
  for (const [name, expected] of Object.entries(sent)) {
    const reply = await get(double, `/${name}`, { origin })
    assertReadable(t, reply, origin)
    for (const field of expected) t.true(reply.headers[field] !== undefined, field)
  }
  await double.addFault({ operation: 'documented', headers: { 'X-Fault': 'a', 'Access-Control-Expose-Headers': 'b' } })
  const reply = await get(double, '/documented', { origin })
  assertReadable(t, reply, origin)
  t.is(reply.headers['x-fault'], 'a')
})

const asked = 'authorization, prefer, x-anything'
const preflight = { origin, 'access-control-request-method': 'DELETE', 'access-control-request-headers': asked }
for (const path of '/insights /insights/monstera-watering /insights/%FF /nowhere /sandboxes/none/insights'.split(' '))
  testOnDouble(`a preflight for ${path} is accepted without a credential`, async (t, double) => {
    const reply = await ask(double, 'OPTIONS', path, preflight)
    t.like(reply, { status: 204, text: '' })
    assertReadable(t, reply, origin)
    t.true(listOf(reply.headers['access-control-allow-methods']).includes('DELETE'))
    t.deepEqual(listOf(reply.headers['access-control-allow-headers']), ['authorization', 'prefer', 'x-anything'])
    t.is(reply.headers['access-control-allow-private-network'], undefined)
    t.regex(reply.headers['x-request-id'] ?? '', /./u)
    t.deepEqual(violationsOf(reply), [])
  })

testOnDouble('a preflight can be cached, and Vary names its origin, method and header fields', async (t, double) => {
  const reply = await ask(double, 'OPTIONS', '/insights', preflight)
  t.regex(reply.headers['access-control-max-age'] ?? '', /^[1-9]\d*$/u)
  const vary = new Set(listOf(reply.headers['vary']).map((name) => name.toLowerCase()))
  for (const name of ['origin', 'access-control-request-method', 'access-control-request-headers'])
    t.true(vary.has(name), name)
})

testOnDouble('a page on a public network may send requests to a double on a private network', async (t, double) => {
  const headers = { ...preflight, 'access-control-request-private-network': 'true' }
  const reply = await ask(double, 'OPTIONS', '/insights', headers)
  t.like(reply, { status: 204, headers: { 'access-control-allow-private-network': 'true' } })
})

testOnDouble('an OPTIONS without Access-Control-Request-Method is not a preflight', async (t, double) => {
  const reply = await ask(double, 'OPTIONS', '/insights', { origin })
  t.like(reply, { status: 204, headers: { allow: 'GET, HEAD, OPTIONS', 'access-control-max-age': undefined } })
})
