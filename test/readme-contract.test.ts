import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'
import { parse } from 'yaml'

import { run, serveByCommand } from './helpers/cli.js'
import { asList, asObject, readPackageFile, temporaryFolder } from './helpers/double.js'
import { ask, get, json, violationsOf } from './helpers/http.js'
import { codesIn, readReadme, sectionOf, tableOf } from './helpers/markdown.js'
import { readmeBlock } from './helpers/readme.js'

/** Creates a folder with the README's contract and fixture. */
async function folderOfPlants(t: ExecutionContext): Promise<string> {
  const folder = await temporaryFolder(t)
  await writeFile(join(folder, 'plants.yaml'), await readmeBlock('contract'))
  await writeFile(join(folder, 'greenhouse.json'), await readmeBlock('greenhouse'))
  return folder
}

/** Returns the arguments of a command of the README, without its redirection. @throws {Error} It is another command. */
function argumentsOf(command: string): readonly string[] {
  const [, words] = /^npx insights-double ([^>]*)/u.exec(command) ?? []
  if (words === undefined) throw new Error(`Not a command of the double: ${command}`)
  return words.trim().split(' ')
}

test('explain prints what the README says', async (t) => {
  const cwd = await folderOfPlants(t)
  const words = argumentsOf(await readmeBlock('explain'))
  t.deepEqual(await run(t, words, { cwd }), { code: 0, stdout: await readmeBlock('explained'), stderr: '' })
})

test('the contract and the fixture of the README are served: stateful, mocked, with a warning', async (t) => {
  const cwd = await folderOfPlants(t)
  const [schemaCommand = '', serveCommand = ''] = (await readmeBlock('plants')).split('\n')
  const schema = await run(t, argumentsOf(schemaCommand), { cwd })
  t.is(schema.code, 0)
  t.like(asObject(asObject(JSON.parse(schema.stdout))['properties']), { plants: { title: 'plants' } })
  t.true(schemaCommand.endsWith(` > ${String(asObject(JSON.parse(await readmeBlock('greenhouse')))['$schema'])}`))

  const double = await serveByCommand(t, [...argumentsOf(serveCommand), '--log', 'silent'], { cwd })
  const headers = { 'content-type': 'application/json' }
  const created = await fetch(`${double.url}/plants`, { method: 'POST', headers, body: '{"room":"hall"}' })
  t.deepEqual([created.status, await created.json()], [201, { id: 'plant-3', room: 'hall' }])
  t.is(asList(json(await get(double, '/plants'))).length, 3)
  t.is(asList(json(await get(double, '/plants?room=hall'))).length, 1)
  t.deepEqual(
    violationsOf(await get(double, '/plants?sort=room')).map(({ severity }) => severity),
    ['Warning'],
  )
  t.is((await ask(double, 'DELETE', '/plants/fern')).status, 204)
  t.is(asList(json(await get(double, '/plants'))).length, 2)
  const watered = await ask(double, 'POST', '/plants/fern/water')
  t.is(watered.headers['x-double'], 'mocked')
  t.deepEqual(json(watered), { litres: 0.5 })
})

test('the roles are those of the control plane', async (t) => {
  const table = tableOf(sectionOf((await readReadme()).replace('### Change the contract', '## '), 'Your own contract'))
  const { components } = asObject(parse(await readPackageFile('spec/control.yaml')))
  const { ExplainedOperation } = asObject(asObject(components)['schemas'])
  const roles = asList(asObject(asObject(asObject(ExplainedOperation)['properties'])['role'])['enum'])
  t.deepEqual([...table.flatMap(([role = '']) => codesIn(role)), 'handler', 'mocked'], [...roles])
})
