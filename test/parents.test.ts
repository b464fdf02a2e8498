import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle, FixtureDocument, FixtureRecord } from 'insights-double'

import { pluck } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { packageFolder } from './helpers/files.js'
import { as, ask, get, type Headers, json, type Reply, sendJson } from './helpers/http.js'

const note = (branch: string, loanId: number, id: string): FixtureRecord => ({
  id,
  text: id,
  $parents: { b: branch, loanId },
})
const loan = (branch: string, id: number): FixtureRecord => ({
  id,
  title: `${id}`,
  archived: false,
  state: 'open',
  $parents: { branch },
})
const fixture: FixtureDocument = {
  $callers: { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } },
  branches: [
    { id: 'north', name: 'North' },
    { id: 'south', name: 'South' },
    { id: 'hidden', name: 'Hidden', $access: ['grace'] },
  ],
  loans: [loan('north', 1), loan('south', 2), loan('south', 1), loan('hidden', 1)],
  notes: [note('north', 1, 'a'), note('north', 1, 'b'), note('south', 1, 'a')],
}
const branches = (t: ExecutionContext): Promise<DoubleHandle> =>
  serve(t, { spec: join(packageFolder, 'test', 'specs', 'branches.yaml'), fixture, now: '2026-03-04T05:06:07.000Z' })
const headers: Headers = { ...as('ada'), 'x-idempotency-key': 'k' }

test('below a record that does not exist, or that the caller has no access to, each operation is the same documented 404', async (t) => {
  const double = await branches(t)
  const body = { title: 'x' }
  const replies: readonly (readonly [Reply, string])[] = [
    [await get(double, '/branches/none/loans', headers), 'none'],
    [await sendJson(double, 'POST', '/branches/none/loans', body, headers), 'none'],
    [await get(double, '/branches/hidden/loans', headers), 'hidden'],
    [await get(double, '/branches/hidden/loans/1', headers), 'hidden'],
    [await sendJson(double, 'PUT', '/branches/hidden/loans/1', body, headers), 'hidden'],
    [await get(double, '/branches/none/summary', headers), 'none'],
    [await get(double, '/branches/hidden/summary', headers), 'hidden'],
  ]
  for (const [reply, id] of replies) {
    const message = `branches has no record "${id}" that the caller has access to.`
    t.deepEqual([reply.status, json(reply)], [404, { error: 404, message }])
  }
  for (const path of ['loans', 'summary'])
    t.is((await get(double, `/branches/hidden/${path}`, { ...headers, ...as('grace') })).status, 200)
  t.deepEqual(json(await get(double, '/branches/north/loans', headers)), [
    { id: 1, title: '1', archived: false, state: 'open' },
  ])
  t.deepEqual(json(await get(double, '/branches/none/loans/1/notes', headers)), [], 'it documents no 404')
})

test('removing a record removes what lies below its path, and nothing else, in one change', async (t) => {
  const double = await branches(t)
  t.is((await ask(double, 'DELETE', '/branches/north', headers)).status, 204)
  const { loans, notes } = (await double.state()) as unknown as Record<string, readonly { readonly id: unknown }[]>
  t.deepEqual(pluck(loans ?? [], 'id'), [2, 1, 1])
  t.deepEqual(pluck(notes ?? [], 'id'), ['a'])
  t.is((await sendJson(double, 'PUT', '/branches/north', { name: 'New north' }, headers)).status, 201)
  t.deepEqual(json(await get(double, '/branches/north/loans', headers)), [])
  const created = await sendJson(double, 'POST', '/branches/north/loans', { title: 'x' }, headers)
  t.is((json(created) as { id: number }).id, 5, 'the ids of removed records are not used again')
})

test('a created record has times that are now, flags that are false and an initial state; a change sets the times of change', async (t) => {
  const double = await branches(t)
  const now = '2026-03-04T05:06:07.000Z'
  const dates = { modified: Date.parse(now), date_modified: '2026-03-04', changed_at: now }
  const times = { updatedAt: now, lastModified: Date.parse(now) / 1000, ...dates }
  const filled = { archived: false, overdue: true, state: 'open', kind: 'used' }
  const created = { title: 'x', ...filled, created_at: now, updated_by: 'ada', ...times }
  t.like(json(await sendJson(double, 'POST', '/branches/north/loans', { title: 'x' }, headers)), created)
  const replaced = await sendJson(double, 'PUT', '/branches/south/loans/2', { title: 'y' }, headers)
  t.like(json(replaced), { id: 2, state: 'open', ...times })
})
