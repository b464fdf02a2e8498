import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { changesIn, control, entryOf, everything, insightsIn, serve, testOnDouble } from './helpers/double.js'
import { readPackageFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, idsSeenBy, json } from './helpers/http.js'
import { often } from './helpers/repetitions.js'

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
  const fixture = await writeTemporary(t, 'mine.json', await readPackageFile('fixtures/empty.json'))
  const double = await serve(t, { fixture })
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
  const problem = /has 1 problem, so nothing was changed: .*\/insights\/0\/\$access\/0\W+"gracy" is not a caller/u
  t.regex(String(asObject(json(reply))['message']), problem)
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

const clients = Array.from({ length: 32 }, (_, index) => index)
const deletesEach = 6

/** The order of a request and its response: numbers from a counter. */
interface Span {
  readonly asked: number
  readonly answered: number
}

/** Records events in order. */
function createClock(): <T>(run: () => Promise<T>) => Promise<readonly [result: T, span: Span]> {
  let now = 0
  return async (run) => {
    const asked = now++
    const result = await run()
    return [result, { asked, answered: now++ }]
  }
}

test('during repeated resets, every listing is that of one complete fixture', async (t) => {
  const double = await serve(t, { fixture: 'many' })
  const fixtures = ['default', 'many', 'empty', 'edge-cases']
  const whole = new Map<string, string>()
  for (const fixture of fixtures) {
    await double.reset(fixture)
    whole.set(JSON.stringify(await idsSeenBy(double, 'ada')), fixture)
  }
  t.is(whole.size, fixtures.length)
  const resets = new AbortController()
  const listing = clients.map(async () => {
    const seen = new Set<string>()
    do {
      const fixture = whole.get(JSON.stringify(await idsSeenBy(double, 'ada')))
      seen.add(fixture ?? 'half of one')
    } while (!resets.signal.aborted)
    return seen
  })
  for (let round = 0; round < often(12, 40); round++) await double.reset(fixtures[round % fixtures.length])
  resets.abort()
  const seen = new Set((await Promise.all(listing)).flatMap((fixturesSeen) => [...fixturesSeen]))
  t.deepEqual([...seen].toSorted(), fixtures.toSorted())
})

for (const round of [1, 2, 3].slice(0, often(1, 3)))
  test(`a reset while 32 clients list and delete reverts exactly the deletes before it: round ${round}`, async (t) => {
    const double = await serve(t, { fixture: 'many' })
    const all = (await idsSeenBy(double, 'ada')).map(String)
    const time = createClock()
    const deletes = new Map<string, Span>()
    const listings: (Span & { readonly missing: ReadonlySet<string>; readonly strange: number })[] = []
    let enough = (): void => {}
    const isEnough = new Promise<void>((resolve) => (enough = resolve))
    const work = clients.map(async (client) => {
      for (const id of all.slice(client * deletesEach, (client + 1) * deletesEach)) {
        const [{ status }, deleted] = await time(() => del(double, `/insights/${id}`, as('ada')))
        t.is(status, 204)
        deletes.set(id, deleted)
        if (deletes.size === clients.length * round) enough()
        const [ids, span] = await time(() => idsSeenBy(double, 'ada'))
        const seen = new Set(ids)
        const missing = new Set(all.filter((one) => !seen.has(one)))
        listings.push({ ...span, missing, strange: ids.length - (all.length - missing.size) })
      }
    })
    await isEnough
    const [, reset] = await time(() => double.reset())
    await Promise.all(work)
    const isBack = (id: string): boolean => (deletes.get(id)?.answered ?? Infinity) < reset.asked
    const isGone = (id: string): boolean => (deletes.get(id)?.asked ?? -1) > reset.answered
    const back = all.filter(isBack)
    t.true(back.length >= clients.length * round)
    for (const { answered, asked, missing, strange } of listings) {
      t.is(strange, 0)
      // Only records with a delete request are missing.
      t.true([...missing].every((id) => (deletes.get(id)?.asked ?? Infinity) < answered))
      // Either all records that were deleted before the reset are missing, or none is.
      const known = back.filter((id) => (deletes.get(id)?.answered ?? Infinity) < asked)
      const missed = known.filter((id) => missing.has(id)).length
      t.true(missed === known.length || missed === 0)
      if (answered < reset.asked) t.is(missed, known.length)
      if (asked > reset.answered) t.is(missed, 0)
      // Records that were deleted after the reset stay missing.
      t.true(all.filter(isGone).every((id) => missing.has(id) || (deletes.get(id)?.answered ?? Infinity) > asked))
    }
    const left = new Set(await idsSeenBy(double, 'ada'))
    t.true(back.every((id) => left.has(id)))
    t.false(all.filter(isGone).some((id) => left.has(id)))
    t.true(all.every((id) => left.has(id) || deletes.has(id)))
    const { removed } = await changesIn(double)
    const gone = all.filter((id) => !left.has(id))
    t.deepEqual(removed, gone)
  })
