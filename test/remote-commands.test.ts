import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { exits, run, runProcess } from './helpers/cli.js'
import { insightsIn, serve, testOnDouble } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, del, get, idsSeenBy, json } from './helpers/http.js'
import { listenUntilEnd, freePort } from './helpers/port.js'

testOnDouble('reset resets a running double to the fixture of its last reset', async (t, double) => {
  await del(double, '/insights/monstera-watering', as('ada'))
  const { code, stderr, stdout } = await runProcess(t, ['reset', '--url', double.url])
  t.deepEqual({ code, stderr, stdout }, { code: 0, stderr: '', stdout: 'Reset to default (12 insights).\n' })
  t.is((await idsSeenBy(double, 'ada'))[0], 'monstera-watering')
})

testOnDouble('reset with a name resets a running double to that fixture', async (t, double) => {
  const { stdout } = await exits(t, 0, ['reset', 'empty', '--url', `${double.url}/`])
  t.is(stdout, 'Reset to empty (0 insights).\n')
  t.deepEqual(await idsSeenBy(double, 'ada'), [])
})

testOnDouble('reset to an unknown fixture is refused with the names of the fixtures', async (t, double) => {
  await del(double, '/insights/monstera-watering', as('ada'))
  const { stderr, stdout } = await exits(t, 2, ['reset', 'defualt', '--url', double.url])
  t.is(stdout, '')
  t.regex(stderr, /^[^\n]*"defualt"[^\n]*default, edge-cases, empty, many[^\n]*\n$/u)
  t.false((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
})

testOnDouble('reset of a sandbox does not change the root', async (t, double) => {
  const sandbox = await double.sandbox({ fixture: 'empty' })
  await del(double, '/insights/monstera-watering', as('ada'))
  t.is((await run(t, ['reset', 'many', '--url', sandbox.url])).code, 0)
  t.is((await insightsIn(sandbox)).length, 1000)
  t.is((await insightsIn(double)).length, 11)
})

test('state prints the state as a fixture, even if the state is large', async (t) => {
  const double = await serve(t, { fixture: 'many' })
  await del(double, '/insights/pilea-fertiliser-dose-0001', as('ada'))
  const { code, stderr, stdout } = await runProcess(t, ['state', '--url', double.url])
  t.deepEqual([code, stderr], [0, ''])
  t.deepEqual(JSON.parse(stdout), json(await get(double, '/__admin/state')))
  t.false(stdout.includes('pilea-fertiliser-dose-0001'))
})

test('state --out writes a fixture that a double can start with', async (t) => {
  const cwd = await temporaryFolder(t)
  const double = await serve(t, { fixture: 'edge-cases' })
  const { stdout } = await exits(t, 0, ['state', '--out', 'mine.json', '--url', double.url], { cwd })
  t.is(stdout, '')
  const written = await readFile(join(cwd, 'mine.json'), 'utf8')
  t.deepEqual(JSON.parse(written), json(await get(double, '/__admin/state')))
  t.is((await run(t, ['check', 'mine.json'], { cwd })).code, 0)
  const other = await serve(t, { fixture: join(cwd, 'mine.json') })
  t.is((await get(other, '/insights', as('ada'))).text, (await get(double, '/insights', as('ada'))).text)
})

const asked = [
  'GET  /insights  200  ada',
  'GET  /insights?limit=abc  400  grace',
  'DELETE  /insights/never-was  404  ada',
  'GET  /nowhere  404  -',
]
testOnDouble('requests prints the requests, oldest first', async (t, double) => {
  await get(double, '/insights', as('ada'))
  await get(double, '/insights?limit=abc', as('grace'))
  await del(double, '/insights/never-was', as('ada'))
  await get(double, '/nowhere')
  const { stdout } = await exits(t, 0, ['requests', '--url', double.url])
  const lines = stdout.split('\n').filter((line) => /^\d\d:/u.test(line))
  const printed = lines.map((line) => line.split('  ').slice(1, 5).join('  '))
  t.deepEqual(printed, asked)
})

test('INSIGHTS_DOUBLE_URL names the double, and --url takes precedence', async (t) => {
  const [one, other] = [await serve(t), await serve(t, { fixture: 'empty' })]
  const surroundings = { env: { INSIGHTS_DOUBLE_URL: one.url } }
  t.is((await run(t, ['reset'], surroundings)).stdout, 'Reset to default (12 insights).\n')
  t.is((await run(t, ['reset', '--url', other.url], surroundings)).stdout, 'Reset to empty (0 insights).\n')
})

for (const command of ['reset', 'state', 'requests'])
  test(`${command} at a URL where nothing listens fails with the URL and a hint`, async (t) => {
    const url = `http://127.0.0.1:${await freePort()}`
    assertRefusal(t, await run(t, [command, '--url', url]), url)
    assertRefusal(t, await run(t, [command], { env: { INSIGHTS_DOUBLE_URL: url } }), url)
  })

function assertRefusal(t: ExecutionContext, ended: Awaited<ReturnType<typeof run>>, url: string): void {
  t.like(ended, { code: 2, stdout: '' })
  t.regex(ended.stderr, /^[^\n]*--url[^\n]*\n$/u)
  t.true(ended.stderr.includes(url), ended.stderr)
}

for (const type of ['application/json', 'text/html'])
  test(`a server that is not a double and sends ${type} is recognized`, async (t) => {
    const server = createServer((_, response) => response.writeHead(404, { 'content-type': type }).end('{"a":1}'))
    const url = await listenUntilEnd(t, server)
    const { stderr } = await exits(t, 2, ['state', '--url', url])
    t.regex(stderr, /^[^\n]*is not a double[^\n]*\n$/u)
    t.true(stderr.includes(url), stderr)
  })
