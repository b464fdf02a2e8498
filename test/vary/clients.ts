/** Small clients of the contract of `orders.ts`: those that rely on something that it does not promise, and correct ones. */

export interface Client {
  readonly name: string
  /** The start of the names of the units that it does not survive. */
  readonly relies: readonly string[]
  /** The script. Node runs it with `shared` before it, others without. */
  readonly script: string
  readonly language: 'go' | 'node' | 'python'
  /** True if `--vary=all` finds it. */
  readonly isExtra?: boolean
}

/** The code that the scripts for Node share. Every text of a failure is that of an error that ends the process. */
export const shared = `
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { connect } from 'node:net'
const url = process.env.INSIGHTS_DOUBLE_URL
const read = async (path, options) => (await fetch(url + path, options)).json()
const raw = (path) => new Promise((done) => {
  const { hostname, port } = new URL(url)
  let text = ''
  connect(port, hostname).on('data', (chunk) => (text += chunk)).on('end', () => done(text))
    .write('GET ' + path + ' HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n')
})
const ask = (path) => new Promise((done) => request(url + path, done).end())
`

const pythonStart = `import json, os, urllib.request as r
from datetime import datetime
url = os.environ['INSIGHTS_DOUBLE_URL']
read = lambda path: json.load(r.urlopen(url + path))
`
const inPython = (script: string): string => pythonStart + script

const goStart = `package main
import ("encoding/json"; "net/http"; "os"; "time")
type Order struct { Id, Customer, SentAt, Note, State, Path string; Count float64; PlacedAt Time }
type Time = `
/** A program that decodes all orders. @param type - That of a time. @param rest - What it does with its decoder, and with each order. */
const inGo = (type: string, rest: { readonly decoder?: string; readonly order?: string }): string => `${goStart}${type}
func main() {
  response, err := http.Get(os.Getenv("INSIGHTS_DOUBLE_URL") + "/orders")
  if err != nil { panic(err) }
  decoder := json.NewDecoder(response.Body)
  ${rest.decoder ?? ''}
  var orders []Order
  if err := decoder.Decode(&orders); err != nil { panic(err) }
  for _, order := range orders {
    ${rest.order ?? 'if order.Id == "" { panic("no id") }'}
  }
  _ = time.RFC3339
}`
const parseIn = (layout: string): string =>
  `if _, err := time.Parse(${layout}, order.PlacedAt); err != nil { panic(err) }`

/** Scripts by what they rely on and their name. */
const planted: Readonly<Record<string, string>> = {
  'order listOrders 200 | takes the first order for the newest': `assert.equal((await read('/orders'))[0].id, 'o1')`,
  'order listOrders 200 | takes the last order for the oldest': `assert.equal((await read('/orders')).at(-1).id, 'o4')`,
  'order listOrders 200 | shows the first page of two': `assert.deepEqual((await read('/orders?limit=2')).map(({ id }) => id), ['o1', 'o2'])`,
  'unknown-property Order | refuses unknown properties': `const known = new Set(['id', 'customer', 'placedAt', 'sentAt', 'note', 'count', 'state', 'path'])
for (const order of await read('/orders')) assert.ok(Object.keys(order).every((key) => known.has(key)))`,
  'unknown-property Order | counts properties': `assert.equal(Object.keys(await read('/orders/o1')).length, 8)`,
  'date-offset Order.placedAt | expects Z': `for (const { placedAt } of await read('/orders')) assert.match(placedAt, /(Z|^$)$/)`,
  'date-offset Order.placedAt | cuts the day out of a time': `const day = (text) => text.slice(0, 10)
for (const { placedAt } of await read('/orders')) assert.equal(day(placedAt), new Date(placedAt).toISOString().slice(0, 10))`,
  'date-offset Order.placedAt | sorts times as texts': `const times = (await read('/orders')).map(({ placedAt }) => placedAt)
assert.deepEqual(times.toSorted(), times.toSorted((one, other) => Date.parse(one) - Date.parse(other)))`,
  'date-fraction Order.placedAt | expects whole seconds': `for (const { placedAt } of await read('/orders')) assert.match(placedAt, /^[\\d-]+T\\d\\d:\\d\\d:\\d\\d(Z|[+-]\\d\\d:\\d\\d)$/)`,
  'date-fraction Order.placedAt | parses times with strptime': inPython(
    `for order in read('/orders'): datetime.strptime(order['placedAt'], '%Y-%m-%dT%H:%M:%S%z')`,
  ),
  'unknown-property Order | refuses unknown properties, in Go': inGo('string', {
    decoder: 'decoder.DisallowUnknownFields()',
  }),
  'date-offset Order.placedAt | parses times with a layout that ends with Z, in Go': inGo('string', {
    order: parseIn('"2006-01-02T15:04:05Z"'),
  }),
  'json-escape listOrders 200 | decodes times with time.Time, in Go': inGo('time.Time', {}),
  'error-text getOrder 404 | matches the text of an error': `assert.match((await read('/orders/none')).message, /no record/)`,
  'key-order getOrder 200 | takes the first property for the id': `assert.equal(Object.keys(await read('/orders/o1'))[0], 'id')`,
  'json-space listOrders 200 | looks for the start of a JSON text': `assert.ok((await (await fetch(url + '/orders')).text()).startsWith('[{'))`,
  'json-escape getOrder 200 | looks for a path in a JSON text': `assert.match(await (await fetch(url + '/orders/o1')).text(), /one\\/two/)`,
  'media-type-parameter getOrder 200 | compares the whole media type': `assert.equal((await fetch(url + '/orders/o1')).headers.get('content-type').toLowerCase(), 'application/json')`,
  'media-type-case getOrder 200 | compares the case of the media type': `assert.ok((await fetch(url + '/orders/o1')).headers.get('content-type').startsWith('application/json'))`,
  'header-case getOrder 200 | reads header fields by the case of their names': `assert.match(await raw('/orders/o1'), /content-type: /)`,
  'chunked getOrder 200 | reads the length of a body': `const response = await ask('/orders/o1')
response.destroy()
assert.ok(Number(response.headers['content-length']) > 0)`,
  'chunked getOrder 200 | takes the first chunk for the body': `const response = await ask('/orders/o1')
JSON.parse(await new Promise((done) => response.once('data', done)))
response.destroy()`,
  'connection-close getOrder 200 | keeps its connection': `const response = await ask('/orders/o1')
response.destroy()
assert.equal(response.headers.connection, 'keep-alive')`,
  'reason-phrase getOrder 200 | reads the reason phrase': `assert.equal((await fetch(url + '/orders/o1')).statusText, 'OK')`,
  'challenge readSecret 401 | compares the case of a challenge': `assert.match((await fetch(url + '/secret')).headers.get('www-authenticate'), /^Bearer/)`,
  'retry-after readLoad 200 | waits for seconds': `assert.ok(Number((await fetch(url + '/load')).headers.get('retry-after')) >= 0)`,
  'double-headers getOrder 200 | shows the id of the request': `assert.ok((await fetch(url + '/orders/o1')).headers.get('x-request-id'))`,
  'extra-headers getOrder 200 | compares Vary': `assert.equal((await fetch(url + '/orders/o1')).headers.get('vary'), 'Origin')`,
  'slow getOrder | has little time': `await read('/orders')
await read('/orders/o1', { signal: AbortSignal.timeout(150) })`,
  'slow getOrder | expects two responses in order': `const done = []
await Promise.all([read('/orders/o1').then(() => done.push(1)), new Promise((go) => setTimeout(go, 100)).then(() => read('/orders')).then(() => done.push(2))])
assert.deepEqual(done, [1, 2])`,
  'order listOrders 200 | starts its own double, and takes its first order': `const { startDouble } = await import(process.env.PACKAGE)
const double = await startDouble({ spec: process.env.CONTRACT, fixture: JSON.parse(process.env.RECORDS) })
const [{ id }] = await (await fetch(double.url + '/orders')).json()
await double.stop()
assert.equal(id, 'o1')`,
  'unknown-property Order | uses sandboxes in parallel': `const { connectDouble } = await import(process.env.PACKAGE)
await Promise.all([1, 2, 3].map(async () => {
  const sandbox = await connectDouble(url).sandbox()
  const order = await (await fetch(sandbox.url + '/orders/o1')).json()
  await sandbox.stop()
  assert.equal(Object.keys(order).length, 8)
}))`,
}

/** Those that only `--vary=all` finds. */
const extra: Readonly<Record<string, string>> = {
  'absent Order.note | needs a note': `for (const { note } of await read('/orders')) assert.ok(note.length > 0)`,
  'null Order.sentAt, absent Order.sentAt | needs the time of sending': `for (const { sentAt } of await read('/orders')) assert.ok(sentAt.length > 0)`,
  'enum Order.state | knows all states': `for (const { state } of await read('/orders')) assert.ok([undefined, 'open', 'sent'].includes(state))`,
  'number listOrders 200 | counts with integers': inPython(
    `for order in read('/orders'): assert isinstance(order.get('count', 0), int)`,
  ),
}

/** Scripts by their name. */
const correct: Readonly<Record<string, string>> = {
  'finds an order by its id': `assert.ok((await read('/orders')).some(({ id }) => id === 'o1'))`,
  'parses dates': `for (const { placedAt } of await read('/orders')) assert.ok(Date.parse(placedAt) > 0)`,
  'sorts by time': `const times = (await read('/orders')).map(({ placedAt }) => Date.parse(placedAt)).toSorted((one, other) => one - other)
assert.equal(new Date(times[0]).toISOString(), '2026-01-05T09:30:00.000Z')`,
  'reads what it knows': `const { id, customer, note = '' } = await read('/orders/o1')
assert.deepEqual([id, customer, typeof note], ['o1', 'Ada', 'string'])`,
  'handles errors by status': `const response = await fetch(url + '/orders/none')
assert.equal(response.status, 404)`,
  'parses the media type': `assert.match((await fetch(url + '/orders/o1')).headers.get('content-type'), /^application\\/json\\b/i)`,
  'reads a body to its end': `let text = ''
for await (const chunk of await ask('/orders/o1')) text += chunk
assert.equal(JSON.parse(text).id, 'o1')`,
  'sends back what it saw': `const { addedLater, ...order } = await read('/orders/o2')
const body = JSON.stringify({ ...order, customer: 'Eve' })
const headers = { 'content-type': 'application/json' }
assert.equal((await fetch(url + '/orders/o2', { method: 'PUT', headers, body })).status, 200)
assert.equal((await read('/orders/o2')).customer, 'Eve')`,
  'waits for seconds or until a date': `const value = (await fetch(url + '/load')).headers.get('retry-after')
assert.ok(/^\\d+$/.test(value) || Date.parse(value) > 0)`,
  'parses times': inPython(
    `for order in read('/orders'): datetime.fromisoformat(order['placedAt'].replace('Z', '+00:00'))`,
  ),
  'parses times, in Go': inGo('string', { order: parseIn('time.RFC3339') }),
  'authenticates by the scheme in any case': `assert.match((await fetch(url + '/secret')).headers.get('www-authenticate'), /^bearer\\b/i)`,
  'starts its own double': `const { startDouble } = await import(process.env.PACKAGE)
const double = await startDouble({ spec: process.env.CONTRACT, fixture: JSON.parse(process.env.RECORDS) })
assert.equal((await (await fetch(double.url + '/orders')).json()).length, 4)
await double.stop()`,
}

const clientsOf = (scripts: Readonly<Record<string, string>>, isExtra: boolean): readonly Client[] =>
  Object.entries(scripts).map(([title, script]) => {
    const [name = '', relies] = title.split(' | ').toReversed()
    const start = { python: pythonStart, go: goStart }
    const language = (['python', 'go'] as const).find((each) => script.startsWith(start[each])) ?? 'node'
    return { name, relies: relies?.split(', ') ?? [], script, language, isExtra }
  })

export const plantedClients: readonly Client[] = [...clientsOf(planted, false), ...clientsOf(extra, true)]
export const correctClients: readonly Client[] = clientsOf(correct, true)
