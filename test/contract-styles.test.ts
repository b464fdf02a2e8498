import { join } from 'node:path'

import test from 'ava'

import { serve } from './helpers/double.js'
import type { Served } from './helpers/double.js'
import type { Reply } from './helpers/http.js'
import { ask, get, json, read } from './helpers/http.js'
import { packageFolder } from './helpers/scripts.js'
import { excuse } from './helpers/validate-responses.js'

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

async function send(double: Served, method: string, path: string, body: object): Promise<Reply> {
  const headers = { ...key, 'content-type': 'application/json' }
  return read(double, method, await fetch(double.url + path, { method, headers, body: JSON.stringify(body) }))
}

test('names in kebab-case, numeric ids, an API key, nesting and a required header', async (t) => {
  const double = await serve(t, { spec: join(packageFolder, 'test', 'specs', 'garden-plots.yaml'), fixture })
  excuse(double, 'the independent validator does not know problem documents')
  const { operations } = await double.collections()
  t.deepEqual(
    operations.filter(({ role }) => role === 'mocked'),
    [],
  )
  t.deepEqual(
    operations.flatMap(({ filled = [], operation }) => filled.map((each) => `${operation}: ${each}`)),
    ['get-garden-plot: header etag'],
  )
  t.like(json(await get(double, '/garden-plots?page=2&page-size=1', key)), {
    items: [{ id: 2, name: 'South' }],
    total: 3,
    page: 2,
    'page-size': 1,
  })
  t.like(json(await get(double, '/garden-plots?plot-status=open', key)), { items: [{ id: 7 }], total: 1 })

  const plot = await get(double, '/garden-plots/7', key)
  t.deepEqual([plot.status, plot.headers['etag']], [200, 'etag'])
  const created = await send(double, 'POST', '/garden-plots/7/planting-beds', { crop: 'kale' })
  t.like(json(created), { id: 2, 'plot-id': 7, crop: 'kale' })
  const replaced = await send(double, 'PUT', '/garden-plots/99', { name: 'New' })
  t.deepEqual([replaced.status, (json(replaced) as { id?: number }).id], [201, 99])
  t.is((await ask(double, 'DELETE', '/garden-plots/7', key)).status, 202)
  t.is((await get(double, '/garden-plots/7', key)).status, 404)
})
