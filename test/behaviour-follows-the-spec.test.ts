import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { Document } from 'yaml'

import { asObject } from './helpers/as-object-or-list.js'
import { changedSpec, changesIn, entryOf, insightsIn, serve, serveChanged, type Served } from './helpers/double.js'
import { readFixture, temporaryFolder, visibleIn, writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, idsSeenBy, json, raw, type Reply, sendJson, wire } from './helpers/http.js'
import { object, ref, text } from './resources/plants-contract.js'

const limit = ['paths', '/insights', 'get', 'parameters', 0]
const deletion = ['paths', '/insights/{id}', 'delete', 'responses']

for (const status of [200, 202, 205])
  test(`a delete gets ${status} without a body if the spec documents ${status}`, async (t) => {
    const double = await serveChanged(t, (spec) => {
      spec.deleteIn([...deletion, '204'])
      spec.setIn([...deletion, String(status)], { description: 'Deleted.' })
    })
    const request = wire('DELETE /insights/monstera-watering', ['Authorization: Bearer ada-token', 'Connection: close'])
    t.like(await raw(double, request), { status, text: '', headers: { 'content-type': undefined } })
    t.false((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
    assertError(t, await del(double, '/insights/monstera-watering', as('ada')), 404)
  })

test('a listing gets 203 if the spec documents 203', async (t) => {
  const double = await serveChanged(t, (spec) => {
    const responses = ['paths', '/insights', 'get', 'responses']
    spec.setIn([...responses, '203'], spec.getIn([...responses, '200']))
    spec.deleteIn([...responses, '200'])
  })
  const reply = await get(double, '/insights', as('ada'))
  t.is(reply.status, 203)
  t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'ada'))
})

/** A keyword of limit in the spec, its value, a limit that it refuses, and the rule in the message. */
const bounds: readonly (readonly [keyword: string, bound: number, refused: string, rule: string])[] = [
  ['maximum', 100, '101', 'from 1 to 100'],
  ['maximum', 1, '2', 'from 1 to 1'],
  ['minimum', 2, '1', 'from 2 to 2147483647'],
]
for (const [keyword, bound, refused, rule] of bounds)
  test(`limit must be an integer ${rule} if its ${keyword} is ${bound}`, async (t) => {
    const double = await serveChanged(t, (spec) => spec.setIn([...limit, 'schema', keyword], bound))
    t.is((await get(double, `/insights?limit=${bound}`, as('ada'))).status, 200)
    const message = `Query parameter limit must be an integer ${rule}, got "${refused}".`
    assertError(t, await get(double, `/insights?limit=${refused}`, as('ada')), 400, message)
  })

test('a limit of 0 is valid if its minimum is 0, and lists nothing', async (t) => {
  const double = await serveChanged(t, (spec) => spec.setIn([...limit, 'schema', 'minimum'], 0))
  t.like(await get(double, '/insights?limit=0', as('ada')), { status: 200, text: '[]' })
})

test('a request without a required limit is refused', async (t) => {
  const double = await serveChanged(t, (spec) => spec.setIn([...limit, 'required'], true))
  const message = 'Query parameter limit is required, and must be an integer from 1 to 2147483647.'
  assertError(t, await get(double, '/insights', as('ada')), 400, message)
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 200)
})

test('the error about a parameter has the rule that its value breaks: the length or the pattern', async (t) => {
  const double = await serveChanged(t, (spec) => {
    const schema = { type: 'string', pattern: '^[a-z]+$', minLength: 7 }
    spec.addIn(limit.slice(0, -1), { name: 'near', in: 'query', schema })
  })
  const answered = async (near: string, message: string): Promise<void> =>
    assertError(t, await get(double, `/insights?near=${near}`, as('ada')), 400, message)
  await answered('none', 'Query parameter near must NOT have fewer than 7 characters, got "none".')
  await answered('7777777', 'Query parameter near must match ^[a-z]+$, got "7777777".')
})

const weighed = {
  $callers: { ada: { token: 'ada-token' } },
  insights: [{ id: 'moss', content: 'Moss is heavier than it looks.', weight: 12.5 }],
}

test('a new property of Insight is accepted in a fixture, and is sent', async (t) => {
  const fixture = await writeTemporary(t, 'weighed.json', weighed)
  const weight = ['components', 'schemas', 'Insight', 'properties', 'weight']
  const double = await serveChanged(t, (spec) => spec.setIn(weight, { type: 'number' }), { fixture })
  t.deepEqual(json(await get(double, '/insights', as('ada'))), weighed.insights)
})

test('the double serves the paths of the spec, and no others', async (t) => {
  const double = await serveChanged(t, (spec) => {
    for (const path of ['/insights', '/insights/{id}']) {
      spec.setIn(['paths', `/v2${path}`], spec.getIn(['paths', path]))
      spec.deleteIn(['paths', path])
    }
  })
  t.is((await get(double, '/v2/insights', as('ada'))).status, 200)
  const message = 'There is no path "/insights". The contract has /v2/insights, /v2/insights/{id}.'
  assertError(t, await get(double, '/insights', as('ada')), 404, message)
  t.is((await del(double, '/v2/insights/monstera-watering', as('ada'))).status, 204)
})

test('an id follows the schema of the spec', async (t) => {
  const double = await serveChanged(t, (spec) => {
    spec.setIn(['components', 'schemas', 'InsightId', 'pattern'], '^[a-z0-9-]+$')
  })
  const message = 'Path parameter id must match ^[a-z0-9-]+$, got "A.b".'
  assertError(t, await del(double, '/insights/A.b', as('ada')), 400, message)
  t.is((await del(double, '/insights/monstera-watering', as('ada'))).status, 204)
})

// The double serves additions to the contract without new code.
const insight = ref('Insight')
const content = (schema: object, mediaType = 'application/json'): object => ({ [mediaType]: { schema } })
const bad = { $ref: '#/components/responses/BadRequest' }
const denied = { $ref: '#/components/responses/Unauthorized' }
const missing = { description: 'No such insight.', content: content(ref('Error')) }
const item = ['paths', '/insights/{id}']
const id = { name: 'id', in: 'path', required: true, schema: ref('InsightId') }
const shown = { description: 'The insight.', content: content(insight) }

/** Adds an operation to the contract. The functions below add others. */
const addCreate = (spec: Document): void => {
  const taken = { description: 'The id is taken.', content: content(ref('Error')) }
  const made = { ...shown, headers: { Location: { schema: text } } }
  const requestBody = { required: true, content: content(insight) }
  const responses = { 201: made, 400: bad, 401: denied, 409: taken }
  spec.setIn(['paths', '/insights', 'post'], { operationId: 'createInsight', requestBody, responses })
}
/** Adds an operation on an insight. @param sent - The content of its request. Default: none. */
const onItem =
  (method: string, operationId: string, sent?: object) =>
  (spec: Document): void =>
    spec.setIn([...item, method], {
      operationId,
      parameters: [id],
      ...(sent && { requestBody: { required: true, content: sent } }),
      responses: { 200: shown, 400: bad, 401: denied, 404: missing },
    })
const addRead = onItem('get', 'getInsight')
const addReplace = onItem('put', 'replaceInsight', content(insight))
const patch = object({ content: text, tag: { type: ['string', 'null'] } })
const addUpdate = onItem('patch', 'updateInsight', content(patch, 'application/merge-patch+json'))
const grown =
  (...steps: readonly ((spec: Document) => void)[]) =>
  (spec: Document): void => {
    for (const step of steps) step(spec)
  }

const send = (double: Served, method: string, path: string, body: unknown, type = 'application/json'): Promise<Reply> =>
  sendJson(double, method, path, body, { ...as('ada'), 'content-type': type })

const bodyOf = (reply: Reply): unknown => asObject(json(reply))

/** A double with a state file, and a function that restarts it. */
async function restartable(t: ExecutionContext, change: (spec: Document) => void) {
  const options = { spec: await changedSpec(t, change), state: join(await temporaryFolder(t), 'state.json') }
  const double = await serve(t, options)
  return { double, restart: async () => double.stop().then(() => serve(t, options)) }
}

test('a created insight is in the list after a restart, and in diff, journal and coverage', async (t) => {
  const { double, restart } = await restartable(t, grown(addCreate))
  const reply = await send(double, 'POST', '/insights', { content: 'Ferns.' })
  t.is(reply.status, 201, reply.text)
  t.is(reply.headers['x-double'], undefined)
  const { createdAt, ...made } = asObject(bodyOf(reply))
  t.deepEqual(made, { id: 'insight-13', content: 'Ferns.' })
  t.true(Date.parse(String(createdAt)) > 0)
  t.is(reply.headers['location'], '/insights/insight-13')
  t.deepEqual((await changesIn(double)).added, ['insight-13'])
  t.like(await entryOf(double, reply), { operation: 'createInsight', status: 201, caller: 'ada', verdict: 'ok' })
  const sent = (await double.coverage()).find(({ operation }) => operation === 'createInsight')
  t.like(sent, { status: '201', count: 1 })
  t.like((await insightsIn(double)).at(-1), { id: 'insight-13', $access: ['ada'] })
  t.is((await send(double, 'POST', '/insights', {})).status, 400)
  const again = await restart()
  t.true((await get(again, '/insights', as('ada'))).text.includes('Ferns.'))
  t.false((await get(again, '/insights', as('grace'))).text.includes('Ferns.'))
  t.is(asObject(json(await send(again, 'POST', '/insights', { content: 'Moss.' })))['id'], 'insight-14')
})

test('in a sandbox, Location has the prefix of the sandbox', async (t) => {
  const sandbox = await (await serve(t, { spec: await changedSpec(t, addCreate) })).sandbox({ name: 'mine' })
  const { headers } = await send(sandbox, 'POST', '/insights', { content: 'Ferns.' })
  t.is(headers['location'], '/sandboxes/mine/insights/insight-13')
})

test('an insight is replaced and updated, and keeps both changes after a restart', async (t) => {
  const { double, restart } = await restartable(t, grown(addCreate, addRead, addReplace, addUpdate))
  const path = '/insights/monstera-watering'
  const replaced = await send(double, 'PUT', path, { content: 'New.', tag: 'care' })
  t.deepEqual(bodyOf(replaced), { id: 'monstera-watering', content: 'New.', tag: 'care' })
  const patched = await send(double, 'PATCH', path, { tag: null, content: 'Newer.' }, 'application/merge-patch+json')
  t.deepEqual(bodyOf(patched), { id: 'monstera-watering', content: 'Newer.' })
  const { changed } = await changesIn(double)
  t.deepEqual(Object.keys(changed), ['monstera-watering'])
  t.is(changed['monstera-watering']?.['content']?.after, 'Newer.')
  const refused = await send(double, 'PUT', path, { id: 'another', content: 'x' })
  t.is(refused.status, 400)
  t.like(await entryOf(double, refused), { verdict: 'violation' })
  t.deepEqual(bodyOf(await get(await restart(), path, as('ada'))), { id: 'monstera-watering', content: 'Newer.' })
})

test('GET /__admin/collections returns the role of each operation', async (t) => {
  const double = await serve(t, { spec: await changedSpec(t, grown(addCreate, addRead, addReplace, addUpdate)) })
  const { collections } = await double.collections()
  const changes = { create: 'createInsight', replace: 'replaceInsight', update: 'updateInsight' }
  const byRole = { list: 'listInsights', read: 'getInsight', ...changes, remove: 'deleteInsight' }
  t.deepEqual(collections[0]?.operations, byRole)
})
