import test from 'ava'

import { serve, serveChanged, testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn, writeTemporary } from './helpers/files.js'
import { as, assertError, ask, del, get, idsSeenBy, json, raw, wire } from './helpers/http.js'

const missing = 'No bearer token. Send the header Authorization: Bearer <ACCESS_TOKEN>.'
const malformed =
  'Malformed bearer token. Send the header Authorization: Bearer <ACCESS_TOKEN>, once; a bearer token consists of letters, digits and -._~+/.'
const unknown = 'No caller has this bearer token. Use one that the fixture lists under $callers.'

/** The header lines of a request, and the message and the challenge of its 401. */
const refused: readonly (readonly [lines: readonly string[], message: string, challenge: string])[] = [
  [[], missing, 'Bearer'],
  [['X-Authorization: Bearer ada-token'], missing, 'Bearer'],
  [['Authorization:'], malformed, 'Bearer'],
  [['Authorization: ada-token'], malformed, 'Bearer'],
  [['Authorization: Basic YWRhOmFkYQ=='], malformed, 'Bearer'],
  [['Authorization: Bearer'], malformed, 'Bearer'],
  [['Authorization: Bearer '], malformed, 'Bearer'],
  [['Authorization: Bearerada-token'], malformed, 'Bearer'],
  [['Authorization: Bearer:ada-token'], malformed, 'Bearer'],
  [['Authorization: Bearer\tada-token'], malformed, 'Bearer'],
  [['Authorization: Bearer ada-token grace-token'], malformed, 'Bearer'],
  [['Authorization: Bearer ada-token, Bearer grace-token'], malformed, 'Bearer'],
  [['Authorization: Bearer ada-token,'], malformed, 'Bearer'],
  [['Authorization: Bearer "ada-token"'], malformed, 'Bearer'],
  [['Authorization: Bearer <ada-token>'], malformed, 'Bearer'],
  [['Authorization: Bearer ada=token'], malformed, 'Bearer'],
  [['Authorization: Bearer ada-tok\u00E9n'], malformed, 'Bearer'],
  [['Authorization: Bearer *'], malformed, 'Bearer'],
  [['Authorization: Bearer ada-token', 'Authorization: Bearer ada-token'], malformed, 'Bearer'],
  [['Authorization: Bearer ada-token', 'authorization: Bearer grace-token'], malformed, 'Bearer'],
  [['Authorization: Bearer ada-token', 'Authorization: Basic YWRhOmFkYQ=='], malformed, 'Bearer'],
  [['Authorization: Bearer nobody'], unknown, 'Bearer error="invalid_token"'],
  [['Authorization: Bearer ADA-TOKEN'], unknown, 'Bearer error="invalid_token"'],
  [['Authorization: Bearer ada-token='], unknown, 'Bearer error="invalid_token"'],
  [['Authorization: Bearer constructor'], unknown, 'Bearer error="invalid_token"'],
  [['Authorization: Bearer __proto__'], unknown, 'Bearer error="invalid_token"'],
  [['Authorization: Bearer toString'], unknown, 'Bearer error="invalid_token"'],
  [['Authorization: Bearer ada'], unknown, 'Bearer error="invalid_token"'],
]
for (const [lines, message, challenge] of refused)
  testOnDouble(`a request with the header lines ${JSON.stringify(lines)} is refused`, async (t, double) => {
    for (const line of ['GET /insights', 'DELETE /insights/monstera-watering']) {
      const reply = await raw(double, wire(line, [...lines, 'Connection: close']))
      assertError(t, reply, 401, message)
      t.is(reply.headers['www-authenticate'], challenge)
    }
    t.is((await idsSeenBy(double, 'ada'))[0], 'monstera-watering')
  })

for (const credential of ['bearer ada-token', 'BEARER ada-token', 'bEaReR   ada-token', 'Bearer ada-token  '])
  testOnDouble(`the credential "${credential}" identifies ada`, async (t, double) => {
    const lines = [`Authorization: ${credential}`, 'Connection: close']
    const reply = await raw(double, wire('GET /insights', lines))
    t.like(reply, { status: 200, headers: { 'www-authenticate': undefined } })
    t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'ada'))
  })

testOnDouble('a credential after 2,100 other header fields is read', async (t, double) => {
  const fields = Array.from({ length: 2100 }, () => 'A:b')
  const lines = [...fields, 'Authorization: Bearer ada-token', 'Connection: close']
  t.is((await raw(double, wire('GET /insights', lines))).status, 200)
})

testOnDouble('a token in the query is not a credential', async (t, double) => {
  const reply = await get(double, '/insights?access_token=ada-token')
  assertError(t, reply, 401, missing)
})

test('any token that no other caller has identifies the caller with the token *, which no client can send', async (t) => {
  const double = await serve(t, { fixture: 'edge-cases' })
  const fixture = await readFixture('edge-cases.yaml')
  const seenWith = async (token: string): Promise<unknown> =>
    json(await get(double, '/insights', { authorization: `Bearer ${token}` }))
  t.notDeepEqual(visibleIn(fixture, 'guest'), visibleIn(fixture, 'ada'))
  for (const token of ['anything', 'constructor', '__proto__', 'a.b~c+d/e==', 'ADA-TOKEN'])
    t.deepEqual(await seenWith(token), visibleIn(fixture, 'guest'), token)
  t.deepEqual(await seenWith('ada-token'), visibleIn(fixture, 'ada'))
  assertError(t, await get(double, '/insights', { authorization: 'Bearer *' }), 401, malformed)
})

test('a fixture defines callers and tokens', async (t) => {
  const own = { $callers: { toString: { token: 'valueOf' } }, insights: [{ content: 'Moss.' }] }
  const fixture = await writeTemporary(t, 'own.json', own)
  const double = await serve(t, { fixture })
  t.is((await get(double, '/insights', { authorization: 'Bearer valueOf' })).status, 200)
  assertError(t, await get(double, '/insights', as('ada')), 401, unknown)
})

test('a listing without security needs no token, and has the records that every caller has access to', async (t) => {
  const double = await serveChanged(t, (spec) => spec.setIn(['paths', '/insights', 'get', 'security'], []))
  const reply = await get(double, '/insights')
  t.is(reply.status, 200)
  t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'nobody in it'))
  t.is((await del(double, '/insights/monstera-watering')).status, 401)
})

testOnDouble('HEAD needs the same credential as GET', async (t, double) => {
  t.like(await ask(double, 'HEAD', '/insights'), { status: 401, headers: { 'www-authenticate': 'Bearer' }, text: '' })
})
