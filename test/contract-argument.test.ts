/** Tests the contract as an argument: a file, or a folder with one contract in it. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { ProblemsError } from 'insights-double'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, run, serveByCommand } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeFiles } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { plantsSpec } from './helpers/plants-spec.js'
import { validateWith } from './helpers/validate-responses.js'

const contract = JSON.stringify({ ...plantsSpec(), security: [], info: { title: 'Plants', version: '1.2.0' } })
const fixture = '{ "plants": [{ "id": "fern", "name": "Fern" }] }'

/** Creates a folder with files. */
async function folderWith(t: ExecutionContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFiles(folder, files)
  return folder
}

test('each command takes the contract as an argument, by any name of it, and prints the same as with --spec', async (t) => {
  const cwd = await folderWith(t, { 'api/plants.json': contract, 'api/fixture.json': fixture, 'odd name': contract })
  for (const [command, ...flags] of [['explain'], ['explain', '--json'], ['schema']] as const) {
    const byFlag = await exits(t, 0, [command, '--spec', 'api/plants.json', ...flags], { cwd })
    for (const words of [['api/plants.json'], ['api'], ['./api/'], ['api', '--spec', 'api']])
      t.deepEqual(await run(t, [command, ...words, ...flags], { cwd }), byFlag, words.join(' '))
  }
  const service = await serveByCommand(t, ['api', '--memory'], { cwd })
  validateWith(service, join(cwd, 'api/plants.json'))
  t.is((await sendJson(service, 'POST', '/plants', { name: 'Fern' })).status, 201)
  for (const command of ['verify', 'pull']) {
    const planned = await exits(t, 0, [command, service.url, 'api', '--plan'], { cwd })
    t.true(planned.stdout.includes('/plants'), planned.stdout)
  }
  const node = [process.execPath, '-p', 'process.env.INSIGHTS_DOUBLE_URL']
  await exits(t, 0, ['run', 'api', '--log', 'silent', '--', ...node], { cwd })
  const odd = await run(t, ['check', 'odd name'], { cwd })
  t.like(odd, { code: 0, stdout: 'odd name  ok  6 operations\n' })
})

test('a folder and its contract have the same state file, and the start names what the user typed', async (t) => {
  const cwd = await folderWith(t, { 'my api/openapi.json': contract, 'my api/other.json': contract })
  const first = await serveByCommand(t, ['my api'], { cwd })
  validateWith(first, join(cwd, 'my api/openapi.json'))
  t.regex(first.ready, /\(contract my api, OpenAPI 3\.\d\)\n.*; insights-double explain "my api" lists them\n/u)
  await sendJson(first, 'POST', '/plants', { name: 'Fern' })
  await first.end()
  const second = await serveByCommand(t, ['my api/openapi.json'], { cwd })
  t.is(asList(json(await get(second, '/plants'))).length, 6)
  t.is((await readdir(join(cwd, '.insights-double'))).filter((name) => name.endsWith('.json')).length, 1)
})

const none = /cannot be read: it is a folder without a contract {2}name a file/u
const both = /it is a folder with 2 contracts {2}name one of a\.yaml, b\.json/u
const bothUsual = /2 contracts {2}name one of openapi\.yml, swagger\.json/u
const folders: readonly (readonly [title: string, files: Readonly<Record<string, string>>, found: string | RegExp])[] =
  [
    ['the only contract', { 'a.json': contract, 'b.json': fixture, 'c.yaml': '- openapi', 'd.yml': '{' }, 'a.json'],
    ['Swagger', { 'a.json': fixture, 'b.yaml': 'swagger: "2.0"\n' }, 'b.yaml'],
    ['a usual name before others', { 'a.json': contract, 'openapi.yml': contract }, 'openapi.yml'],
    ['none', { 'a.json': fixture, 'notes.txt': contract }, none],
    ['several', { 'b.json': contract, 'a.yaml': contract }, both],
    ['several usual names', { 'swagger.json': contract, 'openapi.yml': contract }, bothUsual],
  ]
for (const [title, files, found] of folders) {
  test(`in a folder, startDouble finds ${title}`, async (t) => {
    const folder = await folderWith(t, files)
    const message = await serve(t, { spec: folder }).then(
      () => `${folder}/${String(found)}:`,
      (error: unknown) => (error instanceof ProblemsError ? error.message : 'another error'),
    )
    if (typeof found === 'string') t.true(message.startsWith(`${join(folder, found)}:`), message)
    else t.regex(message, found)
  })
}

test('check tells contracts from fixtures in any order', async (t) => {
  const given = { 'shop.json': contract, 'a.json': fixture, 'b.json': '{ "plants": 1 }', 'two.json': contract }
  const cwd = await folderWith(t, given)
  const checked = await run(t, ['check', 'a.json', 'shop.json'], { cwd })
  const stdout = 'a.json  ok  1 plants, 0 callers\nshop.json  ok  6 operations\n'
  t.deepEqual(checked, { code: 0, stdout, stderr: '' })
  const pair = await run(t, ['check', 'shop.json', 'two.json'], { cwd })
  t.like(pair, { code: 0, stdout: 'shop.json  ok  6 operations\ntwo.json  ok  6 operations\n' })
  const unclear = await run(t, ['check', 'two.json', 'a.json', 'shop.json'], { cwd })
  const needed =
    'check needs one contract for the fixture a.json, got two.json, shop.json; name one of them with --spec.\n'
  t.deepEqual(unclear, { code: 2, stdout: '', stderr: needed })
  t.is((await run(t, ['check', 'two.json', 'a.json', 'shop.json', '--spec', 'two.json'], { cwd })).code, 0)
  const asJson = await exits(t, 1, ['check', '--json', 'b.json', 'gone.json', 'shop.json'], { cwd })
  const { files, notEnforced, problems } = asObject(JSON.parse(asJson.stdout))
  t.deepEqual([files, notEnforced], [[{ file: 'shop.json', operations: 6 }], []])
  t.deepEqual(pluck(asList(problems).map(asObject), 'file'), ['b.json', 'gone.json'])
  t.like(asObject(asList(problems)[0]), { line: 1, column: 13, path: '#/plants' })
  t.like(asObject(asList(problems)[1]), { line: null, column: null, path: null })
})
