import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, launch, serveByCommand, type ServedByCommand } from './helpers/cli.js'
import { testOnDouble } from './helpers/double.js'
import { packageFolder, replaceFile, writeTemporary } from './helpers/files.js'
import { as, ask, del, get, idsSeenBy, rawAll, wire } from './helpers/http.js'
import { freePort } from './helpers/port.js'
import { validFixture } from './helpers/refusals.js'
import { until } from './helpers/until.js'

/** Characters that would move the cursor, colour the terminal or begin a new line in the log. */
const controls = /[\p{Cc}\u2028\u2029]/u

/** The lines that follow the ready block. */
const logged = (stdout: string): readonly string[] =>
  (stdout.split(/^ {2}try .*\n/mu)[1] ?? '').split('\n').slice(0, -1)

async function askOddly(double: { readonly url: string }): Promise<void> {
  const credential = 'Authorization: Bearer ada-token'
  const odd = ['%1b%5b31m%0a', '%9b31m', '%c2%9b31m', '%0d%0aFAKE%20200', '%e2%80%a8']
  for (const part of odd) {
    await del(double, `/insights/${part}`, as('ada'))
    await get(double, `/insights?limit=${part}`, as('ada'))
    await get(double, `/insights?${part}=1`, as('ada'))
    await get(double, `/${part}`)
    await get(double, '/insights', { ...as('ada'), prefer: `code=${part}`, 'insights-sandbox': part })
  }
  const bytes = [
    wire('GET /insights/\u009b31m', [credential]),
    wire('GET /insights?limit=\u001b[31m', [credential]),
    wire('GET /insights', [credential, 'User-Agent: \u009b31m', 'Insights-Sandbox: \u009b31m']),
    wire('GET /insights', [credential, 'User-Agent: \u009b31m', 'Prefer: \u009b31m']),
    wire('\u009bGET /insights', [credential]),
  ]
  for (const request of bytes) await rawAll(double, Buffer.from(request, 'latin1'), 1)
}

test('--log pretty prints a line for each request and the reason of a refusal, without control characters', async (t) => {
  const double = await serveByCommand(t, ['--memory'])
  await get(double, '/insights?limit=2', as('ada'))
  await get(double, '/insights?limit=abc', as('grace'))
  await del(double, '/insights/monstera-watering', as('alan'))
  await get(double, '/__admin/health')
  const lines = logged(await endAfterOddRequests(t, double))
  const told = lines.slice(0, 5).map((line) => line.replace(/^[\d:.]{12} {2}|[\d.]+ ms$/gu, ''))
  t.deepEqual(told, [
    'GET  /insights?limit=2  200  ada  ',
    'GET  /insights?limit=abc  400  grace  ',
    '    violation  Query parameter limit must be an integer from 1 to 2147483647, got "abc".',
    'DELETE  /insights/monstera-watering  404  alan  ',
    '    the record exists, but alan has no access',
  ])
  t.false(lines.some((line) => line.includes('  /__admin/health  ')))
})

test('--log json prints the ready line and a JSON line for each request, without control characters', async (t) => {
  const double = await serveByCommand(t, ['--memory', '--log', 'json'])
  await get(double, '/insights', as('ada'))
  await get(double, '/insights', { authorization: 'Bearer nobody' })
  await ask(double, 'PUT', '/insights')
  const stdout = await endAfterOddRequests(t, double)
  const lines = stdout.trim().split('\n')
  const values = lines.map((line) => asObject(JSON.parse(line)))
  t.deepEqual(values[0], {
    event: 'ready',
    url: double.url,
    title: 'Insights service',
    version: '1.0.0',
    contract: join(packageFolder, 'spec/insights.yaml'),
    format: 'OpenAPI 3.1',
    operations: 2,
    fixture: 'default',
    state: null,
    continued: false,
    stateful: ['listInsights', 'deleteInsight'],
    mocked: [],
    notActedOn: [],
    notEnforced: [],
  })
  t.deepEqual(pluck(values.slice(1, 4), 'event', 'method', 'status', 'caller', 'verdict'), [
    ['exchange', 'GET', 200, 'ada', 'ok'],
    ['exchange', 'GET', 401, null, 'ok'],
    ['exchange', 'PUT', 405, null, 'violation'],
  ])
})

/** Sends control characters and tokens, and stops the double. @returns Its standard output. */
async function endAfterOddRequests(t: ExecutionContext, double: ServedByCommand): Promise<string> {
  await askOddly(double)
  const { code, stderr, stdout } = await double.end()
  t.is(code, 0)
  const lines = stdout.trimEnd().split('\n')
  t.true(lines.length > 30)
  for (const line of lines) t.notRegex(line, /[\p{Cc}\u2028\u2029]|^FAKE/u)
  t.notRegex(stderr.replaceAll('\n', ''), controls)
  return stdout
}

for (const flags of [[], ['--fail-on-violation']])
  test(`${['--log silent', ...flags].join(' ')} prints ${flags.length > 0 ? 'only why it fails' : 'nothing'}`, async (t) => {
    const port = await freePort()
    const double = { url: `http://127.0.0.1:${port}` }
    const fixture = await writeTemporary(t, 'mine.json', validFixture)
    const words = ['--memory', '--log', 'silent', '--port', `${port}`, '--watch', '--fixture', fixture, ...flags]
    const running = await launch(t, words)
    t.true(await until(() => fetch(double.url).then(Boolean, () => false)))
    t.is((await get(double, '/insights?limit=abc', as('ada'))).status, 400)
    await replaceFile(fixture, validFixture.replace('"fern"', '"oak"'))
    t.true(await until(async () => (await idsSeenBy(double, 'ada'))[0] === 'oak'))
    const { stderr, stdout } = await running.end()
    t.is(stdout, '')
    const reason = 'There were violations of the contract. --report writes them to a file.\n'
    t.is(stderr, flags.length > 0 ? reason : '')
  })

testOnDouble('the command requests escapes control characters of recorded requests', async (t, double) => {
  await askOddly(double)
  const { stdout } = await exits(t, 0, ['requests', '--url', double.url])
  const lines = stdout.trimEnd().split('\n')
  t.true(lines.length > 30)
  for (const line of lines) t.notRegex(line, controls)
})
