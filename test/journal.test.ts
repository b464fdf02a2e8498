import { setMaxListeners } from 'node:events'
import { readFile } from 'node:fs/promises'

import test, { type ExecutionContext } from 'ava'
import { type DoubleHandle, RequestsNotSeenError } from 'insights-double'

import { Journal } from '#src/sandbox/journal.js'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { changesIn, control, entryOf, serve, type Served, testOnDouble } from './helpers/double.js'
import { as, ask, assertError, del, get, type Headers, json, raw, type Reply, sendJson } from './helpers/http.js'
import { plantCallers, writePlantsSpec } from './helpers/plants-spec.js'
import { timed } from './helpers/scripts.js'

testOnDouble('an entry describes the request and the response', async (t, double) => {
  const earliest = Date.now()
  const [reply, callMs] = await timed(() => get(double, '/insights?limit=2', { ...as('ada'), 'x-mine': 'yes' }))
  const { entries, ...listing } = await double.requests()
  t.deepEqual(listing, { matched: 1, evicted: 0, satisfied: true })
  const [entry] = entries
  if (!entry) throw new TypeError('There is no entry')
  const { durationMs, id, requestHeaders, responseHeaders, time, ...rest } = entry
  const asked = { sandbox: 'root', method: 'GET', url: '/insights?limit=2', operation: 'listInsights', caller: 'ada' }
  const none = { violations: [], fault: null, preference: null, note: null, requestBody: null, truncated: [] }
  t.deepEqual(rest, { ...asked, status: 200, verdict: 'ok', responseBody: json(reply), ...none })
  t.is(reply.headers['x-request-id'], id)
  t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u)
  t.true(Date.parse(time) >= earliest && Date.parse(time) <= Date.now())
  t.true(durationMs > 0 && durationMs < callMs, 'the request is a part of the call')
  const added = new Set(['connection', 'date', 'keep-alive'])
  t.deepEqual(responseHeaders, Object.fromEntries(Object.entries(reply.headers).filter(([name]) => !added.has(name))))
  t.like(requestHeaders, { 'x-mine': 'yes', authorization: '[redacted]', host: new URL(double.url).host })
  t.deepEqual(await double.request(id), entry)
})

testOnDouble('only the journal has the reason for a 404 of a delete', async (t, double) => {
  const [hidden, never] = ['low-light-plants-january', 'never-was']
  t.is((await del(double, '/insights/orchid-ice-cubes', as('ada'))).status, 204)
  const noteOf = async (id: string): Promise<string | null> => {
    const reply = await del(double, `/insights/${id}`, as('ada'))
    t.is(reply.status, 404)
    t.false(reply.text.includes('removed') || reply.text.includes('exists'))
    const { caller, note, operation, verdict } = await entryOf(double, reply)
    t.deepEqual([caller, operation, verdict], ['ada', 'deleteInsight', 'ok'])
    return note
  }
  t.is(await noteOf(hidden), 'the record exists, but ada has no access')
  const [afterDelete, neverWas] = [await noteOf('orchid-ice-cubes'), await noteOf(never)]
  t.regex(afterDelete ?? '', /removed since the last reset/u)
  t.regex(neverWas ?? '', /never existed/u)
  t.not(afterDelete, neverWas)
})

test('the journal is filtered by operation, status, caller and verdict, and by several of them', async (t) => {
  const double = await serve(t)
  await get(double, '/insights', as('ada'))
  await get(double, '/insights?limit=abc', as('ada'))
  await get(double, '/insights', as('grace'))
  await del(double, '/insights/never-was', as('ada'))
  await get(double, '/insights')
  await get(double, '/nothing')
  const matched = async (filter: Parameters<typeof double.requests>[0]): Promise<number> =>
    (await double.requests(filter)).matched
  t.is(await matched({}), 6)
  t.is(await matched({ operation: 'listInsights' }), 4)
  t.is(await matched({ operation: 'deleteInsight' }), 1)
  t.is(await matched({ status: 200 }), 2)
  t.is(await matched({ status: 404 }), 2)
  t.is(await matched({ caller: 'ada' }), 3)
  t.is(await matched({ caller: 'alan' }), 0)
  t.is(await matched({ id: 'never-was' }), 1)
  t.is(await matched({ id: 'monstera-watering' }), 0)
  t.is(await matched({ verdict: 'violation' }), 2)
  t.is(await matched({ verdict: 'ok' }), 4)
  t.is(await matched({ operation: 'listInsights', status: 400, caller: 'ada', verdict: 'violation' }), 1)
  t.is(await matched({ operation: 'listInsights', status: 400, caller: 'grace', verdict: 'violation' }), 0)
})

const noFilter = 'The filters are operation, status, caller, verdict, id, atLeast, withinMs.'
for (const [query, message] of [
  ['operation=listInsight', 'There is no operation "listInsight". The contract has listInsights, deleteInsight.'],
  ['caller=gracy', 'There is no caller "gracy". The state has ada, grace, alan.'],
  ['calller=ada', `There is no filter "calller". ${noFilter}`],
  ['caller=ada&limit=1', `There is no filter "limit". ${noFilter}`],
] as const)
  test(`the filter ${query} is refused with the possible values`, async (t) => {
    assertError(t, await control(await serve(t), 'GET', `/requests?${query}`), 400, message)
  })

testOnDouble('the journal can be filtered by a caller that the state no longer has', async (t, double) => {
  await get(double, '/insights', as('grace'))
  await double.setState({ $callers: { ada: { token: 'ada-token' } }, insights: [] })
  t.is((await double.requests({ caller: 'grace' })).matched, 1)
  await double.clearRequests()
  await t.throwsAsync(double.requests({ caller: 'grace' }), { code: 'unknown_caller' })
})

testOnDouble('a warning is in the entry, and is not a violation', async (t, double) => {
  const entry = await entryOf(double, await get(double, '/insights?limt=5', as('ada')))
  t.like(entry, { status: 200, verdict: 'ok' })
  const [violation] = pluck(entry.violations, 'severity', 'location')
  t.deepEqual(violation, ['Warning', ['request', 'query', 'limt']])
  t.is(entry.violations.length, 1)
})

testOnDouble('a wrong path has the caller of a known token, and none of an unknown one', async (t, double) => {
  for (const path of ['/insight', '/sandboxes', '/insights/x/y'])
    t.like(await entryOf(double, await get(double, path, as('ada'))), { operation: null, caller: 'ada', status: 404 })
  t.like(await entryOf(double, await get(double, '/insight', as('nobody'))), { caller: null, status: 404 })
  t.like(await entryOf(double, await get(double, '/insight')), { caller: null, status: 404 })
})

testOnDouble('malformed HTTP is in the journal, with the id of its response', async (t, double) => {
  const reply = await raw(double, 'GARBAGE\r\n\r\n')
  t.is(reply.status, 400)
  const entry = await entryOf(double, reply)
  t.like(entry, { method: '', url: '', operation: null, caller: null, status: 400, verdict: 'violation' })
  t.deepEqual(entry.violations[0]?.location, ['request', 'http'])
  t.is((await double.requests()).matched, 1)
})

testOnDouble('HEAD and OPTIONS are in the journal with their method', async (t, double) => {
  const head = await entryOf(double, await ask(double, 'HEAD', '/insights', as('ada')))
  t.like(head, { method: 'HEAD', operation: 'listInsights', status: 200, caller: 'ada', verdict: 'ok' })
  const options = await entryOf(double, await ask(double, 'OPTIONS', '/insights'))
  t.like(options, { method: 'OPTIONS', status: 204, verdict: 'ok' })
})

testOnDouble('requests to the control plane are not in the journal', async (t, double) => {
  for (const path of ['/health', '/state', '/nothing', '/requests/none']) {
    await t.throwsAsync(entryOf(double, await control(double, 'GET', path)), { code: 'unknown_request' })
  }
  await control(double, 'POST', '/faults', {})
  t.is((await double.requests()).matched, 0)
})

testOnDouble('clearing the journal changes nothing else', async (t, double) => {
  const { id } = await entryOf(double, await del(double, '/insights/orchid-ice-cubes', as('ada')))
  await double.addFault({ status: 400 })
  const coverage = await double.coverage()
  await double.clearRequests()
  t.deepEqual(await double.requests(), { entries: [], matched: 0, evicted: 0, satisfied: true })
  await t.throwsAsync(double.request(id), { code: 'unknown_request' })
  t.is((await double.faults()).length, 1)
  t.deepEqual(await double.coverage(), coverage)
  t.deepEqual((await changesIn(double)).removed, ['orchid-ice-cubes'])
})

const lines = async (double: DoubleHandle, query: string): Promise<ReturnType<typeof asObject>> =>
  asObject(JSON.parse((await control(double, 'GET', `/request-lines${query}`)).text))

const urls = async (double: DoubleHandle, query: string): Promise<readonly unknown[]> =>
  asList((await lines(double, query))['lines']).map((line) => asObject(line)['url'])

testOnDouble('request lines begin with the newest, and have neither header fields nor bodies', async (t, double) => {
  await get(double, '/insights', as('ada'))
  await get(double, '/insights?limit=abc', as('grace'))
  await del(double, '/insights/monstera-watering', as('ada'))
  t.deepEqual(await urls(double, ''), ['/insights/monstera-watering', '/insights?limit=abc', '/insights'])
  t.deepEqual(await urls(double, '?limit=1'), ['/insights/monstera-watering'])
  t.like(await lines(double, ''), { total: 3, evicted: 0 })
  t.false(JSON.stringify(await lines(double, '')).includes('host'))
})

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
  const message =
    '0 of 1 requests with caller "grace" arrived within 1000 ms. The nearest requests that arrived:\n  GET /insights  200  listInsights, ada, ok'
  const [error, milliseconds] = await timed(() =>
    t.throwsAsync(double.waitForRequests(wanted), { instanceOf: RequestsNotSeenError, message }),
  )
  const { entries } = await double.requests()
  t.like(error, { filter: { caller: 'grace' }, atLeast: 1, withinMs: 1000, matched: 0, nearest: entries })
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

/** Sends a request, and returns the rule of its first violation with the text of its line. Asserts that its source is what the file has. */
async function brokenRule(t: ExecutionContext, double: Served, file: string, sent: Promise<Reply>) {
  const id = (await sent).headers['x-request-id'] ?? ''
  const entry = json(await control(double, 'GET', `/requests/${id}`))
  const { line, schema, source } = asObject(asList(asObject(entry)['rules'])[0])
  const [at, inFile] = [Number(line), (await readFile(file, 'utf8')).split('\n')]
  t.deepEqual(source, { firstLine: at - 3, lines: inFile.slice(at - 4, at + 4) })
  return { text: inFile[at - 1]?.trim(), schema }
}

testOnDouble('one request is described with the rule that it breaks: its line, and its schema', async (t, double) => {
  const ruleOf = (path: string, headers?: Headers) =>
    brokenRule(t, double, 'spec/insights.yaml', get(double, path, headers))
  const { schema, text } = await ruleOf('/insights?limit=0', as('ada'))
  t.is(text, 'minimum: 1')
  t.like(schema, { type: 'integer', minimum: 1 })
  t.deepEqual(await ruleOf('/insights?colour=red', as('ada')), { text: 'parameters:', schema: undefined })
  t.regex((await ruleOf('/insights')).text ?? '', /^security:/u)
})

test('the rule for a body is in the schema that it refers to', async (t) => {
  const spec = await writePlantsSpec(t)
  const double = await serve(t, { spec, fixture: { $callers: plantCallers } })
  const ruleOf = (plant: object) => brokenRule(t, double, spec, sendJson(double, 'POST', '/plants', plant, as('ada')))
  const { schema, text } = await ruleOf({ id: 'fern' })
  t.is(text, '"required": [')
  t.deepEqual(schema, { type: 'object', required: ['id', 'name'] })
  t.deepEqual((await ruleOf({ id: 'fern', name: 7 })).schema, { type: 'string' })
})
