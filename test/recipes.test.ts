import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'
import { connectDouble } from 'insights-double'
import { parse } from 'yaml'

import { serveByCommand } from './helpers/cli.js'
import { asList, asObject, readPackageFile, serve } from './helpers/double.js'
import type { Ended } from './helpers/hosted.js'
import { idsSeenBy } from './helpers/http.js'
import { freePort } from './helpers/port.js'
import { atUrl, readmeBlock } from './helpers/readme.js'
import { compile, project, shell } from './helpers/shell.js'

test('the AVA recipe compiles strictly, and its two tests pass', async (t) => {
  const recipe = await readmeBlock('ava')
  const folder = await project(t, { 'insights.test.ts': recipe }, ['ava', 'typescript', '@types/node'])
  await compile(t, folder, ['insights.test.ts'])
  const run = 'node node_modules/ava/entrypoints/cli.mjs --tap out/insights.test.js'
  const { code, stderr, stdout } = await shell(t, run, { cwd: folder })
  t.is(code, 0, stdout + stderr)
  t.regex(stdout, /^# pass 2$/mu)
  t.regex(stdout, /^# tests 2$/mu)
  t.regex(stdout, /^# fail 0$/mu)
})

/** As the README has it for compilers that know `await using`, and for workers that share a double. */
const shared = `import { connectDouble } from 'insights-double'

const double = connectDouble(process.env.INSIGHTS_DOUBLE_URL ?? '')
let url = ''
{
  await using sandbox = await double.sandbox()
  url = sandbox.url
  console.log((await fetch(\`\${url}/__admin/health\`)).status)
}
console.log((await fetch(\`\${url}/__admin/health\`)).status)
`

test('await using needs no teardown, with a double that was started before', async (t) => {
  const { url } = await serve(t)
  const folder = await project(t, { 'shared.ts': shared }, ['typescript', '@types/node'])
  await compile(t, folder, ['shared.ts'])
  const ended = await shell(t, 'node out/shared.js', { cwd: folder, env: { INSIGHTS_DOUBLE_URL: url } })
  t.deepEqual(ended, { code: 0, stdout: '200\n404\n', stderr: '' })
})

interface Step {
  readonly name?: string
  readonly run?: string
  readonly env?: Readonly<Record<string, string>>
  readonly if?: string
}

/** A test suite of an app, which asks the double for something. */
const suite = (path: string, code: number): string =>
  `const headers = { authorization: 'Bearer ada-token' }
await fetch(process.env.INSIGHTS_DOUBLE_URL + '${path}', { headers })
process.exitCode = ${code}
`

/** Runs the steps of the GitHub recipe after `npm ci`, the way a runner does, for an app with such a test suite. */
async function runActions(
  t: ExecutionContext,
  tests: string,
): Promise<{ readonly tested: Ended; readonly summary: string }> {
  const { jobs } = asObject(parse(await readmeBlock('actions')))
  const steps = asList(asObject(asObject(jobs)['test'])['steps']) as readonly Step[]
  const [step, report, ...others] = steps.slice(steps.findIndex(({ name }) => name === 'Test against the double'))
  t.deepEqual(others, [])
  t.is(report?.if, 'always()')
  const port = await freePort()
  const manifest = JSON.stringify({ name: 'app', private: true, type: 'module', scripts: { test: 'node tests.js' } })
  const cwd = await project(t, { 'package.json': manifest, 'tests.js': tests, 'summary.md': '' })
  const env = {
    ...Object.fromEntries(
      Object.entries(step?.env ?? {}).map(([name, value]) => [name, atUrl(value, `http://127.0.0.1:${port}`)]),
    ),
    // The double is told of the port by the environment, as the recipe has no flag for it.
    PORT: String(port),
    GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'),
  }
  const tested = await shell(t, step?.run ?? '', { cwd, env, shell: ['bash', '-e'] })
  const reported = await shell(t, report?.run ?? '', { cwd, env, shell: ['bash', '-e'] })
  t.is(reported.code, 0, `${reported.stderr}\n${tested.stdout}\n${tested.stderr}`)
  return { tested, summary: await readFile(join(cwd, 'summary.md'), 'utf8') }
}

const runs: readonly (readonly [what: string, tests: string, code: number, summary: RegExp])[] = [
  ['a suite that passes succeeds', suite('/insights', 0), 0, /^1 requests, 0 of them with violations\.$/mu],
  [
    'a suite that breaks the contract ends with 3',
    suite('/insights?limit=abc', 0),
    3,
    /^\| \S+ \| GET \S+limit=abc \| 400 \|/mu,
  ],
  ['a suite that fails fails, and there is a report', suite('/insights', 1), 1, /^1 requests, 0 of them/mu],
]
for (const [what, tests, code, summary] of runs) {
  test(`the GitHub Actions recipe: ${what}`, async (t) => {
    const ended = await runActions(t, tests)
    t.is(ended.tested.code, code, ended.tested.stdout + ended.tested.stderr)
    t.regex(ended.summary, summary)
  })
}

for (const withoutCurl of [false, true]) {
  test(`the shell recipe deletes, and shows it${withoutCurl ? ', also where there is no curl' : ''}`, async (t) => {
    const { url } = await serveByCommand(t, ['--memory', '--log', 'silent'])
    const { code, stderr, stdout } = await shell(t, atUrl(await readmeBlock('shell'), url), { withoutCurl })
    t.is(code, 0, stderr)
    t.is(stderr, '')
    const [reset, diff, requests, ...others] = jsonValuesIn(stdout).map(asObject)
    t.deepEqual(others, [])
    t.like(reset, { fixture: 'default', collections: { insights: 12 } })
    t.like(diff, { fixture: 'default', collections: { insights: { removed: ['monstera-watering'] } } })
    t.like(requests, { matched: 1, satisfied: true })
    t.like(asObject(asList(requests?.['entries'])[0]), { operation: 'deleteInsight', status: 204, caller: 'ada' })
    t.false((await idsSeenBy({ url }, 'ada')).includes('monstera-watering'))
    t.is((await connectDouble(url).health()).status, 'ok')
  })
}

/** The JSON values that stand one behind the other in a text. */
function jsonValuesIn(text: string): readonly unknown[] {
  return JSON.parse(`[${text.trim().replaceAll(/\}\s*\{"/gu, '},{"')}]`) as readonly unknown[]
}

test('the package can be installed by its folder: it has a name, a command and a face', async (t) => {
  const { bin, exports, name } = asObject(JSON.parse(await readPackageFile('package.json')))
  t.is(name, 'insights-double')
  const command = await readPackageFile(String(asObject(bin)['insights-double']))
  t.true(command.startsWith('#!/usr/bin/env node\n'))
  t.truthy(await readPackageFile(String(asObject(asObject(exports)['.'])['import'])))
})
