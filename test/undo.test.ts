/** Tests that changes of the control plane can be undone, one after the other, and that a request says what it has changed. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { run } from './helpers/cli.js'
import { control, entryOf, insightsIn, serve, testOnDouble } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, assertError, del, get, json } from './helpers/http.js'

const path = '/record?collection=insights&key='
const nothing = 'There is no change to undo. Changes of the control plane can be undone, those of the service cannot.'
const changedSince = 'The state has changed since, so the change cannot be undone. Nothing was changed.'
const undo = async (double: DoubleHandle) => control(double, 'POST', '/undo')
const change = async (double: DoubleHandle, body: object) =>
  control(double, 'POST', '/record-changes?collection=insights', body)

testOnDouble('each change is undone in reverse order, and the order of the records is as before', async (t, double) => {
  const states = [await double.state()]
  const steps = [
    () => control(double, 'DELETE', `${path}monstera-watering`),
    () => control(double, 'PUT', `${path}orchid-ice-cubes`, { id: 'orchid-ice-cubes', content: 'other' }),
    () => control(double, 'POST', '/records?collection=insights', { id: 'new', content: 'new' }),
    () => change(double, { remove: ['new', 'pothos-cutting-bundle'], restore: ['monstera-watering'] }),
    () => double.reset('empty'),
    () => double.setState({ insights: [{ id: 'one', content: 'one' }], $callers: { ada: { token: 'ada-token' } } }),
  ]
  for (const step of steps) {
    await step()
    states.push(await double.state())
  }
  const undoable = pluck(asList(json(await control(double, 'GET', '/undo'))).map(asObject), 'operation').join(' ')
  t.is(undoable, 'setState reset changeRecords addRecord replaceRecord removeRecord')
  for (const state of states.toReversed().slice(1)) {
    t.is((await undo(double)).status, 200)
    t.deepEqual(await double.state(), state)
  }
  assertError(t, await undo(double), 409, nothing)
  t.deepEqual((await double.diff()).collections['insights'], { added: [], removed: [], changed: {} })
})

testOnDouble('an undo leaves changes of others, and is refused if they changed its record', async (t, double) => {
  await control(double, 'DELETE', `${path}monstera-watering`)
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  t.is((await undo(double)).status, 200)
  t.deepEqual((await double.diff()).collections['insights']?.removed, ['orchid-ice-cubes'])
  t.is((await insightsIn(double))[0]?.['id'], 'monstera-watering')
  await control(double, 'PUT', `${path}pothos-cutting-bundle`, { id: 'pothos-cutting-bundle', content: 'other' })
  await del(double, '/insights/pothos-cutting-bundle', as('grace'))
  const state = await double.state()
  assertError(t, await undo(double), 409, changedSince)
  t.deepEqual(await double.state(), state)
  const refused = await change(double, { remove: ['monstera-watering', 'none'] })
  assertError(t, refused, 404, 'insights has no record "none". It was never added, or was removed.')
  t.deepEqual(await double.state(), state)
})

testOnDouble('a request says which records it has changed, and a sandbox has its own changes', async (t, double) => {
  const [record] = await insightsIn(double)
  const entry = await entryOf(double, await del(double, '/insights/monstera-watering', as('ada')))
  t.deepEqual(entry.changes?.['insights']?.removed, { 'monstera-watering': record })
  t.deepEqual(entry.changes?.['insights']?.counts, { added: 0, changed: 0, removed: 1 })
  t.is((await entryOf(double, await get(double, '/insights', as('ada')))).changes, undefined)
  await double.reset('many')
  assertError(t, await undo(await double.sandbox()), 409, nothing)
})

testOnDouble('the undo of a reset brings back faults, also consumed ones, and requests', async (t, double) => {
  const consumed = async () => asList(json(await control(double, 'GET', '/faults?consumed=true'))).map(asObject)
  await double.addFault({ operation: 'listInsights', status: 503 })
  t.is((await get(double, '/insights', as('ada'))).status, 503)
  t.like((await consumed())[0], { operation: 'listInsights', status: 503, fired: 1 })
  await double.addFault({ operation: 'deleteInsight', status: 503 })
  const [active, used] = [await double.faults(), await consumed()]
  const { entries } = await double.requests()
  await double.reset()
  t.deepEqual([await double.faults(), await consumed()], [[], []])
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 200)
  t.like(json(await undo(double)), { operation: 'reset' })
  t.deepEqual([await double.faults(), await consumed()], [active, used])
  const urls = pluck([...entries, { url: '/insights?limit=1' }], 'url')
  t.deepEqual(pluck((await double.requests()).entries, 'url'), urls)
})

testOnDouble('a replay has the credentials of the chosen caller', async (t, double) => {
  const { id } = await entryOf(double, await get(double, '/insights?limit=2', as('ada')))
  const replay = async (query: string) => control(double, 'GET', `/requests/${id}?as=replay${query}`)
  t.like(json(await replay('')), { url: '/insights?limit=2', headers: { authorization: 'Bearer ada-token' } })
  t.like(json(await replay('&caller=grace')), { method: 'GET', headers: { authorization: 'Bearer grace-token' } })
  assertError(t, await replay('&caller=nobody'), 400, 'There is no caller "nobody". The state has ada, grace, alan.')
})

test('the state is written into the folder of fixtures if that is allowed', async (t) => {
  const folder = await temporaryFolder(t)
  const fixture = { $description: 'Nobody has insights', insights: [], $callers: { ada: { token: 'ada-token' } } }
  await writeFile(join(folder, 'none.json'), JSON.stringify(fixture))
  const double = await serve(t, { fixtures: folder, fixturesWritable: true, fixture: 'none' })
  await control(double, 'POST', '/records?collection=insights', { id: 'new', content: 'new' })
  t.is((await control(double, 'PUT', '/fixtures/checkout')).status, 204)
  const written = asObject(JSON.parse(await readFile(join(folder, 'checkout.json'), 'utf8')))
  t.deepEqual([written['insights'], written['$description']], [[{ id: 'new', content: 'new' }], undefined])
  t.is((await control(double, 'PUT', '/fixtures/none')).status, 204)
  t.regex(await readFile(join(folder, 'none.json'), 'utf8'), /"Nobody has insights"/u)
  t.deepEqual((await double.reset('checkout')).collections, { insights: 1 })
  t.is((await control(double, 'PUT', '/fixtures/..%2Fother')).status, 400)
  const refusal = 'The double may not write into the folder of fixtures. Start it with --fixtures-writable to allow it.'
  assertError(t, await control(await serve(t), 'PUT', '/fixtures/mine'), 403, refusal)
  const { code, stderr } = await run(t, ['serve', '--memory', '--fixtures-writable'])
  t.deepEqual([code, /--fixtures-writable needs .* Add --fixtures\./u.test(stderr)], [2, true])
})

testOnDouble('a report is one page, of at most 5 MiB, with the violations first', async (t, double) => {
  const secret = { authorization: 'Bearer a-secret-of-a-client' }
  const sandbox = await double.sandbox({ title: '</script><b>' })
  await get(sandbox, '/insights?limit=abc', as('ada'))
  await sandbox.stop()
  await double.reset('many')
  for (let sent = 0; sent < 400; sent++) await get(double, `/insights?limit=60&n=${sent}`, as('ada'))
  await get(double, '/insights', secret)
  const { text } = await control(double, 'GET', '/report')
  t.true(Buffer.byteLength(text) <= 5 * 1024 * 1024)
  t.true(Buffer.byteLength(text) > 4 * 1024 * 1024)
  t.false(text.includes('a-secret-of-a-client'))
  t.notRegex(text, /(?:src|href)="assets/u)
  const [, snapshot = ''] = /<script type="application\/json" id="snapshot">(.*?)<\/script>/su.exec(text) ?? []
  type Snapshot = { readonly first: string; readonly ofRuns: Record<string, Record<string, unknown>> }
  const { first, ofRuns } = JSON.parse(snapshot) as Snapshot
  t.is(first, sandbox.name, 'it opens with the violation')
  const responses = ofRuns[sandbox.name] ?? {}
  const place = Object.keys(responses).find((each) => each.startsWith('requests/')) ?? ''
  t.is(asList(asObject(responses[place])['violations']).length, 1)
  const [line] = asList(asObject(responses['request-lines'])['lines'])
  t.is(`requests/${String(asObject(line)['id'])}`, place)
})
