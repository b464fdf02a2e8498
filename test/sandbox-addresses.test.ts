import test from 'ava'
import { connectDouble } from 'insights-double'

import { control, everything, insightsIn, serve, testOnDouble } from './helpers/double.js'
import { as, assertError, get, type Headers, idsSeenBy, json, raw, wire } from './helpers/http.js'

const unknown = (name: string): string =>
  `There is no sandbox ${JSON.stringify(name)}. It was never created here, was dropped, or was idle for too long. POST /__admin/sandboxes creates one. If a test created it, that was at another double: set INSIGHTS_DOUBLE_URL to one URL for the tests and the app's server.`

/** The ways to address a sandbox that does not exist: prefix of the path, header fields, and name. */
const addresses: readonly (readonly [prefix: string, headers: Headers, name: string])[] = [
  ['/sandboxes/gone', {}, 'gone'],
  ['/sandboxes/GONE', {}, 'GONE'],
  ['/sandboxes/constructor', {}, 'constructor'],
  ['/sandboxes/__proto__', {}, '__proto__'],
  ['/sandboxes/', {}, ''],
  ['/sandboxes/%2e%2e', {}, '..'],
  ['/sandboxes/a%2Fb', {}, 'a/b'],
  ['/sandboxes/%ff', {}, '%ff'],
  ['/sandboxes/root%00', {}, 'root\u0000'],
  ['', { 'insights-sandbox': 'gone' }, 'gone'],
  ['', { 'insights-sandbox': 'ROOT' }, 'ROOT'],
  ['', { 'insights-sandbox': '' }, ''],
  ['', { 'insights-sandbox': 'mine, mine' }, 'mine, mine'],
]
const requests: readonly (readonly [line: string, headers: Headers])[] = [
  ['GET /insights', as('ada')],
  ['DELETE /insights/monstera-watering', as('ada')],
  ['GET /nothing', {}],
  ['GET /__admin/state', {}],
  ['POST /__admin/reset', {}],
  ['GET /__admin/nothing', {}],
]
for (const [prefix, headers, name] of addresses)
  test(`${prefix} with ${JSON.stringify(headers)} addresses no sandbox, and does not get the data of the root`, async (t) => {
    const double = await serve(t)
    await double.sandbox({ name: 'mine' })
    const state = await double.state()
    for (const [line, credential] of requests) {
      const fields = Object.entries({ connection: 'close', ...credential, ...headers }).map((each) => each.join(': '))
      assertError(t, await raw(double, wire(line.replace(' ', ` ${prefix}`), fields)), 404, unknown(name))
    }
    t.deepEqual(await double.state(), state)
  })

testOnDouble('a repeated sandbox header is refused', async (t, double) => {
  await double.sandbox({ name: 'mine' })
  const headers = ['Authorization: Bearer ada-token', 'Insights-Sandbox: mine', 'Insights-Sandbox: mine']
  assertError(t, await raw(double, wire('GET /insights', headers)), 404, unknown('mine, mine'))
})

testOnDouble('the root has the name root', async (t, double) => {
  t.deepEqual(await idsSeenBy({ url: `${double.url}/sandboxes/root` }, 'ada'), await idsSeenBy(double, 'ada'))
  t.is((await get(double, '/insights', { ...as('ada'), 'insights-sandbox': 'root' })).status, 200)
  t.is((await double.requests()).matched, 3)
})

testOnDouble('the sandbox header has no effect below the base URL of a sandbox', async (t, double) => {
  const one = await double.sandbox({ name: 'one', fixture: 'empty' })
  await double.sandbox({ name: 'other', fixture: 'default' })
  for (const name of ['other', 'root', 'gone']) {
    const reply = await get(one, '/insights', { ...as('ada'), 'insights-sandbox': name })
    t.deepEqual([reply.status, reply.text], [200, '[]'])
    const { status, text } = await control(one, 'GET', '/state/diff', undefined, { 'insights-sandbox': name })
    t.is(status, 200)
    t.like(JSON.parse(text), { fixture: 'empty' })
  }
  t.is((await one.requests()).matched, 3)
})

testOnDouble('a percent-encoded name is decoded', async (t, double) => {
  const { name } = await double.sandbox({ name: 'a~b', fixture: 'empty' })
  t.is((await get(double, '/sandboxes/%61%7Eb/insights', as('ada'))).text, '[]')
  t.is((await connectDouble(`${double.url}/sandboxes/${name}`).requests()).matched, 1)
})

const rootOnly = ['GET /sandboxes', 'POST /sandboxes', 'DELETE /sandboxes/other', 'DELETE /sandboxes/mine']
for (const line of rootOnly)
  testOnDouble(`${line} does not exist under the base URL of a sandbox`, async (t, double) => {
    const mine = await double.sandbox({ name: 'mine' })
    await double.sandbox({ name: 'other' })
    const before = await everything(double)
    const [method = '', path = ''] = line.split(' ')
    const reply = await control(mine, method, path, method === 'POST' ? {} : undefined)
    assertError(t, reply, 404)
    t.regex(reply.text, /There is no path \\"\/sandboxes\/mine\/__admin\/sandboxes/u)
    t.deepEqual(await everything(double), before)
  })

testOnDouble('a sandbox cannot have sandboxes', async (t, double) => {
  await double.sandbox({ name: 'one' })
  await double.sandbox({ name: 'other' })
  assertError(t, await get(double, '/sandboxes/one/sandboxes/other/insights', as('ada')), 404)
  await t.throwsAsync(connectDouble(`${double.url}/sandboxes/one`).sandbox(), { code: 'unknown_path' })
})

test('a sandbox starts with the fixture of the last reset of the root, also after changes of its state', async (t) => {
  const double = await serve(t, { fixture: 'many' })
  t.is((await double.sandbox()).name.length > 0, true)
  await double.setState({ $callers: { eve: { token: '*' } }, insights: [] })
  t.is((await insightsIn(await double.sandbox())).length, 1000)
  await double.reset('default')
  const sandbox = await double.sandbox()
  t.is((await sandbox.diff()).fixture, 'default')
  t.is((await insightsIn(sandbox)).length, 12)
  await sandbox.reset('empty')
  t.is((await double.diff()).fixture, 'default')
  t.is((await insightsIn(await double.sandbox())).length, 12)
})

testOnDouble('a request to an unknown sandbox is in the journal, with a note', async (t, double) => {
  t.is((json(await get(double, '/sandboxes/gone/insights', as('ada'))) as { error: number }).error, 404)
  const [entry] = (await double.requests({ status: 404 })).entries
  t.is(entry?.url, '/sandboxes/gone/insights')
  t.is(entry?.verdict, 'violation')
  t.deepEqual(entry?.violations[0]?.location, ['request', 'sandbox'])
})

test('a page of an unknown sandbox redirects a browser to the list of sandboxes, and any other client gets a 404', async (t) => {
  const double = await serve(t)
  const browser = { accept: 'text/html' }
  for (const page of ['', 'docs']) {
    const url = `${double.url}/sandboxes/gone/__admin/${page}`
    const led = await fetch(url, { headers: browser, redirect: 'manual' })
    t.is(led.status, 302)
    t.is(led.headers.get('location'), '/__admin/#requests?unknown=gone')
    t.is((await fetch(url)).status, 404)
  }
  t.is((await fetch(`${double.url}/sandboxes/gone/insights`, { headers: browser })).status, 404)
  t.is((await double.requests()).matched, 3)
})
