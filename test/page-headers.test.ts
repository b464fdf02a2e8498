import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import test from 'ava'

import { changedSpec, excuse, serve, testOnDouble } from './helpers/double.js'
import { packageFolder, readPackageFile, writeTemporary } from './helpers/files.js'
import { as, ask, del, get, raw, type Reply } from './helpers/http.js'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const promised = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}
/** RapiDoc writes styles into its elements, and shows images of contracts and responses. */
const promisedByReference = {
  ...promised,
  'content-security-policy': policy
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
    .replace("img-src 'self'", "img-src 'self' data: blob:"),
}
const pageHeadersOf = ({ headers }: Reply): unknown =>
  Object.fromEntries(Object.keys(promised).map((name) => [name, headers[name]]))

const files = readdirSync(join(packageFolder, 'bundle/pages'))

testOnDouble('the console, the API reference and each of their files have the security headers', async (t, double) => {
  t.true(files.length > 10)
  const assets = files.filter((file) => /\.(?:css|js|svg)$/u.test(file)).map((file) => `/assets/${file}`)
  const paths = ['/', '/docs', '', ...assets]
  for (const { url } of [double, await double.sandbox()])
    for (const path of paths)
      for (const method of ['GET', 'HEAD']) {
        const reply = await ask({ url }, method, `/__admin${path}`)
        t.is(reply.status, path === '' ? 308 : 200, path)
        t.deepEqual(pageHeadersOf(reply), path === '/docs' ? promisedByReference : promised, path)
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

/** Media types, and whether a browser runs nothing of that type. A browser uses the last of several types, and guesses a missing one. */
const inert =
  'application/json|application/problem+json; charset=utf-8|TEXT/PLAIN;charset=UTF-8|text/csv|image/png'.split('|')
const active = [
  ...'text/html|Text/HTML; charset=utf-8|application/xhtml+xml|image/svg+xml|application/xml|text/xml'.split('|'),
  ...'application/atom+xml|application/pdf|text/javascript|text|*/*|application/json+html'.split('|'),
  ...'multipart/x-mixed-replace; boundary=x|application/json, text/html'.split('|'),
  'application/json; a="b", text/html',
]
for (const mediaType of [...inert, ...active]) {
  const isInert = inert.includes(mediaType)
  testOnDouble(`a response of the type ${mediaType} is ${isInert ? 'not ' : ''}sandboxed`, async (t, double) => {
    excuse(double, 'the type is that of a fault')
    await double.addFault({ headers: { 'content-type': mediaType }, body: '<script>1</script>', times: 'always' })
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await ask(double, method, '/insights', as('ada'))
      t.is(headers['content-type'], mediaType)
      t.is(headers['content-security-policy'], isInert ? undefined : 'sandbox')
      t.is(headers['x-frame-options'], undefined)
    }
  })
}

testOnDouble('a response without a type is sandboxed', async (t, double) => {
  const { headers } = await del(double, '/insights/monstera-watering', as('ada'))
  t.is(headers['content-type'], undefined)
  t.is(headers['content-security-policy'], 'sandbox')
})

test('no documented header, example, handler or fault replaces the sandbox: it is the last policy', async (t) => {
  const documented = 'sandbox allow-scripts allow-same-origin'
  const page = (example: string): object => ({
    content: { 'text/html': { schema: { type: 'string' }, example } },
    headers: { 'Content-Security-Policy': { required: true, schema: { type: 'string' }, example: documented } },
  })
  const spec = await changedSpec(t, (document) => {
    for (const name of ['page', 'handled']) {
      const page200 = { description: 'A page', ...page('<p>Hello</p>') }
      const responses = { 200: page200, 404: { description: 'None', ...page('No') } }
      document.setIn(['paths', `/${name}`], { get: { operationId: name, security: [], responses } })
    }
  })
  const own = `{ headers: { 'Content-Security-Policy': ${JSON.stringify(documented)} }, body: '<p>Hi</p>' }`
  const handlers = await writeTemporary(t, 'handlers.mjs', `export const handled = () => (${own})`)
  const double = await serve(t, { spec, handlers })
  excuse(double, 'the header fields and one body are deliberate')
  const policyOf = async (path: string, headers = {}): Promise<unknown> =>
    (await get(double, path, headers)).headers['content-security-policy']
  t.is(await policyOf('/page'), `${documented}, sandbox`)
  t.is(await policyOf('/page', { prefer: 'code=404' }), `${documented}, sandbox`)
  t.is(await policyOf('/handled'), `${documented}, sandbox`)
  await double.addFault({ operation: 'page', headers: { 'Content-Security-Policy': "default-src 'self'" } })
  t.is(await policyOf('/page'), "default-src 'self', sandbox")
  await double.addFault({ operation: 'page', headers: { 'content-security-policy': 'default-src *, Sandbox' } })
  t.is(await policyOf('/page'), 'default-src *, Sandbox')
  await double.addFault({ operation: 'listInsights', headers: { 'content-type': 'image/svg+xml' } })
  t.is(await policyOf('/insights', as('ada')), 'sandbox')
})

test('errors of every layer are sandboxed if the contract documents them as HTML', async (t) => {
  const content = { 'text/html': { schema: { type: 'string' }, example: '<p>Wrong</p>' } }
  const responses = { 200: { description: 'A page', content }, default: { description: 'An error', content } }
  const spec = await changedSpec(t, (document) => {
    document.set('paths', { '/page': { get: { operationId: 'page', security: [{ bearer: [] }], responses } } })
    document.setIn(['components', 'securitySchemes'], { bearer: { type: 'http', scheme: 'bearer' } })
  })
  const double = await serve(t, { spec, fixture: { $callers: { ada: { token: 'ada-token' } } } })
  excuse(double, 'its errors are not those of the package')
  const malformed = await raw(double, 'GET /page HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n')
  const refused = ask(double, 'PUT', '/page', as('ada'))
  const others = await Promise.all([get(double, '/nowhere'), get(double, '/page'), refused])
  t.is(others[1]?.headers['content-type'], 'text/html')
  for (const { headers, status } of [malformed, ...others]) {
    t.true(status >= 400)
    const isHtml = headers['content-type'] === 'text/html'
    if (!isHtml) t.is(headers['content-type'], 'application/problem+json')
    t.is(headers['content-security-policy'], isHtml ? 'sandbox' : undefined)
  }
})
