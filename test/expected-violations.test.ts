import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { connectDouble } from 'insights-double'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { control, entryOf, serve } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, get, type Headers, json, raw, type Reply, violationsOf, wire } from './helpers/http.js'

/** Refused credentials, and the error code of each. */
const refused: readonly (readonly [code: string, headers: Headers])[] = [
  ['missing_token', {}],
  ['malformed_token', { authorization: 'Basic YWRhOmFkYQ==' }],
  ['unknown_token', { authorization: 'Bearer nobody' }],
]
for (const [code, headers] of refused)
  test(`a request with the error ${code} is recorded with a warning, and is not a violation`, async (t) => {
    const double = await serve(t)
    const reply = await get(double, '/insights', headers)
    t.is(reply.status, 401)
    const entry = await entryOf(double, reply)
    t.is(entry.verdict, 'ok')
    t.like(entry.violations, [{ location: ['request', 'headers', 'authorization'], severity: 'Warning', code }])
    t.is(entry.violations.length, 1)
    t.deepEqual(violationsOf(reply), entry.violations)
  })

test('refused credentials and expected violations are recorded, and do not fail the run', async (t) => {
  const report = join(await temporaryFolder(t), 'report.json')
  const double = await serveByCommand(t, ['--memory', '--fail-on-violation', '--report', report])
  for (const [, headers] of refused) t.is((await get(double, '/insights', headers)).status, 401)
  const twice = ['Authorization: Bearer ada-token', 'Authorization: Bearer ada-token', 'Connection: close']
  t.is((await raw(double, wire('GET /insights', twice))).status, 401)
  const sandbox = await connectDouble(double.url).sandbox({ name: 'wrong-on-purpose', expectViolations: true })
  const broken = (): Promise<Reply> => get(sandbox, '/insights?limit=abc', as('ada'))
  t.is((await entryOf(sandbox, await broken())).verdict, 'violation')
  t.is((await sandbox.requests({ verdict: 'violation' })).matched, 1)
  await sandbox.reset()
  await broken()
  const byHeader = { ...as('ada'), 'insights-sandbox': sandbox.name }
  t.is((await get(double, '/insights?limit=abc', byHeader)).status, 400)
  t.is((await sandbox.requests({ verdict: 'violation' })).matched, 2)
  const { code, stdout } = await double.end()
  t.is(code, 0)
  t.like(JSON.parse(await readFile(report, 'utf8')), { exchanges: 7, violating: 0, expected: 3, violations: [] })
  t.is((stdout.match(/^ {4}warning {2}/gmu) ?? []).length, 4)
})

test('an unexpected violation fails the run; the report lists it, and only counts the expected violations', async (t) => {
  const report = join(await temporaryFolder(t), 'report.md')
  const double = await serveByCommand(t, ['--memory', '--fail-on-violation', '--report', report])
  const root = connectDouble(double.url)
  const expecting = await root.sandbox({ expectViolations: true })
  const other = await root.sandbox()
  await get(expecting, '/insights?limit=abc', as('ada'))
  await get(other, '/insights?limit=xyz', as('ada'))
  t.is((await double.end()).code, 3)
  const text = await readFile(report, 'utf8')
  const sentence = '1 more have violations in sandboxes that expect them.'
  t.true(text.includes(`2 requests, 1 of them with violations.\n\n${sentence}\n`), text)
  t.regex(text, /limit=xyz/u)
  t.notRegex(text, /limit=abc/u)
})

test('expectViolations is in the list of sandboxes, is false by default, and must be a boolean', async (t) => {
  const double = await serve(t)
  const made = await control(double, 'POST', '/sandboxes', { name: 'one', expectViolations: true })
  t.is(made.status, 201)
  t.is(asObject(json(made))['expectViolations'], true)
  await double.sandbox({ name: 'two' })
  await double.sandbox({ name: 'three', expectViolations: false })
  t.is(pluck(await double.sandboxes(), 'name', 'expectViolations').join(' '), 'one,true two,false three,false')
  t.is((await control(double, 'POST', '/sandboxes', { expectViolations: 'yes' })).status, 400)
})
