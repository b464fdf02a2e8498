import test from 'ava'

import { changesIn } from './helpers/control.js'
import { serve } from './helpers/double.js'
import { as, del, idsSeenBy } from './helpers/http.js'
import { often } from './helpers/repetitions.js'

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
