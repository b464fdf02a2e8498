/** Small clients of the contract of `orders.ts`: those that rely on something that it does not promise, and correct ones. */

export interface Client {
  readonly name: string
  /** The start of the names of the units that it does not survive. */
  readonly relies: readonly string[]
  /** The script. Node runs it with `shared` before it, Python without. */
  readonly script: string
  readonly isPython?: true
  /** True if `--vary=all` finds it. */
  readonly isExtra?: true
}

/** What the scripts for Node share. Every text of a failure is that of an error that ends the process. */
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

const planted = (name: string, relies: string, script: string): Client => ({ name, relies: relies.split(', '), script })
const extra = (name: string, relies: string, script: string): Client => ({
  ...planted(name, relies, script),
  isExtra: true,
})
const inPython = (name: string, relies: string, script: string): Client => ({
  ...planted(
    name,
    relies,
    `import json, os, urllib.request as r\nfrom datetime import datetime\nurl = os.environ['INSIGHTS_DOUBLE_URL']\nread = lambda path: json.load(r.urlopen(url + path))\n${script}`,
  ),
  isPython: true,
})

export const plantedClients: readonly Client[] = [
  planted(
    'takes the first order for the newest',
    'order listOrders 200',
    `assert.equal((await read('/orders'))[0].id, 'o1')`,
  ),
  planted(
    'takes the last order for the oldest',
    'order listOrders 200',
    `assert.equal((await read('/orders')).at(-1).id, 'o4')`,
  ),
  planted(
    'shows the first page of two',
    'order listOrders 200',
    `assert.deepEqual((await read('/orders?limit=2')).map(({ id }) => id), ['o1', 'o2'])`,
  ),
  planted(
    'refuses unknown properties',
    'unknown-property Order',
    `const known = new Set(['id', 'customer', 'placedAt', 'sentAt', 'note', 'count', 'state', 'path'])
for (const order of await read('/orders')) assert.ok(Object.keys(order).every((key) => known.has(key)))`,
  ),
  planted(
    'counts properties',
    'unknown-property Order',
    `assert.equal(Object.keys(await read('/orders/o1')).length, 8)`,
  ),
  planted(
    'expects Z',
    'date-offset Order.placedAt',
    `for (const { placedAt } of await read('/orders')) assert.match(placedAt, /(Z|^$)$/)`,
  ),
  planted(
    'cuts the day out of a time',
    'date-offset Order.placedAt',
    `const day = (text) => text.slice(0, 10)
for (const { placedAt } of await read('/orders')) assert.equal(day(placedAt), new Date(placedAt).toISOString().slice(0, 10))`,
  ),
  planted(
    'sorts times as texts',
    'date-offset Order.placedAt',
    `const times = (await read('/orders')).map(({ placedAt }) => placedAt)
assert.deepEqual(times.toSorted(), times.toSorted((one, other) => Date.parse(one) - Date.parse(other)))`,
  ),
  planted(
    'expects whole seconds',
    'date-fraction Order.placedAt',
    `for (const { placedAt } of await read('/orders')) assert.match(placedAt, /^[\\d-]+T\\d\\d:\\d\\d:\\d\\d(Z|[+-]\\d\\d:\\d\\d)$/)`,
  ),
  inPython(
    'parses times with strptime',
    'date-fraction Order.placedAt',
    `for order in read('/orders'): datetime.strptime(order['placedAt'], '%Y-%m-%dT%H:%M:%S%z')`,
  ),
  planted(
    'matches the text of an error',
    'error-text getOrder 404',
    `assert.match((await read('/orders/none')).message, /no record/)`,
  ),
  planted(
    'takes the first property for the id',
    'key-order getOrder 200',
    `assert.equal(Object.keys(await read('/orders/o1'))[0], 'id')`,
  ),
  planted(
    'looks for the start of a JSON text',
    'json-space listOrders 200',
    `assert.ok((await (await fetch(url + '/orders')).text()).startsWith('[{'))`,
  ),
  planted(
    'looks for a path in a JSON text',
    'json-escape getOrder 200',
    `assert.match(await (await fetch(url + '/orders/o1')).text(), /one\\/two/)`,
  ),
  planted(
    'compares the whole media type',
    'media-type-parameter getOrder 200',
    `assert.equal((await fetch(url + '/orders/o1')).headers.get('content-type').toLowerCase(), 'application/json')`,
  ),
  planted(
    'compares the case of the media type',
    'media-type-case getOrder 200',
    `assert.ok((await fetch(url + '/orders/o1')).headers.get('content-type').startsWith('application/json'))`,
  ),
  planted(
    'reads header fields by the case of their names',
    'header-case getOrder 200',
    `assert.match(await raw('/orders/o1'), /content-type: /)`,
  ),
  planted(
    'reads the length of a body',
    'chunked getOrder 200',
    `const response = await ask('/orders/o1')
response.destroy()
assert.ok(Number(response.headers['content-length']) > 0)`,
  ),
  planted(
    'takes the first chunk for the body',
    'chunked getOrder 200',
    `const response = await ask('/orders/o1')
JSON.parse(await new Promise((done) => response.once('data', done)))
response.destroy()`,
  ),
  planted(
    'keeps its connection',
    'connection-close getOrder 200',
    `const response = await ask('/orders/o1')
response.destroy()
assert.equal(response.headers.connection, 'keep-alive')`,
  ),
  planted(
    'reads the reason phrase',
    'reason-phrase getOrder 200',
    `assert.equal((await fetch(url + '/orders/o1')).statusText, 'OK')`,
  ),
  planted(
    'compares the case of a challenge',
    'challenge readSecret 401',
    `assert.match((await fetch(url + '/secret')).headers.get('www-authenticate'), /^Bearer/)`,
  ),
  planted(
    'waits for seconds',
    'retry-after readLoad 200',
    `assert.ok(Number((await fetch(url + '/load')).headers.get('retry-after')) >= 0)`,
  ),
  planted(
    'shows the id of the request',
    'double-headers getOrder 200',
    `assert.ok((await fetch(url + '/orders/o1')).headers.get('x-request-id'))`,
  ),
  planted(
    'compares Vary',
    'extra-headers getOrder 200',
    `assert.equal((await fetch(url + '/orders/o1')).headers.get('vary'), 'Origin')`,
  ),
  planted(
    'has little time',
    'slow getOrder',
    `await read('/orders')
await read('/orders/o1', { signal: AbortSignal.timeout(150) })`,
  ),
  planted(
    'expects two responses in order',
    'slow getOrder',
    `const done = []
await Promise.all([read('/orders/o1').then(() => done.push(1)), new Promise((go) => setTimeout(go, 100)).then(() => read('/orders')).then(() => done.push(2))])
assert.deepEqual(done, [1, 2])`,
  ),
  planted(
    'starts its own double, and takes its first order',
    'order listOrders 200',
    `const { startDouble } = await import(process.env.PACKAGE)
const double = await startDouble({ spec: process.env.CONTRACT, fixture: JSON.parse(process.env.RECORDS) })
const [{ id }] = await (await fetch(double.url + '/orders')).json()
await double.stop()
assert.equal(id, 'o1')`,
  ),
  planted(
    'uses sandboxes in parallel',
    'unknown-property Order',
    `const { connectDouble } = await import(process.env.PACKAGE)
await Promise.all([1, 2, 3].map(async () => {
  const sandbox = await connectDouble(url).sandbox()
  const order = await (await fetch(sandbox.url + '/orders/o1')).json()
  await sandbox.stop()
  assert.equal(Object.keys(order).length, 8)
}))`,
  ),
  extra(
    'needs a note',
    'absent Order.note',
    `for (const { note } of await read('/orders')) assert.ok(note.length > 0)`,
  ),
  extra(
    'needs the time of sending',
    'null Order.sentAt, absent Order.sentAt',
    `for (const { sentAt } of await read('/orders')) assert.ok(sentAt.length > 0)`,
  ),
  extra(
    'knows all states',
    'enum Order.state',
    `for (const { state } of await read('/orders')) assert.ok([undefined, 'open', 'sent'].includes(state))`,
  ),
  {
    ...inPython(
      'counts with integers',
      'number listOrders 200',
      `for order in read('/orders'): assert isinstance(order.get('count', 0), int)`,
    ),
    isExtra: true,
  },
]

const correct = (name: string, script: string): Client => ({ name, relies: [], script, isExtra: true })

export const correctClients: readonly Client[] = [
  correct('finds an order by its id', `assert.ok((await read('/orders')).some(({ id }) => id === 'o1'))`),
  correct('parses dates', `for (const { placedAt } of await read('/orders')) assert.ok(Date.parse(placedAt) > 0)`),
  correct(
    'sorts by time',
    `const times = (await read('/orders')).map(({ placedAt }) => Date.parse(placedAt)).toSorted((one, other) => one - other)
assert.equal(new Date(times[0]).toISOString(), '2026-01-05T09:30:00.000Z')`,
  ),
  correct(
    'reads what it knows',
    `const { id, customer, note = '' } = await read('/orders/o1')
assert.deepEqual([id, customer, typeof note], ['o1', 'Ada', 'string'])`,
  ),
  correct(
    'handles errors by status',
    `const response = await fetch(url + '/orders/none')
assert.equal(response.status, 404)`,
  ),
  correct(
    'parses the media type',
    `assert.match((await fetch(url + '/orders/o1')).headers.get('content-type'), /^application\\/json\\b/i)`,
  ),
  correct(
    'reads a body to its end',
    `let text = ''
for await (const chunk of await ask('/orders/o1')) text += chunk
assert.equal(JSON.parse(text).id, 'o1')`,
  ),
  correct(
    'sends back what it saw',
    `const { addedLater, ...order } = await read('/orders/o2')
const body = JSON.stringify({ ...order, customer: 'Eve' })
const headers = { 'content-type': 'application/json' }
assert.equal((await fetch(url + '/orders/o2', { method: 'PUT', headers, body })).status, 200)
assert.equal((await read('/orders/o2')).customer, 'Eve')`,
  ),
  correct(
    'waits for seconds or until a date',
    `const value = (await fetch(url + '/load')).headers.get('retry-after')
assert.ok(/^\\d+$/.test(value) || Date.parse(value) > 0)`,
  ),
  {
    ...inPython(
      'parses times',
      '',
      `for order in read('/orders'): datetime.fromisoformat(order['placedAt'].replace('Z', '+00:00'))`,
    ),
    relies: [],
    isExtra: true,
  },
  correct(
    'authenticates by the scheme in any case',
    `assert.match((await fetch(url + '/secret')).headers.get('www-authenticate'), /^bearer\\b/i)`,
  ),
  correct(
    'starts its own double',
    `const { startDouble } = await import(process.env.PACKAGE)
const double = await startDouble({ spec: process.env.CONTRACT, fixture: JSON.parse(process.env.RECORDS) })
assert.equal((await (await fetch(double.url + '/orders')).json()).length, 4)
await double.stop()`,
  ),
]
