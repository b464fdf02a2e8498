import test from 'ava'
import { startDouble as startInWorker } from 'insights-double'
import { parse } from 'yaml'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { run, runProcess, serveByCommand, serveByProcess } from './helpers/cli.js'
import { serve, startDouble } from './helpers/double.js'
import { as, ask, del, get, json, violationsOf } from './helpers/http.js'
import { blocksOf, codesIn, readReadme, sectionOf, tableOf, tablesOf } from './helpers/read-markdown.js'
import { readPackageFile } from './helpers/read-repository-file.js'
import { readmeBlock, readmeBlocks } from './helpers/readme.js'
import { writeTemporary } from './helpers/temporary-files.js'

test('every code block of the README is run or checked by a test', async (t) => {
  for (const { text } of blocksOf(await readReadme())) {
    const accounts = Object.entries(readmeBlocks).filter(([, { begins }]) => text.startsWith(begins))
    t.is(accounts.length, 1, text)
    for (const [name, { by }] of accounts)
      t.true((await readPackageFile(`test/${by}`)).includes(`readmeBlock('${name}')`), `${name} in ${by}`)
  }
  t.is(blocksOf(await readReadme()).length, Object.keys(readmeBlocks).length)
})

/** Inline commands of the README, and the tests that run them. */
const commands: Readonly<Record<string, string>> = {
  'npm ci': 'readme-start.test.ts',
  'npm start -- --fresh': 'readme-start.test.ts',
  'npm start -- --port 5000': 'readme-start.test.ts',
  'node bundle/main.js --help': 'readme-flags.test.ts',
  'npx insights-double --help': 'readme-flags.test.ts',
  'insights-double [serve]': 'readme-flags.test.ts',
  'insights-double run [flags of serve] -- <command…>': 'run-command.test.ts',
  'insights-double run -- vite': 'readme-recipes.test.ts',
  'insights-double run -- vitest': 'run-command.test.ts',
  'insights-double check [files…]': 'readme-flags.test.ts',
  'insights-double explain': 'explain-and-schema-commands.test.ts',
  'insights-double schema': 'explain-and-schema-commands.test.ts',
  'insights-double verify <url>': 'verify.test.ts',
  'insights-double verify https://api.example --caller ada=env:ADA_TOKEN': 'verify.test.ts',
  'insights-double pull <url>': 'pull.test.ts',
  'insights-double pull https://api.example --caller ada=env:ADA_TOKEN --out real.json': 'pull.test.ts',
  'insights-double reset [fixture]': 'readme-flags.test.ts',
  'insights-double state': 'readme-flags.test.ts',
  'insights-double requests': 'readme-flags.test.ts',
  'insights-double check': 'readme-fixtures.test.ts',
  'npm pack': 'setups/main.ts',
  'npm install --save-dev <path or git URL of this repository>': 'readme-recipes.test.ts',
}

test('every inline command of the README is run by a test', async (t) => {
  const found = codesIn(await readReadme()).filter((code) => /^(?:npm|npx|node|curl|insights-double)\b /u.test(code))
  t.deepEqual([...new Set(found)].toSorted(), Object.keys(commands).toSorted())
})

test('the resolution for Yarn is the version that the package pins', async (t) => {
  const { dependencies } = asObject(JSON.parse(await readPackageFile('package.json')))
  const pinned = String(asObject(dependencies)['@stoplight/prism-core'])
  t.true((await readReadme()).includes(`"resolutions": { "@stoplight/prism-core": "${pinned}" }`))
})

test('the double sends the error that the README shows', async (t) => {
  const double = await serve(t)
  const reply = await get(double, '/insights?limit=abc', as('ada'))
  t.is(`${reply.text}\n`, await readmeBlock('error'))
  t.is(reply.status, 400)
  t.regex(reply.headers['x-error-code'] ?? '', /^\w+$/u)
})

test('x-request-id is the id of the journal entry, and a misspelt parameter gets a warning', async (t) => {
  const double = await startDouble()
  t.teardown(() => double.stop())
  t.true((await readReadme()).includes('such as `?limt=5`, is served with a warning'))
  const reply = await get(double, '/insights?limt=5', as('ada'))
  t.is(reply.status, 200)
  t.deepEqual(
    violationsOf(reply).map(({ severity }) => severity),
    ['Warning'],
  )
  const entry = await double.request(reply.headers['x-request-id'] ?? '')
  t.like(entry, { url: '/insights?limt=5', verdict: 'ok' })
})

const preferences: readonly (readonly [preference: string, status: number])[] = [
  ['code=404', 404],
  ['example=two', 200],
  ['dynamic=true', 200],
  ['delay-ms=800', 200],
]
for (const [preference, status] of preferences) {
  test(`Prefer: ${preference} is applied, and is in Preference-Applied`, async (t) => {
    const told = codesIn(sectionOf(await readReadme(), 'What it checks')).map((code) => code.replace('Prefer: ', ''))
    t.true(told.includes(preference))
    const double = await serve(t)
    const [method, path] = status === 404 ? ['DELETE', '/insights/monstera-watering'] : ['GET', '/insights']
    const started = performance.now()
    const reply = await ask(double, method, path, { ...as('ada'), prefer: preference })
    t.is(reply.status, status)
    t.is(reply.headers['preference-applied'], preference)
    if (preference.startsWith('delay-ms')) t.true(performance.now() - started > 80)
    if (preference.startsWith('example')) t.is(asList(json(reply)).length, 2)
  })
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
}

test('the table has every operation of the control plane, except for the assets of its pages', async (t) => {
  const table = tableOf(sectionOf(await readReadme(), 'Control plane'))
  const { paths } = parse(await readPackageFile('spec/control.yaml')) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((key) => /^(?:get|put|post|patch|delete)$/u.test(key))
      .map((method) => `${method.toUpperCase()} ${path.replace('/__admin', '')}`),
  )
  const told = table.flatMap(([cell = '']) => codesIn(cell))
  t.deepEqual(told.toSorted(), operations.filter((name) => name !== 'GET /assets/{file}').toSorted())

  const row = (name: string): readonly string[] =>
    codesIn(table.find(([cell = '']) => codesIn(cell).includes(name))?.[1] ?? '')
  const query = paths['/__admin/requests']?.['get']?.parameters?.map(({ name }) => name) ?? []
  for (const name of ['operation', 'status', 'caller', 'verdict', 'atLeast', 'withinMs']) {
    t.true(row('GET /requests').includes(name), name)
    t.true(query.includes(name), name)
  }
  const { components } = asObject(parse(await readPackageFile('spec/control.yaml')))
  const schemas = asObject(asObject(components)['schemas'])
  const bodies = { 'POST /faults': 'FaultRequest', 'POST /sandboxes': 'SandboxRequest' }
  for (const [operation, schema] of Object.entries(bodies)) {
    const known = Object.keys(asObject(asObject(schemas[schema])['properties']))
    const [shape = ''] = row(operation)
    t.deepEqual(shape.slice(1, -1).replaceAll('?', '').split(', ').toSorted(), known.toSorted())
  }
})

test('the table has every method of a handle', async (t) => {
  const table = tableOf(sectionOf(await readReadme(), 'From JavaScript and TypeScript'))
  const told = table
    .flatMap(([cell = '']) => codesIn(cell))
    .map((code) => /(?:double\.)?(\w+)/u.exec(code)?.[1] ?? code)
  const double = await startInWorker()
  t.teardown(() => double.stop())
  t.deepEqual(told.toSorted(), Object.keys(double).toSorted())
})

test('the exit codes are those of the README', async (t) => {
  const sentence = /^Exit codes: .*$/mu.exec(await readReadme())?.[0] ?? ''
  t.is(
    sentence,
    'Exit codes: 0 success, 1 problems or differences found, 2 usage error or failed start, 3 violations, 4 coverage too low.',
  )
  t.true((await run(t, ['--help'])).stdout.includes(sentence))
  const broken = await writeTemporary(t, 'broken.json', '{"$callers": {}}')
  t.is((await run(t, ['check'])).code, 0)
  t.is((await runProcess(t, ['check', broken])).code, 1)
  t.is((await runProcess(t, ['--nope'])).code, 2)
  t.is((await run(t, ['--port', '0', '--memory', '--fixture', broken])).code, 2)
  for (const [id, code, serveWith] of [
    ['never-was', 0, serveByCommand],
    ['a%20b', 3, serveByProcess],
  ] as const) {
    const double = await serveWith(t, ['--memory', '--fail-on-violation'])
    await del(double, `/insights/${id}`, as('ada'))
    t.is((await double.end()).code, code, id)
  }
})

test('every link within the documents has a target', async (t) => {
  for (const document of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md']) {
    const text = await readPackageFile(document)
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/gu))
      t.truthy(await readPackageFile(target), `${document} → ${target}`)
  }
  t.is(tablesOf(await readReadme()).length, 10)
})
