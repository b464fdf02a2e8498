/** Tests that the double serves additions to the contract without new code. */
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { Document } from 'yaml'

import { asObject } from './helpers/as-object-or-list.js'
import { changesIn, entryOf, insightsIn } from './helpers/control.js'
import { changedSpec, serve, type Served } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, get, json, type Reply, sendJson } from './helpers/http.js'
import { object, ref, text } from './resources/plants-contract.js'

const insight = ref('Insight')
const content = (schema: object, mediaType = 'application/json'): object => ({ [mediaType]: { schema } })
const bad = { $ref: '#/components/responses/BadRequest' }
const denied = { $ref: '#/components/responses/Unauthorized' }
const missing = { description: 'No such insight.', content: content(ref('Error')) }
const item = ['paths', '/insights/{id}']
const id = { name: 'id', in: 'path', required: true, schema: ref('InsightId') }
const shown = { description: 'The insight.', content: content(insight) }

/** Adds an operation to the contract. The functions below add others. */
const addCreate = (spec: Document): void =>
  spec.setIn(['paths', '/insights', 'post'], {
    operationId: 'createInsight',
    requestBody: { required: true, content: content(insight) },
    responses: {
      201: { ...shown, headers: { Location: { schema: text } } },
      400: bad,
      401: denied,
      409: { description: 'The id is taken.', content: content(ref('Error')) },
    },
  })
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
const addOpenUpdate = onItem('patch', 'updateInsight', content(object({ content: text })))
const patch = object({ content: text, tag: { type: ['string', 'null'] } })
const addUpdate = onItem('patch', 'updateInsight', content(patch, 'application/merge-patch+json'))
const grown =
  (...steps: readonly ((spec: Document) => void)[]) =>
  (spec: Document): void => {
    for (const step of steps) step(spec)
  }

const send = (
  double: Served,
  method: string,
  path: string,
  body: unknown,
  mediaType = 'application/json',
): Promise<Reply> => sendJson(double, method, path, body, { ...as('ada'), 'content-type': mediaType })

const bodyOf = (reply: Reply): unknown => asObject(json(reply))

/** A double with a state file, and a function that restarts it. */
async function restartable(t: ExecutionContext, change: (spec: Document) => void) {
  const options = { spec: await changedSpec(t, change), state: join(await temporaryFolder(t), 'state.json') }
  const double = await serve(t, options)
  const restart = async (): Promise<Awaited<ReturnType<typeof serve>>> => {
    await double.stop()
    return serve(t, options)
  }
  return { double, restart }
}

test('a created insight is in the list after a restart, and in diff, journal and coverage', async (t) => {
  const { double, restart } = await restartable(t, grown(addCreate))
  const reply = await send(double, 'POST', '/insights', { content: 'Ferns.' })
  t.is(reply.status, 201, reply.text)
  t.is(reply.headers['x-double'], undefined)
  t.deepEqual(bodyOf(reply), { id: 'insight-13', content: 'Ferns.' })
  t.is(reply.headers['location'], '/insights/insight-13')
  t.deepEqual((await changesIn(double)).added, ['insight-13'])
  t.like(await entryOf(double, reply), { operation: 'createInsight', status: 201, caller: 'ada', verdict: 'ok' })
  const sent = (await double.coverage()).find(
    ({ operation, status }) => operation === 'createInsight' && status === '201',
  )
  t.is(sent?.count, 1)
  t.like((await insightsIn(double)).at(-1), { id: 'insight-13', $access: ['ada'] })
  t.is((await send(double, 'POST', '/insights', {})).status, 400)
  const again = await restart()
  t.true((await get(again, '/insights', as('ada'))).text.includes('Ferns.'))
  t.false((await get(again, '/insights', as('grace'))).text.includes('Ferns.'))
  t.is(asObject(json(await send(again, 'POST', '/insights', { content: 'Moss.' })))['id'], 'insight-14')
})

test('in a sandbox, Location has the prefix of the sandbox', async (t) => {
  const double = await serve(t, { spec: await changedSpec(t, addCreate) })
  const sandbox = await double.sandbox({ name: 'mine' })
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
  t.deepEqual(collections[0]?.operations, {
    list: 'listInsights',
    create: 'createInsight',
    read: 'getInsight',
    replace: 'replaceInsight',
    update: 'updateInsight',
    remove: 'deleteInsight',
  })
})

test('100 parallel updates of different properties are all saved', async (t) => {
  const { double, restart } = await restartable(t, grown(addRead, addOpenUpdate))
  const path = '/insights/monstera-watering'
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, index) => send(double, 'PATCH', path, { [`p${index}`]: index })),
  )
  t.true(replies.every(({ status }) => status === 200))
  const record = asObject(json(await get(await restart(), path, as('ada'))))
  for (let index = 0; index < 100; index++) t.is(record[`p${index}`], index)
})
