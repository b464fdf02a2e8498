import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { pluck } from './helpers/as-object-or-list.js'
import { serve, type Served } from './helpers/double.js'
import { packageFolder, readPackageFile, writeTemporary } from './helpers/files.js'
import { as, get, type Headers, json, type Reply, sendJson } from './helpers/http.js'
import { excuse } from './helpers/validate-responses.js'
import { serveOnWatchedDisk } from './helpers/watched-disk.js'

const $callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }
const fixture = { $callers, branches: [{ id: 'north', name: 'North' }] }
const spec = join(packageFolder, 'test', 'specs', 'branches.yaml')
const branches = (t: ExecutionContext): Promise<DoubleHandle> => serve(t, { spec, fixture })
const keyed = (key: string, caller = 'ada'): Headers => ({ ...as(caller), 'idempotency-key': key })
const create = (double: Served, body: object, headers: Headers): Promise<Reply> =>
  sendJson(double, 'POST', '/branches', body, headers)
const count = async (double: Served): Promise<number> =>
  (json(await get(double, '/branches', as('ada'))) as unknown[]).length

test('a request with the same key gets the same response again, and changes nothing', async (t) => {
  const double = await branches(t)
  const first = await create(double, { name: 'West' }, keyed('k1'))
  const again = await create(double, { name: 'West' }, keyed('k1'))
  t.deepEqual([again.status, again.text, again.headers['location']], [201, first.text, first.headers['location']])
  t.is(await count(double), 2)
  const { entries } = await double.requests({ operation: 'createBranch' })
  t.regex(entries[1]?.note ?? '', /first request with its key/u)
  const parallel = await Promise.all([1, 2, 3].map(() => create(double, { name: 'East' }, keyed('k2'))))
  t.deepEqual(new Set(parallel.map(({ text }) => text)).size, 1)
  t.is(await count(double), 3)
})

test('another key, caller, operation or sandbox is another request', async (t) => {
  const double = await branches(t)
  const sandbox = await double.sandbox()
  const bodies = await Promise.all([
    create(double, { name: 'West' }, keyed('k1')),
    create(double, { name: 'West' }, keyed('k2')),
    create(double, { name: 'West' }, keyed('k1', 'grace')),
    create(double, { name: 'West' }, as('ada')),
    create(double, { name: 'West' }, as('ada')),
    create(sandbox, { name: 'West' }, keyed('k1')),
  ])
  t.deepEqual(pluck(bodies, 'status'), [201, 201, 201, 201, 201, 201])
  t.is(new Set(bodies.slice(0, 5).map(({ text }) => text)).size, 5)
  const headers = { ...as('ada'), 'x-idempotency-key': 'k1' }
  t.is((await sendJson(double, 'POST', '/branches/north/loans', { title: 'West' }, headers)).status, 201)
})

test('another request with the same key is the documented 409, or else a 422', async (t) => {
  const double = await branches(t)
  await create(double, { name: 'West' }, keyed('k1'))
  const other = await create(double, { name: 'East' }, keyed('k1'))
  t.is(other.status, 409)
  t.regex((json(other) as { message: string }).message, /another request had this idempotency key/iu)
  const loan = (path: string, title: string): Promise<Reply> =>
    sendJson(double, 'POST', path, { title }, { ...as('ada'), 'x-idempotency-key': 'k' })
  t.is((await loan('/branches/north/loans', 'A')).status, 201)
  t.is((await loan('/branches/north/loans', 'B')).status, 422)
  t.is((await loan('/branches/branch-2/loans', 'A')).status, 422, 'another path is another request')
})

test('an error of the state is repeated, a refused request and a fault are not, and a reset forgets all', async (t) => {
  const double = await branches(t)
  const send = (path: string, body: object): Promise<Reply> =>
    sendJson(double, 'POST', path, body, { ...as('ada'), 'x-idempotency-key': 'k' })
  t.is((await send('/branches/branch-2/loans', { title: 'A' })).status, 404)
  await create(double, { name: 'West' }, as('ada'))
  t.is((await send('/branches/branch-2/loans', { title: 'A' })).status, 404)
  t.is((await create(double, {}, keyed('k1'))).status, 400)
  await double.addFault({ operation: 'createBranch', status: 503, times: 1 })
  t.is((await create(double, { name: 'East' }, keyed('k1'))).status, 503)
  t.is((await create(double, { name: 'East' }, keyed('k1'))).status, 201)
  await double.reset()
  t.is((await create(double, { name: 'Other' }, keyed('k1'))).status, 201)
  t.is(await count(double), 2)
})

test('a sandbox keeps the responses to its last 1,000 keys', async (t) => {
  const double = await branches(t)
  const keys = Array.from({ length: 1001 }, (_, at) => `key ${at}`)
  for (const key of keys) await create(double, { name: 'Branch' }, keyed(key))
  t.is((await create(double, { name: 'Other' }, keyed('key 1'))).status, 409)
  t.is((await create(double, { name: 'Other' }, keyed('key 0'))).status, 201)
})

test('a key without a documented parameter has no effect', async (t) => {
  const text = (await readPackageFile('test/specs/branches.yaml')).replace('name: Idempotency-Key', 'name: X-Other')
  const double = await serve(t, { spec: await writeTemporary(t, 'branches.yaml', text), fixture })
  await create(double, { name: 'West' }, keyed('k1'))
  await create(double, { name: 'West' }, keyed('k1'))
  t.is(await count(double), 3)
})

test('a response whose change is not saved is not kept', async (t) => {
  const double = await serveOnWatchedDisk(t, { spec, fixture })
  double.fail('write', 'ENOSPC')
  const request = [{ name: 'West' }, keyed('k1')] as const
  excuse(double, 'the contract documents no 500')
  t.is((await create(double, ...request)).status, 500)
  double.repair()
  t.is((await create(double, ...request)).status, 201)
  t.is(await count(double), 2)
})
