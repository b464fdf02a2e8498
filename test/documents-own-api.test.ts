import { cp } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, run, serveByCommand, serveByProcess } from './helpers/cli.js'
import { documentBlock, readDocument } from './helpers/documents.js'
import { packageFolder, readPackageFile, readPackageYaml, temporaryFolder } from './helpers/files.js'
import { ask, get, json, sendJson } from './helpers/http.js'
import { codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'
import { shell } from './helpers/shell.js'

/** Copies the examples of the package to a new folder. */
async function examples(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await cp(join(packageFolder, 'examples'), folder, { recursive: true })
  return folder
}

/** Returns the arguments of a command of the README, without its redirection. @throws {Error} It is another command. */
function argumentsOf(command: string): readonly string[] {
  const [, words] = /^npx insights-double ([^>]*)/u.exec(command) ?? []
  if (words === undefined) throw new Error(`Not a command of the double: ${command}`)
  return words.trim().split(' ')
}

test('the files of the document are those of examples/', async (t) => {
  t.is(await documentBlock('greenhouse'), await readPackageFile('examples/greenhouse.json'))
  t.is(await documentBlock('overlay'), await readPackageFile('examples/plants.overlay.yaml'))
  t.is(await documentBlock('handlers'), await readPackageFile('examples/plants.handlers.js'))
})

test('explain prints the output in the README', async (t) => {
  const words = argumentsOf(await documentBlock('explain'))
  const explained = await run(t, words, { cwd: await examples(t) })
  t.deepEqual(explained, { code: 0, stdout: await documentBlock('explained'), stderr: '' })
})

test('one command serves the shop, as the README shows', async (t) => {
  const words = argumentsOf(await documentBlock('serveShop'))
  const double = await serveByCommand(t, words, { cwd: await examples(t) })
  t.is(double.ready.replaceAll(double.url, 'http://127.0.0.1:4010'), await documentBlock('shopReady'))
  const { code, stdout } = await shell(t, `${/ try +(curl .*)/u.exec(double.ready)?.[1]} -sSf`)
  t.is(code, 0)
  t.true(Array.isArray(JSON.parse(stdout)))
})

test('the outputs for programs are those of the document', async (t) => {
  const cwd = await examples(t)
  t.is((await run(t, argumentsOf(await documentBlock('check')), { cwd })).stdout, await documentBlock('checked'))
  const explained = asObject(JSON.parse((await run(t, ['explain', '--json', 'plants.yaml'], { cwd })).stdout))
  const told: unknown = JSON.parse(await documentBlock('explainedJson'))
  const operations = asList(explained['operations']).map(asObject)
  const removal = operations.find(({ operation }) => operation === 'removePlant')
  t.like(removal, asObject(told))
  const double = await serveByCommand(t, ['plants.yaml', '--memory'], { cwd })
  t.deepEqual(explained, json(await get(double, '/__admin/collections')))
  await get(double, '/plants')
  const requests = asObject(JSON.parse((await run(t, ['requests', '--json', '--url', double.url])).stdout))
  t.deepEqual(requests, json(await get(double, '/__admin/requests')))
  t.like(asObject(asList(requests['entries'])[0]), asObject(JSON.parse(await documentBlock('requestsJson'))))
})

test('without a fixture, the double starts with generated records, and check validates only the contract', async (t) => {
  const cwd = await examples(t)
  const double = await serveByCommand(t, ['plants.yaml'], { cwd })
  t.regex(double.ready, /^Plants 1\.0\.0 ready at .*\n {2}stateful 3 of 4 operations: plants; .*\n/u)
  t.is(asList(json(await get(double, '/plants'))).length, 5)
  await double.end()
  const stdout = 'plants.yaml  ok  4 operations\n'
  t.deepEqual(await run(t, ['check', 'plants.yaml'], { cwd }), { code: 0, stdout, stderr: '' })
})

test('the double serves the examples: stateful operations, an override and a handler', async (t) => {
  const cwd = await examples(t)
  const [schemaCommand = '', serveCommand = ''] = (await documentBlock('plants')).split('\n')
  const schema = await exits(t, 0, argumentsOf(schemaCommand), { cwd })
  t.like(asObject(asObject(JSON.parse(schema.stdout))['properties']), { plants: { title: 'plants' } })
  t.true(schemaCommand.endsWith(` > ${String(asObject(JSON.parse(await documentBlock('greenhouse')))['$schema'])}`))
  const double = await serveByProcess(t, argumentsOf(serveCommand), { cwd })
  const created = await sendJson(double, 'POST', '/plants', { room: 'hall' })
  t.deepEqual([created.status, json(created)], [201, { id: 'plant-3', room: 'hall' }])
  t.is(asList(json(await get(double, '/plants'))).length, 3)
  t.is(asList(json(await get(double, '/plants?place=hall'))).length, 1)
  const sorted = asList(json(await get(double, '/plants?sort=-room')))
  t.deepEqual(pluck(sorted.map(asObject), 'room'), ['kitchen', 'hall', 'bath'])
  t.deepEqual(json(await ask(double, 'POST', '/plants/fern/water')), { litres: 0.5 })
  t.deepEqual(json(await get(double, '/plants?place=bath')), [{ id: 'fern', room: 'bath', litres: 0.5 }])
  t.is((await ask(double, 'DELETE', '/plants/fern')).status, 204)
  t.is(asList(json(await get(double, '/plants'))).length, 2)
})

test('the document lists the roles and the effects of the control plane', async (t) => {
  const document = await readDocument('own-api')
  const listed = (section: string): readonly string[] =>
    tableOf(sectionOf(document, section)).flatMap(([name = '']) => codesIn(name))
  const { components } = await readPackageYaml('spec/control.yaml')
  const { ExplainedOperation } = asObject(asObject(components)['schemas'])
  const { effects, role } = asObject(asObject(ExplainedOperation)['properties'])
  t.deepEqual([...listed('Roles'), 'handler', 'mocked'], [...asList(asObject(role)['enum'])])
  t.deepEqual(listed('Next to the role'), [...asList(asObject(asObject(effects)['items'])['enum'])])
})
