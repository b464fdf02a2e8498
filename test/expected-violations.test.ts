import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'
import { connectDouble } from 'insights-double'

import type { ServedByCommand } from './helpers/cli.js'
import { serveByCommand } from './helpers/cli.js'
import { control, entryOf } from './helpers/control.js'
import type { JsonObject } from './helpers/double.js'
import { asList, asObject, serve, temporaryFolder } from './helpers/double.js'
import type { Ended } from './helpers/hosted.js'
import type { Headers, Reply } from './helpers/http.js'
import { as, get, json, raw, violationsOf, wire } from './helpers/http.js'

interface Run {
  readonly double: ServedByCommand
  /** Ends the run. @returns How it ended, and both reports. */
  end(): Promise<Ended & { readonly report: JsonObject }>
}

async function runThatFails(t: ExecutionContext): Promise<Run> {
  const file = join(await temporaryFolder(t), 'report.json')
  const double = await serveByCommand(t, ['--memory', '--fail-on-violation', '--report', file])
  return {
    double,
    end: async () => ({ ...(await double.end()), report: asObject(JSON.parse(await readFile(file, 'utf8'))) }),
  }
}

/** Credentials that are refused, and the code of the refusal. */
const refused: readonly (readonly [code: string, headers: Headers])[] = [
  ['missing_token', {}],
  ['malformed_token', { authorization: 'Basic YWRhOmFkYQ==' }],
  ['unknown_token', { authorization: 'Bearer nobody' }],
]
for (const [code, headers] of refused) {
  test(`${code} is recorded as a warning, and is no violation`, async (t) => {
    const double = await serve(t)
    const reply = await get(double, '/insights', headers)
    t.is(reply.status, 401)
    const entry = await entryOf(double, reply)
    t.is(entry.verdict, 'ok')
    t.like(entry.violations, [{ location: ['request', 'headers', 'authorization'], severity: 'Warning', code }])
    t.is(entry.violations.length, 1)
    t.deepEqual(violationsOf(reply), entry.violations)
  })
}

test('a run that only had credentials refused ends with 0 under --fail-on-violation', async (t) => {
  const { double, end } = await runThatFails(t)
  for (const [, headers] of refused) t.is((await get(double, '/insights', headers)).status, 401)
  const twice = ['Authorization: Bearer ada-token', 'Authorization: Bearer ada-token', 'Connection: close']
  t.is((await raw(double, wire('GET /insights', twice))).status, 401)
  const { code, report, stdout } = await end()
  t.is(code, 0)
  t.like(report, { exchanges: 4, violating: 0, expected: 0 })
  t.is((stdout.match(/^ {4}warning {2}/gmu) ?? []).length, 4)
  t.notRegex(stdout, /^ {4}violation/mu)
})

test('violations in a sandbox that expects them are in its journal, and do not fail the run', async (t) => {
  const { double, end } = await runThatFails(t)
  const root = connectDouble(double.url)
  const sandbox = await root.sandbox({ name: 'wrong-on-purpose', expectViolations: true })
  const broken = (): Promise<Reply> => get(sandbox, '/insights?limit=abc', as('ada'))
  t.is((await entryOf(sandbox, await broken())).verdict, 'violation')
  t.is((await sandbox.requests({ verdict: 'violation' })).matched, 1)
  await sandbox.reset()
  await broken()
  const byHeader = { ...as('ada'), 'insights-sandbox': sandbox.name }
  t.is((await get(double, '/insights?limit=abc', byHeader)).status, 400)
  t.is((await sandbox.requests({ verdict: 'violation' })).matched, 2)
  const { code, report } = await end()
  t.is(code, 0)
  t.like(report, { exchanges: 3, violating: 0, expected: 3 })
  t.deepEqual(report['violations'], [])
})

test('one violation elsewhere fails the run, and is alone in its report', async (t) => {
  const { double, end } = await runThatFails(t)
  const root = connectDouble(double.url)
  const expecting = await root.sandbox({ expectViolations: true })
  const other = await root.sandbox()
  await get(expecting, '/insights?limit=abc', as('ada'))
  await get(other, '/insights?limit=abc', as('ada'))
  const { code, report } = await end()
  t.is(code, 3)
  t.like(report, { exchanges: 2, violating: 1, expected: 1 })
  t.deepEqual(
    asList(report['violations']).map((entry) => asObject(entry)['sandbox']),
    [other.name],
  )
})

test('a Markdown report says how many violations were expected, where any were', async (t) => {
  const sentence = '1 more have violations in sandboxes that expect them.'
  const file = join(await temporaryFolder(t), 'report.md')
  const double = await serveByCommand(t, ['--memory', '--report', file])
  const sandbox = await connectDouble(double.url).sandbox({ expectViolations: true })
  await get(sandbox, '/insights?limit=abc', as('ada'))
  await double.end()
  const text = await readFile(file, 'utf8')
  t.true(text.includes(`1 requests, 0 of them with violations.\n\n${sentence}\n`), text)
})

test('whether a sandbox expects violations is told with it, is false by default, and must be a boolean', async (t) => {
  const double = await serve(t)
  const made = await control(double, 'POST', '/sandboxes', { name: 'one', expectViolations: true })
  t.is(made.status, 201)
  t.is(asObject(json(made))['expectViolations'], true)
  await double.sandbox({ name: 'two' })
  await double.sandbox({ name: 'three', expectViolations: false })
  t.deepEqual(
    (await double.sandboxes()).map(({ expectViolations, name }) => [name, expectViolations]),
    [
      ['one', true],
      ['two', false],
      ['three', false],
    ],
  )
  t.is((await control(double, 'POST', '/sandboxes', { expectViolations: 'yes' })).status, 400)
})
