import test from 'ava'
import { parse } from 'yaml'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { changesIn, control, entryOf, everything, excuse, serve, type Served, testOnDouble } from './helpers/double.js'
import { readPackageFileSync } from './helpers/files.js'
import { as, ask, assertError, del, get, idsSeenBy, json, raw, rawAs, violationsOf, wire } from './helpers/http.js'
import { timed } from './helpers/scripts.js'

const list = (double: Served) => get(double, '/insights', as('ada'))

/** Every documented status, with its operation. */
const { paths } = asObject(parse(readPackageFileSync('spec/insights.yaml')))
const operations = Object.values(asObject(paths)).flatMap((item) => Object.values(asObject(item)).map(asObject))
const documented = operations.flatMap(({ operationId, responses }) =>
  Object.keys(asObject(responses)).map((status) => [String(operationId), Number(status)] as const),
)

testOnDouble('a fault is stored with its defaults and its own id', async (t, double) => {
  const effects = { delayMs: 0, status: null, headers: {}, disconnect: false, truncate: false, chunkDelayMs: 0 }
  const plain = { operation: null, match: {}, skip: 0, times: 1, ...effects, fired: 0 }
  const added = await control(double, 'POST', '/faults', { status: 503 })
  t.is(added.status, 201)
  t.deepEqual(json(added), { id: 'fault-1', ...plain, status: 503 })
  const whole = { operation: 'listInsights', skip: 2, times: 3, delayMs: 4, disconnect: true }
  t.deepEqual(await double.addFault(whole), { id: 'fault-2', ...plain, ...whole })
  t.deepEqual(pluck(await double.faults(), 'id'), ['fault-1', 'fault-2'])
})

testOnDouble('a fault skips `skip` requests, affects `times` requests, and is then removed', async (t, double) => {
  await double.addFault({ operation: 'listInsights', skip: 2, times: 3, status: 400 })
  const statuses: number[] = []
  const fired: (number | undefined)[] = []
  for (let turn = 0; turn < 7; turn++) {
    t.is((await del(double, '/insights/never-was', as('ada'))).status, 404)
    statuses.push((await list(double)).status)
    fired.push((await double.faults())[0]?.fired)
  }
  t.deepEqual(statuses, [200, 200, 400, 400, 400, 200, 200])
  t.deepEqual(fired, [0, 0, 1, 2, undefined, undefined, undefined])
  t.deepEqual(await double.faults(), [])
})

testOnDouble('a fault affects exactly `times` of many parallel requests', async (t, double) => {
  await double.addFault({ skip: 5, times: 7, status: 503 })
  const replies = await Promise.all(Array.from({ length: 40 }, () => list(double)))
  t.is(replies.filter(({ status }) => status === 503).length, 7)
  t.deepEqual(await double.faults(), [])
})

testOnDouble('of several faults, the first that has skipped its `skip` requests is applied', async (t, double) => {
  await double.addFault({ operation: 'listInsights', skip: 1, status: 501 })
  await double.addFault({ status: 502, times: 2 })
  await double.addFault({ operation: 'listInsights', status: 503 })
  const statuses: number[] = []
  for (let turn = 0; turn < 5; turn++) statuses.push((await list(double)).status)
  t.deepEqual(statuses, [502, 501, 502, 503, 200])
})

test('a fault without an operation affects the requests of every operation, and no other request', async (t) => {
  const double = await serve(t)
  await double.addFault({ status: 503, times: 2 })
  t.is((await get(double, '/nothing')).status, 404)
  t.is((await ask(double, 'PATCH', '/insights')).status, 405)
  t.is((await ask(double, 'OPTIONS', '/insights')).status, 204)
  t.is((await double.health()).status, 'ok')
  t.is((await double.faults())[0]?.fired, 0)
  t.is((await list(double)).status, 503)
  t.is((await del(double, '/insights/orchid-ice-cubes', as('ada'))).status, 503)
  t.deepEqual((await changesIn(double)).removed, [])
})

for (const [operation, status] of documented)
  testOnDouble(`a fault with the documented ${status} of ${operation} sends the documented body`, async (t, double) => {
    const fault = await double.addFault({ operation, status })
    const [method, path] =
      operation === 'listInsights' ? ['GET', '/insights'] : ['DELETE', '/insights/orchid-ice-cubes']
    const reply = await rawAs(double, 'ada', `${method} ${path}`)
    if (status >= 400) assertError(t, reply, status)
    else t.is(reply.status, status)
    if (status === 204) t.deepEqual([reply.text, reply.headers['content-type']], ['', undefined])
    if (status === 200) t.true(Array.isArray(json(reply)))
    t.deepEqual(violationsOf(reply), [])
    const entry = await entryOf(double, reply)
    t.like(entry, { operation, status, fault: fault.id, verdict: 'ok' })
    t.is(entry.note, `${fault.id} responded instead of the service`)
    t.deepEqual((await changesIn(double)).removed, [])
  })

test('the spec documents nine statuses, and the tests above send each of them', (t) => {
  t.is(documented.length, 9)
})

for (const status of [200, 299, 301, 304, 402, 418, 429, 503, 599])
  testOnDouble(`a fault sends the undocumented ${status}, which is not a violation`, async (t, double) => {
    excuse(double, 'a status that is not documented is what is asked for')
    await double.addFault({ operation: 'deleteInsight', status })
    const reply = await rawAs(double, 'ada', 'DELETE /insights/orchid-ice-cubes')
    t.is(reply.status, status)
    if (status >= 400) assertError(t, reply, status)
    t.is(reply.headers['sl-violations'], undefined)
    const { fault, note, verdict, violations } = await entryOf(double, reply)
    t.deepEqual([fault, verdict, violations], ['fault-1', 'ok', []])
    t.regex(note ?? '', /not documented for deleteInsight\. Documented: 204, .*; deliberate/u)
  })

testOnDouble('a fault is applied before the credential is checked', async (t, double) => {
  await double.addFault({ status: 503 })
  const reply = await get(double, '/insights')
  assertError(t, reply, 503)
  t.like(await entryOf(double, reply), { caller: null, fault: 'fault-1' })
  assertError(t, await get(double, '/insights'), 401)
})

testOnDouble('a delayed request is served after its delay, and delays no other request', async (t, double) => {
  await double.addFault({ operation: 'listInsights', delayMs: 1000 })
  const ids = await idsSeenBy(await double.sandbox(), 'ada')
  const [seen, milliseconds] = await timed(() => idsSeenBy(double, 'ada'))
  t.deepEqual(seen, ids)
  t.true(milliseconds > 100, String(milliseconds))
  await double.addFault({ operation: 'listInsights', delayMs: 60_000 })
  const order: string[] = []
  const delayed = idsSeenBy(double, 'ada').finally(() => order.push('delayed'))
  await del(double, '/insights/never-was', as('ada'))
  await double.requests()
  order.push('others')
  // A stop ends the delay.
  await double.stop()
  t.deepEqual(await delayed, ids)
  t.deepEqual(order, ['others', 'delayed'])
})

testOnDouble('a fault with a delay and a status sends the status after the delay', async (t, double) => {
  await double.addFault({ delayMs: 1000, status: 503 })
  const [reply, milliseconds] = await timed(() => list(double))
  assertError(t, reply, 503)
  t.true(milliseconds > 100, String(milliseconds))
})

testOnDouble('a disconnect sends no response, changes nothing, and is in the journal', async (t, double) => {
  const fault = await double.addFault({ operation: 'deleteInsight', disconnect: true })
  const request = wire('DELETE /insights/orchid-ice-cubes', ['Authorization: Bearer ada-token'])
  await t.throwsAsync(raw(double, request), { message: /closed without a response|ECONNRESET/u })
  const [entry] = (await double.waitForRequests({ operation: 'deleteInsight', atLeast: 1 })).entries
  const note = 'fault-1 closed the connection, as requested'
  t.like(entry, { status: null, fault: fault.id, caller: 'ada', verdict: 'ok', note })
  t.deepEqual((await changesIn(double)).removed, [])
  t.true((await double.coverage()).every(({ count }) => count === 0))
  t.is((await list(double)).status, 200)
})

testOnDouble('a removed fault has no effect, and the other faults stay', async (t, double) => {
  const [first, second] = [await double.addFault({ status: 501, times: 9 }), await double.addFault({ status: 502 })]
  t.is((await get(double, '/insights', as('ada'))).status, 501)
  const reply = await control(double, 'DELETE', `/faults/${first.id}`)
  t.deepEqual([reply.status, reply.text], [204, ''])
  t.deepEqual(pluck(await double.faults(), 'id'), [second.id])
  t.is((await get(double, '/insights', as('ada'))).status, 502)
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  for (const { id } of [first, second]) {
    const message = `There is no fault "${id}". It was never added, was removed, or has affected all its requests.`
    assertError(t, await control(double, 'DELETE', `/faults/${id}`), 404, message)
  }
})

testOnDouble('the id of a fault is never reused, also if all faults are removed, twice', async (t, double) => {
  const first = await double.addFault({ status: 501 })
  await double.addFault({ status: 502 })
  for (let turn = 0; turn < 2; turn++) t.is((await control(double, 'DELETE', '/faults')).status, 204)
  t.is((await list(double)).status, 200)
  const second = await double.addFault({ status: 501 })
  await double.reset()
  t.is(new Set([first.id, second.id, (await double.addFault({ status: 501 })).id]).size, 3)
})

const ofConstructor = { parameters: { constructor: 1 } }
const noParameter = (name: string, has: string): string => `There is no parameter "${name}". ${has}.`
const noNumber = 'times must be integer, or must be equal to one of the allowed values: always.'
const both = 'Invalid fault: a disconnect has no response; give disconnect alone, or with delayMs.'
const nothing =
  'Invalid fault: it has no effect; give status, headers, body, delayMs, disconnect, truncate or chunkDelayMs.'
const framing = 'it decides where the response ends; use disconnect or truncate to break a response.'
const unknown = (operation: string): string =>
  `There is no operation ${JSON.stringify(operation)}. The contract has listInsights, deleteInsight.`
const ofList = { operation: 'listInsights' }
const refused: readonly (readonly [fault: object, message: RegExp | string])[] = [
  [{ operation: 'listInsight', status: 400 }, unknown('listInsight')],
  [{ operation: 'constructor', status: 400 }, unknown('constructor')],
  [{ operation: '', status: 400 }, unknown('')],
  [{ operation: 'getHealth', status: 400 }, unknown('getHealth')],
  [{}, nothing],
  [ofList, nothing],
  [{ delayMs: 0 }, nothing],
  [{ disconnect: false }, nothing],
  [{ skip: 1, times: 2 }, nothing],
  [{ headers: {}, truncate: false, chunkDelayMs: 0 }, nothing],
  [{ status: 400, disconnect: true }, both],
  [{ body: null, disconnect: true }, both],
  [{ truncate: true, disconnect: true }, both],
  [{ match: { caller: 'gracy' }, status: 400 }, 'There is no caller "gracy". The state has ada, grace, alan.'],
  [{ ...ofList, match: { parameters: { limt: 1 } }, status: 400 }, noParameter('limt', 'listInsights has limit')],
  [{ match: ofConstructor, status: 400 }, noParameter('constructor', 'The contract has limit, id')],
  [{ match: { callr: 'ada' }, status: 400 }, /found 'callr'/u],
  [{ status: 204, body: {} }, 'Invalid fault: a 204 has no body; leave the body out.'],
  ...['Content-Length', 'transfer-encoding', 'connection'].map(
    (name) => [{ headers: { [name]: '1' } }, `Invalid fault: the header "${name}" cannot be set: ${framing}`] as const,
  ),
  [{ headers: { 'x-request-id': 'mine' } }, /x-request-id\W+ cannot be set: the journal finds the request by it\./u],
  [{ headers: { 'x-a': 'b\r\nx-c: d' } }, 'Invalid fault: the header "x-a" cannot be sent: it contains a line break.'],
  [{ headers: { 'x a': 'b' } }, /the header \W+x a\W+ cannot be sent/u],
  [{ headers: { 'x-a': 1 } }, /headers\W+x-a must be string/u],
  [{ chunkDelayMs: 10_001 }, /chunkDelayMs must be <= 10000/u],
  [{ status: 400, times: 'ever' }, `Request body property ${noNumber}`],
  [{ status: 199 }, /status must be >= 200/u],
  [{ status: 600 }, /status must be <= 599/u],
  [{ status: '400' }, /status must be integer/u],
  [{ status: 400.5 }, /status must be integer/u],
  [{ status: null }, /status must be integer/u],
  [{ delayMs: -1 }, /delayMs must be >= 0/u],
  [{ delayMs: 60_001 }, /delayMs must be <= 60000/u],
  [{ status: 400, times: 0 }, /times must be >= 1/u],
  [{ status: 400, times: 1_000_001 }, /times must be <= 1000000/u],
  [{ status: 400, skip: -1 }, /skip must be >= 0/u],
  [{ status: 400, skip: 1_000_001 }, /skip must be <= 1000000/u],
  [{ disconnect: 1 }, /disconnect must be boolean/u],
  [{ operation: 1, status: 400 }, /operation must be string/u],
  [{ status: 400, delay: 5 }, /found 'delay'/u],
]
for (const [fault, message] of refused)
  testOnDouble(`the fault ${JSON.stringify(fault)} is refused, and none is added`, async (t, double) => {
    const before = await everything(double)
    const reply = await control(double, 'POST', '/faults', fault)
    if (typeof message === 'string') assertError(t, reply, 400, message)
    else {
      assertError(t, reply, 400)
      t.regex(reply.text, message)
    }
    t.deepEqual(await everything(double), before)
  })
