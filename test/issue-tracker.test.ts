import { join } from 'node:path'

import test from 'ava'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { packageFolder, readPackageFile } from './helpers/files.js'
import { as, get, json, sendJson } from './helpers/http.js'

const example = (name: string): string => join(packageFolder, 'examples', name)
const [spec, overlay] = [example('issues.yaml'), example('issues.overlay.yaml')]
const ada = as('ada')

test('an issue tracker has state with an overlay of at most 30 lines and no handler', async (t) => {
  t.true((await readPackageFile('examples/issues.overlay.yaml')).trimEnd().split('\n').length <= 30)
  const double = await serve(t, {
    spec,
    overlay,
    fixture: {
      $callers: { ada: { token: 'ada-token', record: { users: 'u1' } } },
      users: [
        { id: 'u1', name: 'Ada' },
        { id: 'u2', name: 'Grace' },
      ],
      issues: ['Rain', 'Sun', 'Raindrops'].map((title, at) => ({
        number: at + 1,
        title,
        state: 'open',
        project_id: 'p',
        owner: at === 1 ? 'u2' : 'u1',
        created: `2026-01-0${at + 1}T00:00:00Z`,
      })),
      labels: [{ name: 'wet', $parents: { number: 1 } }],
    },
  })
  const { operations } = await double.collections()
  t.false(pluck(operations, 'role').includes('mocked'))
  const send = async (method: string, path: string, body?: object, headers = ada) =>
    sendJson(double, method, path, body, headers)
  const titles = async (query: string): Promise<unknown> =>
    asList(asObject(json(await get(double, query, ada)))['data']).map((each) => asObject(each)['title'])

  t.like(json(await get(double, '/me', ada)), { id: 'u1', name: 'Ada' })
  t.is((await send('PATCH', '/me', { name: 'Countess' })).status, 200)
  t.like(json(await get(double, '/users/u1', ada)), { name: 'Countess' })

  t.deepEqual(await titles('/users/u2/issues'), ['Sun'])
  t.deepEqual(await titles('/projects/p/issues?text=RAIN&by=-title'), ['Raindrops', 'Rain'])
  t.deepEqual(await titles('/projects/p/issues?newer=2026-01-02T00:00:00Z&by=title'), ['Raindrops', 'Sun'])
  const page = asObject(json(await get(double, '/projects/p/issues?limit=2', ada)))
  t.is((await send('POST', '/projects/p/issues', { title: 'Fog' })).status, 201)
  t.deepEqual(await titles(`/projects/p/issues?limit=2&from=${String(page['next_cursor'])}`), ['Raindrops', 'Fog'])
  t.deepEqual(await titles('/projects/q/issues'), [])

  t.like(json(await send('POST', '/issues/1/close')), { state: 'closed' })
  t.like(json(await get(double, '/issues/1', ada)), { state: 'closed' })
  t.like(json(await send('POST', '/issues/1/resume')), { state: 'open' })

  const { etag = '' } = (await get(double, '/issues/1', ada)).headers
  t.is((await send('PATCH', '/issues/1', { title: 'Drizzle' }, { ...ada, 'if-match': etag })).status, 200)
  t.is((await send('PATCH', '/issues/1', { title: 'Hail' }, { ...ada, 'if-match': etag })).status, 412)

  t.is((await send('POST', '/issues/1/labels', { name: 'cold' })).status, 201)
  const labels = asList(json(await get(double, '/issues/1/labels', ada))).map(asObject)
  t.deepEqual(pluck(labels, 'name'), ['wet', 'cold'])
  t.is((await send('DELETE', '/issues/1')).status, 204)
  t.is((await get(double, '/issues/1/labels', ada)).status, 404)
  t.deepEqual((await double.state())['labels'], [])
})
