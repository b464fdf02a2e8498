import { setMaxListeners } from 'node:events'

import test from 'ava'
import { type DoubleHandle, RequestsNotSeenError } from 'insights-double'

import { Journal } from '#src/sandbox/journal.js'

import { serve, testOnDouble } from './helpers/double.js'
import { as, del, get } from './helpers/http.js'
import { timed } from './helpers/scripts.js'

/** Starts a wait of the maximum time, for requests that nobody sends. A later wait that ends before it did not reach its time limit. */
function waitInVain(double: DoubleHandle): { readonly isOver: () => boolean } {
  let isOver = false
  const waiting = double.waitForRequests({ caller: 'alan', atLeast: 9, withinMs: 60_000 }).catch(() => {})
  void waiting.finally(() => (isOver = true))
  return { isOver: () => isOver }
}

testOnDouble('a wait ends as soon as enough requests match', async (t, double) => {
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

testOnDouble('a wait for recorded requests ends at once', async (t, double) => {
  await get(double, '/insights', as('ada'))
  const inVain = waitInVain(double)
  t.true((await double.waitForRequests({ atLeast: 1, withinMs: 60_000 })).satisfied)
  t.false(inVain.isOver())
})

test('a wait without matching entries ends at its time limit, with an error that lists the nearest requests', async (t) => {
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

testOnDouble('a wait delays no other request, and requests of another sandbox do not end it', async (t, double) => {
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

testOnDouble('a client that waits when the double stops gets a response', async (t, double) => {
  await double.health()
  const waiting = double.waitForRequests({ atLeast: 1, withinMs: 60_000 })
  // A response to this request shows that the earlier wait has started.
  await get(double, '/nothing')
  const stillWaiting = double.waitForRequests({ atLeast: 2, withinMs: 60_000 })
  t.true((await waiting).satisfied)
  await double.health()
  await double.stop()
  // If the connection had been cut off, the error would be another one.
  await t.throwsAsync(stillWaiting, { name: 'RequestsNotSeenError' })
})

test('a wait that ends early leaves no listener', async (t) => {
  const journal = new Journal()
  const leaving = new AbortController()
  setMaxListeners(100, leaving.signal)
  const waits = Array.from({ length: 100 }, () =>
    journal.wait({}, { atLeast: 1, withinMs: 60_000, createSignal: () => leaving.signal }),
  )
  t.is(journal.listeners, 100)
  leaving.abort()
  t.deepEqual(new Set(await Promise.all(waits)), new Set([false]))
  t.is(journal.listeners, 0)
})
