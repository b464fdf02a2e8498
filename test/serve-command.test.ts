import { readdir, readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { asList } from './helpers/as-object-or-list.js'
import { exits, launch, serveByCommand, serveByProcess } from './helpers/cli.js'
import { changedSpec, serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, get, idsSeenBy } from './helpers/http.js'
import { writeContract, writeSecuredPlants } from './helpers/plants-spec.js'
import { freePort } from './helpers/port.js'
import { validFixture } from './helpers/refusals.js'
import { shell } from './helpers/shell.js'
import { body, inPath, listOf, object, parameter, text } from './resources/plants-contract.js'

/** Runs the curl command of a ready message in a shell. @returns The listing. */
async function runCurlIn(t: ExecutionContext, ready: string): Promise<readonly unknown[]> {
  const { code, stderr, stdout } = await shell(t, `${/^ {2}try +(curl .*)$/mu.exec(ready)?.[1]} -sSf`)
  t.is(code, 0, stderr)
  return asList(JSON.parse(stdout))
}

test('the ready message has the URL with the port, the fixture, the state, a token and a curl command that works', async (t) => {
  const cwd = await temporaryFolder(t)
  const double = await serveByProcess(t, ['--memory', '--fixture', 'empty'], { cwd })
  t.regex(double.url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/u)
  t.deepEqual(await runCurlIn(t, double.ready), [])
  const { stdout } = await double.end()
  const [first, ...others] = stdout.split('\n')
  t.is(first, `Insights service 1.0.0 ready at ${double.url}        (contract of the package, OpenAPI 3.1)`)
  t.deepEqual(others.slice(0, 6), [
    '  stateful 2 of 2 operations: insights; insights-double explain lists them',
    '  records  insights 0, from fixture empty (3 callers)',
    '  state    in memory',
    '  token    ada-token (ada), as bearer token',
    `  console  ${double.url}/__admin/`,
    `  try      curl -H "Authorization: Bearer ada-token" ${double.url}/insights`,
  ])
  t.deepEqual(await readdir(cwd), [], '--memory keeps no file')
})

test('the ready message, the console and the API reference have the title of the contract', async (t) => {
  for (const [title, name, html] of [
    ['Plants & <b>"co"</b>', 'Plants & <b>"co"</b> 1.0.0', 'Plants &#38; &#60;b&#62;&#34;co&#34;&#60;/b&#62; 1.0.0'],
    ['Plant  Service', 'Plant Service 1.0.0', 'Plant Service 1.0.0'],
    ['$& Insights', '$& Insights 1.0.0', '$&#38; Insights 1.0.0'],
  ] as const) {
    const spec = await changedSpec(t, (document) => document.setIn(['info', 'title'], title))
    const double = await serveByCommand(t, ['--memory', '--spec', spec])
    t.true(double.ready.startsWith(`${name} ready at ${double.url} `), double.ready)
    for (const page of ['/', '/docs'])
      t.true((await get(double, `/__admin${page}`)).text.includes(`<title>${html}: `), page)
  }
})

test('the ready message of a large contract names a few of its collections, and a list without a required parameter', async (t) => {
  const names = Array.from({ length: 12 }, (_, index) => `things${index + 1}`)
  const paths = names.map((name) => {
    const item = object({ id: text, kind: text, [name]: text })
    const [list, read] = [body(listOf(item)), body(item)].map((shown) => ({ responses: { 200: shown } }))
    const parameters = [{ ...parameter('kind', text), required: name === 'things1' }]
    return { [`/${name}`]: { parameters, get: list }, [`/${name}/{id}`]: { parameters: [inPath('id')], get: read } }
  })
  const { ready } = await serveByCommand(t, [await writeContract(t, Object.assign({}, ...paths) as object), '--memory'])
  t.regex(ready, /stateful 24 of 24 operations: things1, things2, .*, things8 and 4 more; insights-double explain /u)
  t.regex(ready, /records {2}things1 5, things2 5, .*, things8 5 and 4 more; /u)
  t.regex(ready, /try .*\/things2$/mu)
})

for (const [what, token, flags] of [
  ['the first caller has the token *', '*', ['--memory', '--fixture']],
  ['the state continues', 'new-token', ['--state']],
] as const)
  test(`the printed curl command works if ${what}`, async (t) => {
    const file = await writeTemporary(t, 'state.json', validFixture.replace('"ada-token"', `"${token}"`))
    t.is((await runCurlIn(t, (await serveByCommand(t, [...flags, file])).ready)).length, 2)
  })

test('the port is --port, or else PORT', async (t) => {
  const [one, other] = [await freePort(), await freePort()]
  const surroundings = { env: { PORT: String(one) } }
  t.is((await serveByCommand(t, ['--memory', '--port', String(other)], surroundings)).url, `http://127.0.0.1:${other}`)
  const running = await launch(t, ['--memory'], surroundings)
  const [, url] = await running.printed(/ready at (\S+) /u)
  t.is(url, `http://127.0.0.1:${one}`)
})

test('a start on a port in use fails with a hint, and releases the state file', async (t) => {
  const { port } = new URL((await serve(t)).url)
  const state = await writeTemporary(t, 'state.json', validFixture)
  const { stderr, stdout } = await exits(t, 2, ['--state', state, '--port', port])
  t.is(stdout, '')
  t.regex(stderr, new RegExp(`^[^\\n]*127\\.0\\.0\\.1:${port}\\b[^\\n]*--port[^\\n]*\\n$`, 'u'))
  t.is((await idsSeenBy(await serve(t, { state }), 'ada')).length, 2)
})

test('a double listens only on loopback', async (t) => {
  const double = await serveByCommand(t, ['--memory'])
  const port = Number(new URL(double.url).port).toString(16).toUpperCase().padStart(4, '0')
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  const rows = tables.flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/u)))
  const listening = rows.flatMap(([, local = '', , state]) =>
    local.endsWith(`:${port}`) && state === '0A' ? [local.split(':')[0]] : [],
  )
  if (tables.join('') !== '') t.deepEqual(listening, ['0100007F'])
  t.is(new URL(double.url).hostname, '127.0.0.1')
})

test('a double on another address than loopback requires the admin token', async (t) => {
  const double = await serveByCommand(t, ['--memory', '--host', '0.0.0.0', '--admin-token', 'secret'])
  const local = { url: double.url.replace('0.0.0.0', '127.0.0.1') }
  t.is((await get(local, '/insights', as('ada'))).status, 200)
  t.is((await get(local, '/__admin/state')).status, 401)
  t.is((await get(local, '/__admin/state', { authorization: 'Bearer secret' })).status, 200)
  const { stderr, stdout } = await double.end()
  t.false(`${stdout}${stderr}`.includes('secret'))
})

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))

test('--host, --spec, --fixtures, -f and --delay have their effect', async (t) => {
  const spec = await changedSpec(t, (document) =>
    document.setIn(['paths', '/insights', 'get', 'parameters', 0, 'schema', 'minimum'], 7),
  )
  const file = await writeTemporary(t, 'mine.yaml', validFixture)
  const from = ['--spec', spec, '--fixtures', dirname(file), '-f', 'mine']
  const host = hasIpv6 ? '::1' : '127.0.0.1'
  const double = await serveByCommand(t, ['serve', '--memory', '--host', host, ...from, '--delay', '60000'])
  t.is(new URL(double.url).hostname, hasIpv6 ? '[::1]' : host)
  const order: string[] = []
  const delayed = idsSeenBy(double, 'ada').finally(() => order.push('delayed'))
  const refused = get(double, '/insights?limit=6', as('ada'))
  t.is((await get(double, '/__admin/health')).status, 200)
  order.push('health')
  // A stop ends the delay.
  await double.end()
  t.deepEqual(await delayed, ['fern', 'insight-2'])
  t.is((await refused).status, 400)
  t.deepEqual(order, ['health', 'delayed'])
})

// The command of curl in the start message works in a shell, for each kind of credential.
const bearer = { type: 'http', scheme: 'bearer' }
const basic = { type: 'http', scheme: 'basic' }
const header = { type: 'apiKey', in: 'header', name: 'X-Api-Key' }
const query = { type: 'apiKey', in: 'query', name: 'api key' }
const cookie = { type: 'apiKey', in: 'cookie', name: 'sid' }
const oauth = { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://shop.example', scopes: {} } } }

const withBearer = 'curl -H "Authorization: Bearer demo-token" http://'
const withKey = 'curl -H "X-Api-Key: '

type Schemes = Readonly<Record<string, object>>
type Security = readonly object[] | undefined
type Case = readonly [title: string, schemes: Schemes, security: Security, token: string | undefined, options: string]

/** The schemes, the combinations, the line of the token, and the options of curl. */
const cases: readonly Case[] = [
  ['none', {}, undefined, undefined, 'curl http://'],
  ['bearer', { bearer }, undefined, 'demo-token (demo), as bearer token', withBearer],
  ['basic', { basic }, undefined, 'demo:demo (demo), as user and password (basic)', 'curl -u demo:demo http://'],
  ['a header', { header }, undefined, 'demo-token (demo), as header X-Api-Key', `${withKey}demo-token" http://`],
  ['a query parameter', { query }, undefined, 'demo-token (demo), as query parameter api key', 'curl "http://'],
  ['a cookie', { cookie }, undefined, 'demo-token (demo), as cookie sid', 'curl -H "cookie: sid=demo-token" http://'],
  ['OAuth 2', { oauth }, undefined, 'demo-token (demo), as bearer token', withBearer],
  ['a combination', { header, query, cookie }, [{ header: [], query: [], cookie: [] }], undefined, withKey],
  ['basic and header', { basic, header }, [{ basic: [], header: [] }], undefined, 'curl -u demo:demo -H "X-Api-Key: '],
  ['an optional one', { header }, [{}, { header: [] }], 'demo-token (demo), as header X-Api-Key', withKey],
]

for (const [title, schemes, security, token, options] of cases) {
  test(`the command works with ${title}`, async (t) => {
    const spec = await writeSecuredPlants(t, schemes, security)
    const { ready } = await serveByCommand(t, [spec, '--memory'])
    if (token !== undefined) t.true(ready.includes(`\n  token    ${token}\n`), ready)
    t.true(ready.split(/^ {2}try +/mu)[1]?.startsWith(options), ready)
    t.is((await runCurlIn(t, ready)).length, 5)
  })
}
