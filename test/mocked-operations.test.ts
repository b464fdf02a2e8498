import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'
import type { Document } from 'yaml'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { changedSpec, entryOf, everything, excuse, serve } from './helpers/double.js'
import { as, assertError, get, type Headers, json, raw, type Reply, violationsOf, wire } from './helpers/http.js'
import { body, inPath, object, ref, text, time } from './resources/plants-contract.js'

const insight = ref('Insight')
const fromSpec = { id: 'from-the-spec', content: 'From the spec.' }
const failed = (error: number): object => body(ref('Error'), { error, message: 'Because.' })
const refusals = { '400': failed(400), '401': failed(401), '413': failed(413), '415': failed(415), '500': failed(500) }

/** Adds operations that no role fits. */
function addOperations(spec: Document, example: object = fromSpec): void {
  spec.setIn(['paths', '/insights/{id}/preview', 'get'], {
    operationId: 'getInsight',
    parameters: [inPath('id', ref('InsightId'))],
    responses: { '200': body(insight, example), '404': failed(404), ...refusals },
  })
  const draft = object({ content: { ...text, minLength: 2 }, createdAt: time }, 'content')
  spec.setIn(['paths', '/drafts', 'post'], {
    operationId: 'addInsight',
    requestBody: { ...body({ ...draft, additionalProperties: false }), required: true },
    responses: { '201': body(insight, example), ...refusals },
  })
}

const startMore = async (t: ExecutionContext): Promise<DoubleHandle> =>
  serve(t, { spec: await changedSpec(t, (spec) => addOperations(spec)) })

const type = { 'content-type': 'application/json' }

async function post(double: DoubleHandle, sent: string, headers: Headers = type): Promise<Reply> {
  const fields = { ...as('ada'), 'content-length': String(Buffer.byteLength(sent)), connection: 'close', ...headers }
  const lines = Object.entries(fields).map((field) => field.join(': '))
  return raw(double, wire('POST /drafts', lines, sent))
}

test('only an operation without a role sends the example of the spec, and marks the response as mocked', async (t) => {
  const double = await startMore(t)
  const before = await double.state()
  const read = await get(double, '/insights/monstera-watering/preview', as('ada'))
  t.deepEqual([read.status, json(read), read.headers['x-double']], [200, fromSpec, 'mocked'])
  const added = await post(double, '{"content":"Something new."}')
  t.deepEqual([added.status, json(added), added.headers['x-double']], [201, fromSpec, 'mocked'])
  t.deepEqual([violationsOf(read), violationsOf(added)], [[], []])
  t.like(await get(double, '/insights?limit=1', as('ada')), { headers: { 'x-double': undefined }, status: 200 })
  t.deepEqual(await double.state(), before)
  t.like(await entryOf(double, added), { operation: 'addInsight', caller: 'ada', status: 201, verdict: 'ok' })
})

test('a mocked operation needs a credential and a valid request', async (t) => {
  const double = await startMore(t)
  assertError(t, await get(double, '/insights/x/preview'), 401)
  assertError(t, await post(double, '{"content":"xx"}', { authorization: 'Bearer nobody' }), 401)
  assertError(t, await get(double, '/insights/a%20b/preview', as('ada')), 400)
})

test('a mocked operation applies preferences and faults, and is in journal and coverage', async (t) => {
  const double = await startMore(t)
  excuse(double, 'the example of its 404 is that of a 400')
  t.is((await get(double, '/insights/x/preview', { ...as('ada'), prefer: 'code=404' })).status, 404)
  await double.addFault({ operation: 'getInsight', status: 400 })
  assertError(t, await get(double, '/insights/x/preview', as('ada')), 400)
  const counted = (await double.coverage()).filter(({ count }) => count > 0)
  t.is(pluck(counted, 'operation', 'status').join(' '), 'getInsight,400 getInsight,404')
  const { entries } = await double.requests()
  t.is(pluck(entries, 'operation', 'status').join(' '), 'getInsight,404 getInsight,400')
})

/** Refused bodies. The message has the place and the correction. */
const refused: readonly (readonly [title: string, body: string, headers: Headers, status: number, message: RegExp])[] =
  [
    ['an empty object', '{}', type, 400, /body.*'content'/u],
    ['a number in place of a string', '{"content":1}', type, 400, /content must be string/u],
    ['a string that is too short', '{"content":"x"}', type, 400, /content.*2 characters/u],
    ['an invalid time', '{"content":"xx","createdAt":"2026-01-05 09:30:00Z"}', type, 400, /createdAt.*date-time/u],
    ['an unknown key', '{"content":"xx","contnt":"xx"}', type, 400, /'contnt'/u],
    ['no content', '', {}, 400, /^The request body of addInsight is required\./u],
    ['JSON without a Content-Type', '{"content":"xx"}', {}, 415, /application\/json, got none/u],
  ]
for (const [title, sent, headers, status, message] of refused)
  test(`a body with ${title} is refused`, async (t) => {
    const double = await startMore(t)
    const before = await everything(double)
    const reply = await post(double, sent, headers)
    assertError(t, reply, status)
    t.regex(String(asObject(json(reply))['message']), message)
    t.is(reply.headers['x-double'], undefined)
    t.is(violationsOf(reply)[0]?.['severity'], 'Error')
    t.like(await entryOf(double, reply), { status, operation: 'addInsight', verdict: 'violation' })
    t.deepEqual(await double.state(), before['state'])
  })

test('a body in chunks is validated like one with a content length', async (t) => {
  const double = await startMore(t)
  const chunked = async (...chunks: readonly string[]): Promise<Reply> => {
    const content = ['Content-Type: application/json', 'Transfer-Encoding: chunked']
    const headers = ['Authorization: Bearer ada-token', ...content, 'Connection: close']
    const sent = [...chunks, ''].map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join('')
    return raw(double, wire('POST /drafts', headers, sent))
  }
  t.is((await chunked('{"content"', ':"in chunks"}')).status, 201)
  assertError(t, await chunked('{"contnt"', ':"in chunks"}'), 400)
  assertError(t, await chunked(...Array.from({ length: 17 }, () => ' '.repeat(65_536))), 413)
})

test('an invalid example is never sent', async (t) => {
  const spec = await changedSpec(t, (document) => addOperations(document, { content: 1 }))
  const reply = await get(await serve(t, { spec }), '/insights/monstera-watering/preview', as('ada'))
  t.is(reply.status, 200)
  t.is(typeof asObject(json(reply))['content'], 'string')
})
