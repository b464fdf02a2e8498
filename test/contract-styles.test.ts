import { join } from 'node:path'

import test from 'ava'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { control, excuse, serve, type Served } from './helpers/double.js'
import { packageFolder, readPackageFile, writeTemporary } from './helpers/files.js'
import { as, ask, get, json, type Reply, sendJson } from './helpers/http.js'
import { plantsSpec } from './helpers/plants-spec.js'
import { integer, listOf, object, operations as plantOperations, text, time } from './resources/plants-contract.js'

const dates = { 'created-at': '2026-01-01T00:00:00Z' }
const fixture = {
  $callers: { ada: { token: 'key-of-ada' } },
  'garden-plots': [
    { ...dates, id: 7, name: 'North', 'plot-status': 'open' },
    { ...dates, name: 'South', 'plot-status': 'taken' },
    { ...dates, name: 'East' },
  ],
  'planting-beds': [{ ...dates, 'plot-id': 7, crop: 'beans' }],
}

const key = { 'x-api-key': 'key-of-ada' }

const send = (double: Served, method: string, path: string, body: object): Promise<Reply> =>
  sendJson(double, method, path, body, key)

test('a contract with names in kebab-case, numeric ids, an API key, nested paths and required headers is stateful', async (t) => {
  const double = await serve(t, { spec: join(packageFolder, 'test', 'specs', 'contract-styles.yaml'), fixture })
  excuse(double, 'the independent validator does not know problem documents')
  const { operations } = await double.collections()
  t.false(pluck(operations, 'role').includes('mocked'))
  const filled = operations.flatMap((each) => (each.filled ?? []).map((place) => `${each.operation}: ${place}`))
  t.deepEqual(filled, ['get-garden-plot: header x-region'])
  const second = json(await get(double, '/garden-plots?page=2&page-size=1', key))
  t.like(second, { items: [{ id: 2, name: 'South' }], total: 3, page: 2, 'page-size': 1 })
  t.like(json(await get(double, '/garden-plots?plot-status=open', key)), { items: [{ id: 7 }], total: 1 })
  const plot = await get(double, '/garden-plots/7', key)
  t.deepEqual([plot.status, plot.headers['x-region']], [200, 'north'])
  t.regex(plot.headers['etag'] ?? '', /^"[\da-f]+"$/u)
  const created = await send(double, 'POST', '/garden-plots/7/planting-beds', { crop: 'kale' })
  t.like(json(created), { id: 2, 'plot-id': 7, crop: 'kale' })
  const replaced = await send(double, 'PUT', '/garden-plots/99', { name: 'New' })
  t.deepEqual([replaced.status, (json(replaced) as { id?: number }).id], [201, 99])
  t.is((await ask(double, 'DELETE', '/garden-plots/7', key)).status, 202)
  t.is((await get(double, '/garden-plots/7', key)).status, 404)
})

test('a created record has the examples of its read-only properties, and null for a nullable one without an example', async (t) => {
  const readOnly = true
  const properties = {
    id: { ...text, readOnly },
    name: text,
    rating: { type: 'number', readOnly, example: 4.5 },
    owner: { allOf: [{ ...text, readOnly, example: 'Ada' }] },
    soldAt: { ...time, nullable: true, readOnly },
    labels: { ...listOf(text), readOnly },
    size: { ...integer, minimum: 3, readOnly, example: 'an example of another type' },
    shelf: { ...text, readOnly, example: 'A 1' },
    note: { ...text, pattern: '^[a-z]+$', readOnly, example: 'An invalid example' },
  }
  const schema = object(properties, 'id', 'name', 'rating', 'owner', 'soldAt', 'labels', 'size')
  const spec = plantsSpec({ schema, security: false, onItem: { get: plantOperations.read } })
  const file = await writeTemporary(t, 'plants.json', { ...spec, openapi: '3.0.3' })
  const double = await serve(t, { spec: file, fixture: { plants: [] } })
  const filled = { rating: 4.5, owner: 'Ada', soldAt: null, labels: [], size: 3, shelf: 'A 1' }
  const created = json(await sendJson(double, 'POST', '/plants', { name: 'Fern' }))
  t.deepEqual(created, { id: 'plant-1', name: 'Fern', ...filled })
  const { operations } = await double.collections()
  t.deepEqual(operations.find(({ role }) => role === 'create')?.filled, Object.keys(filled))
})

const example = (name: string): string => join(packageFolder, 'examples', name)
const [spec, overlay] = [example('issues.yaml'), example('issues.overlay.yaml')]
const ada = as('ada')

test('an issue tracker has state with an overlay of at most 30 lines and no handler', async (t) => {
  t.true((await readPackageFile('examples/issues.overlay.yaml')).trimEnd().split('\n').length <= 30)
  const open = { state: 'open', project_id: 'p' }
  const issues = ['Rain', 'Sun', 'Raindrops'].map((title, at) => {
    const [number, owner] = [at + 1, at === 1 ? 'u2' : 'u1']
    return { ...open, number, title, owner, created: `2026-01-0${number}T00:00:00Z` }
  })
  const users = ['Ada', 'Grace'].map((name, at) => ({ id: `u${at + 1}`, name }))
  const $callers = { ada: { token: 'ada-token', record: { users: 'u1' } } }
  const records = { users, issues, labels: [{ name: 'wet', $parents: { number: 1 } }] }
  const double = await serve(t, { spec, overlay, fixture: { $callers, ...records } })
  const { operations } = await double.collections()
  t.false(pluck(operations, 'role').includes('mocked'))
  const sendTo = async (method: string, path: string, body?: object, headers = ada) =>
    sendJson(double, method, path, body, headers)
  const titles = async (query: string): Promise<unknown> =>
    asList(asObject(json(await get(double, query, ada)))['data']).map((each) => asObject(each)['title'])
  t.like(json(await get(double, '/me', ada)), { id: 'u1', name: 'Ada' })
  const sandbox = await double.sandbox({ uniqueTokens: true })
  const own = { authorization: `Bearer ${sandbox.callers['ada']?.token ?? ''}` }
  t.like(json(await get(sandbox, '/me', own)), { id: 'u1', name: 'Ada' })
  t.is((await sendTo('PATCH', '/me', { name: 'Countess' })).status, 200)
  t.like(json(await get(double, '/users/u1', ada)), { name: 'Countess' })
  t.deepEqual(await titles('/users/u2/issues'), ['Sun'])
  t.deepEqual(await titles('/projects/p/issues?text=RAIN&by=-title'), ['Raindrops', 'Rain'])
  t.deepEqual(await titles('/projects/p/issues?newer=2026-01-02T00:00:00Z&by=title'), ['Raindrops', 'Sun'])
  const page = asObject(json(await get(double, '/projects/p/issues?limit=2', ada)))
  // Not validated: the contract does not document the 401.
  const refused = await fetch(`${double.url}/issues/1`, { method: 'PATCH', body: '{}' })
  const id = refused.headers.get('x-request-id') ?? ''
  const replay = await control(double, 'GET', `/requests/${id}?as=replay&caller=ada`)
  t.deepEqual([refused.status, replay.status], [401, 409])
  t.regex(await double.requestAs(id, 'curl'), /^# The request has no body here: it was refused before/u)
  const added = await sendTo('POST', '/projects/p/issues', { title: 'Fog' })
  t.is(added.status, 201)
  const copied = await double.requestAs(added.headers['x-request-id'] ?? '', 'vitest')
  t.regex(copied, /"title": "Fog",[^}]*"created": expect\.any\(String\)/u, 'a time of now is another one in each run')
  t.deepEqual(await titles(`/projects/p/issues?limit=2&from=${String(page['next_cursor'])}`), ['Raindrops', 'Fog'])
  t.deepEqual(await titles('/projects/q/issues'), [])
  t.like(json(await sendTo('POST', '/issues/1/close')), { state: 'closed' })
  t.like(json(await get(double, '/issues/1', ada)), { state: 'closed' })
  t.like(json(await sendTo('POST', '/issues/1/resume')), { state: 'open' })
  const { etag = '' } = (await get(double, '/issues/1', ada)).headers
  t.is((await sendTo('PATCH', '/issues/1', { title: 'Drizzle' }, { ...ada, 'if-match': etag })).status, 200)
  t.is((await sendTo('PATCH', '/issues/1', { title: 'Hail' }, { ...ada, 'if-match': etag })).status, 412)
  t.is((await sendTo('POST', '/issues/1/labels', { name: 'cold' })).status, 201)
  const labels = asList(json(await get(double, '/issues/1/labels', ada))).map(asObject)
  t.deepEqual(pluck(labels, 'name'), ['wet', 'cold'])
  t.is((await sendTo('DELETE', '/issues/1')).status, 204)
  t.is((await get(double, '/issues/1/labels', ada)).status, 404)
  t.deepEqual((await double.state())['labels'], [])
})
