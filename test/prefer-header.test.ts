import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { changesIn, control, entryOf, excuse, serve, serveChanged, testOnDouble } from './helpers/double.js'
import { packageFolder, temporaryFolder } from './helpers/files.js'
import type { Headers, Reply } from './helpers/http.js'
import { as, assertError, ask, del, get, idsSeenBy, json, raw, violationsOf, wire } from './helpers/http.js'
import { timed } from './helpers/scripts.js'

const preferring = (prefer: string): Headers => ({ ...as('ada'), prefer })
const allowed =
  'Prefer takes code=<status>, example=<name>, dynamic=<true or false> and delay-ms=<0 to 60000>, each once, got '

/** Returns the ids of the listed insights, or the number of the Error. */
const gist = (reply: Reply): unknown => {
  const body = json(reply)
  return Array.isArray(body) ? body.map((insight) => asObject(insight)['id']) : asObject(body)['error']
}

const two = ['monstera-watering', 'pothos-bundle']
const mocked: readonly (readonly [prefer: string, status: number, gist: unknown, applied?: string])[] = [
  ['code=200', 200, two],
  ['code=400', 400, 400],
  ['code=401', 401, 401],
  ['code=500', 500, 500],
  ['example=two', 200, two],
  ['example=none', 200, []],
  ['code=200, example=none', 200, [], 'code=200, example=none'],
  ['code=200; example=none', 200, [], 'code=200, example=none'],
  ['code="200"', 200, two, 'code=200'],
  ['Code = 200', 200, two, 'code=200'],
  ['example=none, delay-ms=1', 200, [], 'example=none, delay-ms=1'],
  ['dynamic=false', 200, two],
]
for (const [prefer, status, expected, applied = prefer] of mocked)
  testOnDouble(`a listing with Prefer: ${prefer} is the example of the spec, marked as mocked`, async (t, double) => {
    const reply = await get(double, '/insights', preferring(prefer))
    t.is(reply.status, status, reply.text)
    t.deepEqual(gist(reply), expected)
    t.like(reply, { headers: { 'preference-applied': applied, 'x-double': 'mocked' } })
    t.deepEqual(violationsOf(reply), [])
    t.like(await entryOf(double, reply), { status, preference: applied, verdict: 'ok', caller: 'ada' })
  })

testOnDouble('Prefer: dynamic=true generates a valid value', async (t, double) => {
  for (let turn = 0; turn < 20; turn++) {
    const reply = await get(double, '/insights', preferring('dynamic=true'))
    t.is(reply.status, 200, reply.text)
    for (const insight of asList(json(reply))) t.is(typeof asObject(insight)['content'], 'string')
    t.like(reply, { headers: { 'x-double': 'mocked', 'preference-applied': 'dynamic=true' } })
  }
})

test('a preferred error is its example, or a generated body that contains the status', async (t) => {
  const double = await serve(t, { spec: join(packageFolder, 'test', 'specs', 'errors.yaml'), fixture: {} })
  excuse(double, 'its errors have other shapes')
  const wrapped = await get(double, '/wrapped/1', { prefer: 'code=400' })
  t.like(json(wrapped), { error: { code: 404, message: 'No.', trace: 'none', path: '/y' } })
  t.like(json(await get(double, '/problem/1', { prefer: 'code=422' })), { status: 422 })
})

for (const status of [204, 404, 400])
  testOnDouble(`a delete with Prefer: code=${status} deletes nothing`, async (t, double) => {
    const headers = ['Authorization: Bearer ada-token', 'Connection: close', `Prefer: code=${status}`]
    const reply = await raw(double, wire('DELETE /insights/monstera-watering', headers))
    t.is(reply.status, status)
    if (status === 204) t.is(reply.text, '')
    else t.is(asObject(json(reply))['error'], status)
    t.deepEqual((await changesIn(double)).removed, [])
  })

for (const prefer of ['code=404', 'code=204', 'code=418', 'code=302', 'example=three', 'code=400, example=two'])
  testOnDouble(`a listing with Prefer: ${prefer} is refused, as it cannot be applied`, async (t, double) => {
    const reply = await get(double, '/insights', preferring(prefer))
    assertError(t, reply, 400)
    t.regex(reply.text, /The preference cannot be applied: ./u)
    const statuses = /listInsights, each with its examples: 200 \(two, none\), 400 \(.+\), 401 \(.+\), 500 \(.+\)\."/u
    t.regex(reply.text, statuses)
    t.is(reply.headers['preference-applied'], undefined)
    t.deepEqual(violationsOf(reply)[0]?.['location'], ['request', 'headers', 'prefer'])
    t.like(await entryOf(double, reply), { preference: null, verdict: 'violation' })
  })

const invalid = [
  ['code', 'code=', 'code=abc', 'code=99', 'code=600', 'code=4040', 'code=4 04', 'code:404', '='],
  ['example=', 'dynamic=yes', 'dynamic=', 'delay-ms=-1', 'delay-ms=60001', 'delay-ms=1.5', 'delay-ms=1e3'],
].flat()
for (const part of invalid)
  testOnDouble(`Prefer: ${part} has an invalid value, and is refused`, async (t, double) => {
    const reply = await get(double, '/insights', preferring(part))
    assertError(t, reply, 400, `${allowed}${JSON.stringify(part)}.`)
    t.is(reply.headers['preference-applied'], undefined)
  })

for (const prefer of ['code=200, code=400', 'delay-ms=1, delay-ms=2', 'example=two, example=none'])
  test(`Prefer: ${prefer} contradicts itself, and is refused`, async (t) => {
    const reply = await get(await serve(t), '/insights', preferring(prefer))
    assertError(t, reply, 400)
    t.like(reply, { headers: { 'preference-applied': undefined, 'x-double': undefined } })
  })

testOnDouble('Prefer: delay-ms delays the response', async (t, double) => {
  const [reply, milliseconds] = await timed(() => get(double, '/insights?limit=1', preferring('delay-ms=1000')))
  t.true(milliseconds > 100, String(milliseconds))
  t.deepEqual(gist(reply), ['monstera-watering'])
  t.like(reply, { headers: { 'preference-applied': 'delay-ms=1000', 'x-double': undefined } })
  t.like(await entryOf(double, reply), { preference: 'delay-ms=1000' })
})

testOnDouble('Prefer: delay-ms delays no other client, and a stop of the double ends the delay', async (t, double) => {
  const order: string[] = []
  const delayed = get(double, '/insights', preferring('delay-ms=60000'))
  const late = delayed.then(({ status }) => order.push(`late ${status}`))
  await idsSeenBy(double, 'ada')
  order.push('prompt')
  await double.stop()
  // If the stop had waited for the delay, the response would have been cut off.
  await late
  t.deepEqual(order, ['prompt', 'late 200'])
})

test('a delete with delay-ms deletes after the delay', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await serve(t, { state })
  const late = del(double, '/insights/monstera-watering', preferring('delay-ms=60000'))
  t.true((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
  // A stop ends the delay.
  await double.stop()
  t.is((await late).status, 204)
  t.false((await readFile(state, 'utf8')).includes('monstera-watering'))
})

testOnDouble('preferences are checked after the credential and the request', async (t, double) => {
  assertError(t, await get(double, '/insights', { prefer: 'code=200' }), 401)
  const reply = await get(double, '/insights?limit=abc', preferring('code=200'))
  assertError(t, reply, 400)
  t.regex(reply.text, /limit/u)
})

test('preferences also apply to HEAD', async (t) => {
  const reply = await ask(await serve(t), 'HEAD', '/insights', preferring('example=none'))
  t.deepEqual([reply.status, reply.headers['content-length'], reply.text], [200, '2', ''])
})

test('the control plane ignores preferences', async (t) => {
  const reply = await control(await serve(t), 'GET', '/state', undefined, { prefer: 'code=404, nonsense' })
  t.like(reply, { status: 200, headers: { 'preference-applied': undefined } })
})

const ignored = [
  ['return=minimal', 'return=representation', 'handling=lenient', 'respond-async', 'wait=10'],
  ['respond-async, wait=10', 'cod=404', 'foo', 'foo=', 'foo=""', ''],
  ['foo="a, code=404; b"', 'foo="say \\"code=404\\", please"', 'foo; code=404'],
  ['foo=bar; some; code="404"; other=1', 'return=minimal; foo="a;b,c"', ', ,return=minimal,', 'foo=1, foo=2'],
].flat()
for (const prefer of ignored)
  testOnDouble(`Prefer: ${prefer} is unknown, and is ignored`, async (t, double) => {
    const reply = await get(double, '/insights?limit=1', preferring(prefer))
    t.is(reply.status, 200, reply.text)
    t.deepEqual(gist(reply), ['monstera-watering'])
    t.like(reply, { headers: { 'preference-applied': undefined, 'x-double': undefined } })
    t.deepEqual(violationsOf(reply), [])
    t.like(await entryOf(double, reply), { preference: null, verdict: 'ok' })
  })

const mixed: readonly (readonly [fields: readonly string[], status: number, applied: string])[] = [
  [['return=minimal, code=400, wait=10'], 400, 'code=400'],
  [['respond-async;x=1,example="none";y="2"'], 200, 'example=none'],
  [['handling=lenient', 'code=200', 'example=none'], 200, 'code=200, example=none'],
  [['foo="a, b"', 'CODE="4\\00"'], 400, 'code=400'],
]
for (const [fields, status, applied] of mixed)
  testOnDouble(`Prefer: ${fields.join(' and Prefer: ')} applies only ${applied}`, async (t, double) => {
    const headers = ['Authorization: Bearer ada-token', 'Connection: close', ...fields.map((each) => `Prefer: ${each}`)]
    const reply = await raw(double, wire('GET /insights', headers))
    t.is(reply.status, status, reply.text)
    t.like(reply, { headers: { 'preference-applied': applied, 'x-double': 'mocked' } })
  })

test('an example whose name is not a token is quoted in Prefer and in Preference-Applied', async (t) => {
  const double = await serveChanged(t, (spec) => {
    const examples = ['paths', '/insights', 'get', 'responses', '200', 'content', 'application/json', 'examples']
    spec.setIn([...examples, 'not one, "yet"'], { value: [] })
  })
  const reply = await get(double, '/insights', preferring(String.raw`example="not one, \"yet\""`))
  t.is(reply.status, 200, reply.text)
  t.is(reply.headers['preference-applied'], String.raw`example="not one, \"yet\""`)
  t.deepEqual(json(reply), [])
  const wrong = await get(double, '/insights', preferring('example="not one"'))
  assertError(t, wrong, 400)
  t.true(String(asObject(json(wrong))['message']).includes('200 (two, none, not one, "yet")'), wrong.text)
})

testOnDouble('a request with an invalid preference changes nothing', async (t, double) => {
  for (const prefer of ['code=418', 'example=three', 'delay-ms=abc', 'code', '=', 'foo="a']) {
    const reply = await del(double, '/insights/monstera-watering', preferring(prefer))
    assertError(t, reply, 400)
  }
  t.deepEqual((await changesIn(double)).removed, [])
})
