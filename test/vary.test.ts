import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions, FixtureRecord } from 'insights-double'

import { kinds } from '#src/vary/kinds.js'

import { pluck } from './helpers/as-object-or-list.js'
import { readDocument } from './helpers/documents.js'
import { serve, testOnDouble } from './helpers/double.js'
import { as, exchange, get, json, type Reply, sendJson, wire } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'
import { often } from './helpers/repetitions.js'
import { seededRandom } from './helpers/seeded-random.js'
import { body, inPath, integer, type Json, listOf, object, ref, text, time } from './resources/plants-contract.js'

const properties = {
  id: { ...text, readOnly: true },
  customer: text,
  placedAt: time,
  sentAt: { type: ['string', 'null'], format: 'date-time' },
  note: text,
  count: integer,
  state: { ...text, 'x-extensible-enum': ['open', 'sent'] },
  address: { allOf: [ref('Address'), object({ since: time })] },
  code: { ...time, pattern: '^.*Z$' },
  lines: listOf(object({ sku: text, due: text }, 'sku')),
}
const Order = object(properties, 'id', 'customer', 'placedAt')

/** An operation. @param request - The schema of its body. Undefined: it has none. */
const operation = (operationId: string, status: number, response: object, refusal: number, request?: Json) => ({
  operationId,
  ...(request && { requestBody: { ...body(request), required: true } }),
  responses: { [status]: response, [refusal]: body(ref('Error')) },
})

/** A contract of orders, whose records have a date below each kind of schema. */
function writeOrders(t: ExecutionContext): Promise<string> {
  const [one, closed] = [body(ref('Order')), { ...object(properties), additionalProperties: false }]
  const onCollection = {
    get: operation('listOrders', 200, body(listOf(ref('Order'))), 400),
    post: operation('createOrder', 201, one, 400, ref('Order')),
  }
  const onItem = {
    parameters: [inPath('id')],
    get: operation('getOrder', 200, one, 404),
    put: operation('replaceOrder', 200, one, 400, ref('Order')),
    patch: operation('updateOrder', 200, one, 400, closed),
  }
  const Error = object({ error: integer, message: text })
  const schemas = { Error, Address: object({ street: text, zip: text }), Order }
  return writeContract(t, { '/orders': onCollection, '/orders/{id}': onItem }, { components: { schemas } })
}

/** Creates orders of which each lacks other properties. */
function randomOrders(count: number): readonly FixtureRecord[] {
  const random = seededRandom(26)
  const date = (): string => {
    const whole = new Date(Math.floor(random() * 4e12)).toISOString()
    return random() < 0.5 ? whole : whole.replace(/\.\d+Z$/u, random() < 0.5 ? 'Z' : '+02:00')
  }
  return Array.from({ length: count }, (_, index) => {
    const all: [string, unknown][] = [
      ['sentAt', random() < 0.3 ? null : date()],
      ['note', 'as ordered / "soon" – ü'],
      ['count', index],
      ['state', 'open'],
      ['address', { street: 'High Street', since: date() }],
      ['code', '2026-01-05T09:30:00Z'],
      ['lines', [{ sku: 'a', due: 'soon' }, { sku: 'b' }]],
    ]
    const own = Object.fromEntries(all.filter(() => random() < 0.8))
    return { id: `o${index}`, customer: `Customer ${index}`, placedAt: date(), ...own }
  })
}

const serveOrders = async (t: ExecutionContext, count: number, options: DoubleOptions = {}): Promise<DoubleHandle> =>
  serve(t, { spec: await writeOrders(t), fixture: { orders: randomOrders(count) }, ...options })

type Insights = readonly { readonly id: string }[]

/** Returns the names of the units that could vary what these requests get. */
async function unitsOf(double: DoubleHandle, ...paths: readonly string[]): Promise<readonly string[]> {
  for (const path of paths) await get(double, path, as('ada'))
  return (await double.variations()).map(({ unit }) => unit)
}

test('units are those that the contract allows for what was sent, each with its place in the contract', async (t) => {
  const double = await serveOrders(t, 20)
  const units = await unitsOf(double, '/orders', '/orders/o1', '/orders/none')
  const named = units.filter((unit) => !/ (?:list|get)Order/u.test(unit))
  const expected = [
    ...['address', 'code', 'count', 'lines', 'note', 'sentAt', 'state'].map((name) => `absent Order.${name}`),
    ...['Address.since', 'Address.street', 'Order.lines.due'].map((name) => `absent ${name}`),
    'date-fraction Address.since',
    ...['code', 'placedAt', 'sentAt'].map((name) => `date-fraction Order.${name}`),
    'date-offset Address.since',
    ...['placedAt', 'sentAt'].map((name) => `date-offset Order.${name}`),
    'enum Order.state',
    'null Order.sentAt',
    ...['Address', 'Order', 'Order.lines'].map((name) => `unknown-property ${name}`),
  ]
  t.deepEqual(named.toSorted(), expected.toSorted())
  t.true(units.includes('order listOrders 200'))
  t.true(units.includes('error-text getOrder 404'))
  t.true(units.includes('slow getOrder'))
  t.false(units.includes('order getOrder 200'))
  const row = (await double.variations()).find(({ unit }) => unit === 'order listOrders 200')
  t.like(row, { on: false, applied: 0, isAssumption: false, line: 1 })
})

test('a response is varied by each unit alone, stays legal, and its entry in the journal names the unit', async (t) => {
  const double = await serveOrders(t, 4)
  const paths = ['/orders', '/orders/o1', '/orders/none']
  const plain = await Promise.all(paths.map((path) => get(double, path)))
  for (const unit of await unitsOf(double)) {
    if (unit.startsWith('slow')) continue
    await double.setVariations([unit])
    await double.clearRequests()
    const isMediaType = unit.startsWith('media-type')
    // The helper validates each response. It takes other spellings of a media type for other media types.
    const send = (path: string): Promise<Reply> =>
      isMediaType ? exchange(new URL(double.url + path), 'GET') : get(double, path)
    const varied = await Promise.all(paths.map(send))
    const { entries } = await double.requests()
    const named = entries.filter(({ variations }) => variations?.includes(unit))
    t.true(named.length > 0, unit)
    const isOnWire = /^(?:header-case|reason-phrase|connection-close|chunked|extra|double|media|challenge)/u.test(unit)
    if (!isOnWire) t.notDeepEqual(pluck(varied, 'text'), pluck(plain, 'text'), unit)
    t.is((await double.variations()).find((each) => each.unit === unit)?.applied, named.length, unit)
  }
})

test('a client may send back what it saw: the state does not change, with every unit', async (t) => {
  const double = await serveOrders(t, often(12, 1000))
  const { orders: before } = await double.state()
  await unitsOf(double, '/orders', ...(before ?? []).map(({ id }) => `/orders/${String(id)}`))
  const units = (await double.variations())
    .map(({ unit }) => unit)
    .filter((unit) => !/^slow|(?:list|get)Orders? /u.test(unit))
  for (const on of [...units.map((unit) => [unit]), units]) {
    await double.setVariations(on)
    for (const { id } of before ?? []) {
      const seen = json(await get(double, `/orders/${String(id)}`))
      t.is((await sendJson(double, 'PUT', `/orders/${String(id)}`, seen)).status, 200, String(on))
      const { addedLater, id: _, ...some } = seen as Record<string, unknown>
      const patch = { ...some, ...(addedLater === undefined ? {} : { addedLater }) }
      t.is((await sendJson(double, 'PATCH', `/orders/${String(id)}`, patch)).status, 200, String(on))
    }
    t.deepEqual((await double.state())['orders'], before, String(on))
  }
})

test('what a client changes is stored, next to what it sends back', async (t) => {
  const double = await serveOrders(t, 12, { vary: ['date-offset Order.placedAt', 'absent Order.note'] })
  const recordOf = async (given: unknown) => (await double.state())['orders']?.find(({ id }) => id === given)
  const before = (await double.state())['orders']?.find(({ note }) => note !== undefined)
  const path = `/orders/${String(before?.['id'])}`
  const seen = json(await get(double, path)) as object
  t.false('note' in seen)
  await sendJson(double, 'PUT', path, { ...seen, customer: 'Someone else' })
  t.deepEqual(await recordOf(before?.['id']), { ...before, customer: 'Someone else' })
  await sendJson(double, 'PUT', path, { ...seen, placedAt: '2026-02-01T00:00:00+14:00' })
  t.is((await recordOf(before?.['id']))?.['placedAt'], '2026-02-01T00:00:00+14:00')
})

test('a property that a client has written is not left out', async (t) => {
  const double = await serveOrders(t, 3)
  t.true((await unitsOf(double, '/orders')).includes('absent Order.count'))
  await sendJson(double, 'PATCH', '/orders/o0', { count: 7 })
  t.false((await unitsOf(double)).includes('absent Order.count'))
})

testOnDouble('a list is reversed before it is cut, unless a parameter sorts it', async (t, double) => {
  const ids = pluck(json(await get(double, '/insights', as('ada'))) as Insights, 'id')
  await double.setVariations(['order listInsights 200'])
  const seen = json(await get(double, '/insights?limit=2', as('ada'))) as Insights
  t.deepEqual(pluck(seen, 'id'), ids.toReversed().slice(0, 2))
})

test('x-double says that an order is promised', async (t) => {
  const list = { operationId: 'list', responses: { 200: body(listOf(ref('Thing'))) } }
  const item = { parameters: [inPath('id')], get: { operationId: 'get', responses: { 200: body(ref('Thing')) } } }
  const components = { schemas: { Thing: object({ id: text }, 'id') } }
  const contract = (order: string): Promise<string> =>
    writeContract(t, { '/things': { get: { ...list, 'x-double': { order } } }, '/things/{id}': item }, { components })
  const double = await serve(t, { spec: await contract('promised'), fixture: { things: [{ id: 'a' }, { id: 'b' }] } })
  const units = await unitsOf(double, '/things')
  t.true(units.includes('key-order list 200') || units.length > 5)
  t.false(units.includes('order list 200'))
  await t.throwsAsync(serve(t, { spec: await contract('promise') }), { message: /order "promise" is not known/u })
})

testOnDouble('what is sent is varied on the wire', async (t, double) => {
  const request = wire('GET /insights?limit=1', ['Authorization: Bearer ada-token', 'Connection: close'])
  const sent = async (...names: readonly string[]): Promise<string> => {
    await double.setVariations(names.map((kind) => `${kind} listInsights 200`))
    const socket = connect(Number(new URL(double.url).port), '127.0.0.1')
    socket.end(request)
    return readText(socket)
  }
  const contentType = await sent('header-case', 'media-type-case', 'media-type-parameter')
  t.regex(contentType, /\r\nCONTENT-TYPE: Application\/Json; charset=UTF-8\r\n/u)
  t.regex(await sent('reason-phrase'), /^HTTP\/1\.1 200 \r\n/u)
  t.regex(await sent('chunked'), /\r\nTransfer-Encoding: chunked\r\n/u)
  t.regex(await sent('extra-headers'), /\r\nvary: Origin, Accept-Encoding\r\n/u)
  t.notRegex(await sent('double-headers'), /x-request-id: /u)
})

testOnDouble('sandboxes have the variations of the root, or their own', async (t, double) => {
  const units = ['unknown-property Insight']
  await double.setVariations(units)
  const [inherits, own] = [await double.sandbox(), await double.sandbox({ vary: [] })]
  const first = async (sandbox: DoubleHandle): Promise<object> =>
    (json(await get(sandbox, '/insights', as('ada'))) as object[])[0] ?? {}
  t.true('addedLater' in (await first(inherits)))
  t.false('addedLater' in (await first(own)))
  await own.stop()
  t.deepEqual((await double.variations()).find(({ on }) => on)?.unit, units[0])
  await inherits.setVariations(['unknown-property Insight @last'])
  const all = json(await get(inherits, '/insights', as('ada'))) as object[]
  const isLastThird = all.map((_, index) => index >= Math.floor((2 * all.length) / 3))
  const isAdded = all.map((each) => 'addedLater' in each)
  t.deepEqual(isAdded, isLastThird)
})

testOnDouble('faults and the control plane are not varied', async (t, double) => {
  const units = ['header-case listInsights 200', 'error-text listInsights 400', 'json-space listInsights 400']
  await double.setVariations(units)
  await double.addFault({ operation: 'listInsights', status: 400 })
  t.false((await get(double, '/insights', as('ada'))).text.includes('\r'))
  t.deepEqual((await double.requests()).entries[0]?.variations, undefined)
})

for (const [unit, hint] of [
  ['ordr listInsights 200', 'order'],
  ['order listInsight 200', 'order listInsights 200'],
  ['date-offset Insight.createAt', 'date-offset Insight.createdAt'],
  ['order', 'order'],
  ['constructor listInsights 200', 'order, date-fraction'],
  ['', 'order, date-fraction'],
] as const)
  testOnDouble(`an unknown variation ${JSON.stringify(unit)} is refused, with the nearest name`, async (t, double) => {
    const message = { message: new RegExp(`There is no variation "${unit}".*did you mean ${hint}`, 'u') }
    if (unit !== '') await t.throwsAsync(double.setVariations([unit]), message)
    await t.throwsAsync(double.sandbox({ vary: [unit] }))
    await t.throwsAsync(serve(t, { vary: [unit] }), message)
    t.deepEqual(await double.sandboxes(), [])
  })

test('the document explains each kind', async (t) => {
  const table = tableOf(sectionOf(await readDocument('testing'), 'What the contract does not promise'))
  t.deepEqual(table.flatMap(([names = '']) => codesIn(names)).toSorted(), Object.keys(kinds).toSorted())
})
