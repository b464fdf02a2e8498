import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import test from 'ava'
import { startDouble as startInWorker } from 'insights-double'

import { commands, flags } from '#src/cli/flags.js'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { run, runProcess, serveByCommand, serveByProcess } from './helpers/cli.js'
import { allBlocks, documentBlock, documentBlocks, listDocuments, readDocument } from './helpers/documents.js'
import { testOnDouble } from './helpers/double.js'
import { packageFolder, readPackageFile, readPackageYaml, writeTemporary } from './helpers/files.js'
import { as, del, get, raw, wire } from './helpers/http.js'
import { blocksOf, codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'
import { launchShell } from './helpers/shell.js'
import { project } from './helpers/user-project.js'

test('every code block of the documents is run or checked by a test', async (t) => {
  const folder = join(packageFolder, 'test')
  const files = (await readdir(folder)).filter((file) => /^(?:documents|types).*\.test\.ts$/u.test(file))
  const sources = (await Promise.all(files.map((file) => readPackageFile(`test/${file}`)))).join('\n')
  const blocks = Object.entries(documentBlocks)
  const texts = await allBlocks()
  for (const text of texts) {
    const names = blocks.filter(([, begins]) => text.startsWith(begins)).map(([name]) => name)
    t.is(names.length, 1, text)
    t.true(sources.includes(`documentBlock('${names[0]}')`), names[0])
  }
  t.is(texts.length, blocks.length)
})

testOnDouble('the double sends the error that the README shows', async (t, double) => {
  const reply = await get(double, '/insights?limit=abc', as('ada'))
  t.is(`${reply.text}\n`, await documentBlock('error'))
  t.is(reply.status, 400)
  t.regex(reply.headers['x-error-code'] ?? '', /^\w+$/u)
})

test('the table has every operation of the control plane, except for the assets of its pages', async (t) => {
  const table = tableOf(sectionOf(await readDocument('control-plane'), 'Control plane'))
  const { components, paths: items } = await readPackageYaml('spec/control.yaml')
  const paths = asObject(items)
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(asObject(item))
      .filter((key) => /^(?:get|put|post|patch|delete)$/u.test(key))
      .map((method) => `${method.toUpperCase()} ${path.replace('/__admin', '')}`),
  )
  const told = table.flatMap(([cell = '']) => codesIn(cell))
  t.deepEqual(told.toSorted(), operations.filter((name) => name !== 'GET /assets/{file}').toSorted())
  const row = (name: string): readonly string[] =>
    codesIn(table.find(([cell = '']) => codesIn(cell).includes(name))?.[1] ?? '')
  const { parameters } = asObject(asObject(paths['/__admin/requests'])['get'])
  const query = pluck(asList(parameters).map(asObject), 'name')
  for (const name of ['operation', 'status', 'caller', 'verdict', 'atLeast', 'withinMs']) {
    t.true(row('GET /requests').includes(name), name)
    t.true(query.includes(name), name)
  }
  const schemas = asObject(asObject(components)['schemas'])
  const bodies = { 'POST /faults': 'FaultRequest', 'POST /sandboxes': 'SandboxRequest' }
  for (const [operation, schema] of Object.entries(bodies)) {
    const known = Object.keys(asObject(asObject(schemas[schema])['properties']))
    const [shape = ''] = row(operation)
    t.deepEqual(shape.slice(1, -1).replaceAll('?', '').split(', ').toSorted(), known.toSorted())
  }
})

test('the table has every method of a handle', async (t) => {
  const table = tableOf(sectionOf(await readDocument('testing'), 'From JavaScript and TypeScript'))
  const codes = table.flatMap(([cell = '']) => codesIn(cell))
  const told = codes.map((code) => /(?:double\.)?(\w+)/u.exec(code)?.[1] ?? code)
  const double = await startInWorker()
  t.teardown(() => double.stop())
  t.deepEqual(told.toSorted(), Object.keys(double).toSorted())
})

test('the exit codes are those of the document', async (t) => {
  const sentence = /^Exit codes: .*$/mu.exec(await readDocument('command-line'))?.[0] ?? 'none'
  t.true((await run(t, ['--help'])).stdout.includes(sentence))
  const broken = await writeTemporary(t, 'broken.json', '{"$callers": {}}')
  t.is((await run(t, ['check'])).code, 0)
  t.is((await runProcess(t, ['check', broken])).code, 1)
  t.is((await runProcess(t, ['--nope'])).code, 2)
  t.is((await run(t, ['--port', '0', '--memory', '--fixture', broken])).code, 2)
  const deletes = [['never-was', 0, serveByCommand] as const, ['a%20b', 3, serveByProcess] as const]
  for (const [id, code, serveWith] of deletes) {
    const double = await serveWith(t, ['--memory', '--fail-on-violation'])
    await del(double, `/insights/${id}`, as('ada'))
    t.is((await double.end()).code, code, id)
  }
})

test('the command in SECURITY.md starts a double whose control plane requires the token and the host', async (t) => {
  const [block, ...others] = blocksOf(await readPackageFile('SECURITY.md'))
  t.deepEqual(others, [])
  const command = (block ?? '').trim()
  const here = '--host 127.0.0.1 --port 0 --memory'
  const local = command.replace('npx ', 'npx --offline ').replace('--host 0.0.0.0', here)
  t.true(local.includes('--host 127.0.0.1'))
  const double = await launchShell(t, local, { cwd: await project(t, {}), env: { ADMIN_TOKEN: 'secret' } })
  const [, url = ''] = await double.printed(/ready at (http:\S+) .*\n(?: {2}.*\n)* {2}try .*\n/u)
  const [, host = ''] = /--allowed-host (\S+)/u.exec(command) ?? []
  const statusOf = async (name: string, headers: readonly string[]): Promise<number> =>
    (await raw({ url }, wire('GET /__admin/state', headers).replace('Host: localhost', `Host: ${name}`))).status
  const token = ['Authorization: Bearer secret']
  t.is(await statusOf(host, token), 200)
  t.is(await statusOf('localhost', token), 200)
  t.is(await statusOf('elsewhere.example', token), 403)
  t.is(await statusOf(host, []), 401)
})

/** Returns the anchor that a heading has on a page. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/gu, '')
    .replaceAll(' ', '-')

test('every link within the documents has a target', async (t) => {
  for (const document of [...(await listDocuments()), 'CONTRIBUTING.md', 'SECURITY.md']) {
    const text = await readPackageFile(document)
    for (const [link, path = '', anchor] of text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/gu)) {
      const target = path === '' ? text : await readPackageFile(join(dirname(document), path))
      const anchors = [...target.matchAll(/^#+ (.*)$/gmu)].map(([, heading = '']) => anchorOf(heading))
      t.true(target !== '' && (anchor === undefined || anchors.includes(anchor)), `${document}: ${link}`)
    }
  }
})

test('the README links every document', async (t) => {
  const readme = await readPackageFile('README.md')
  for (const document of await listDocuments())
    t.true(document === 'README.md' || readme.includes(`](${document})`), document)
})

testOnDouble('the double serves the summary', async (t, double) => {
  const { headers, status, text } = await get(double, '/__admin/llms.txt')
  t.is(status, 200)
  t.is(headers['content-type'], 'text/markdown; charset=utf-8')
  t.is(text, await readDocument('summary'))
})

test('the commands, flags and paths of the summary exist', async (t) => {
  const summary = await readDocument('summary')
  const codes = codesIn(summary)
  const named = codes.flatMap((code) => code.split(' ').filter((word) => word.startsWith('--')))
  t.true(named.length > 8)
  for (const name of named) t.true(name === '--' || name.slice(2) in flags, name)
  const cells = tableOf(sectionOf(summary, 'Commands')).map(([cell = '']) => cell)
  const told = codesIn(cells.join(' ')).map((code) => code.replace('insights-double ', '').split(' ')[0] ?? '')
  t.deepEqual(told.map((word) => (word === 'shop.yaml' ? 'serve' : word)).toSorted(), commands.toSorted())
  const { paths } = await readPackageYaml('spec/control.yaml')
  for (const code of codes) {
    const [, path] = /(\/__admin\/[\w./-]*)/u.exec(code) ?? []
    if (path !== undefined) t.true(path in asObject(paths), path)
  }
})
