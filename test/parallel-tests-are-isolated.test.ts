import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { pluck } from './helpers/as-object-or-list.js'
import { changedSpec, changesIn, serve } from './helpers/double.js'
import { as, del, get, idsSeenBy, raw, rawAs } from './helpers/http.js'
import { often } from './helpers/repetitions.js'
import { body, ref } from './resources/plants-contract.js'

const workers = 8
const roundsEach = often(9, 200)

/** A failure that a test causes in its sandbox. */
type Failure = 'none' | 'fault' | 'disconnect' | 'reset' | 'broken reply' | 'broken request'
const failures: readonly Failure[] = ['none', 'fault', 'disconnect', 'reset', 'broken reply', 'broken request']

/** The expected journal entry: operation, status, caller. */
type Expected = readonly [operation: string | null, status: number | null, caller: string | null]

/** Acts as a test of an application: creates a sandbox, uses it, reads its journal, drops it. */
async function miniTest(t: ExecutionContext, double: DoubleHandle, turn: number): Promise<void> {
  const failure = failures[turn % failures.length] ?? 'none'
  const caller = turn % 2 === 0 ? 'ada' : 'grace'
  await using sandbox = await double.sandbox({ fixture: 'default' })
  const before = await idsSeenBy(sandbox, caller)
  const expected: Expected[] = [['listInsights', 200, caller]]
  expected.push(...(await causeFailure(failure, sandbox)))
  if (failure === 'reset') expected.length = 0

  const id = String(before[turn % before.length])
  t.is((await del(sandbox, `/insights/${id}`, as(caller))).status, 204)
  expected.push(['deleteInsight', 204, caller])
  const left = before.filter((other) => other !== id)
  t.deepEqual(await idsSeenBy(sandbox, caller), left)
  expected.push(['listInsights', 200, caller])

  const { entries, evicted } = await sandbox.requests()
  t.deepEqual(pluck(entries, 'operation', 'status', 'caller'), expected)
  t.true(entries.every((entry) => entry.sandbox === sandbox.name))
  t.is(evicted, 0)
  const insights = { added: [], removed: [id], changed: {} }
  t.deepEqual(await sandbox.diff(), { fixture: 'default', collections: { insights } })
  t.deepEqual(await sandbox.faults(), [])
}

/** Causes failures in a sandbox. @returns The expected entries of its journal. */
async function causeFailure(failure: Failure, sandbox: DoubleHandle): Promise<readonly Expected[]> {
  if (failure === 'fault') {
    await sandbox.addFault({ operation: 'listInsights', status: 400 })
    await get(sandbox, '/insights', as('alan'))
    return [['listInsights', 400, 'alan']]
  }
  if (failure === 'disconnect') {
    await sandbox.addFault({ disconnect: true })
    await get(sandbox, '/insights', as('alan')).catch(() => {})
    return [['listInsights', null, 'alan']]
  }
  if (failure === 'reset') {
    await del(sandbox, '/insights/orchid-ice-cubes', as('alan'))
    await sandbox.addFault({ operation: 'deleteInsight', status: 400 })
    await sandbox.reset('default')
    return []
  }
  if (failure === 'broken reply') {
    await get(sandbox, '/broken', as('alan'))
    return [['getBroken', 500, 'alan']]
  }
  if (failure === 'broken request') {
    const { pathname } = new URL(sandbox.url)
    await rawAs(sandbox, 'alan', `DELETE ${pathname}/insights/%E0%A4%A`)
    await raw(sandbox, `GET ${pathname}/insights HTTP/9.9\r\nbroken\r\n\r\n`)
    return [['deleteInsight', 400, 'alan']]
  }
  return []
}

test(`${workers * roundsEach} tests on one double, ${workers} of them in parallel, are isolated`, async (t) => {
  const impossible = { type: 'string', pattern: '^never$', maxLength: 2 }
  const spec = await changedSpec(t, (document) => {
    const responses = { 200: body(impossible, 'something else'), 500: body(ref('Error')) }
    document.setIn(['paths', '/broken', 'get'], { operationId: 'getBroken', responses })
  })
  const double = await serve(t, { spec })
  const root = await double.state()
  let unread = 0
  const working = Array.from({ length: workers }, async (_, worker) => {
    for (let round = 0; round < roundsEach; round++) {
      const turn = worker + round * 5
      if (failures[turn % failures.length] === 'broken request') unread++
      await miniTest(t, double, turn)
    }
  })
  await Promise.all(working)
  t.deepEqual(await double.sandboxes(), [])
  t.deepEqual(await double.state(), root)
  t.deepEqual((await changesIn(double)).removed, [])
  // The root has only the malformed requests, which belong to no sandbox.
  const { entries, evicted } = await double.requests()
  t.true(entries.every(({ method, note }) => method === '' && note === 'refused: it is not a valid HTTP request'))
  t.is(entries.length + evicted, unread)
})
