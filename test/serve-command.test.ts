import { execFile } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

import test from 'ava'

import { run, serveByCommand } from './helpers/cli.js'
import { asList, changedSpec, serve, writeTemporary } from './helpers/double.js'
import { as, get, idsSeenBy } from './helpers/http.js'
import { freePort } from './helpers/port.js'
import { soundFixture } from './helpers/untrusted-fixture.js'

/** Runs a line the way a shell would after it was pasted. Where there is no curl, does what the line says. */
async function paste(line: string): Promise<unknown> {
  const [, header = '', url = ''] = /^curl -H "Authorization: ([^"]+)" (\S+)$/u.exec(line) ?? []
  const hasCurl = await promisify(execFile)('sh', ['-c', 'command -v curl']).then(
    () => true,
    () => false,
  )
  if (!hasCurl) return (await fetch(url, { headers: { authorization: header } })).json()
  return JSON.parse((await promisify(execFile)('sh', ['-c', `${line} --silent --fail`])).stdout)
}

const curlIn = (stdout: string): string => /^ {2}try +(curl .*)$/mu.exec(stdout)?.[1] ?? ''

test('the first line holds the URL with the port that was picked; fixture, state, token and curl follow', async (t) => {
  const double = await serveByCommand(t, ['--memory'])
  t.regex(double.url, /^http:\/\/127\.0\.0\.1:[1-9]\d+$/u)
  t.is((await idsSeenBy(double, 'ada'))[0], 'monstera-watering')
  const { stdout } = await double.end()
  const [first, ...others] = stdout.split('\n')
  t.is(first, `Insights double ready at ${double.url}`)
  t.deepEqual(others.slice(0, 5), [
    '  fixture  default (12 insights, 3 callers)',
    '  state    in memory',
    '  token    ada-token (ada)',
    '  stateful listInsights, deleteInsight',
    `  try      curl -H "Authorization: Bearer ada-token" ${double.url}/insights`,
  ])
})

test('the printed curl command works when pasted', async (t) => {
  const double = await serveByCommand(t, ['--memory', '--fixture', 'empty', '--log', 'silent'])
  const [curl] = await double.printed(/curl .*/u)
  t.deepEqual(await paste(curl), [])
})

test('the printed curl command works where the first caller has any token', async (t) => {
  const fixture = await writeTemporary(t, 'guests.json', soundFixture.replace('"ada-token"', '"*"'))
  const double = await serveByCommand(t, ['--memory', '--fixture', fixture])
  t.is(asList(await paste(curlIn((await double.printed(/try .*/u)).input))).length, 2)
})

test('the printed curl command works where the state is gone on with', async (t) => {
  const state = await writeTemporary(t, 'state.json', soundFixture.replace('"ada-token"', '"new-token"'))
  const double = await serveByCommand(t, ['--state', state])
  t.is(asList(await paste(curlIn((await double.printed(/try .*/u)).input))).length, 2)
})

test('the port is that of --port, else that of PORT', async (t) => {
  const port = await freePort()
  const first = await serveByCommand(t, ['--memory', '--port', String(port)])
  t.is(first.url, `http://127.0.0.1:${port}`)
  await first.end()
  const second = await run(t, ['--memory'], { env: { PORT: String(port) } })
  t.true(second.stdout.startsWith(`Insights double ready at http://127.0.0.1:${port}\n`), second.stderr)
  const third = await serveByCommand(t, ['--memory'], { env: { PORT: String(port) } })
  t.not(third.url, `http://127.0.0.1:${port}`)
})

test('a port that is in use is refused, with the hint', async (t) => {
  const { port } = new URL((await serve(t)).url)
  const { code, stderr, stdout } = await run(t, ['--memory', '--port', port])
  t.is(code, 2)
  t.is(stdout, '')
  t.regex(stderr, new RegExp(`^[^\\n]*127\\.0\\.0\\.1:${port}\\b[^\\n]*--port[^\\n]*\\n$`, 'u'))
})

test('a start that finds its port in use lets go of the state file', async (t) => {
  const { port } = new URL((await serve(t)).url)
  const state = await writeTemporary(t, 'state.json', soundFixture)
  t.is((await run(t, ['--state', state, '--port', port])).code, 2)
  const double = await serveByCommand(t, ['--state', state])
  t.is((await idsSeenBy(double, 'ada')).length, 2)
})

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
const testWhere = hasIpv6 ? test : test.skip
testWhere('--host ::1 serves on IPv6, and says so in a URL that works', async (t) => {
  const double = await serveByCommand(t, ['--memory', '--host', '::1'])
  t.regex(double.url, /^http:\/\/\[::1\]:\d+$/u)
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  t.is((await get(double, '/__admin/health')).status, 200)
})

test('--host beyond loopback with --admin-token serves, and guards the control plane', async (t) => {
  const double = await serveByCommand(t, ['--memory', '--host', '0.0.0.0', '--admin-token', 'secret'])
  const local = { url: double.url.replace('0.0.0.0', '127.0.0.1') }
  t.is((await get(local, '/insights', as('ada'))).status, 200)
  t.is((await get(local, '/__admin/state')).status, 401)
  t.is((await get(local, '/__admin/state', { authorization: 'Bearer secret' })).status, 200)
  const { stderr, stdout } = await double.end()
  t.false(`${stdout}${stderr}`.includes('secret'))
})

test('--delay is waited before each reply of the service', async (t) => {
  const double = await serveByCommand(t, ['--memory', '--delay', '150'])
  const started = performance.now()
  t.is((await get(double, '/insights', as('ada'))).status, 200)
  t.true(performance.now() - started >= 149)
})

test('--spec is the contract that is served', async (t) => {
  const spec = await changedSpec(t, (document) =>
    document.setIn(['paths', '/insights', 'get', 'parameters', 0, 'schema', 'minimum'], 7),
  )
  const double = await serveByCommand(t, ['serve', '--memory', '--spec', spec])
  t.is((await get(double, '/insights?limit=7', as('ada'))).status, 200)
  t.is((await get(double, '/insights?limit=6', as('ada'))).status, 400)
})

test('--fixtures is the folder in which names are looked up', async (t) => {
  const file = await writeTemporary(t, 'mine.yaml', soundFixture)
  const double = await serveByCommand(t, ['--memory', '--fixtures', dirname(file), '-f', 'mine'])
  t.deepEqual(await idsSeenBy(double, 'ada'), ['fern', 'insight-2'])
})
