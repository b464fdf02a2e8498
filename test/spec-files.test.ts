/** A contract in several files. Those of `test/specs/split` have a circle, fragments, whole path items, and one name twice. */
import { cp, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { dirname, join, relative } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { ProblemsError } from 'insights-double'

import { openFile } from '#src/spec/read-spec.js'

import { asList, asObject, type JsonObject } from './helpers/as-object-or-list.js'
import { run, serveByProcess } from './helpers/cli.js'
import { excuse, serve, type Served, startDouble } from './helpers/double.js'
import { packageFolder, replaceFile, temporaryFolder, writeFiles, writeTemporary } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { listenUntilEnd } from './helpers/port.js'
import { replaceOnce } from './helpers/refusals.js'
import { until } from './helpers/until.js'

const split = join(packageFolder, 'test/specs/split')

/** Copies the files to a folder below a new one, and changes some. @returns The first document. */
async function copySpec(t: ExecutionContext, changes: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = join(await temporaryFolder(t), 'spec')
  await cp(split, folder, { recursive: true })
  await writeFiles(folder, changes)
  return join(folder, 'openapi.yaml')
}

const readPart = (name: string): Promise<string> => readFile(join(split, name), 'utf8')

test('a contract in several files is served, and sent as one document without references to others', async (t) => {
  const double = await serve(t, { spec: join(split, 'openapi.yaml'), fixture: { pets: [{ id: 'p1', name: 'Rex' }] } })
  const document = await (await fetch(`${double.url}/openapi.json`)).text()
  excuse(double, 'The validator of the tests reads one file, and has no discriminator.')
  const references = [...document.matchAll(/"(?:\$ref|hay|fish)":"([^"]*)"/gu)].map(([, reference = '']) => reference)
  t.true(references.length > 15)
  // An example is data: its `$ref` is none.
  const others = references.filter((reference) => !reference.startsWith('#/components/'))
  t.deepEqual(others, ['this is data'])
  const { components, tags } = JSON.parse(document) as JsonObject
  const schemas = Object.keys(asObject(asObject(components)['schemas'])).toSorted()
  t.is(schemas.join(' '), 'Error Fish Hay Owner Owner-2 Pet Titled id')
  t.deepEqual(tags, [{ name: 'pets' }])
  t.is((await sendJson(double, 'POST', '/pets', { name: 'Tom', friends: [{ name: 'Al' }] })).status, 201)
  t.is(asList(json(await get(double, '/pets?limit=2'))).length, 2)
  t.is((await get(double, '/pets/p1')).status, 200)
  t.is((await sendJson(double, 'POST', '/pets', { name: 'R' })).status, 400)
  t.is((await sendJson(double, 'POST', '/owners', { name: 'R' })).status, 400)
})

test('a contract in several documents may be at a URL', async (t) => {
  const requested: string[] = []
  const server = createServer((request, response) => {
    requested.push(request.url ?? '')
    readFile(join(split, decodeURIComponent(request.url ?? ''))).then(
      (bytes) => response.end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  const fromUrl = await serve(t, { spec: `${await listenUntilEnd(t, server)}/openapi.yaml` })
  const fromFile = await serve(t, { spec: join(split, 'openapi.yaml') })
  const documentOf = async ({ url }: Served): Promise<unknown> => (await fetch(`${url}/openapi.json`)).json()
  t.deepEqual(await documentOf(fromUrl), await documentOf(fromFile))
  t.is(requested.length, new Set(requested).size, requested.join(' '))
})

test('explain names the file and the line of each operation, as the author sees them', async (t) => {
  const { stdout } = await run(t, ['explain', '--json', '--spec', join(split, 'openapi.yaml')])
  const operations = asList(asObject(JSON.parse(stdout))['operations']).map(asObject)
  t.is(operations.length, 5)
  for (const { file, line, method, operation } of operations) {
    t.regex(relative(split, String(file)), /^paths[\\/]/u)
    const lines = (await readFile(String(file), 'utf8')).split('\n')
    t.is(lines[Number(line) - 1]?.trim(), `${String(method).toLowerCase()}:`)
    t.is(lines[Number(line)]?.trim(), `operationId: ${String(operation)}`)
  }
})

const outside = /openapi\.yaml:3:15 .*is outside of the folder/u
const circular = /circle2?\.yaml:1:7 .*refers to itself, through other files/u
const nowhere = /openapi\.yaml:6:26 .*"\.\/paths\/pet\.yaml#\/things" points at nothing/u
const noPet = /paths.pets\.yaml:15:52 .*"\.\.\/Pet\.yaml" cannot be read: no such file/u
const ofPet = 'Pet.yaml } } }\n  responses'

/** A change of one file, and the problem: its place below the folder, and its text. */
const refusals: Readonly<Record<string, readonly [file: string, part: string, by: string, problem: RegExp]>> = {
  'an invalid keyword': ['schemas/Pet.yaml', 'minLength: 2', 'minLength: x', /schemas.Pet\.yaml:5:36 .*is "x"/u],
  'a syntax error': ['shared.json', '"limit", ', '"limit" ', /shared\.json:2:46 {2}is not JSON: /u],
  'a missing file': ['paths/pets.yaml', `../schemas/${ofPet}`, `../${ofPet}`, noPet],
  'a fragment that is not there': ['openapi.yaml', '#/item', '#/things', nowhere],
  'a fragment that is no pointer': ['openapi.yaml', '#/item', '#item', /openapi\.yaml:6:26 .*no JSON pointer/u],
  'a reference above the folder': ['openapi.yaml', 'tags.json', '../tags.json', /:3:15 .*of the folder .*--spec-root/u],
  'an absolute reference': ['openapi.yaml', 'tags.json', '/etc/hostname', outside],
  'an encoded reference above the folder': ['openapi.yaml', 'tags.json', '"%2E%2E/tags.json"', outside],
  'a URL': ['openapi.yaml', 'tags.json', 'https://example.com/t.json', /openapi\.yaml:3:15 .*is not a file/u],
  'a circle of path items': ['openapi.yaml', './paths/pet.yaml#/item', 'paths/circle.yaml', circular],
  'a link to a file above the folder': ['openapi.yaml', 'tags.json', 'link.json', outside],
  'a folder': ['openapi.yaml', 'tags.json', 'schemas', /openapi\.yaml:3:15 .*cannot be read: /u],
}

for (const [title, [file, part, by, problem]] of Object.entries(refusals)) {
  test(`${title} is refused at its place`, async (t) => {
    const changed = {
      [file]: replaceOnce(await readPart(file), part, by),
      'paths/circle.yaml': '$ref: circle2.yaml\n',
      'paths/circle2.yaml': '$ref: circle.yaml\n',
    }
    const spec = await copySpec(t, changed)
    await writeFile(join(dirname(spec), '../tags.json'), '[]')
    await symlink('../tags.json', join(dirname(spec), 'link.json'))
    const error = await t.throwsAsync(startDouble({ spec }), { instanceOf: ProblemsError })
    t.regex(error?.message ?? '', problem)
  })
}

test('--spec-root allows files above the folder of the contract', async (t) => {
  const text = (await readPart('openapi.yaml')).replace('tags.json', '../tags.json')
  const spec = await copySpec(t, { 'openapi.yaml': text })
  await writeFile(join(dirname(spec), '../tags.json'), '[{ "name": "shared" }]')
  const { stdout } = await run(t, ['check', '--spec', spec, '--spec-root', dirname(dirname(spec))])
  t.regex(stdout, / ok {2}5 operations/u)
})

test('an overlay changes the one document, wherever its parts are written', async (t) => {
  const actions = [{ target: '$.components.schemas.Pet.properties.name', update: { minLength: 5 } }]
  const head = { overlay: '1.0.0', info: { title: 'Longer names', version: '1.0.0' } }
  const overlay = await writeTemporary(t, 'overlay.json', { ...head, actions })
  const double = await serve(t, { spec: join(split, 'openapi.yaml'), overlay })
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${double.url}/pets`, { method: 'POST', body: '{"name":"Rex"}', headers })
  t.is(reply.status, 400)
})

test('--watch reloads when a file changes that the contract refers to, also one that it refers to only now', async (t) => {
  const spec = await copySpec(t)
  const double = await serveByProcess(t, ['--spec', spec, '--watch', '--memory'])
  const pet = join(dirname(spec), 'schemas/Pet.yaml')
  const sentTitle = async (): Promise<unknown> => {
    const { components } = asObject(await (await fetch(`${double.url}/openapi.json`)).json())
    return asObject(asObject(asObject(components)['schemas'])['Pet'])['title']
  }
  await replaceFile(pet, `title: Changed\n${await readPart('schemas/Pet.yaml')}`)
  t.true(await until(async () => (await sentTitle()) === 'Changed'))
  await writeFile(join(dirname(spec), 'schemas/Better.yaml'), `title: Better\n${await readPart('schemas/Pet.yaml')}`)
  await replaceFile(spec, (await readPart('openapi.yaml')).replace('schemas/Pet.yaml', 'schemas/Better.yaml'))
  t.true(await until(async () => (await sentTitle()) === 'Better'))
  await replaceFile(join(dirname(spec), 'schemas/Better.yaml'), `title: Best\n${await readPart('schemas/Pet.yaml')}`)
  t.true(await until(async () => (await sentTitle()) === 'Best'))
  // A file that is not there yet, then is wrong, then is right.
  await replaceFile(spec, (await readPart('openapi.yaml')).replace('schemas/Pet.yaml', 'schemas/Late.yaml'))
  await double.printed(/"schemas\/Late\.yaml" cannot be read/u, 'stderr')
  const late = join(dirname(spec), 'schemas/Late.yaml')
  await writeFile(late, 'titel: [')
  await double.printed(/Late\.yaml was not reloaded/u, 'stderr')
  await replaceFile(late, `title: Late\n${await readPart('schemas/Pet.yaml')}`)
  t.true(await until(async () => (await sentTitle()) === 'Late'))
})

test('a file that changes while others are read is noticed', async (t) => {
  const spec = await copySpec(t)
  const location = openFile(spec)
  await location.read(spec)
  t.false(await location.hasChanged())
  await replaceFile(spec, `${await readFile(spec, 'utf8')}\n`)
  t.true(await location.hasChanged())
})
