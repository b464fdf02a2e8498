/** Tests the responses of faults, and which requests get them. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle, FaultRequest } from 'insights-double'

import { pluck } from './helpers/as-object-or-list.js'
import { entryOf, excuse, serve, testOnDouble } from './helpers/double.js'
import { as, del, get, json, type Reply, violationsOf } from './helpers/http.js'
import { servePlants } from './helpers/plants-spec.js'

async function serveExcused(t: ExecutionContext): Promise<DoubleHandle> {
  const double = await serve(t)
  excuse(double, 'what a fault says is what is asked for')
  return double
}

const list = (double: DoubleHandle, caller = 'ada', query = ''): Promise<Reply> =>
  get(double, `/insights${query}`, as(caller))

const allowed = /^fault-1 responded instead of the service$/u
const error = { error: 400, message: 'No.' }
const asJson = { 'content-type': 'application/json' }
const notJson = /as application\/json, got text\/html; deliberate/u
const asHtml = { status: 400, headers: { 'Content-Type': 'text/html' } }
const notError = /^fault-1: .*'error'; deliberate, so not a violation$/u
const undocumented = /^fault-1: Status 503 is not documented for listInsights\. Documented: .*; deliberate/u
/** A fault of listInsights, the body and the media type of the response, and the note of its journal entry. */
const rows: readonly (readonly [fault: FaultRequest, text: string, mediaType: string, note: RegExp])[] = [
  [{ body: [] }, '[]', 'application/json', allowed],
  [{ status: 400, body: error }, JSON.stringify(error), 'application/json', allowed],
  [{ status: 400, body: { no: 1 } }, '{"no":1}', 'application/json', notError],
  [{ body: null }, 'null', 'application/json', /^fault-1: .*must be array; deliberate/u],
  [{ status: 503, body: error }, JSON.stringify(error), 'application/json', undocumented],
  [{ ...asHtml, body: '<h1>Bad</h1>' }, '<h1>Bad</h1>', 'text/html', notJson],
  [{ body: 'ä' }, 'ä', 'text/plain; charset=utf-8', /got text\/plain/u],
  [{ body: '[', headers: asJson }, '[', 'application/json', /The body is not application\/json; deliberate/u],
  [{ body: '[ ]', headers: asJson }, '[ ]', 'application/json', allowed],
]

test('a fault sends the given response; a response that breaks the contract is marked as deliberate', async (t) => {
  const double = await serveExcused(t)
  for (const [fault, text, mediaType, note] of rows) {
    await double.addFault(fault)
    const reply = await list(double)
    t.like(reply, { status: fault.status ?? 200, headers: { 'content-type': mediaType }, text })
    t.deepEqual(violationsOf(reply), [])
    const entry = await entryOf(double, reply)
    t.is(entry.verdict, 'ok')
    t.regex(String(entry.note).replace(/^fault-\d+/u, 'fault-1'), note)
  }
})

test('the header fields of a fault replace those of the response, which the fault or the service creates', async (t) => {
  const double = await serveExcused(t)
  await double.addFault({ status: 503, headers: { 'Retry-After': '1', vary: 'Accept' } })
  t.like((await list(double)).headers, { 'retry-after': '1', vary: 'Accept', 'content-type': 'application/json' })
  await double.addFault({ headers: { etag: '"1"' } })
  const reply = await list(double)
  t.is(reply.headers['etag'], '"1"')
  t.like(await entryOf(double, reply), { status: 200, fault: 'fault-2', responseBody: json(reply) })
})

test('a fault affects only requests with the caller and the parameters of its `match`', async (t) => {
  const double = await serveExcused(t)
  await double.addFault({ match: { caller: 'grace', parameters: { limit: 2 } }, status: 503, times: 'always' })
  await double.addFault({ match: { parameters: { id: 'a b' } }, status: 502, times: 'always' })
  t.is((await list(double, 'ada', '?limit=2')).status, 200)
  for (const query of ['?limit=3', '']) t.is((await list(double, 'grace', query)).status, 200)
  for (let turn = 0; turn < 2; turn++) t.is((await list(double, 'grace', '?limit=2')).status, 503)
  t.is((await get(double, '/insights?limit=2')).status, 401)
  t.is((await del(double, '/insights/a%20b', as('ada'))).status, 502)
  t.is((await del(double, '/insights/%ff', as('ada'))).status, 400)
  t.deepEqual(pluck(await double.faults(), 'fired', 'times').flat(), [2, 'always', 1, 'always'])
})

test('a fault matches an invalid parameter by its text', async (t) => {
  const double = await serveExcused(t)
  await double.addFault({ match: { parameters: { limit: 'abc' } }, status: 503 })
  t.is((await list(double, 'ada', '?limit=abc')).status, 503)
})

test('the caller is identified before a fault is applied, and a wrong credential is refused after it is applied', async (t) => {
  const double = await serveExcused(t)
  await double.addFault({ status: 503, times: 2 })
  t.like(await entryOf(double, await list(double)), { caller: 'ada', status: 503 })
  t.like(await entryOf(double, await list(double, 'nobody')), { caller: null, status: 503 })
  await double.addFault({ delayMs: 1 })
  t.like(await entryOf(double, await list(double, 'nobody')), { caller: null, status: 401, fault: 'fault-2' })
})

testOnDouble('a 401 of a fault has the header fields of a real 401', async (t, double) => {
  const own = new Set(['date', 'sl-violations', 'x-request-id', 'access-control-expose-headers'])
  const withoutOwn = ({ headers, status, text }: Reply): unknown => {
    const others = Object.entries(headers).filter(([name]) => !own.has(name))
    return [status, Object.fromEntries(others), text]
  }
  for (const headers of [{}, as('nobody')]) {
    const real = await get(double, '/insights', headers)
    await double.addFault({ status: 401 })
    t.deepEqual(withoutOwn(await get(double, '/insights', headers)), withoutOwn(real))
  }
  await double.addFault({ status: 401, body: { error: 401, message: 'Expired.' } })
  const reply = await list(double)
  t.is(reply.headers['www-authenticate'], 'Bearer error="invalid_token"')
  t.deepEqual(json(reply), { error: 401, message: 'Expired.' })
})

/** Reads the available part of a response. */
async function readPart(double: DoubleHandle, onChunk: (chunk: Buffer) => void = () => {}) {
  const sent = request(`${double.url}/insights`, { headers: as('ada') }).end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const chunks: Buffer[] = []
  response
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('data', onChunk)
    .on('error', () => {})
  await new Promise((resolve) => response.once('close', resolve))
  return { headers: response.headers, chunks, isWhole: response.complete }
}

test('a truncated response has the header fields and the first half of the body, and then the connection ends', async (t) => {
  const double = await serve(t)
  const { text } = await list(double)
  const whole = json(await list(double))
  for (const fault of [{ truncate: true }, { truncate: true, chunkDelayMs: 1 }, { truncate: true, body: whole }]) {
    await double.addFault(fault)
    const { chunks, headers, isWhole } = await readPart(double)
    const half = Buffer.from(text).subarray(0, Math.floor(Buffer.byteLength(text) / 2))
    t.deepEqual(Buffer.concat(chunks), half)
    t.is(headers['content-length'], String(Buffer.byteLength(text)))
    t.false(isWhole)
    const entry = (await double.requests()).entries.at(-1)
    t.is(entry?.responseBody, half.toString())
    t.is(entry?.status, 200)
  }
  t.is((await list(double)).text, text)
})

testOnDouble('a body with chunkDelayMs arrives in parts, and is complete', async (t, double) => {
  const { text } = await list(double)
  await double.addFault({ chunkDelayMs: 1 })
  const { chunks, isWhole } = await readPart(double)
  t.true(isWhole)
  t.is(Buffer.concat(chunks).toString(), text)
  await double.addFault({ chunkDelayMs: 1000 })
  let stopping: Promise<void> | undefined
  // A stop ends the delay after the first part.
  const slow = await readPart(double, () => {
    stopping ??= double.stop()
  })
  await stopping
  t.true(slow.chunks.length > 1)
  t.is(Buffer.concat(slow.chunks).toString(), text)
})

test('the journal has the requests that get a fault, and their bodies', async (t) => {
  const double = await servePlants(t, [])
  excuse(double, 'what a fault says is what is asked for')
  await double.addFault({ operation: 'createPlant', status: 503, times: 2 })
  for (const [body, kept] of [
    ['{"name":"Aloe"}', { name: 'Aloe' }],
    // The operation documents a secret, and this is not JSON.
    ['{"name":', '[redacted: 8 bytes of application/json]'],
  ] as const) {
    const headers = { ...as('ada'), 'content-type': 'application/json' }
    const reply = await fetch(`${double.url}/plants`, { method: 'POST', headers, body })
    t.is(reply.status, 503)
    await reply.text()
    t.deepEqual((await double.requests()).entries.at(-1)?.requestBody, kept)
  }
})
