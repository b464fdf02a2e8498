import { gzipSync } from 'node:zlib'

import test from 'ava'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { everything, serve, type Served, startDouble, testOnDouble } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import type { Reply } from './helpers/http.js'
import { as, assertError, get, idsSeenBy, json, raw, rawAll, sendRequest, violationsOf, wire } from './helpers/http.js'
import { plantCallers, servePlants, writePlantsSpec } from './helpers/plants-spec.js'
import { plantSchema } from './resources/plants-contract.js'

const plants = [{ id: 'fern', name: 'Fern', pot: { colour: 'red', size: 1 } }]

function send(double: Served, method: string, path: string, body: string): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...as('ada') }
  return sendRequest(double, method, path, { headers, body })
}

const nested = (levels: number): string => `{"name":"x","pot":${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}`

const is = 'The request body of OPERATION'
const notUnique = (key: string, line: number, column: number): string =>
  `The request body is not JSON: key "${key}" is not unique (line ${line}, column ${column}).`
const escaped = '{"name":"x","pot":{"size":1,"siz\\u0065":2}}'
const tooLargeNumber = 'The request body is not JSON: the number -1e400 is too large (line 1, column 25).'
const tooLarge = (reason: string): string => `The request body ${reason}. Send a smaller one.`

const refused: Readonly<Record<string, readonly [body: string, status: number, message: string]>> = {
  'is empty': ['', 400, `${is} is required. Send what the contract describes.`],
  'is null': ['null', 400, `${is} must not be null. Send what the contract describes.`],
  'is a list': ['[]', 400, 'Request body must be object.'],
  'is half an object': ['{"name":"x"', 400, 'The request body is not JSON: JSON-REASON.'],
  'has a key twice': ['{"name":"x",\n "name":"y"}', 400, notUnique('name', 2, 2)],
  'has a key twice in a nested object, once with an escape': [escaped, 400, notUnique('siz\\u0065', 1, 29)],
  'has __proto__ twice': ['{"name":"x","__proto__":1,"__proto__":2}', 400, notUnique('__proto__', 1, 27)],
  'has a number that JavaScript reads as Infinity': ['{"name":"x","other":[1, -1e400]}', 400, tooLargeNumber],
  'is nested too deep': [nested(501), 413, tooLarge('contains values that are nested more than 500 levels deep')],
  'is too large': [JSON.stringify({ name: 'x'.repeat(1024 * 1024) }), 413, tooLarge('is larger than 1048576 bytes')],
}

const operations = [
  ['POST', '/plants', 'createPlant'],
  ['PUT', '/plants/fern', 'replacePlant'],
  ['PATCH', '/plants/fern', 'updatePlant'],
] as const

for (const [title, [body, status, message]] of Object.entries(refused))
  test(`a body that ${title} is refused, and nothing changes`, async (t) => {
    const double = await servePlants(t, plants)
    const before = await double.state()
    for (const [method, path, operation] of operations) {
      const reply = await send(double, method, path, body)
      if (message.includes('JSON-REASON')) assertError(t, reply, status)
      else assertError(t, reply, status, message.replace('OPERATION', operation))
    }
    t.deepEqual(await double.state(), before)
    const { diff } = await everything(double)
    t.deepEqual(diff, { fixture: null, collections: { plants: { added: [], removed: [], changed: {} } } })
    t.is((await get(double, '/plants/fern', as('ada'))).status, 200)
  })

test('a body with a content coding is refused with Accept-Encoding: identity, and a body with the coding identity is accepted', async (t) => {
  const double = await servePlants(t, plants)
  const sendCoded = (method: string, path: string, coding: string, body: Buffer | string): Promise<Reply> => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding, ...as('ada') }
    return sendRequest(double, method, path, { headers, body })
  }
  const text = '{"name":"Moss"}'
  for (const [method, path] of operations) {
    for (const [coding, body] of Object.entries({ gzip: gzipSync(text), 'identity, br': text })) {
      const reply = await sendCoded(method, path, coding, body)
      const message = `The request body must be sent without a Content-Encoding, got "${coding}". Send it uncompressed.`
      assertError(t, reply, 415, message)
      const { 'accept-encoding': encoding, 'x-error-code': code } = reply.headers
      t.deepEqual([encoding, code], ['identity', 'unsupported_content_encoding'])
    }
    for (const coding of ['', 'Identity']) t.true((await sendCoded(method, path, coding, text)).status < 300)
  }
  const { entries } = await double.requests()
  t.deepEqual(entries[0]?.violations[0]?.location, ['request', 'headers', 'content-encoding'])
})

test('an id that no URL can contain is refused, and so is a number that JSON does not have', async (t) => {
  const properties = { id: { type: 'string' }, name: { type: 'string' }, price: { type: 'number' } }
  const schema = { ...plantSchema, properties }
  const double = await servePlants(t, [{ id: 'fern', name: 'Fern' }], { schema })
  const created = await send(double, 'POST', '/plants', '{"id":"\\ud800","name":"Moss"}')
  assertError(t, created, 400)
  t.regex(created.text, /id must be text that UTF-8 can encode/u)
  t.deepEqual((await double.state())['plants'], [{ id: 'fern', name: 'Fern' }])
  const text = '{$callers: {ada: {token: ada-token}}, plants: [{id: fern, name: Fern, price: .inf}]}'
  const fixture = await writeTemporary(t, 'infinite.yaml', text)
  const spec = await writePlantsSpec(t, { schema })
  await t.throwsAsync(startDouble({ spec, fixture }), { message: /price must be number/u })
})

const strange = '{"name":"Moss","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":null}'

test('keys such as __proto__ and constructor are stored like other keys, also after a restart', async (t) => {
  const state = `${await temporaryFolder(t)}/state.json`
  const spec = await writePlantsSpec(t)
  const fixture = await writeTemporary(t, 'mine.json', { $callers: plantCallers, plants })
  const first = await serve(t, { spec, state, fixture })
  const created = await send(first, 'POST', '/plants', strange)
  t.is(created.status, 201, created.text)
  const id = String(asObject(json(created))['id'])
  const pot = '"pot":{"__proto__":{"polluted":1},"size":2}'
  const [, ...parts] = strange.slice(1, -1).split(/,(?="(?:con|to))/u)
  for (const [method, body] of Object.entries({ PATCH: `{${pot}}`, PUT: `${strange.slice(0, -1)},${pot}}` })) {
    const reply = await send(first, method, `/plants/${id}`, body)
    t.is(reply.status, 200, reply.text)
    for (const part of ['"__proto__":{"polluted":1},"size":2', ...parts])
      t.true(reply.text.includes(part), `${part} in ${reply.text}`)
  }
  const shown = await get(first, `/plants/${id}`, as('ada'))
  await first.stop()
  const second = await serve(t, { spec, state, fixture })
  t.is((await get(second, `/plants/${id}`, as('ada'))).text, shown.text)
  const { plants: kept = [] } = await second.state()
  t.is(kept.length, 2)
})

test('additionalProperties: false refuses keys such as __proto__ and constructor', async (t) => {
  const double = await servePlants(t, plants, { schema: { ...plantSchema, additionalProperties: false } })
  for (const [method, path] of operations.slice(0, 2)) t.is((await send(double, method, path, strange)).status, 400)
  const lines = ['GET /plants/__proto__', 'DELETE /plants/constructor', 'GET /plants/toString']
  for (const [method = '', path = ''] of lines.map((line) => line.split(' ')))
    assertError(t, await sendRequest(double, method, path, { headers: as('ada') }), 404)
  t.deepEqual((await double.state())['plants'], plants)
})

test('values of the maximum depth of a body are stored, read and written', async (t) => {
  const double = await servePlants(t, plants)
  const created = await send(double, 'POST', '/plants', nested(498))
  t.is(created.status, 201, created.text)
  const changed = await send(double, 'PATCH', '/plants/fern', nested(498))
  t.is(changed.status, 200)
  await double.setState(await double.state())
  t.is((await get(double, '/plants/fern', as('ada'))).text, changed.text)
})

const credential = 'Authorization: Bearer ada-token'
const sending: readonly (readonly [line: string, operation: string, status: number])[] = [
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

for (const [line, operation, status] of sending) {
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
    const request = wire('GET /insights', [credential, ...headers], body)
    const next = wire('GET /insights?limit=1', [credential, 'Connection: close'])
    const [first, second, ...others] = await rawAll(double, request + next)
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
