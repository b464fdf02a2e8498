import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { connectDouble } from 'insights-double'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { atUrl, documentBlock } from './helpers/documents.js'
import { serve } from './helpers/double.js'
import { readPackageFile, readPackageYaml } from './helpers/files.js'
import { idsSeenBy } from './helpers/http.js'
import { readJunit } from './helpers/read-junit.js'
import { shell } from './helpers/shell.js'
import { compile, project } from './helpers/user-project.js'

/** The file of each recipe. `npm run test:setups` runs them. */
const origins: readonly (readonly [block: string, file: string])[] = [
  [await documentBlock('vitest'), 'test/setups/vitest/insights.test.ts'],
  [await documentBlock('jest'), 'test/setups/jest/insights.test.js'],
  [await documentBlock('playwright'), 'test/setups/playwright/insights.spec.ts'],
  [await documentBlock('vite'), 'test/setups/vite-proxy/vite.config.js'],
  [await documentBlock('ci'), 'docs/github-actions.yml'],
  [await documentBlock('ci'), 'docs/gitlab-ci.yml'],
]
/** The shell commands of the CI files. */
const { jobs } = await readPackageYaml('docs/github-actions.yml')
const { test: job } = asObject(jobs)
const steps = asList(asObject(job)['steps']).flatMap((step) => asObject(step)['run'] ?? [])
const gitlab = asObject((await readPackageYaml('docs/gitlab-ci.yml'))['test'])

for (const [block, file] of origins) {
  test(`the recipe of ${file} is the content of the file`, async (t) => {
    t.true((await readPackageFile(file)).includes(block.trimEnd()))
  })
}

test('the AVA setup passes', async (t) => {
  const file = 'insights.test.js'
  const folder = await project(t, { [file]: await readPackageFile(`test/setups/ava/${file}`) }, ['ava'])
  const command = 'node node_modules/ava/entrypoints/cli.mjs --tap --timeout=5m'
  const { code, stderr, stdout } = await shell(t, command, { cwd: folder })
  t.is(code, 0, stdout + stderr)
  t.regex(stdout, /^# pass 2$/mu)
  t.regex(stdout, /^# fail 0$/mu)
})

/** A test with `await using`, on a double that several workers share. */
const shared = `import { connectDouble } from 'insights-double'

const double = connectDouble(process.env.INSIGHTS_DOUBLE_URL ?? '')
let url = ''
{
  await using sandbox = await double.sandbox()
  url = sandbox.url
  console.log((await fetch(\`\${url}/openapi.json\`)).status)
}
console.log((await fetch(\`\${url}/openapi.json\`)).status)
`

test('a sandbox of a running double needs no teardown with await using', async (t) => {
  const { url } = await serve(t)
  const folder = await project(t, { 'shared.ts': shared }, ['typescript', '@types/node'])
  await compile(t, folder, ['shared.ts'])
  const ended = await shell(t, 'node out/shared.js', { cwd: folder, env: { INSIGHTS_DOUBLE_URL: url } })
  t.deepEqual(ended, { code: 0, stdout: '200\n404\n', stderr: '' })
})

/** A test suite of an app that sends a request to the double. */
const suite = (path: string, code: number): string =>
  `const headers = { authorization: 'Bearer ada-token' }
await fetch(process.env.INSIGHTS_DOUBLE_URL + '${path}', { headers })
process.exitCode = ${code}
`

const runs = [
  ['docs/github-actions.yml', steps, suite('/insights?limit=abc', 0), 3, 'failed'] as const,
  ['docs/gitlab-ci.yml', asList(gitlab['script']), suite('/insights?limit=5', 1), 1, 'passed'] as const,
]
for (const [file, [install, ...others], tests, code, result] of runs) {
  test(`the steps of ${file} run the tests, exit with ${code} and write the report`, async (t) => {
    t.is(install, 'npm ci')
    const manifest = JSON.stringify({ name: 'app', private: true, type: 'module', scripts: { test: 'node tests.js' } })
    const cwd = await project(t, { 'package.json': manifest, 'tests.js': tests })
    const ended = await shell(t, others.join('\n'), { cwd, shell: ['bash', '-e'] })
    t.is(ended.code, code, ended.stdout + ended.stderr)
    const cases = await readJunit(await readFile(join(cwd, 'insights.xml'), 'utf8'))
    t.is(cases.find((each) => each.result === result)?.className, 'listInsights')
  })
}

for (const withoutCurl of [false, true]) {
  test(`the shell recipe deletes a record and prints the diff${withoutCurl ? ', also without curl' : ''}`, async (t) => {
    const { url } = await serve(t)
    const { code, stderr, stdout } = await shell(t, atUrl(await documentBlock('shell'), url), { withoutCurl })
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

/** Parses the JSON values that follow each other in a text. */
function jsonValuesIn(text: string): readonly unknown[] {
  return JSON.parse(`[${text.trim().replaceAll(/\}\s*\{"/gu, '},{"')}]`) as readonly unknown[]
}

test('the package can be installed by its folder: it has a name, a command and an entry point', async (t) => {
  const { bin, exports, name } = asObject(JSON.parse(await readPackageFile('package.json')))
  t.is(name, 'insights-double')
  const command = await readPackageFile(String(asObject(bin)['insights-double']))
  t.true(command.startsWith('#!/usr/bin/env node\n'))
  for (const face of Object.values(asObject(asObject(exports)['.'])).map(asObject))
    for (const path of Object.values(face)) t.truthy(await readPackageFile(String(path)))
})
