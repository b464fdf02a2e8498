import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, del, get, json } from './helpers/http.js'
import { seededRandom, shuffled } from './helpers/seeded-random.js'

const ids = Array.from({ length: 100 }, (_, index) => `record-${index}`)
const tries = 10

test('exactly one of ten parallel deletes succeeds for each of 100 ids, and the state file has none of the records', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const fixture = await writeTemporary(
    t,
    'hundred.json',
    JSON.stringify({
      $callers: { ada: { token: 'ada-token' } },
      insights: [...ids, 'stays'].map((id) => ({ id, content: id })),
    }),
  )
  const double = await serve(t, { fixture, state })
  const random = seededRandom(1)
  const statuses: (readonly [id: string, status: number])[] = []
  // On a busy machine, a thousand requests at once take longer than `fetch` waits for a connection.
  for (let from = 0; from < ids.length; from += 20) {
    const some = ids.slice(from, from + 20)
    const attempts = shuffled(
      some.flatMap((id) => Array.from({ length: tries }, () => id)),
      random,
    )
    statuses.push(
      ...(await Promise.all(
        attempts.map(async (id) => [id, (await del(double, `/insights/${id}`, as('ada'))).status] as const),
      )),
    )
  }
  const count = (status: number): number => statuses.filter(([, each]) => each === status).length
  t.log(`${count(204)} × 204, ${count(404)} × 404`)
  t.deepEqual([count(204), count(404)], [ids.length, ids.length * (tries - 1)])
  for (const id of ids) t.is(statuses.filter(([each, status]) => each === id && status === 204).length, 1, id)
  const kept = asList(asObject(JSON.parse(await readFile(state, 'utf8')))['insights'])
  t.deepEqual(
    kept.map((insight) => asObject(insight)['id']),
    ['stays'],
  )
  t.deepEqual(json(await get(double, '/insights', as('ada'))), [{ id: 'stays', content: 'stays' }])
})
