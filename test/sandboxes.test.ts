import test, { type ExecutionContext } from 'ava'
import { connectDouble, type DoubleHandle, RequestsNotSeenError } from 'insights-double'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { changesIn, control, insightsIn, serve, testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn } from './helpers/files.js'
import { as, assertError, del, get, json } from './helpers/http.js'
import { until } from './helpers/until.js'

const id = 'monstera-watering'
const unknown = (name: string): string =>
  `There is no sandbox ${JSON.stringify(name)}. It was never created here, was dropped, or was idle for too long. POST /__admin/sandboxes creates one. If a test created it, that was at another double: set INSIGHTS_DOUBLE_URL to one URL for the tests and the app's server.`
const inSandbox = (name: string): Readonly<Record<string, string>> => ({ 'insights-sandbox': name })

testOnDouble('a sandbox is listed with its base URL, its fixture and its number of records', async (t, double) => {
  const reply = await control(double, 'POST', '/sandboxes', { name: 'mine', fixture: 'many' })
  t.is(reply.status, 201)
  const url = `${double.url}/sandboxes/mine`
  const { createdAt, idleMs, ...made } = asObject(json(reply))
  const counts = { requests: 0, violations: 0 }
  const summary = { name: 'mine', url, fixture: 'many', expectViolations: false, ...counts }
  t.deepEqual(made, { ...summary, collections: { insights: 1000 } })
  t.true(Date.parse(String(createdAt)) <= Date.now())
  t.true(Number(idleMs) >= 0, 'it was idle while the fixture was loaded')
  const [sandbox, ...others] = await double.sandboxes()
  t.deepEqual(others, [])
  t.like(sandbox, { name: 'mine', url, fixture: 'many', collections: { insights: 1000 } })
})

testOnDouble('a sandbox is addressed by its base URL, or by a header at the root', async (t, double) => {
  const sandbox = await double.sandbox({ name: 'mine' })
  const all = visibleIn(await readFixture('default.json'), 'ada')
  t.deepEqual(json(await get(sandbox, '/insights', as('ada'))), all)
  t.is((await del(double, `/insights/${id}`, { ...as('ada'), ...inSandbox('mine') })).status, 204)
  const left = all.filter((insight) => insight['id'] !== id)
  t.deepEqual(json(await get(sandbox, '/insights', as('ada'))), left)
  t.deepEqual(json(await get(double, '/insights', { ...as('ada'), ...inSandbox('mine') })), left)
  t.deepEqual(json(await get(double, '/insights', as('ada'))), all)
})

test('the control plane of a sandbox is addressed by the base URL, or by a header at the root', async (t) => {
  const double = await serve(t)
  const sandbox = await double.sandbox({ name: 'mine', fixture: 'empty' })
  t.deepEqual(await insightsIn(sandbox), [])
  const byHeader = await control(double, 'GET', '/state', undefined, inSandbox('mine'))
  t.is(byHeader.text, (await control(sandbox, 'GET', '/state')).text)
  t.is((await control(double, 'POST', '/reset', { fixture: 'many' }, inSandbox('mine'))).status, 200)
  t.is((await sandbox.diff()).fixture, 'many')
  t.is((await double.diff()).fixture, 'default')
})

testOnDouble('each sandbox has its own state, journal, faults and coverage', async (t, double) => {
  const [one, other] = [await double.sandbox(), await double.sandbox()]
  const none = { entries: [], matched: 0, evicted: 0, satisfied: true }
  await one.addFault({ operation: 'listInsights', status: 400 })
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  t.is((await get(other, '/insights', as('ada'))).status, 200)
  t.is((await get(one, '/insights', as('ada'))).status, 400)
  t.is((await del(one, `/insights/${id}`, as('ada'))).status, 204)
  t.deepEqual(pluck((await one.requests()).entries, 'sandbox', 'status', 'url'), [
    [one.name, 400, `/sandboxes/${one.name}/insights`],
    [one.name, 204, `/sandboxes/${one.name}/insights/${id}`],
  ])
  const sentBy = async (from: DoubleHandle): Promise<readonly string[]> =>
    (await from.coverage()).flatMap(({ count, operation, status }) => (count === 1 ? [`${operation} ${status}`] : []))
  for (const [untouched, name] of [[double, 'root'] as const, [other, other.name] as const]) {
    t.deepEqual(pluck((await untouched.requests()).entries, 'sandbox', 'status'), [[name, 200]])
    t.deepEqual((await changesIn(untouched)).removed, [])
    t.deepEqual(await sentBy(untouched), ['listInsights 200'])
  }
  t.deepEqual((await changesIn(one)).removed, [id])
  t.deepEqual(await sentBy(one), ['listInsights 400', 'deleteInsight 204'])
  await one.addFault({ status: 400 })
  t.deepEqual(await other.faults(), [])
  await other.reset()
  await double.clearRequests()
  t.is((await one.requests()).matched, 2)
  t.is((await one.faults()).length, 1)
  await one.reset()
  t.deepEqual(await one.requests(), none)
})

testOnDouble('a sandbox gets the requested name, or else a generated one', async (t, double) => {
  const names = ['a', 'A', 'checkout-tests', '0', 'a._~-', 'constructor', 'x'.repeat(64)]
  for (const name of names) t.is((await double.sandbox({ name })).name, name)
  const made = await Promise.all(Array.from({ length: 20 }, () => double.sandbox()))
  t.is(new Set([...names, ...made.map(({ name }) => name)]).size, names.length + made.length)
  for (const { name } of made) t.regex(name, /^[A-Za-z0-9][A-Za-z0-9._~-]{0,63}$/u)
  t.deepEqual(pluck((await double.sandboxes()).slice(0, names.length), 'name'), names)
})

for (const name of ['', '.', '..', '-a', '_a', 'a b', 'a/b', 'ä', 'a%20b', 'a\u0000', 'a\n', 'x'.repeat(65)])
  testOnDouble(`${JSON.stringify(name)} is not a valid name of a sandbox`, async (t, double) => {
    assertError(t, await control(double, 'POST', '/sandboxes', { name }), 400)
    t.deepEqual(await double.sandboxes(), [])
  })

for (const name of ['root', 'mine'])
  testOnDouble(`the name ${name} is taken`, async (t, double) => {
    const first = await double.sandbox({ name: 'mine', fixture: 'empty' })
    const message = `There is already a sandbox "${name}". Choose another name, or leave it out for a random one.`
    assertError(t, await control(double, 'POST', '/sandboxes', { name }), 409, message)
    t.deepEqual(pluck(await double.sandboxes(), 'name'), ['mine'])
    t.deepEqual(await insightsIn(first), [])
  })

testOnDouble('only one of many parallel requests for the same name creates a sandbox', async (t, double) => {
  const create = () => control(double, 'POST', '/sandboxes', { name: 'mine' })
  const replies = await Promise.all(Array.from({ length: 10 }, create))
  t.is(replies.filter(({ status }) => status === 201).length, 1)
  t.is(replies.filter(({ status }) => status === 409).length, 9)
})

test('parallel requests cannot exceed the maximum number of sandboxes', async (t) => {
  const double = await serve(t, { maxSandboxes: 3 })
  const replies = await Promise.all(Array.from({ length: 8 }, () => control(double, 'POST', '/sandboxes', {})))
  const refused = replies.filter(({ status }) => status !== 201)
  t.is(refused.length, 5)
  const message = 'There are 3 sandboxes, which is the maximum. DELETE /__admin/sandboxes/{name} drops one.'
  for (const reply of refused) assertError(t, reply, 429, message)
  const [first] = await double.sandboxes()
  t.is((await control(double, 'DELETE', `/sandboxes/${first?.name ?? ''}`)).status, 204)
  t.is((await control(double, 'POST', '/sandboxes', {})).status, 201)
  t.is((await double.sandboxes()).length, 3)
})

/**
 * Uses the sandboxes of a double that drops idle sandboxes. If a busy machine takes more than half of the idle time between two uses, the
 * function repeats all uses with another double, which has a longer idle time.
 *
 * @param use - Calls `isLate` at each use. `isLate` tells whether this or an earlier use was late.
 */
async function inIdleTime<T>(
  t: ExecutionContext,
  use: (double: DoubleHandle, isLate: () => boolean) => Promise<T>,
): Promise<T> {
  for (let sandboxIdleMs = 2000; ; sandboxIdleMs *= 5) {
    const double = await serve(t, { sandboxIdleMs })
    let isEverLate = false
    let last = performance.now()
    const isLate = (): boolean => {
      const now = performance.now()
      isEverLate ||= now - last > sandboxIdleMs / 2
      last = now
      return isEverLate
    }
    const used = await use(double, isLate)
    if (!isEverLate) return used
    await double.stop()
  }
}

test('an idle sandbox is dropped, and its name is free', async (t) => {
  const { double, idle } = await inIdleTime(t, async (served, isLate) => {
    const unused = await served.sandbox({ name: 'idle' })
    const used = await served.sandbox({ name: 'used' })
    const isDropped = async (): Promise<boolean> => {
      const { status } = await get(used, '/insights', as('ada'))
      const names = (await served.sandboxes()).map(({ name }) => name)
      if (isLate()) return true
      t.is(status, 200)
      return !names.includes('idle')
    }
    t.true(await until(isDropped))
    return { double: served, idle: unused }
  })
  t.deepEqual(pluck(await double.sandboxes(), 'name'), ['used'])
  assertError(t, await get(idle, '/insights', as('ada')), 404, unknown('idle'))
  t.is((await control(double, 'POST', '/sandboxes', { name: 'idle' })).status, 201)
})

test('a sandbox with a waiting request is not idle', async (t) => {
  const { double, replies } = await inIdleTime(t, async (served, isLate) => {
    const [waiting, slow] = [await served.sandbox({ name: 'waiting' }), await served.sandbox({ name: 'slow' })]
    await slow.addFault({ delayMs: 60_000 })
    const waits = Promise.allSettled([
      waiting.waitForRequests({ atLeast: 1, withinMs: 60_000 }),
      get(slow, '/insights', as('ada')),
    ])
    await served.health()
    isLate()
    return { double: served, replies: waits }
  })
  // This sandbox is used last. So if the others were idle, they would be dropped before it.
  await double.sandbox({ name: 'idle' })
  // A list of the sandboxes drops the idle ones.
  const names = async (): Promise<readonly string[]> => (await double.sandboxes()).map(({ name }) => name)
  t.true(await until(async () => !(await names()).includes('idle')))
  t.deepEqual(await names(), ['waiting', 'slow'])
  await double.stop()
  const [wait, reply] = await replies
  t.true(wait.status === 'rejected' && wait.reason instanceof RequestsNotSeenError)
  t.is(reply.status === 'fulfilled' ? reply.value.status : undefined, 200)
})

test('dropped sandboxes can be read: those with violations or failed tests longest', async (t) => {
  const double = await serve(t, { keptSandboxes: 3 })
  const all = async () => asList(json(await control(double, 'GET', '/sandboxes'))).map(asObject)
  const listed = async () => (await all()).map(({ name, violations }) => `${String(name)} ${String(violations)}`)
  for (const name of ['broken', 'failed', 'one', 'two', 'three']) {
    const sandbox = await double.sandbox({ name, title: `test ${name}` })
    await get(sandbox, name === 'broken' ? '/insights?limit=abc' : '/insights', as('ada'))
    await del(sandbox, `/insights/${id}`, as('ada'))
    await sandbox.stop()
    await sandbox.setResult({ outcome: name === 'failed' ? 'failed' : 'passed' })
  }
  t.deepEqual(await listed(), ['broken 1', 'failed 0', 'three 0'])
  const [broken, failed] = await all()
  t.like(failed, { title: 'test failed', result: { outcome: 'failed' }, requests: 2 })
  t.true(Date.parse(String(broken?.['droppedAt'])) >= Date.parse(String(broken?.['createdAt'])))
  const sandbox = connectDouble(`${double.url}/sandboxes/broken`)
  t.deepEqual(pluck((await sandbox.requests()).entries, 'status'), [400, 204])
  t.deepEqual((await sandbox.diff()).collections['insights']?.removed, [id])
  await t.throwsAsync(sandbox.clearRequests(), { code: 'unknown_sandbox' })
  // Another one of its name takes its place.
  await double.sandbox({ name: 'broken' })
  t.deepEqual(await listed(), ['failed 0', 'three 0', 'broken 0'])
  assertError(t, await control(double, 'PUT', '/sandboxes/two/result', { outcome: 'passed' }), 404, unknown('two'))
})

testOnDouble('a dropped sandbox does not exist any more, and a second drop is refused', async (t, double) => {
  const sandbox = await double.sandbox({ name: 'mine' })
  const reply = await control(double, 'DELETE', '/sandboxes/mine')
  t.deepEqual([reply.status, reply.text], [204, ''])
  assertError(t, await control(double, 'DELETE', '/sandboxes/mine'), 404, unknown('mine'))
  assertError(t, await get(sandbox, '/insights', as('ada')), 404, unknown('mine'))
  t.deepEqual(await double.sandboxes(), [])
})
