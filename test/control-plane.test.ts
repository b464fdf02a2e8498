import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

import test from 'ava'

import { lintSpec } from '#src/contract/lint/lint-spec.js'
import { loadContract } from '#src/contract/load-contract.js'
import { parseDocument, readSource } from '#src/documents/source.js'
import { controlSpec, defaultSpec, parsedYamlFolder } from '#src/package-files.js'

import { asObject } from './helpers/as-object-or-list.js'
import { changesIn, control, everything, serve, type Served, testOnDouble } from './helpers/double.js'
import { readPackageYaml } from './helpers/files.js'
import { as, ask, assertError, del, get, json, raw, rawAll, type Reply, wire } from './helpers/http.js'

test('every operation that documents a 401 or a 403 sends it, without an admin token or to another origin', async (t) => {
  const [guarded, open] = [await serve(t, { adminToken: 'secret' }), await serve(t)]
  let count = 0
  for (const [template, item] of Object.entries(asObject((await readPackageYaml('spec/control.yaml'))['paths']))) {
    const path = template.replaceAll(/\{\w+\}/gu, 'none')
    for (const [method, operation] of Object.entries(asObject(item)).filter(([, each]) => !Array.isArray(each))) {
      const { operationId, responses } = asObject(operation)
      const documented = asObject(responses)
      const origin = { origin: 'https://insights.example' }
      for (const [status, reply] of [
        ['401', await ask(guarded, method.toUpperCase(), path)],
        ['403', await ask(open, method.toUpperCase(), path, origin)],
      ] as const) {
        t.is(String(reply.status) === status, status in documented, `${String(operationId)} ${status}`)
        count += status in documented ? 1 : 0
      }
    }
  }
  t.true(count > 40)
})

test('the control plane needs no credential of a caller, and ignores an unknown credential', async (t) => {
  const double = await serve(t)
  t.is((await control(double, 'GET', '/health')).status, 200)
  t.is((await control(double, 'GET', '/health', undefined, as('nobody'))).status, 200)
})

test('the contract of the control plane has no problem and no diagnostic, is not rewritten, and can be loaded', async (t) => {
  const source = await readSource(controlSpec)
  t.deepEqual(lintSpec(source), { problems: [], diagnostics: [], document: source.value })
  await t.notThrowsAsync(loadContract(controlSpec))
})

for (const [name, file] of Object.entries({ service: defaultSpec, 'control plane': controlSpec }))
  test(`the contract of the ${name} is loaded from JSON, and has the value, the text and the positions of the YAML`, async (t) => {
    const bytes = await readFile(file)
    t.true((await readdir(parsedYamlFolder)).includes(`${createHash('sha256').update(bytes).digest('hex')}.json`))
    const yaml = await parseDocument(file, bytes)
    const { locate, text, value } = await readSource(file)
    t.deepEqual(value, yaml.value)
    t.is(text, yaml.text)
    for (const path of [...pathsIn(value), ['paths', 'none', 'get']])
      for (const at of ['key', 'value'] as const) t.deepEqual(locate(path, at), yaml.locate(path, at))
  })

const pathsIn = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] => [
  path,
  ...(typeof value === 'object' && value !== null ? Object.entries(value) : []).flatMap(([key, child]) =>
    pathsIn(child, [...path, key]),
  ),
]

/** Sends a control request with exactly these header fields, including Host. */
const askExactly = (double: Served, line: string, ...fields: readonly string[]): Promise<Reply> => {
  const [method = '', path = ''] = line.split(' ')
  return raw(double, [`${method} /__admin${path} HTTP/1.1`, 'Connection: close', ...fields, '', ''].join('\r\n'))
}
const portOf = (double: Served): string => new URL(double.url).port

const ofEach = (status: number, names: string): readonly (readonly [fields: readonly string[], status: number])[] =>
  names.split('|').map((name) => [[name], status])

/** Host header fields, with `*` for the port, and the status. */
const hosts: readonly (readonly [fields: readonly string[], status: number])[] = [
  ...ofEach(200, 'localhost|localhost:*|LOCALHOST:*|localhost:1|x.localhost:*|X.LocalHost'),
  ...ofEach(200, '127.0.0.1|127.0.0.1:*|127.9.9.9|[::1]|[::1]:*'),
  ...ofEach(403, 'evil.example|evil.example:*|127.0.0.1.evil.example|localhost.evil.example:*|evil-localhost'),
  ...ofEach(403, '127.0.0.1@evil.example|evil.example#localhost|evil.example/localhost|localhost, evil.example'),
  ...ofEach(403, 'localhost evil.example|localhost:*:*|localhost:port|localhost:|.localhost|localhost.|'),
  ...ofEach(403, '127.0.0|127.1|2130706433|0.0.0.0|192.168.0.1|[::]|[::ffff:127.0.0.1]|::1'),
  [['localhost', 'localhost'], 400],
  [['localhost', 'evil.example'], 400],
  [['evil.example', 'localhost'], 400],
  [[], 400],
]
for (const [names, status] of hosts)
  test(`a control request gets ${status} if its Host is ${names.join(' and ') || (names.length > 0 ? 'empty' : 'missing')}`, async (t) => {
    const double = await serve(t)
    const fields = names.map((name) => `Host: ${name.replaceAll('*', portOf(double))}`)
    for (const line of ['GET /health', 'GET /state']) {
      const reply = await askExactly(double, line, ...fields)
      if (status === 200) t.is(reply.status, 200, reply.text)
      else assertError(t, reply, status)
      if (status === 403) t.regex(reply.text, /does not accept the Host .* --allowed-host\./u)
    }
    await del(double, '/insights/orchid-ice-cubes', as('ada'))
    t.is((await askExactly(double, 'POST /reset', ...fields)).status, status)
    t.deepEqual((await changesIn(double)).removed, status === 200 ? [] : ['orchid-ice-cubes'])
  })

/** Origins, with `*` for the port, and the status from a double that allows one other origin. */
const origins: readonly (readonly [names: readonly (string | undefined)[], status: number])[] = [
  [[undefined], 200],
  ...ofEach(200, 'http://localhost:*|http://localhost:5173'),
  ...ofEach(403, 'http://localhost:5174|http://127.0.0.1:*|https://localhost:*|http://localhost|https://evil.example'),
  ...ofEach(403, 'http://localhost:*.evil.example|http://localhost:5173.evil.example|http://localhost:*/|null|'),
]
for (const [[origin], status] of origins)
  test(`a control request to localhost gets ${status} if its Origin is ${origin === '' ? 'empty' : (origin ?? 'missing')}`, async (t) => {
    const double = await serve(t, { adminOrigins: ['http://localhost:5173'] })
    const fields = [`Host: localhost:${portOf(double)}`]
    if (origin !== undefined) fields.push(`Origin: ${origin.replace('*', portOf(double))}`)
    await get(double, '/insights', as('ada'))
    const before = await everything(double)
    const reply = await askExactly(double, 'GET /state', ...fields)
    if (status === 200) t.is(reply.status, 200, reply.text)
    else assertError(t, reply, status)
    if (status === 403) t.regex(reply.text, /does not accept the Origin .* --admin-origin\./u)
    if (status === 403) assertError(t, await askExactly(double, 'DELETE /requests', ...fields), 403)
    t.deepEqual(await everything(double), before)
  })

testOnDouble('a repeated Origin is refused, even if one of its values is allowed', async (t, double) => {
  const host = `localhost:${portOf(double)}`
  const fields = [`Host: ${host}`, `Origin: http://${host}`, 'Origin: https://evil.example']
  for (const order of [fields, fields.toReversed()])
    assertError(t, await askExactly(double, 'POST /reset', ...order), 403)
})

const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', 'application/json']
for (const type of types)
  testOnDouble(`a POST of ${type} from a page of another origin changes nothing`, async (t, double) => {
    await double.sandbox()
    await get(double, '/insights', as('ada'))
    const before = await everything(double)
    const body = '{"fixture":"empty","status":400}'
    for (const path of ['/reset', '/faults', '/sandboxes']) {
      const origin = 'Origin: https://evil.example'
      const fields = ['Host: localhost', origin, `Content-Type: ${type}`, `Content-Length: ${body.length}`]
      const request = [`POST /__admin${path} HTTP/1.1`, ...fields, 'Connection: close', '', body].join('\r\n')
      assertError(t, await raw(double, request), 403)
    }
    t.deepEqual(await everything(double), before)
  })

testOnDouble('the service accepts any Host and any Origin', async (t, double) => {
  const fields = ['Host: insights.example', 'Origin: https://app.example', 'Authorization: Bearer ada-token']
  t.is((await raw(double, ['GET /insights HTTP/1.1', ...fields, '', ''].join('\r\n'))).status, 200)
})

testOnDouble('the control plane of a sandbox checks Host and Origin like that of the root', async (t, double) => {
  await double.sandbox({ name: 'mine' })
  const request = (path: string, ...fields: readonly string[]): string =>
    [`GET ${path} HTTP/1.1`, 'Host: evil.example', 'Connection: close', ...fields, '', ''].join('\r\n')
  assertError(t, await raw(double, request('/sandboxes/mine/__admin/state')), 403)
  assertError(t, await raw(double, request('/__admin/state', 'Insights-Sandbox: mine')), 403)
})

testOnDouble('the host of an absolute target is checked instead of the Host header', async (t, double) => {
  const state = (authority: string, host: string, ...fields: readonly string[]): Promise<Reply> => {
    const lines = [`GET http://${authority}/__admin/state HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...fields]
    return raw(double, [...lines, '', ''].join('\r\n'))
  }
  for (const host of ['localhost', 'evil.example']) {
    for (const authority of ['evil.example', 'evil.example:80', 'localhost.evil.example']) {
      const reply = await state(authority, host)
      assertError(t, reply, 403)
      t.true(reply.text.includes(authority), reply.text)
    }
    for (const authority of ['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]:80'])
      t.is((await state(authority, host)).status, 200)
  }
  t.is((await state('localhost:1', 'evil.example', 'Origin: http://localhost:1')).status, 200)
  assertError(t, await state('localhost:1', 'evil.example', 'Origin: http://evil.example'), 403)
})

testOnDouble('the URL of a sandbox has the host of the request target', async (t, double) => {
  const body = '{"name":"mine"}'
  const fields = ['Host: evil.example', 'Content-Type: application/json', `Content-Length: ${body.length}`]
  const line = 'POST http://localhost:1/__admin/sandboxes HTTP/1.1'
  const reply = await raw(double, [line, ...fields, 'Connection: close', '', body].join('\r\n'))
  t.is(asObject(json(reply))['url'], 'http://localhost:1/sandboxes/mine')
})

for (const path of ['/insights', '/nowhere', '/__admin/health', 'http://localhost/insights'])
  testOnDouble(`a request to ${path} is refused if its Host is repeated or missing`, async (t, double) => {
    const request = (fields: readonly string[]): string =>
      [`GET ${path} HTTP/1.1`, ...fields, 'Authorization: Bearer ada-token', '', ''].join('\r\n')
    const twoHosts = request(['Host: localhost', 'host: localhost'])
    const [twice, ...others] = await rawAll(double, twoHosts + wire('GET /insights'))
    if (!twice) throw new Error('there is no response')
    assertError(t, twice, 400, 'The request is not HTTP/1.1: the Host header is given more than once.')
    t.is(twice.headers['connection'], 'close')
    t.deepEqual(others, [], 'no request after an ambiguous one is served')
    assertError(t, await raw(double, request([])), 400, 'The request is not HTTP/1.1: the Host header is missing.')
  })

test('only allowed host names are accepted, in any case and with any port', async (t) => {
  const double = await serve(t, { allowedHosts: ['Insights.example'] })
  for (const host of ['insights.example', 'INSIGHTS.example:80', 'localhost'])
    t.is((await askExactly(double, 'GET /health', `Host: ${host}`)).status, 200)
  for (const host of ['x.insights.example', 'insights.example.evil', 'example'])
    assertError(t, await askExactly(double, 'GET /health', `Host: ${host}`), 403)
})
