import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { formatRunReport, type RunReport } from '#src/cli/report/run-report.js'

import { pluck } from './helpers/as-object-or-list.js'
import { exits, launch } from './helpers/cli.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { serveInsights, someInsights, tokens } from './verify/insights-service.js'

/** A suite: a test fails, one contradicts evidence, one rests on the contract. */
const suite = `
let currentTestName
globalThis.expect = { getState: () => ({ currentTestName }) }
const { withSandbox } = await import(${JSON.stringify(join(packageFolder, 'bundle/jest.js'))})
const headers = { authorization: 'Bearer ada-token' }
const test = async (name, ...requests) => {
  currentTestName = name
  await withSandbox(async (sandbox) => {
    for (const [method, path] of requests) await fetch(sandbox.url + path, { method, headers })
    if (name === 'fails') throw new Error('fails')
  }, { expectViolations: true })().catch(() => {})
}
await test('lists', ['GET', '/insights?limit=7'], ['GET', '/insights'])
await test('fails', ['GET', '/insights?limit=3'], ['GET', '/insights?limit=0'])
await test('removes', ['DELETE', '/insights/monstera-watering'])
`

test('run --evidence says for each test and operation what the responses rest on', async (t) => {
  const service = await serveInsights(t)
  service.reset(someInsights(), { minimum: 0 })
  const cwd = await temporaryFolder(t)
  const env = { ADA_TOKEN: tokens['ada'] ?? '' }
  const flags = ['--caller', 'ada=env:ADA_TOKEN', '--pace', '10000', '--record', 'evidence']
  await exits(t, 1, ['verify', service.url, ...flags], { cwd, env })
  const file = await writeTemporary(t, 'suite.mjs', suite)
  const words = ['run', '--evidence', 'evidence', '--report', 'report.json', '--log', 'silent', '--', 'node', file]
  const { code, stderr } = await (await launch(t, words, { cwd })).ended
  t.is(code, 0, stderr)
  const figures = (evidence: number, contract: number, against: number): string =>
    `rests on evidence ${evidence}, rests on the contract only ${contract}, contradicts evidence ${against}\n`
  t.true(stderr.includes(`listInsights: ${figures(3, 0, 1)}`), stderr)
  t.true(stderr.includes(`deleteInsight: ${figures(0, 1, 0)}`), stderr)
  t.regex(stderr, /GET \/insights\?limit=3 {2}200 {2}ada {2}ok {2}rests on evidence$/mu)
  t.regex(stderr, /GET \/insights\?limit=0 {2}400 {2}ada {2}violation {2}contradicts evidence$/mu)
  const report = JSON.parse(await readFile(join(cwd, 'report.json'), 'utf8')) as RunReport
  t.deepEqual(pluck(report.evidence, 'title', 'outcome', 'operation', 'status', 'evidence', 'responses'), [
    ['lists', 'passed', 'listInsights', 200, 'agrees', 2],
    ['fails', 'failed', 'listInsights', 200, 'agrees', 1],
    ['fails', 'failed', 'listInsights', 400, 'differs', 1],
    ['removes', 'passed', 'deleteInsight', 204, 'none', 1],
  ])
  const line = '| `fails` | failed | `listInsights` | 400 | 1 | contradicts evidence |'
  t.true(formatRunReport('report.md', report).split('\n').includes(line))
  const refused = await (await launch(t, ['run', '--evidence', 'nowhere', '--', 'node', file], { cwd })).ended
  t.is(refused.code, 2)
  t.regex(refused.stderr, /^--evidence must name a folder that can be read, got "nowhere": no such file or folder\.$/mu)
})
