import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import test from 'ava'

import { serve, serveChanged } from './helpers/double.js'
import type { Reply } from './helpers/http.js'
import { as, ask, get } from './helpers/http.js'
import { packageFolder } from './helpers/package-folder.js'
import { readPackageFile } from './helpers/read-repository-file.js'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const promised = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
const pageHeadersOf = ({ headers }: Reply): unknown =>
  Object.fromEntries(Object.keys(promised).map((name) => [name, headers[name]]))

const files = readdirSync(join(packageFolder, 'bundle/pages'))

test('the console, the API reference and each of their files have the security headers', async (t) => {
  const double = await serve(t)
  t.true(files.length > 10)
  const paths = ['/', '/docs', '', ...files.filter((file) => !file.endsWith('.html')).map((file) => `/assets/${file}`)]
  for (const { url } of [double, await double.sandbox()]) {
    for (const path of paths) {
      for (const method of ['GET', 'HEAD']) {
        const reply = await ask({ url }, method, `/__admin${path}`)
        t.is(reply.status, path === '' ? 308 : 200, path)
        t.deepEqual(pageHeadersOf(reply), promised, path)
      }
    }
  }
})

test('no page has its Content-Security-Policy in a meta element, where frame-ancestors has no effect', async (t) => {
  for (const file of files) t.notRegex(await readPackageFile(`bundle/pages/${file}`), /http-equiv/iu, file)
})

test('every response of the control plane has the security headers, also errors and the redirect to the console', async (t) => {
  const double = await serve(t, { adminToken: 'secret' })
  for (const path of ['/__admin/state', '/__admin/nowhere', '/__admin/health', '/__admin/spec', '/', '/openapi.json'])
    t.deepEqual(pageHeadersOf(await get(double, path, { accept: 'text/html' })), promised, path)
  const events = await fetch(`${double.url}/__admin/events`, { headers: { authorization: 'Bearer secret' } })
  t.is(events.headers.get('x-frame-options'), 'DENY')
  await events.body?.cancel()
})

test('HTML responses of the service have the security headers, and other responses do not', async (t) => {
  const double = await serveChanged(t, (spec) => {
    const content = { 'text/html': { schema: { type: 'string' }, example: '<p>Hello</p>' } }
    const operation = { operationId: 'getPage', security: [], responses: { 200: { description: 'A page', content } } }
    spec.setIn(['paths', '/page'], { get: operation })
  })
  const page = await get(double, '/page', { accept: 'text/html' })
  t.is(page.text, '<p>Hello</p>')
  t.deepEqual(pageHeadersOf(page), promised)
  const listing = await get(double, '/insights', as('ada'))
  t.deepEqual(pageHeadersOf(listing), Object.fromEntries(Object.keys(promised).map((name) => [name, undefined])))
})
