import test from 'ava'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { control, serve, testOnDouble } from './helpers/double.js'
import { as, assertError, ask, del, get, json } from './helpers/http.js'

test('the coverage counts the responses of each documented status, in the order of the contract', async (t) => {
  const double = await serve(t)
  const statuses = { listInsights: ['200', '400', '401', '500'], deleteInsight: ['204', '400', '401', '404', '500'] }
  const documented = Object.entries(statuses).flatMap(([operation, all]) =>
    all.map((status) => ({ operation, status })),
  )
  const rows = (counts: readonly number[]): object[] =>
    documented.map((each, index) => ({ ...each, documented: true, count: counts[index] ?? 0 }))
  t.deepEqual(await double.coverage(), rows([]))
  for (const limit of ['1', '2', 'abc']) await get(double, `/insights?limit=${limit}`, as('ada'))
  await ask(double, 'HEAD', '/insights', as('ada'))
  await get(double, '/insights')
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  assertError(t, await get(double, '/nothing'), 404)
  assertError(t, await ask(double, 'PATCH', '/insights'), 405)
  t.deepEqual(await double.coverage(), rows([3, 1, 1, 0, 1, 0, 0, 1, 0]))
})

testOnDouble('an undocumented status is counted after the documented ones, and marked', async (t, double) => {
  await double.addFault({ operation: 'listInsights', status: 503 })
  await get(double, '/insights', as('ada'))
  const rows = (await double.coverage()).filter(({ operation }) => operation === 'listInsights')
  t.deepEqual(rows.at(-1), { operation: 'listInsights', status: '503', documented: false, count: 1 })
  t.is(rows.length, 5)
})

testOnDouble('the coverage of all runs has that of sandboxes, dropped ones and before resets', async (t, double) => {
  const [kept, dropped] = [await double.sandbox(), await double.sandbox()]
  for (const run of [double, kept, dropped, dropped]) await get(run, '/insights', as('ada'))
  await get(kept, '/insights?limit=abc', as('ada'))
  await dropped.stop()
  await kept.reset()
  const rows = asList(json(await control(double, 'GET', '/coverage?allRuns=true'))).map(asObject)
  t.deepEqual(pluck(rows, 'status').slice(0, 3), ['200', '400', '401'])
  t.deepEqual(pluck(rows, 'count').slice(0, 3), [4, 1, 0])
  t.deepEqual(pluck((await double.coverage()).slice(0, 3), 'count'), [1, 0, 0])
})
