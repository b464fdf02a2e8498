import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { asObject } from './helpers/as-object-or-list.js'
import { changesIn, control, controlText, everything, insightsIn, serve, testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn, readPackageFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, assertError, ask, del, get, idsSeenBy, json } from './helpers/http.js'

const withoutSeed = (text: string): string => text.replace(/^ {2}"\$seed": .*\n/mu, '')

const fixtures = ['default.json', 'empty.json', 'many.json', 'edge-cases.yaml']

for (const file of fixtures) {
  const fixture = file.replace(/\..*$/u, '')
  test(`a fixture with the saved state of ${fixture} gives the same state, byte for byte`, async (t) => {
    const first = await control(await serve(t, { fixture }), 'GET', '/state')
    t.like(first, { status: 200, headers: { 'content-type': 'application/json' } })
    const second = await serve(t, { fixture: await writeTemporary(t, 'saved.json', first.text) })
    t.is(withoutSeed((await control(second, 'GET', '/state')).text), withoutSeed(first.text))
    t.is((await second.diff()).fixture, 'saved')
  })
  test(`the state of ${fixture} is the content of its file, with all ids`, async (t) => {
    const { $schema: _, ...document } = await readFixture(file)
    const read = document['insights'] as readonly object[]
    const insights = read.map((insight, index) => Object.assign({ id: `insight-${index + 1}` }, insight))
    const { $seed, ...state } = await (await serve(t, { fixture })).state()
    t.deepEqual(asObject(state), { ...document, insights })
    const sha256 = hash('sha256', await readPackageFile(`fixtures/${file}`))
    t.deepEqual($seed, { fixture, sha256 })
  })
  test(`PUT /state accepts the file of ${fixture}`, async (t) => {
    const double = await serve(t, { fixture: fixture === 'empty' ? 'default' : 'empty' })
    const body = JSON.stringify(await readFixture(file))
    const reply = await controlText(double, 'PUT', '/state', body, { 'content-type': 'application/json' })
    t.is(reply.status, 204, reply.text)
    t.is(reply.text, '')
    const served = await control(await serve(t, { fixture }), 'GET', '/state')
    t.is(withoutSeed((await control(double, 'GET', '/state')).text), withoutSeed(served.text))
  })
}

test('the state file equals the response of GET /state, byte for byte, and is a fixture', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await serve(t, { state })
  t.is((await del(double, '/insights/orchid-ice-cubes', as('ada'))).status, 204)
  const answered = await control(double, 'GET', '/state')
  await double.stop()
  t.is(await readFile(state, 'utf8'), answered.text)
  const again = await serve(t, { fixture: state })
  t.is(withoutSeed((await control(again, 'GET', '/state')).text), withoutSeed(answered.text))
})

test('a double continues from a fixture that is used as a state file', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  await writeFile(state, await readPackageFile('fixtures/empty.json'))
  t.deepEqual(await insightsIn(await serve(t, { state })), [])
})

testOnDouble('after PUT /state, each caller gets the records that it has access to', async (t, double) => {
  const document = {
    $description: 'Two callers',
    $callers: { ada: { token: 'ada-token' }, grace: { token: 'grace-token' }, rest: { token: '*' } },
    insights: [
      { id: 'b', content: 'for ada', $access: ['ada'] },
      { content: 'for all' },
      { id: 'a', content: 'for both', tag: 'x', $access: ['grace', 'ada'] },
      { id: 'nobody', content: 'for nobody', $access: [] },
    ],
  }
  await double.setState(document)
  for (const caller of ['ada', 'grace'])
    t.deepEqual(json(await get(double, '/insights', as(caller))), visibleIn(document, caller))
  t.deepEqual(await idsSeenBy(double, 'ada'), ['b', 'insight-2', 'a'])
  t.deepEqual(await idsSeenBy(double, 'anybody'), ['insight-2'])
})

testOnDouble('callers that a new state does not contain are refused', async (t, double) => {
  await double.setState({ $callers: { eve: { token: 'eve-token' } }, insights: [] })
  assertError(t, await get(double, '/insights', as('ada')), 401)
  t.is((await get(double, '/insights', as('eve'))).text, '[]')
})

testOnDouble('an invalid state is refused as a whole, with every problem', async (t, double) => {
  const before = await control(double, 'GET', '/state')
  const told = await everything(double)
  const callers = { ada: { token: 'ada-token' }, grace: { token: 'ada-token' } }
  const insights = [
    { id: 'good', content: 'Nothing is wrong with this one.' },
    { id: 'same', content: 'x', $access: ['gracy'] },
    { id: 'same', content: 'x', createdAt: 'yesterday' },
    { id: 'colourful', content: 'x', colour: 'red' },
    { id: 'a b', content: 'x' },
    { content: 'x', $access: ['ada', 'ada', 'bob'] },
  ]
  const reply = await control(double, 'PUT', '/state', { $callers: callers, insights: insights.slice(0, -1) })
  assertError(t, reply, 400)
  const message = String(asObject(json(reply))['message'])
  t.regex(message, /^The state has 6 problems, so nothing was changed: /u)
  for (const problem of [
    /\/\$callers\/grace\/token\W+token is already the token of caller "ada"/u,
    /\/insights\/1\/\$access\/0\W+"gracy" is not a caller\W+use ada, grace/u,
    /\/insights\/2\/createdAt\W+\w/u,
    /\/insights\/2\/id\W+id "same" is already the id of record 2/u,
    /\/insights\/3\/colour\W+key "colour" is not known/u,
    /\/insights\/4\/id\W+\w/u,
  ])
    t.regex(message, problem)
  assertError(t, await control(double, 'PUT', '/state', { $callers: callers, insights }), 400)
  t.is((await control(double, 'GET', '/state')).text, before.text)
  t.deepEqual(await everything(double), told)
})

/** A diff without changes. */
const same = (fixture: string | null, removed: readonly string[] = []): unknown => ({
  fixture,
  collections: { insights: { added: [], removed, changed: {} } },
})

test('PUT /state keeps journal, faults and coverage, and the diff compares with the new state', async (t) => {
  const double = await serve(t)
  await get(double, '/insights', as('ada'))
  await double.addFault({ operation: 'deleteInsight', status: 400 })
  const { diff: _, state: __, ...before } = await everything(double)
  await double.setState({ $callers: { ada: { token: 'ada-token' } }, insights: [{ content: 'new' }] })
  const { diff, state, ...after } = await everything(double)
  t.deepEqual(after, before)
  t.deepEqual(diff, same(null))
  t.is(asObject(asObject(state)['$seed'])['fixture'], null)
  await double.clearFaults()
  await del(double, '/insights/insight-1', as('ada'))
  t.deepEqual((await changesIn(double)).removed, ['insight-1'])
})

testOnDouble('the diff lists deleted records in the order of the fixture until a reset', async (t, double) => {
  t.deepEqual(await double.diff(), same('default'))
  await del(double, '/insights/pothos-cutting-bundle', as('ada'))
  await del(double, '/insights/fungus-gnats-potting-mix', as('alan'))
  await del(double, '/insights/never-was', as('alan'))
  t.deepEqual(await double.diff(), same('default', ['fungus-gnats-potting-mix', 'pothos-cutting-bundle']))
  await double.reset()
  t.deepEqual(await double.diff(), same('default'))
})

testOnDouble('HEAD /state has the content length of GET /state and no body', async (t, double) => {
  const reply = await ask(double, 'HEAD', '/__admin/state')
  t.is(reply.status, 200)
  t.is(reply.headers['content-length'], String(Buffer.byteLength((await control(double, 'GET', '/state')).text)))
  t.is(reply.text, '')
})
