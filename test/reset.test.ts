import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { control, entryOf, everything, insightsIn } from './helpers/control.js'
import { serve, testOnDouble } from './helpers/double.js'
import { readPackageFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, json } from './helpers/http.js'

/** The package's fixtures, with their number of insights. */
const counts = { default: 12, 'edge-cases': undefined, empty: 0, many: 1000 }
const idsOf = async (double: DoubleHandle): Promise<readonly unknown[]> =>
  (await insightsIn(double)).map(({ id }) => id)

for (const [fixture, count] of Object.entries(counts))
  test(`a reset to ${fixture} sets the state of that fixture`, async (t) => {
    const double = await serve(t, { fixture: fixture === 'many' ? 'default' : 'many' })
    const { insights } = (await double.reset(fixture)).collections
    const fresh = await serve(t, { fixture })
    t.is((await control(double, 'GET', '/state')).text, (await control(fresh, 'GET', '/state')).text)
    t.is(insights, (await insightsIn(double)).length)
    if (count !== undefined) t.is(insights, count)
    t.is((await double.diff()).fixture, fixture)
  })

test('a reset without a fixture uses the fixture of the last reset', async (t) => {
  const double = await serve(t, { fixture: 'many' })
  t.deepEqual(await double.reset(), { fixture: 'many', collections: { insights: 1000 } })
  await double.reset('default')
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  await double.setState({ $callers: { eve: { token: '*' } }, insights: [] })
  t.deepEqual(await double.reset(), { fixture: 'default', collections: { insights: 12 } })
  t.true((await idsOf(double)).includes('orchid-ice-cubes'))
})

test('a fixture with a path has its base name, and a reset uses it again', async (t) => {
  const double = await serve(t, {
    fixture: await writeTemporary(t, 'mine.json', await readPackageFile('fixtures/empty.json')),
  })
  await double.reset('default')
  t.deepEqual(await double.reset('mine'), { fixture: 'mine', collections: { insights: 0 } })
  t.deepEqual(await double.reset(), { fixture: 'mine', collections: { insights: 0 } })
})

test('a reset reads a changed fixture file again', async (t) => {
  const fixture = await writeTemporary(t, 'mine.json', await readPackageFile('fixtures/default.json'))
  const double = await serve(t, { fixture })
  await writeFile(fixture, await readPackageFile('fixtures/empty.json'))
  t.deepEqual(await double.reset(), { fixture: 'mine', collections: { insights: 0 } })
})

test('a reset to a fixture file that has become invalid is refused, and the state does not change', async (t) => {
  const fixture = await writeTemporary(t, 'mine.json', await readPackageFile('fixtures/default.json'))
  const double = await serve(t, { fixture })
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  await double.addFault({ status: 400 })
  const before = await everything(double)
  await writeFile(fixture, (await readFile(fixture, 'utf8')).replace('["ada", "grace"]', '["gracy"]'))
  const reply = await control(double, 'POST', '/reset', {})
  assertError(t, reply, 400)
  t.regex(
    String(asObject(json(reply))['message']),
    /has 1 problem, so nothing was changed: .*\/insights\/0\/\$access\/0\W+"gracy" is not a caller/u,
  )
  t.deepEqual(await everything(double), before)
})

test('a reset uses the last content of a fixture file that was removed', async (t) => {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'mine.json'), await readPackageFile('fixtures/default.json'))
  const double = await serve(t, { fixtures: folder, fixture: 'mine' })
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  await rm(join(folder, 'mine.json'))
  t.deepEqual(await double.reset(), { fixture: 'mine', collections: { insights: 12 } })
})

const unknown = [
  ['emtpy', 'Default', 'default.json', 'constructor', '__proto__', '.', '..', '*', ' default', 'default\n'],
  ['../default', '../fixtures/default', './default', '%2e%2e/default', '..%2fdefault', '/etc/passwd'],
  [String.raw`..\default`, 'default\u0000', 'default\u0000.json'],
].flat()
for (const fixture of unknown)
  test(`${JSON.stringify(fixture)} is not the name of a fixture: the reset is refused, and nothing changes`, async (t) => {
    const double = await serve(t)
    await del(double, '/insights/orchid-ice-cubes', as('ada'))
    const before = await everything(double)
    const reply = await control(double, 'POST', '/reset', { fixture })
    const known = 'The folder has default, edge-cases, empty, many.'
    assertError(t, reply, 404, `There is no fixture ${JSON.stringify(fixture)}. ${known}`)
    t.deepEqual(await everything(double), before)
  })

testOnDouble('a reset clears journal, faults and coverage with the state', async (t, double) => {
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  await double.addFault({ operation: 'listInsights', status: 400, times: 5 })
  const reply = await get(double, '/insights', as('ada'))
  t.is(reply.status, 400)
  t.is((await entryOf(double, reply)).fault, 'fault-1')
  await double.reset()
  t.deepEqual(await double.requests(), { entries: [], matched: 0, evicted: 0, satisfied: true })
  t.deepEqual(await double.faults(), [])
  t.true((await double.coverage()).every(({ count }) => count === 0))
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  t.is((await double.requests()).matched, 1)
  await t.throwsAsync(entryOf(double, reply), { code: 'unknown_request' })
})
