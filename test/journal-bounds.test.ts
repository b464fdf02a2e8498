import test from 'ava'
import type { DoubleHandle } from 'insights-double'
import { RequestsNotSeenError } from 'insights-double'

import { timed } from './helpers/control.js'
import { serve } from './helpers/double.js'
import { as, assertError, ask, del, get } from './helpers/http.js'

test('a full journal drops the oldest entries and counts them', async (t) => {
  const double = await serve(t, { fixture: 'empty' })
  const oldest = await get(double, '/insights?turn=0', as('ada'))
  for (let turn = 1; turn < 1010; turn += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, more) => get(double, `/insights?turn=${turn + more}`, as('ada'))))
  }
  const { entries, evicted, matched } = await double.requests()
  t.deepEqual([matched, evicted, entries.length], [1000, 11, 1000])
  t.deepEqual(
    new Set(entries.map(({ url }) => url)),
    new Set(Array.from({ length: 1000 }, (_, turn) => `/insights?turn=${turn + 11}`)),
  )
  await t.throwsAsync(double.request(oldest.headers['x-request-id'] ?? ''), { code: 'unknown_request' })
  await t.throwsAsync(double.waitForRequests({ atLeast: 1001, withinMs: 0 }), { name: 'RequestsNotSeenError' })
  t.deepEqual((await double.coverage())[0], { operation: 'listInsights', status: '200', documented: true, count: 1011 })
  await double.clearRequests()
  t.deepEqual(await double.requests(), { entries: [], matched: 0, evicted: 0, satisfied: true })
})

test('the journal is also limited in bytes of header fields and bodies', async (t) => {
  const journalBytes = 1024 * 1024
  for (const [fixture, headers] of [
    ['empty', { ...as('ada'), 'x-long': 'x'.repeat(15_000) }],
    ['many', as('ada')],
  ] as const) {
    const double = await serve(t, { fixture, journalBytes })
    for (let turn = 0; turn < 100; turn += 10) {
      await Promise.all(Array.from({ length: 10 }, () => get(double, '/insights', headers)))
    }
    const { evicted, matched } = await double.requests()
    t.is(matched + evicted, 100)
    t.true(matched * 15_000 <= journalBytes && matched > 50, String(matched))
  }
})

test('journalEntries limits the journal, and one entry of any size is kept', async (t) => {
  const double = await serve(t, { journalEntries: 3, journalBytes: 1 })
  for (const limit of [1, 2]) await get(double, `/insights?limit=${limit}`, as('ada'))
  t.deepEqual(
    (await double.requests()).entries.map(({ url }) => url),
    ['/insights?limit=2'],
  )
  const other = await serve(t, { journalEntries: 3 })
  for (const limit of [1, 2, 3, 4]) await get(other, `/insights?limit=${limit}`, as('ada'))
  const { evicted, entries } = await other.requests()
  t.deepEqual([entries.length, evicted], [3, 1])
})

test('the target of a request is cut at 2,048 characters', async (t) => {
  const double = await serve(t)
  const target = `/insights?long=${'x'.repeat(5000)}`
  await get(double, target, as('ada'))
  const [entry] = (await double.requests()).entries
  t.deepEqual([entry?.url, entry?.truncated], [target.slice(0, 2048), ['url']])
})

test('the body of a response is cut at 16 KiB, between characters', async (t) => {
  const content = 'ä'.repeat(10_000)
  const double = await serve(t, { fixture: { $callers: { ada: { token: 'ada-token' } }, insights: [{ content }] } })
  const reply = await get(double, '/insights', as('ada'))
  const [entry] = (await double.requests()).entries
  const start = String(entry?.responseBody)
  t.true(Buffer.byteLength(start) === 16 * 1024 || Buffer.byteLength(start) === 16 * 1024 - 1)
  t.true(reply.text.startsWith(start))
  t.deepEqual(entry?.truncated, ['responseBody'])
})

/** Starts the longest wait, for entries that never come. A later wait that ends earlier did not wait for its time limit. */
function waitInVain(double: DoubleHandle): { readonly isOver: () => boolean } {
  let isOver = false
  const waiting = double.waitForRequests({ caller: 'alan', atLeast: 9, withinMs: 60_000 }).catch(() => {})
  void waiting.finally(() => (isOver = true))
  return { isOver: () => isOver }
}

test('a wait ends as soon as enough requests match', async (t) => {
  const double = await serve(t)
  await double.requests()
  const inVain = waitInVain(double)
  const waiting = double.waitForRequests({ operation: 'deleteInsight', atLeast: 2, withinMs: 60_000 })
  // A response to a later request shows that the wait has started.
  await double.requests()
  await get(double, '/insights', as('ada'))
  await del(double, '/insights/orchid-ice-cubes', as('ada'))
  await del(double, '/insights/cactus-winter-rest', as('ada'))
  const listing = await waiting
  t.false(inVain.isOver())
  t.deepEqual([listing.satisfied, listing.matched], [true, 2])
  t.true(listing.entries.every(({ operation }) => operation === 'deleteInsight'))
})

test('a wait for recorded requests ends at once', async (t) => {
  const double = await serve(t)
  await get(double, '/insights', as('ada'))
  const inVain = waitInVain(double)
  t.true((await double.waitForRequests({ atLeast: 1, withinMs: 60_000 })).satisfied)
  t.false(inVain.isOver())
})

test('a wait without matching entries lasts until its time limit, and the response says so', async (t) => {
  const double = await serve(t)
  await get(double, '/insights', as('ada'))
  const wanted = { caller: 'grace', atLeast: 1, withinMs: 1000 }
  const [error, milliseconds] = await timed(() =>
    t.throwsAsync(double.waitForRequests(wanted), { instanceOf: RequestsNotSeenError }),
  )
  const { entries } = await double.requests()
  t.like(error, { filter: { caller: 'grace' }, atLeast: 1, withinMs: 1000, matched: 0, nearest: entries })
  t.is(
    error?.message,
    '0 of 1 requests with caller "grace" arrived within 1000 ms. The nearest requests that arrived:\n  GET /insights  200  listInsights, ada, ok',
  )
  t.true(milliseconds > 100, String(milliseconds))
})

test('a wait delays no other request, and requests of another sandbox do not end it', async (t) => {
  const double = await serve(t)
  const sandbox = await double.sandbox()
  let isOver = false
  const waiting = sandbox.waitForRequests({ atLeast: 1, withinMs: 60_000 }).finally(() => (isOver = true))
  // A response to this request shows that the earlier wait has started.
  await sandbox.health()
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  await double.health()
  t.false(isOver)
  await double.stop()
  await t.throwsAsync(waiting, { name: 'RequestsNotSeenError', message: /The journal is empty/u })
})

test('a client that waits when the double stops gets a response', async (t) => {
  const double = await serve(t)
  await double.health()
  const waiting = double.waitForRequests({ atLeast: 1, withinMs: 60_000 })
  // A response to this request shows that the earlier wait has started.
  await get(double, '/nothing')
  const stillWaiting = double.waitForRequests({ atLeast: 2, withinMs: 60_000 })
  t.true((await waiting).satisfied)
  await double.health()
  await double.stop()
  // A wait that was cut off would have failed.
  await t.throwsAsync(stillWaiting, { name: 'RequestsNotSeenError' })
})

test('the coverage counts the responses of each documented status, in the order of the contract', async (t) => {
  const double = await serve(t)
  const documented = [
    ['listInsights', '200'],
    ['listInsights', '400'],
    ['listInsights', '401'],
    ['listInsights', '500'],
    ['deleteInsight', '204'],
    ['deleteInsight', '400'],
    ['deleteInsight', '401'],
    ['deleteInsight', '404'],
    ['deleteInsight', '500'],
  ] as const
  const rows = (counts: readonly number[]): object[] =>
    documented.map(([operation, status], index) => ({ operation, status, documented: true, count: counts[index] ?? 0 }))
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

test('an undocumented status is counted after the documented ones, and marked', async (t) => {
  const double = await serve(t)
  await double.addFault({ operation: 'listInsights', status: 503 })
  await get(double, '/insights', as('ada'))
  const rows = (await double.coverage()).filter(({ operation }) => operation === 'listInsights')
  t.deepEqual(rows.at(-1), { operation: 'listInsights', status: '503', documented: false, count: 1 })
  t.is(rows.length, 5)
})
