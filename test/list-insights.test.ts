import test from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { serve, testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn } from './helpers/files.js'
import { as, ask, get, json, raw, violationsOf, wire, rawAs } from './helpers/http.js'

for (const caller of ['ada', 'grace', 'alan'])
  testOnDouble(`${caller} gets the insights that it has access to, in the order of the file`, async (t, double) => {
    const expected = visibleIn(await readFixture('default.json'), caller)
    const reply = await get(double, '/insights', as(caller))
    t.like(reply, { status: 200, headers: { 'content-type': 'application/json', 'sl-violations': undefined } })
    t.is(reply.text, JSON.stringify(expected))
    t.is(reply.headers['content-length'], String(Buffer.byteLength(reply.text)))
  })

test('no caller of the default fixture has access to all insights, and no two callers have the same access', async (t) => {
  const fixture = await readFixture('default.json')
  const listings = ['ada', 'grace', 'alan'].map((caller) => JSON.stringify(visibleIn(fixture, caller)))
  t.is(new Set(listings).size, 3)
  t.true(listings.every((listing) => listing.length < JSON.stringify(fixture['insights']).length))
})

testOnDouble('limit returns the first insights of the list', async (t, double) => {
  const all = visibleIn(await readFixture('default.json'), 'ada')
  for (const limit of [1, 2, all.length - 1, all.length, all.length + 1, 2_147_483_647]) {
    const reply = await get(double, `/insights?limit=${limit}`, as('ada'))
    t.is(reply.status, 200)
    t.is(reply.text, JSON.stringify(all.slice(0, limit)), `limit ${limit}`)
  }
})

testOnDouble('limit counts only the insights that the caller has access to', async (t, double) => {
  const fixture = await readFixture('default.json')
  // alan has no access to the first insight of the file.
  t.not(asObject(asList(fixture['insights'])[0])['id'], visibleIn(fixture, 'alan')[0]?.['id'])
  t.deepEqual(json(await get(double, '/insights?limit=1', as('alan'))), visibleIn(fixture, 'alan').slice(0, 1))
})

test('a caller with access to nothing gets an empty array', async (t) => {
  const reply = await get(await serve(t, { fixture: 'empty' }), '/insights', as('ada'))
  t.like(reply, { status: 200, headers: { 'content-type': 'application/json' }, text: '[]' })
})

for (const accept of ['foo', 'text/html', 'application/xml;q=1', '', ';;;', '*/*;q=0'])
  testOnDouble(`a listing is JSON, also if the Accept header is "${accept}"`, async (t, double) => {
    const fields = ['Authorization: Bearer ada-token', 'Connection: close', `Accept: ${accept}`]
    const reply = await raw(double, wire('GET /insights', fields))
    t.like(reply, { status: 200, headers: { 'content-type': 'application/json' } })
  })

for (const path of ['/insights', '/insights?limit=2', '/insights?limit=abc', '/nowhere'])
  testOnDouble(`HEAD ${path} has the headers of GET and no body`, async (t, double) => {
    const [head, got] = await Promise.all([rawAs(double, 'ada', `HEAD ${path}`), rawAs(double, 'ada', `GET ${path}`)])
    const same = ({ headers }: typeof head) => ({ ...headers, date: '', 'x-request-id': '' })
    t.is(head.status, got.status)
    t.deepEqual(same(head), same(got))
    t.is(head.text, '')
    t.is(got.headers['content-length'], String(Buffer.byteLength(got.text)))
  })

for (const name of ['limt', 'LIMIT', 'limit[]', '__proto__', 'constructor', 'a"b\n\u{1F331}'])
  test(`a listing with the undocumented query parameter ${JSON.stringify(name)} is served with a warning`, async (t) => {
    const reply = await get(await serve(t), `/insights?${encodeURIComponent(name)}=5`, as('ada'))
    t.is(reply.status, 200)
    t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'ada'))
    const [warning, ...others] = violationsOf(reply)
    t.deepEqual(others, [])
    t.is(warning?.['severity'], 'Warning')
    t.deepEqual(warning?.['location'], ['request', 'query', name])
    t.true(String(warning?.['message']).includes(JSON.stringify(name)))
  })

testOnDouble('the warnings about many undocumented query parameters have at most 4 KB', async (t, double) => {
  const query = Array.from({ length: 200 }, (_, index) => `unknown-parameter-${index}=1`).join('&')
  const reply = await ask(double, 'GET', `/insights?${query}`, as('ada'))
  t.is(reply.status, 200)
  const header = reply.headers['sl-violations'] ?? ''
  t.true(header.length > 1000 && header.length <= 4096, `${header.length}`)
  const shown = violationsOf(reply)
  t.regex(String(shown.at(-1)?.['message']), new RegExp(`^${200 - (shown.length - 1)} more`, 'u'))
})
