import test from 'ava'

import { serve, serveChanged, testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn } from './helpers/files.js'
import { assertError, ask, del, get, idsSeenBy, json, raw, wire } from './helpers/http.js'

const missing = 'No bearer token. Send the header Authorization: Bearer <ACCESS_TOKEN>.'
const malformed =
  'Malformed bearer token. Send the header Authorization: Bearer <ACCESS_TOKEN>, once; a bearer token consists of letters, digits and -._~+/.'
const unknown = 'No caller has this bearer token. Use one that the fixture lists under $callers.'

type Refused = readonly [lines: readonly string[], message: string, challenge: string]
const credential = (text: string): string => `Authorization: ${text}`
const isMalformed = (...lines: readonly string[]): Refused => [lines, malformed, 'Bearer']
const malformedCredentials = [
  'ada-token|Basic YWRhOmFkYQ==|Bearer|Bearer |Bearerada-token|Bearer:ada-token|Bearer\tada-token|Bearer ada-token,',
  'Bearer ada-token grace-token|Bearer ada-token, Bearer grace-token|Bearer "ada-token"|Bearer <ada-token>',
  'Bearer ada=token|Bearer ada-tok\u00E9n|Bearer *',
].flatMap((texts) => texts.split('|'))
const unknownTokens = 'nobody ADA-TOKEN ada-token= constructor __proto__ toString ada'.split(' ')

/** The header lines of a request, and the message and the challenge of its 401. */
const refused: readonly Refused[] = [
  [[], missing, 'Bearer'],
  [['X-Authorization: Bearer ada-token'], missing, 'Bearer'],
  isMalformed('Authorization:'),
  ...malformedCredentials.map((text) => isMalformed(credential(text))),
  isMalformed('Authorization: Bearer ada-token', 'Authorization: Bearer ada-token'),
  isMalformed('Authorization: Bearer ada-token', 'authorization: Bearer grace-token'),
  isMalformed('Authorization: Bearer ada-token', 'Authorization: Basic YWRhOmFkYQ=='),
  ...unknownTokens.map((token): Refused => [[credential(`Bearer ${token}`)], unknown, 'Bearer error="invalid_token"']),
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

for (const text of ['bearer ada-token', 'BEARER ada-token', 'bEaReR   ada-token', 'Bearer ada-token  '])
  testOnDouble(`the credential "${text}" identifies ada`, async (t, double) => {
    const reply = await raw(double, wire('GET /insights', [credential(text), 'Connection: close']))
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
