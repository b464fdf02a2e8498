import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { serve } from './helpers/double.js'
import { packageFolder, readPackageFile, writeTemporary } from './helpers/files.js'
import { as, ask, get, type Headers, json, raw, sendJson, violationsOf, wire } from './helpers/http.js'

const north = { id: 'north', name: 'North', code: 'n' }
const south = { id: 'south', name: 'South', code: 's' }
const $callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }
const fixture = { $callers, branches: [north, south] }
const spec = join(packageFolder, 'test', 'specs', 'branches.yaml')
const branches = (t: ExecutionContext): Promise<DoubleHandle> => serve(t, { spec, fixture })
const ada = as('ada')
const under = (name: string, value: string): Headers => ({ ...ada, [name]: value })
const tagOf = async (double: DoubleHandle, path = '/branches/north'): Promise<string> =>
  (await get(double, path, ada)).headers['etag'] ?? ''

test('the tag of a record is strong, the same for every caller, and changes with the stored record only', async (t) => {
  const double = await branches(t)
  const tag = await tagOf(double)
  t.regex(tag, /^"[\da-f]{32}"$/u)
  t.is((await get(double, '/branches/north', as('grace'))).headers['etag'], tag)
  t.not(await tagOf(double, '/branches/south'), tag)
  const same = await sendJson(double, 'PATCH', '/branches/north', { name: 'North' }, under('if-match', tag))
  t.deepEqual([same.status, same.headers['etag']], [204, tag])
  const secret = await sendJson(double, 'PUT', '/branches/north', { name: 'North', code: 'other' }, ada)
  t.not(secret.headers['etag'] ?? tag, tag, 'a property that is not shown has changed')
  t.is(secret.headers['etag'], await tagOf(double))
  const created = await sendJson(double, 'POST', '/branches', { name: 'West' }, ada)
  t.is(created.headers['etag'], await tagOf(double, new URL(created.headers['location'] ?? '').pathname))
})

test('a listing has the tag of its bytes', async (t) => {
  const double = await branches(t)
  const tag = await tagOf(double, '/branches')
  t.is(await tagOf(double, '/branches'), tag)
  const again = await get(double, '/branches', under('if-none-match', tag))
  t.deepEqual([again.status, again.headers['etag'], again.text], [304, tag, ''])
  await sendJson(double, 'PATCH', '/branches/south', { name: 'Far south' }, under('if-match', '*'))
  t.is((await get(double, '/branches', under('if-none-match', tag))).status, 200)
})

for (const [title, field, status] of [
  ['its own tag', (tag: string) => tag, 304],
  ['its tag as a weak one', (tag: string) => `W/${tag}`, 304],
  ['its tag in a list', (tag: string) => `"other", ${tag}`, 304],
  ['any', () => '*', 304],
  ['another tag', () => '"other"', 200],
] as const)
  test(`a read with If-None-Match of ${title} is a ${status}`, async (t) => {
    const double = await branches(t)
    const tag = await tagOf(double)
    const reply = await get(double, '/branches/north', under('if-none-match', field(tag)))
    t.deepEqual([reply.status, reply.headers['etag'], reply.text === ''], [status, tag, status === 304])
    t.deepEqual(violationsOf(reply), [])
  })

for (const [title, field, status] of [
  ['its own tag', (tag: string) => tag, 204],
  ['its tag in a list', (tag: string) => `"other",${tag}`, 204],
  ['any', () => '*', 204],
  ['its tag as a weak one', (tag: string) => `W/${tag}`, 412],
  ['another tag', () => '"other"', 412],
  ['a tag without quotes', (tag: string) => tag.slice(1, -1), 412],
] as const)
  test(`an update and a removal with If-Match of ${title} are a ${status}`, async (t) => {
    const double = await branches(t)
    const headers = under('if-match', field(await tagOf(double)))
    t.is((await sendJson(double, 'PATCH', '/branches/north', { name: 'North' }, headers)).status, status)
    t.is((await ask(double, 'DELETE', '/branches/north', headers)).status, status)
    t.is((await get(double, '/branches/north', ada)).status, status === 204 ? 404 : 200)
  })

test('a failed condition comes after an unknown record and before a bad record, changes nothing, and says which tag there is', async (t) => {
  const double = await branches(t)
  const tag = await tagOf(double)
  const old = under('if-match', '"old"')
  const patch = (path: string, body: object, headers: Headers) => sendJson(double, 'PATCH', path, body, headers)
  t.is((await patch('/branches/none', { name: 'x' }, old)).status, 404)
  t.is((await patch('/branches/north', { id: 'other' }, old)).status, 412)
  const failed = await patch('/branches/north', { name: 'Changed' }, old)
  const message = `If-Match does not hold: the ETag of "north" is ${tag}. Read it again.`
  t.deepEqual(json(failed), { error: 412, message })
  const missing = await patch('/branches/north', { name: 'Changed' }, ada)
  t.is(missing.status, 428)
  t.regex((json(missing) as { message: string }).message, /Send If-Match with the ETag/u)
  t.is(await tagOf(double), tag)
})

test('a replacement creates only if nothing is there with If-None-Match: *, and never with If-Match: *', async (t) => {
  const double = await branches(t)
  const put = async (path: string, headers: Headers): Promise<number> =>
    (await sendJson(double, 'PUT', path, { name: 'New' }, headers)).status
  t.is(await put('/branches/north', under('if-none-match', '*')), 412)
  t.is(await put('/branches/new', under('if-match', '*')), 412)
  t.is(await put('/branches/new', under('if-none-match', '*')), 201)
  t.is(await put('/branches/north', ada), 200)
})

test('the tag of a record survives a restart', async (t) => {
  const state = await writeTemporary(t, 'state.json', '')
  const first = await serve(t, { spec, fixture, state: `${state}.new` })
  await sendJson(first, 'PUT', '/branches/north', { code: 'z', name: 'Far north' }, ada)
  const tag = await tagOf(first)
  await first.stop()
  t.is(await tagOf(await serve(t, { spec, fixture, state: `${state}.new` })), tag)
})

test('Location is absolute if its format says so, with the base URL of the request', async (t) => {
  const double = await branches(t)
  const created = await sendJson(double, 'POST', '/branches', { name: 'West' }, ada)
  t.is(created.headers['location'], `${double.url}/branches/branch-3`)
  t.is((await get(double, '/branches/branch-3', ada)).status, 200)
  const sandbox = await double.sandbox()
  const loan = await sendJson(sandbox, 'POST', '/branches/north/loans', { title: 'x' }, under('x-idempotency-key', 'a'))
  t.is(loan.headers['location'], `${sandbox.url}/branches/north/loans/1`)
  const body = '{"name":"Old"}'
  const fields = ['Authorization: Bearer ada-token', 'Content-Type: application/json', `Content-Length: ${body.length}`]
  const newer = wire('POST /branches', fields, body)
  const old = await raw(double, newer.replace('HTTP/1.1', 'HTTP/1.0').replace('Host: localhost\r\n', ''))
  t.is(old.headers['location'], `${double.url.replace('127.0.0.1', 'localhost')}/branches/branch-4`)
})

test('explain lists the effects of each operation, x-double turns them off, and a request that uses them gets no warning', async (t) => {
  const effectsOf = async (double: DoubleHandle): Promise<object> => {
    const { operations } = await double.collections()
    return Object.fromEntries(operations.map(({ effects, operation }) => [operation, effects?.join(' ')]))
  }
  const double = await branches(t)
  t.deepEqual(await effectsOf(double), {
    listBranches: 'etag if-none-match',
    createBranch: 'etag idempotency location',
    readBranch: 'etag if-none-match',
    putBranch: 'etag if-match if-none-match',
    patchBranch: 'etag if-match',
    removeBranch: 'if-match cascade',
    listLoans: 'parent',
    createLoan: 'idempotency parent location',
    readLoan: 'parent',
    replaceLoan: 'parent updated',
    summariseBranch: 'parent',
    listNotes: undefined,
    readNote: undefined,
  })
  t.deepEqual(violationsOf(await ask(double, 'DELETE', '/branches/south', under('if-match', '*'))), [])
  const text = await readPackageFile('test/specs/branches.yaml')
  const none = '$&$1x-double: { off: [etag, idempotency, parent, cascade, updated] }\n'
  const off = text.replaceAll(/( +)operationId: .*\n/gu, none)
  const plain = await serve(t, { spec: await writeTemporary(t, 'off.yaml', off), fixture })
  const shown = Object.values(await effectsOf(plain)).filter((each) => each !== undefined)
  t.deepEqual(shown, ['location', 'location'])
  const reply = await ask(plain, 'DELETE', '/branches/south', under('if-match', '"old"'))
  t.deepEqual([reply.status, violationsOf(reply)[0]?.['code']], [204, 'not_acted_on'])
})
