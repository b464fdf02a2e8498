import { once } from 'node:events'
import { get as request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import test from 'ava'
import { type Document, parse } from 'yaml'

import { asObject } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { serve, serveChanged, testOnDouble } from './helpers/double.js'
import { readPackageFile, readSpec } from './helpers/files.js'
import { ask, assertError, get, json, wire } from './helpers/http.js'
import { freePort } from './helpers/port.js'
import { shell } from './helpers/shell.js'

/** The Accept header of a browser that opens a page. */
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

const ofBrowsers = [browser, 'text/html', 'text/html;q=0.9, application/json;q=0.8']
const ofPrograms = ['*/*', 'application/json, text/plain, */*', 'application/json', 'application/json, text/html;q=0.9']
const accepts = [...ofBrowsers, ...ofPrograms, 'text/html;q=0', 'image/png', 'nonsense']
for (const [accept, isBrowser] of accepts.map((each, index) => [each, index < ofBrowsers.length] as const))
  test(`GET / with Accept ${accept} ${isBrowser ? 'redirects to the console' : 'returns the index'}`, async (t) => {
    const double = await serve(t)
    for (const { url } of [double, await double.sandbox({ name: 'mine' })])
      for (const method of ['GET', 'HEAD']) {
        const reply = await ask({ url }, method, '/', { accept })
        t.is(reply.headers['vary'], 'Accept, Origin')
        t.is(reply.status, isBrowser ? 302 : 200, reply.text)
        if (isBrowser) t.is(reply.headers['location'], `${new URL(url).pathname.replace(/\/$/u, '')}/__admin/`)
        else {
          t.is(reply.headers['content-type'], 'application/json')
          if (method === 'GET') t.is(reply.headers['content-length'], String(Buffer.byteLength(reply.text)))
        }
      }
  })

testOnDouble('the index has the name of the double, and each of its URLs works', async (t, double) => {
  const { version } = asObject(JSON.parse(await readPackageFile('package.json')))
  for (const { url } of [double, await double.sandbox()]) {
    const index = asObject(json(await get({ url }, '/')))
    const urls = { console: `${url}/__admin/`, reference: `${url}/__admin/docs`, contract: `${url}/openapi.json` }
    t.deepEqual(index, { name: 'insights-double', version, ...urls })
    for (const each of Object.values(urls)) t.is((await fetch(each)).status, 200, each)
  }
})

testOnDouble('the contract is at /openapi.json and /openapi.yaml, also in a sandbox', async (t, double) => {
  for (const { url } of [double, await double.sandbox()]) {
    const asJson = await get({ url }, '/openapi.json')
    t.is(asJson.headers['content-type'], 'application/json')
    t.deepEqual(json(asJson), await readSpec())
    const asYaml = await get({ url }, '/openapi.yaml?x=1')
    t.is(asYaml.headers['content-type'], 'application/yaml')
    t.deepEqual(parse(asYaml.text), await readSpec())
    for (const path of ['/openapi.json', '/openapi.yaml']) {
      const head = await ask({ url }, 'HEAD', path)
      t.like(head, { status: 200, text: '' })
      t.true(Number(head.headers['content-length']) > 1000)
    }
  }
})

const probes = ['/', '/openapi.json', '/openapi.yaml', '/favicon.ico']

test("a browser's request for the icon is redirected to that of the console, also in a sandbox", async (t) => {
  const double = await serve(t)
  for (const { url } of [double, await double.sandbox()]) {
    const icon = await fetch(`${url}/favicon.ico`)
    t.is(icon.url, `${url}/__admin/assets/icon.svg`)
    t.deepEqual([icon.status, icon.headers.get('content-type')], [200, 'image/svg+xml'])
  }
})

testOnDouble('probes are not in the journal, are not violations, and are not affected by faults', async (t, double) => {
  for (const one of [double, await double.sandbox()]) {
    await one.addFault({ status: 500, times: 100 })
    for (const path of probes)
      for (const method of ['GET', 'HEAD']) {
        const reply = await ask(one, method, path, { origin: 'https://app.example', accept: browser })
        t.true(reply.status < 400)
        t.like(reply, { headers: { 'sl-violations': undefined, 'access-control-allow-origin': 'https://app.example' } })
        t.regex(reply.headers['x-request-id'] ?? '', /./u)
      }
    t.like(await one.requests(), { matched: 0, evicted: 0 })
    t.is((await one.faults())[0]?.fired, 0)
    t.true((await one.coverage()).every(({ count }) => count === 0))
  }
})

testOnDouble('other methods and other paths are refused as usual', async (t, double) => {
  for (const path of probes)
    for (const method of ['POST', 'DELETE', 'PUT']) {
      const message = `There is no path "${path}". The contract has /insights, /insights/{id}.`
      assertError(t, await ask(double, method, path), 404, message)
    }
  for (const path of ['/index.html', '/openapi', '/openapi.yml', '//', '/openapi.json/'])
    assertError(t, await get(double, path), 404)
  assertError(t, await get(double, '/sandboxes/none/'), 404)
})

/** Adds a GET to a spec. Its example is the path. */
const adding =
  (...paths: readonly string[]) =>
  (spec: Document): void => {
    for (const path of paths) {
      const content = { 'text/plain': { schema: { type: 'string' }, example: path } }
      const responses = { 200: { description: 'Own', content } }
      spec.setIn(['paths', path], { get: { operationId: `own${path.length}`, security: [], responses } })
    }
  }

test('the paths of the contract take precedence, and are recorded in the journal', async (t) => {
  const double = await serveChanged(t, adding(...probes.slice(0, 2)))
  for (const path of probes.slice(0, 2)) {
    t.like(await get(double, path, { accept: 'text/plain' }), { text: path, headers: { 'x-double': 'mocked' } })
    assertError(t, await ask(double, 'POST', path), 405)
    const listed = asObject(json(await get(double, `/__admin/requests?operation=own${path.length}`)))
    t.is(listed['matched'], 1)
  }
  t.is((await get(double, '/openapi.yaml')).headers['content-type'], 'application/yaml')
})

test('a path of the contract without GET takes precedence too', async (t) => {
  const double = await serveChanged(t, (spec) => {
    const post = { operationId: 'own', security: [], responses: { 204: { description: 'Own' } } }
    spec.setIn(['paths', '/'], { post })
  })
  assertError(t, await get(double, '/'), 405)
})

const waitOn = fileURLToPath(new URL('../bin/wait-on', import.meta.resolve('wait-on')))

const web = ['', '/', '/openapi.json', '/sandboxes/root/'].map((path) => `http://HOST${path}`)
const resources = [...web, 'http-get://HOST/', 'tcp:HOST']
test('wait-on finds the double ready at each URL, without a violation', async (t) => {
  const port = await freePort()
  const addresses = resources.map((resource) => resource.replace('HOST', `127.0.0.1:${port}`))
  const waiting = shell(t, `${process.execPath} ${waitOn} -t 300000 -i 50 ${addresses.join(' ')}`, {})
  const double = await serveByCommand(t, ['--port', String(port), '--memory', '--fail-on-violation', '--log', 'json'])
  t.deepEqual(await waiting, { code: 0, stdout: '', stderr: '' })
  const { code, stdout } = await double.end()
  t.is(code, 0)
  t.notRegex(stdout, /"verdict":"violation"/u)
})

/** Sends the request of Playwright's `webServer.url`: a GET that accepts anything and follows redirects. */
async function isAvailable(url: string): Promise<boolean> {
  const [reply] = (await once(request(url, { headers: { Accept: '*/*' } }), 'response')) as [
    { statusCode: number; resume(): void },
  ]
  reply.resume()
  return reply.statusCode >= 200 && reply.statusCode < 404
}

test("probes by Playwright's webServer.url and by a connection without a request find the double ready", async (t) => {
  const double = await serveByCommand(t, ['--memory', '--fail-on-violation', '--log', 'json'])
  for (const path of ['', '/', '/openapi.json', '/__admin/health']) t.true(await isAvailable(double.url + path), path)
  const open = async () => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(double.url).port) })
    await once(socket, 'connect')
    return socket
  }
  const closed = await open()
  closed.end()
  await once(closed.resume(), 'close')
  ;(await open()).resetAndDestroy()
  const received = text(await open())
  t.deepEqual(asObject(json(await get(double, '/__admin/requests')))['entries'], [])
  const [{ code, stdout }, silence] = await Promise.all([double.end(), received])
  t.is(silence, '')
  t.is(code, 0)
  t.false(stdout.includes('"violation"'), stdout)
})

test('an incomplete request gets a 408 and is recorded, and an older connection that has sent nothing stays open for a request', async (t) => {
  const double = await serve(t)
  const address = { host: '127.0.0.1', port: Number(new URL(double.url).port) }
  // This client sends nothing for longer than the time limit of a header.
  const stalled = connect(address)
  await once(stalled, 'connect')
  const cut = connect(address)
  cut.write('G')
  t.regex(await text(cut), /^HTTP\/1\.1 408 /u)
  t.like((await double.requests()).entries, [{ status: 408, verdict: 'violation' }])
  stalled.write(wire('GET /insights', ['Authorization: Bearer ada-token', 'Connection: close']))
  t.regex(await text(stalled), /^HTTP\/1\.1 200 /u)
})
