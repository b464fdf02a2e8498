import test from 'ava'

import { serve, type Served, testOnDouble } from './helpers/double.js'
import { as, assertError, del, idsSeenBy, rawAs, type Reply, violationsOf } from './helpers/http.js'

const unknown = (id: string): string => `insights has no record "${id}" that the caller has access to.`

testOnDouble('a delete gets a 204 without a body', async (t, double) => {
  const reply = await rawAs(double, 'ada', 'DELETE /insights/monstera-watering')
  t.like(reply, { status: 204, text: '', headers: { 'content-type': undefined, 'content-length': undefined } })
  t.is(reply.headers['transfer-encoding'], undefined)
})

testOnDouble('an insight that one caller deletes is deleted for every caller', async (t, double) => {
  const id = 'fungus-gnats-potting-mix'
  for (const caller of ['ada', 'grace', 'alan']) t.true((await idsSeenBy(double, caller)).includes(id))
  const others = (await idsSeenBy(double, 'grace')).filter((other) => other !== id)
  t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  t.deepEqual(await idsSeenBy(double, 'grace'), others)
  for (const caller of ['ada', 'alan']) t.false((await idsSeenBy(double, caller)).includes(id))
})

test('an unknown id, a deleted id and an id without access get the same response, byte for byte', async (t) => {
  const [double, empty] = [await serve(t), await serve(t, { fixture: 'empty' })]
  const id = 'monstera-watering'
  const deleteFrom = (from: Served, caller: string): Promise<Reply> => rawAs(from, caller, `DELETE /insights/${id}`)
  const replies = [await deleteFrom(empty, 'alan'), await deleteFrom(double, 'alan')]
  t.is((await deleteFrom(double, 'ada')).status, 204)
  replies.push(await deleteFrom(double, 'alan'))
  const [never, foreign, deleted] = replies.map(({ headers, ...reply }) => ({
    ...reply,
    headers: Object.entries(headers).filter(([name]) => name !== 'date' && name !== 'x-request-id'),
  }))
  t.deepEqual(deleted, never)
  t.deepEqual(foreign, never)
  for (const reply of replies) assertError(t, reply, 404, unknown(id))
})

test('an insight with an id of the maximum length is deleted, and another id of that length gets a 404', async (t) => {
  const id = 'a'.repeat(128)
  const fixture = { $callers: { ada: { token: 'ada-token' } }, insights: [{ id, content: 'Ferns.' }] }
  const double = await serve(t, { fixture })
  assertError(t, await del(double, `/insights/${id.slice(1)}b`, as('ada')), 404, unknown(`${id.slice(1)}b`))
  t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
  t.deepEqual(await idsSeenBy(double, 'ada'), [])
})

testOnDouble('a percent-encoded id is decoded', async (t, double) => {
  t.is((await del(double, '/insights/%6Donstera%2Dwatering', as('ada'))).status, 204)
  t.false((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
})

testOnDouble('ids are case-sensitive', async (t, double) => {
  t.is((await del(double, '/insights/Monstera-Watering', as('ada'))).status, 404)
  t.is((await idsSeenBy(double, 'ada'))[0], 'monstera-watering')
})

for (const name of ['force', 'fôrce', '\u{1F331}'])
  testOnDouble(`a delete with the undocumented query parameter ${name} is served with a warning`, async (t, double) => {
    const reply = await del(double, `/insights/monstera-watering?${encodeURIComponent(name)}=1`, as('ada'))
    t.is(reply.status, 204)
    t.deepEqual(violationsOf(reply)[0]?.['location'], ['request', 'query', name])
  })

for (const id of ['constructor', '__proto__', 'toString', '~', '_', '-', 'insight-1'])
  testOnDouble(`the id ${id} is valid`, async (t, double) => {
    assertError(t, await del(double, `/insights/${id}`, as('ada')), 404, unknown(id))
  })

const rule = 'Path parameter id must match ^[A-Za-z0-9._~-]{1,128}$'
const encoding = 'Path parameter id must be percent-encoded UTF-8'
const refused: readonly (readonly [id: string, message: string])[] = [
  ['a%20b', `${rule}, got "a b".`],
  ['a%2Fb', `${rule}, got "a/b".`],
  ['a,b', `${rule}, got "a,b".`],
  ['a+b', `${rule}, got "a+b".`],
  ['a;b', `${rule}, got "a;b".`],
  ['{id}', `${rule}, got "{id}".`],
  ['%00', String.raw`${rule}, got "\u0000".`],
  ['a%0A', String.raw`${rule}, got "a\n".`],
  ['%1b%5b31m', String.raw`${rule}, got "\u001b[31m".`],
  ['%C3%A9', `${rule}, got "é".`],
  ['%F0%9F%8C%B1', `${rule}, got "\u{1F331}".`],
  ['%2500', `${rule}, got "%00".`],
  ['a'.repeat(129), `${rule}, got "${'a'.repeat(100)}…".`],
  ['%', `${encoding}, got "%".`],
  ['%zz', `${encoding}, got "%zz".`],
  ['%E0%A4%A', `${encoding}, got "%E0%A4%A".`],
  ['%FF', `${encoding}, got "%FF".`],
]
for (const [id, message] of refused)
  testOnDouble(`the id ${id.slice(0, 12)} (of ${id.length} characters) is refused`, async (t, double) => {
    const reply = await rawAs(double, 'ada', `DELETE /insights/${id}`)
    assertError(t, reply, 400, message)
    t.is((await idsSeenBy(double, 'ada'))[0], 'monstera-watering')
  })
