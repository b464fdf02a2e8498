import { join } from 'node:path'

import test from 'ava'

import { serve } from './helpers/double.js'
import { get } from './helpers/http.js'
import { packageFolder } from './helpers/package-folder.js'
import { excuse } from './helpers/validate-responses.js'

test('every operation is also served under the base path of each server, and Location has the base path of the request', async (t) => {
  const double = await serve(t, { spec: join(packageFolder, 'test/specs/errors.yaml'), fixture: {} })
  excuse(double, 'the independent validator does not know base paths')
  const sandbox = await double.sandbox()
  const bases = [double.url, `${double.url}/v1`, `${double.url}/v1/beta`, `${sandbox.url}/v1`]
  for (const base of bases) {
    const headers = { 'content-type': 'application/json' }
    const created = await fetch(`${base}/things`, { method: 'POST', headers, body: '{"name":"one"}' })
    t.is(created.status, 201, base)
    const location = created.headers.get('location') ?? ''
    t.true(location.startsWith(`${new URL(base).pathname.replace(/\/$/u, '')}/things/thing-`), location)
    t.is((await fetch(new URL(location, base))).status, 200)
    t.is((await fetch(`${base}/things?x=1`)).status, 200)
    t.is((await fetch(`${base}/things`, { method: 'PUT' })).status, 405)
  }
  for (const path of ['/v1', '/v2/things', '/v1things', '/v1/v1/things', '/v1/nowhere', '/x/things'])
    t.is((await get(double, path)).status, 404, path)
  t.is((await double.state())['things']?.length, 3)
})
