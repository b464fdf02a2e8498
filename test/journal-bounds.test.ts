import test from 'ava'

import { pluck } from './helpers/as-object-or-list.js'
import { serve, testOnDouble } from './helpers/double.js'
import { as, get } from './helpers/http.js'

test('a full journal drops the oldest entries and counts them', async (t) => {
  const double = await serve(t, { fixture: 'empty' })
  const oldest = await get(double, '/insights?turn=0', as('ada'))
  for (let turn = 1; turn < 1010; turn += 10)
    await Promise.all(Array.from({ length: 10 }, (_, more) => get(double, `/insights?turn=${turn + more}`, as('ada'))))
  const { entries, evicted, matched } = await double.requests()
  t.deepEqual([matched, evicted, entries.length], [1000, 11, 1000])
  const kept = Array.from({ length: 1000 }, (_, turn) => `/insights?turn=${turn + 11}`)
  t.deepEqual(new Set(pluck(entries, 'url')), new Set(kept))
  await t.throwsAsync(double.request(oldest.headers['x-request-id'] ?? ''), { code: 'unknown_request' })
  await t.throwsAsync(double.waitForRequests({ atLeast: 1001, withinMs: 0 }), { name: 'RequestsNotSeenError' })
  t.deepEqual((await double.coverage())[0], { operation: 'listInsights', status: '200', documented: true, count: 1011 })
  await double.clearRequests()
  t.deepEqual(await double.requests(), { entries: [], matched: 0, evicted: 0, satisfied: true })
})

test('journalBytes limits the header fields and bodies in the journal', async (t) => {
  const journalBytes = 1024 * 1024
  const long = { ...as('ada'), 'x-long': 'x'.repeat(15_000) }
  for (const [fixture, headers] of Object.entries({ empty: long, many: as('ada') })) {
    const double = await serve(t, { fixture, journalBytes })
    for (let turn = 0; turn < 100; turn += 10)
      await Promise.all(Array.from({ length: 10 }, () => get(double, '/insights', headers)))
    const { evicted, matched } = await double.requests()
    t.is(matched + evicted, 100)
    t.true(matched * 15_000 <= journalBytes && matched > 50, String(matched))
  }
})

test('journalEntries limits the journal, and one entry of any size is kept', async (t) => {
  const double = await serve(t, { journalEntries: 3, journalBytes: 1 })
  for (const limit of [1, 2]) await get(double, `/insights?limit=${limit}`, as('ada'))
  t.deepEqual(pluck((await double.requests()).entries, 'url'), ['/insights?limit=2'])
  const other = await serve(t, { journalEntries: 3 })
  for (const limit of [1, 2, 3, 4]) await get(other, `/insights?limit=${limit}`, as('ada'))
  const { evicted, entries } = await other.requests()
  t.deepEqual([entries.length, evicted], [3, 1])
})

testOnDouble('the target of a request is cut at 2,048 characters', async (t, double) => {
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
