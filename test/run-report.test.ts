import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import test from 'ava'
import type { JournalEntry } from 'insights-double'

import { formatRunReport, type RunReport, RunReporter } from '#src/cli/report/run-report.js'
import { coverageShare } from '#src/sandbox/coverage.js'

import { pluck } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { packageFolder, temporaryFolder } from './helpers/files.js'
import { as, get } from './helpers/http.js'
import { readJunit } from './helpers/read-junit.js'

type Operations = Parameters<RunReporter['report']>[0]

const operations = [
  { id: 'listOrders', responses: [{ status: '200' }, { status: '400' }, { status: '500' }, { status: '5XX' }] },
  { id: 'addOrder', responses: [{ status: '201' }, { status: 'default' }] },
] as unknown as Operations

const answered = (operation: string, status: number): JournalEntry =>
  ({ operation, status, verdict: 'ok' }) as unknown as JournalEntry

const noTest = { sandbox: 'root', title: undefined, expectsViolations: false, result: undefined }

function reportOf(...entries: readonly JournalEntry[]): RunReport {
  const reporter = new RunReporter()
  for (const entry of entries) reporter.add({ common: entry, summary: entry }, noTest)
  return reporter.report(operations)
}

test('coverage is the share of the documented statuses below 500 that were sent', (t) => {
  t.deepEqual(reportOf().covered, { answered: 0, documented: 4, percent: 0 })
  const some = reportOf(answered('listOrders', 200), answered('listOrders', 500), answered('listOrders', 418))
  t.deepEqual(some.covered, { answered: 1, documented: 4, percent: 25 })
  t.deepEqual([some.violating, some.violations], [0, []])
  const all = reportOf(...[200, 400].map((status) => answered('listOrders', status)), answered('addOrder', 201))
  t.is(all.covered.percent, 75)
  t.is(reportOf(answered('addOrder', 503)).covered.answered, 1, 'default covers statuses without their own entry')
  t.is(coverageShare([]).percent, 100)
})

test('a JUnit report has a case for each documented status and for each violation, and is valid for any URL of a client', async (t) => {
  const double = await serve(t)
  await get(double, '/insights', as('ada'))
  await get(double, '/insights?limit=%01%22%3C%5D%5D%3E&limit=%F0%9F%98%80', as('ada'))
  const { entries } = await double.requests()
  const hostile = entries.map((entry) => ({ ...entry, url: `${entry.url}\u0001\ud800]]>"'&\n` }))
  const report = reportOf(...hostile, answered('listOrders', 200))
  const cases = await readJunit(formatRunReport('r.xml', report))
  const others = cases.filter(({ result }) => result !== 'failed')
  t.deepEqual(pluck(others, 'name', 'result'), [
    ['listOrders responds with 200', 'passed'],
    ['listOrders responds with 400', 'skipped'],
    ['listOrders responds with 500', 'skipped'],
    ['listOrders responds with 5XX', 'skipped'],
    ['addOrder responds with 201', 'skipped'],
    ['addOrder responds with default', 'skipped'],
  ])
  const failed = cases.filter(({ result }) => result === 'failed')
  const violations = entries.flatMap(({ violations: found }) => found.filter(({ severity }) => severity === 'Error'))
  t.true(violations.length > 0)
  const expected = violations.map(({ message }) => ['listInsights', message.replaceAll('\u0001', '\ufffd')])
  t.deepEqual(pluck(failed, 'className', 'message'), expected)
  t.true(failed[0]?.name.includes('\ufffd\ufffd]]>"\'& ('), failed[0]?.name)
})

const places: readonly (readonly [title: string, spec: string, workspace: string, place: RegExp])[] = [
  ['the file in the repository', 'app/spec.yaml', '.', /^::error file=app\/spec\.yaml,line=\d+,title=/u],
  ['no file in node_modules', 'node_modules/api/spec.yaml', '.', /^::error title=/u],
  ['no file outside of the repository', 'other/spec.yaml', 'app', /^::error title=/u],
]
for (const [title, path, workspace, place] of places)
  test(`an annotation names ${title}`, async (t) => {
    const cwd = await temporaryFolder(t)
    const spec = join(cwd, path)
    await mkdir(dirname(spec), { recursive: true })
    await copyFile(join(packageFolder, 'spec/insights.yaml'), spec)
    const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: join(cwd, workspace), GITHUB_STEP_SUMMARY: '' }
    const double = await serveByCommand(t, ['--memory', '--spec', spec], { cwd: dirname(spec), env })
    await get(double, '/insights?limit=abc', as('ada'))
    const [first, annotation = ''] = (await double.end()).stderr.split('\n')
    t.is(first, '')
    t.regex(annotation, place)
  })
