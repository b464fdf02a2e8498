import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { pluck } from './helpers/as-object-or-list.js'
import { control, serve, testOnDouble } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, del, get } from './helpers/http.js'
import { plantCallers, plantsSpec } from './helpers/plants-spec.js'
import { holds } from './helpers/secret-places.js'
import { body, object, text } from './resources/plants-contract.js'

/** Tests the bodies in the journal: they are unchanged, except for secrets and long texts. */

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const xml = 'application/xml'
const content = { [json]: { schema: {} } }
const types = [form, 'multipart/form-data', xml, 'text/plain', 'image/png']
const texts = Object.fromEntries(types.map((type) => [type, { schema: text }]))

/** An operation without a documented secret, which accepts a body of every kind. */
const send = {
  operationId: 'sendAnything',
  requestBody: { content: { ...content, ...texts } },
  responses: { 200: body({}, {}) },
}

const secrets = { pin: '0000', access_token: 'short', owner: 'grace-token', max_tokens: 4096, seen: true }
/** A mocked operation whose response contains secrets. */
const receive = {
  operationId: 'receiveSecrets',
  requestBody: { content },
  responses: { 200: body(object({ pin: { ...text, format: 'password' } }), secrets) },
}

async function serveAnything(t: ExecutionContext): Promise<DoubleHandle> {
  const { paths, ...others } = plantsSpec() as { paths: object }
  const all = { ...others, paths: { ...paths, '/send': { post: send }, '/receive': { post: receive } } }
  const spec = await writeTemporary(t, 'x.json', all)
  return serve(t, { spec, fixture: { $callers: plantCallers, plants: [] } })
}

/** Sends a body. @returns Its journal entry. */
async function sent(double: DoubleHandle, bytes: string, mediaType: string, path = '/send', token = 'ada-token') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': mediaType }
  const reply = await fetch(`${double.url}${path}`, { method: 'POST', headers, body: bytes })
  await reply.text()
  return double.request(reply.headers.get('x-request-id') ?? '')
}

const part = (name: string, value: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const user = '[{"credentials":{"user":"me","deep":[{"x":"y"}]}},"z"]'
const keptUser = [{ credentials: { user: '[redacted]', deep: [{ x: '[redacted]' }] } }, 'z']
const keptTokens = { tokens: ['[redacted]', '[redacted]'], total_tokens: 5, after: 'x' }
const twoParts = `${part('password', 'hun\r\nter')}${part('a', '1')}--x--\r\n`

/** A body, its media type, and the body in the journal. */
const rows: readonly (readonly [sentBody: string, mediaType: string, kept: unknown])[] = [
  ['{"a":[1,null,{"b":"ä"}]}', json, { a: [1, null, { b: 'ä' }] }],
  ['"a text"', 'application/json; charset=utf-8', 'a text'],
  ['{"a":1', json, '{"a":1'],
  ['{"password":"hunter2","user":"me"}', json, { password: '[redacted]', user: 'me' }],
  ['{"pin":1234,"PIN":"12"}', json, { pin: '[redacted]', PIN: '[redacted]' }],
  ['{"tokens":["a","b"],"total_tokens":5,"after":"x"}', json, keptTokens],
  [user, json, keptUser],
  ['{"pass\\u0077ord":"a\\"b","c":"d"}', json, { password: '[redacted]', c: 'd' }],
  ['{"password": "hun', json, '[redacted: 17 bytes of application/json]'],
  ['{"my": "password', json, '[redacted: 16 bytes of application/json]'],
  ['{"my": "word', json, '{"my": "word'],
  ['{"password":"hunter2"}', 'text/plain', '{"password":"[redacted]"}'],
  ['{"said":"the token is grace-token."}', json, { said: 'the token is [redacted].' }],
  ['a=1&pass%77ord=hunter2&b=2', form, 'a=1&pass%77ord=[redacted]&b=2'],
  ['a=1&password=hunter2', json, '[redacted: 20 bytes of application/json]'],
  ['a=1&password=hunter2', 'multipart/form-data; boundary=x', '[redacted: 20 bytes of multipart/form-data]'],
  ['a=1&password=hunter2', 'text/plain', '[redacted: 20 bytes of text/plain]'],
  ['my password is long', 'text/plain', 'my password is long'],
  [`${part('password', 'hunter2')}--x--\r\n`, form, `[redacted: 72 bytes of ${form}]`],
  [twoParts, 'multipart/form-data; boundary=x', '[redacted: 125 bytes of multipart/form-data]'],
  ['<login><password kind="x">hunter2</password><a/></login>', xml, `[redacted: 56 bytes of ${xml}]`],
  ['Z3JhY2UtdG9rZW4=', 'text/plain', '[redacted]4='],
]

test('the journal has a JSON body as a value and any other body as text, both without secrets', async (t) => {
  const double = await serveAnything(t)
  for (const [sentBody, mediaType, kept] of rows) {
    const entry = await sent(double, sentBody, mediaType)
    t.deepEqual(entry.requestBody, kept, sentBody)
    t.deepEqual(entry.truncated, [])
  }
})

test('a response is recorded without secrets, and without the credential of its request', async (t) => {
  const double = await serveAnything(t)
  await double.setState({ $callers: { ...plantCallers, any: { token: '*' } }, plants: [] })
  const kept = { pin: '[redacted]', access_token: '[redacted]', owner: '[redacted]', max_tokens: 4096, seen: true }
  t.deepEqual((await sent(double, '{}', json, '/receive')).responseBody, kept)
  const own = await sent(double, '{"name":"is-it-0000-here"}', json, '/plants', 'is-it-0000-here')
  t.is(own.caller, 'any')
  t.false(holds(JSON.stringify(own), 'is-it-0000-here'))
})

test('a body is cut at 16 KiB, and no part of a secret at the cut is kept', async (t) => {
  const double = await serveAnything(t)
  const long = (last: string): string => `{"x":"${'x'.repeat(16_384 - 6 - last.length)}${last}`
  const entry = await sent(double, `${long('')}"}`, json)
  t.deepEqual([entry.requestBody, entry.truncated], [long(''), ['requestBody']])
  const cut = String((await sent(double, `${long('grace-tok')}en"}`, json)).requestBody)
  t.true(cut.endsWith('x[redacted]'), cut.slice(-20))
  const named = await sent(double, `${long('","password":"hunter')}2"}`, json)
  t.is(named.requestBody, '[redacted: 16387 bytes of application/json]')
})

test('the filter id finds the request that created a record, and the requests whose path contains its id', async (t) => {
  const double = await serveAnything(t)
  const created = await sent(double, '{"name":"Aloe"}', json, '/plants')
  t.is(created.status, 201, JSON.stringify(created))
  const { id } = created.responseBody as { id: string }
  await get(double, `/plants/${encodeURIComponent(id)}`, as('ada'))
  await del(double, `/plants/${id}`, as('ada'))
  t.deepEqual(pluck((await double.requests({ id })).entries, 'operation'), ['createPlant', 'readPlant', 'removePlant'])
  t.is((await double.requests({ id: 'none' })).matched, 0)
  const listing = await control(double, 'GET', `/requests?id=${id}&operation=readPlant&atLeast=1&withinMs=2000`)
  t.regex(listing.text, /"matched":1/u)
})

test('a full journal drops the oldest entries and counts them', async (t) => {
  const double = await serve(t, { fixture: 'empty' })
  const oldest = await get(double, '/insights?turn=0', as('ada'))
  for (let turn = 1; turn < 1010; turn += 10)
    await Promise.all(Array.from({ length: 10 }, (_, more) => get(double, `/insights?turn=${turn + more}`, as('ada'))))
  const { entries, evicted, matched } = await double.requests()
  t.deepEqual([matched, evicted, entries.length], [1000, 11, 1000])
  const kept = Array.from({ length: 1000 }, (_, turn) => `/insights?turn=${turn + 11}`)
  t.deepEqual(new Set(pluck(entries, 'url')), new Set(kept))
  await t.throwsAsync(double.request(oldest.headers['x-request-id'] ?? ''), { code: 'unknown_request' })
  await t.throwsAsync(double.waitForRequests({ atLeast: 1001, withinMs: 0 }), { name: 'RequestsNotSeenError' })
  t.deepEqual((await double.coverage())[0], { operation: 'listInsights', status: '200', documented: true, count: 1011 })
  await double.clearRequests()
  t.deepEqual(await double.requests(), { entries: [], matched: 0, evicted: 0, satisfied: true })
})

test('journalBytes limits the header fields and bodies in the journal', async (t) => {
  const journalBytes = 1024 * 1024
  const long = { ...as('ada'), 'x-long': 'x'.repeat(15_000) }
  for (const [fixture, headers] of Object.entries({ empty: long, many: as('ada') })) {
    const double = await serve(t, { fixture, journalBytes })
    for (let turn = 0; turn < 100; turn += 10)
      await Promise.all(Array.from({ length: 10 }, () => get(double, '/insights', headers)))
    const { evicted, matched } = await double.requests()
    t.is(matched + evicted, 100)
    t.true(matched * 15_000 <= journalBytes && matched > 50, String(matched))
  }
})

test('journalEntries limits the journal, and one entry of any size is kept', async (t) => {
  const double = await serve(t, { journalEntries: 3, journalBytes: 1 })
  for (const limit of [1, 2]) await get(double, `/insights?limit=${limit}`, as('ada'))
  t.deepEqual(pluck((await double.requests()).entries, 'url'), ['/insights?limit=2'])
  const other = await serve(t, { journalEntries: 3 })
  for (const limit of [1, 2, 3, 4]) await get(other, `/insights?limit=${limit}`, as('ada'))
  const { evicted, entries } = await other.requests()
  t.deepEqual([entries.length, evicted], [3, 1])
})

testOnDouble('the target of a request is cut at 2,048 characters', async (t, double) => {
  const target = `/insights?long=${'x'.repeat(5000)}`
  await get(double, target, as('ada'))
  const [entry] = (await double.requests()).entries
  t.deepEqual([entry?.url, entry?.truncated], [target.slice(0, 2048), ['url']])
})

test('the body of a response is cut at 16 KiB, between characters', async (t) => {
  const insights = [{ content: 'ä'.repeat(10_000) }]
  const double = await serve(t, { fixture: { $callers: { ada: { token: 'ada-token' } }, insights } })
  const reply = await get(double, '/insights', as('ada'))
  const [entry] = (await double.requests()).entries
  const start = String(entry?.responseBody)
  t.true(Buffer.byteLength(start) === 16 * 1024 || Buffer.byteLength(start) === 16 * 1024 - 1)
  t.true(reply.text.startsWith(start))
  t.deepEqual(entry?.truncated, ['responseBody'])
})
