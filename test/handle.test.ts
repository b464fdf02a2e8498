import { createServer } from 'node:http'
import { createServer as createPlainServer } from 'node:net'

import test, { type ExecutionContext } from 'ava'
import { connectDouble, DoubleError, type DoubleHandle, RequestsNotSeenError, startDouble } from 'insights-double'

import { type JsonObject, pluck } from './helpers/as-object-or-list.js'
import { changesIn, control, insightsIn, serve, testOnDouble } from './helpers/double.js'
import { readPackageFile } from './helpers/files.js'
import { as, del, get, idsSeenBy } from './helpers/http.js'
import { listenUntilEnd } from './helpers/port.js'

const id = 'orchid-ice-cubes'

/** The ways to get a handle on a double. All handles do the same. */
const handles: Readonly<Record<string, (t: ExecutionContext) => Promise<DoubleHandle>>> = {
  'that startDouble returns': serve,
  'that connectDouble returns': async (t) => connectDouble((await serve(t)).url),
  'that connectDouble returns for a URL that ends in slashes': async (t) => connectDouble(`${(await serve(t)).url}//`),
  'on a sandbox': async (t) => (await serve(t)).sandbox(),
  'that connectDouble returns for a sandbox': async (t) => connectDouble((await (await serve(t)).sandbox()).url),
  'with an admin token': async (t) => serve(t, { adminToken: 'secret' }),
}

for (const [title, open] of Object.entries(handles))
  test(`a handle ${title} can do everything that the control plane can do`, async (t) => {
    const double = await open(t)
    t.regex(double.url, /^http:\/\/127\.0\.0\.1:\d+(?:\/sandboxes\/\w+)?$/u)
    const { version } = JSON.parse(await readPackageFile('package.json')) as JsonObject
    t.like(await double.health(), { status: 'ok', version })
    t.true((await double.health()).uptimeMs >= 0)

    t.deepEqual(await double.reset('many'), { fixture: 'many', collections: { insights: 1000 } })
    t.deepEqual(await double.reset(), { fixture: 'many', collections: { insights: 1000 } })
    const names = (await double.fixtures()).map(({ collections, name }) => [name, collections?.['insights']])
    t.deepEqual(names.slice(0, 1), [['default', 12]])
    t.deepEqual(names.slice(2).flat(), ['empty', 0, 'many', 1000])
    await double.reset('default')
    const state = await double.state()
    t.is(state['insights']?.length, 12)
    t.is((await del(double, `/insights/${id}`, as('ada'))).status, 204)
    const insights = { removed: [id], added: [], changed: {} }
    t.deepEqual(await double.diff(), { fixture: 'default', collections: { insights } })
    t.is(await double.setState(state), undefined)
    t.deepEqual((await changesIn(double)).removed, [])
    t.true((await idsSeenBy(double, 'ada')).includes(id))

    const listed = await double.requests({ operation: 'deleteInsight', caller: 'ada' })
    const { entries, evicted, matched, satisfied } = listed
    t.deepEqual([entries.length, evicted, matched, satisfied], [1, 0, 1, true])
    t.deepEqual(await double.request(entries[0]?.id ?? ''), entries[0])
    t.true((await double.waitForRequests({ operation: 'deleteInsight' })).satisfied)
    const tooMany = double.waitForRequests({ operation: 'deleteInsight', atLeast: 2, withinMs: 1 })
    await t.throwsAsync(tooMany, { instanceOf: RequestsNotSeenError, message: /^1 of 2 requests with operation/u })
    t.deepEqual((await double.coverage()).find(({ status }) => status === '204')?.count, 1)
    t.is(await double.clearRequests(), undefined)
    t.is((await double.requests()).matched, 0)
    const one = await double.addFault({ status: 503 })
    await double.addFault({ status: 504, operation: 'listInsights' })
    t.deepEqual(pluck(await double.faults(), 'status'), [503, 504])
    t.is(await double.removeFault(one.id), undefined)
    t.is((await get(double, '/insights', as('ada'))).status, 504)
    await double.addFault({ status: 503 })
    t.is(await double.clearFaults(), undefined)
    t.deepEqual(await double.faults(), [])
  })

testOnDouble('a handle creates, lists and drops sandboxes', async (t, double) => {
  const sandbox = await double.sandbox({ name: 'mine', fixture: 'many' })
  t.deepEqual([sandbox.name, sandbox.url], ['mine', `${double.url}/sandboxes/mine`])
  t.is((await insightsIn(sandbox)).length, 1000)
  t.like((await double.sandboxes())[0], { name: 'mine', url: sandbox.url, fixture: 'many' })
  await sandbox.stop()
  t.deepEqual(await double.sandboxes(), [])
  await sandbox.stop()
  await t.throwsAsync(sandbox.reset(), { code: 'unknown_sandbox' })
  t.is((await double.health()).status, 'ok')
})

const ofBob = { $callers: { ada: { token: '*' } }, insights: [{ content: '', $access: ['bob'] }] }
const waitForNone = (double: DoubleHandle): Promise<unknown> => double.waitForRequests({ operation: 'none' })

/** Calls that a double refuses, with the code and status of the error. */
type Call = (double: DoubleHandle) => Promise<unknown>
const refusals: readonly (readonly [code: string, status: number, message: RegExp, run: Call])[] = [
  ['unknown_fixture', 404, /"none"/u, (double) => double.reset('none')],
  ['unknown_fixture', 404, /"none"/u, (double) => double.sandbox({ fixture: 'none' })],
  ['unknown_request', 404, /"a\/b\?c"/u, (double) => double.request('a/b?c')],
  ['unknown_fault', 404, /"fault-9"/u, (double) => double.removeFault('fault-9')],
  ['unknown_operation', 400, /"none"/u, (double) => double.addFault({ operation: 'none', status: 400 })],
  ['unknown_operation', 400, /"none".*listInsights, deleteInsight/u, waitForNone],
  ['unknown_caller', 400, /"bob".*ada, grace/u, (double) => double.requests({ caller: 'bob' })],
  ['invalid_fault', 400, /it has no effect/u, (double) => double.addFault({})],
  ['invalid_request', 400, /<= 60000/u, (double) => double.addFault({ delayMs: 60_001 })],
  ['invalid_request', 400, /withinMs/u, (double) => double.waitForRequests({ withinMs: -1 })],
  ['invalid_request', 400, /status/u, (double) => double.requests({ status: 7 })],
  ['invalid_state', 400, /callers/u, (double) => double.setState({ $callers: {}, insights: [] })],
  ['sandbox_exists', 409, /"root"/u, (double) => double.sandbox({ name: 'root' })],
  ['too_many_sandboxes', 429, /There are 1/u, (double) => double.sandbox()],
  ['invalid_state', 400, /"bob" is not a caller/u, (double) => double.setState(ofBob)],
]
for (const [code, status, message, run] of refusals)
  test(`${String(run).replace(/^.*=> double\./u, '')} is rejected with a DoubleError with the code ${code}`, async (t) => {
    const double = await serve(t, { maxSandboxes: 1 })
    if (code === 'too_many_sandboxes') await double.sandbox()
    const error = await t.throwsAsync(run(double), { instanceOf: DoubleError, code, message })
    t.is(error?.name, 'DoubleError')
    t.is(error instanceof DoubleError ? error.status : undefined, status)
  })

test('await using stops a double, and drops a sandbox', async (t) => {
  const outer = await serve(t)
  let url = ''
  {
    await using double = await startDouble()
    await using sandbox = await outer.sandbox()
    ;({ url } = double)
    t.is((await double.health()).status, 'ok')
    t.is((await outer.sandboxes())[0]?.name, sandbox.name)
  }
  await t.throwsAsync(get({ url }, '/insights'))
  t.deepEqual(await outer.sandboxes(), [])
})

testOnDouble('a second stop of a double does nothing', async (t, double) => {
  await Promise.all([double.stop(), double.stop()])
  await double.stop()
  const message = `No double responds at ${double.url}/__admin/health (ECONNREFUSED). Is it running?`
  await t.throwsAsync(double.health(), { instanceOf: TypeError, message })
})

testOnDouble('stop on a connected handle does not stop the double that it is connected to', async (t, double) => {
  {
    await using handle = connectDouble(double.url)
    await handle.stop()
  }
  t.is((await double.health()).status, 'ok')
})

for (const [status, body, headers] of [
  [404, 'Not here', {}],
  [200, '<!doctype html>', { 'content-type': 'text/html' }],
  [200, '', {}],
  [204, '', {}],
  [302, 'Found', { location: '/' }],
  [200, '{"ok":true}', { 'content-type': 'application/json' }],
] as const)
  test(`a handle refuses a server that sends ${status} "${body}", because the server is not a double`, async (t) => {
    const server = createServer((_, response) => response.writeHead(status, headers).end(body))
    const handle = connectDouble(await listenUntilEnd(t, server))
    await t.throwsAsync(handle.health(), { instanceOf: TypeError, message: /is not a double/u })
  })

test('a handle on an https URL sends its requests over TLS', async (t) => {
  const firstBytes: (number | undefined)[] = []
  const server = createPlainServer((socket) => {
    socket
      .on('error', () => {})
      .once('data', (bytes) => {
        firstBytes.push(bytes[0])
        socket.destroy()
      })
  })
  const handle = connectDouble((await listenUntilEnd(t, server)).replace('http:', 'HTTPS:'))
  const message = /^No double responds at HTTPS:.* \(ECONNRESET\)\. Is it running\?$/u
  await t.throwsAsync(handle.health(), { message })
  // RFC 8446, section 5.1: a handshake record starts with 22.
  t.deepEqual(firstBytes, [22])
})

test('two doubles of one process are isolated', async (t) => {
  const [one, other] = [await serve(t), await serve(t)]
  t.not(one.url, other.url)
  await one.reset('empty')
  await one.addFault({ status: 503 })
  t.is((await control(other, 'GET', '/faults')).text, '[]')
  t.is((await get(other, '/insights', as('ada'))).status, 200)
  t.is((await one.requests()).matched, 0)
})
