import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { parse } from 'yaml'

import { isObject, type JsonObject, listOf, objectAt, objectOf, setProperty } from '#src/documents/object.js'
import { ProblemsError } from '#src/documents/problem.js'
import { loadService, type Service } from '#src/resources/load-service.js'
import { findLockProblems, writeLockText } from '#src/resources/role-lock.js'

import { pluck } from './helpers/as-object-or-list.js'
import { exits, run, runProcess } from './helpers/cli.js'
import { startDouble } from './helpers/double.js'
import { packageFolder, readPackageFile, temporaryFolder } from './helpers/files.js'
import { often } from './helpers/repetitions.js'
import { type Random, seededRandom } from './helpers/seeded-random.js'

const plants = await readPackageFile('test/specs/plants.yaml')
const withoutFilter = plants.replace(/^ +- \{ name: room, in: query.*\n/mu, '')
const withStrangePatch = withoutFilter.replace('application/merge-patch+json:', 'text/csv:')

/** Writes a contract and its lock, then replaces the contract. @returns The folder. */
async function lockedFolder(t: Parameters<typeof run>[0], contract = withStrangePatch): Promise<string> {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'plants.yaml'), plants)
  await exits(t, 0, ['explain', 'plants.yaml', '--lock'], { cwd })
  await writeFile(join(cwd, 'plants.yaml'), contract)
  return cwd
}

const roleChanged =
  /double\.lock\.json:\d+:5 {2}#\/plants\.yaml\/updatePlant {2}the role of updatePlant was update, and is mocked {2}/u
const filterGone = /the query room of listPlants was .*room.*, and is none/u

test('the lock has a line for each operation, with its role and effects', async (t) => {
  const cwd = await lockedFolder(t, plants)
  const text = await readFile(join(cwd, 'double.lock.json'), 'utf8')
  const lines = text.split('\n').slice(2, -3)
  const { contract } = await loadService(join(cwd, 'plants.yaml'))
  const ids = lines.map((line) => /^ {4}"(\w+)": \{"role":"\w+".*\},?$/u.exec(line)?.[1])
  t.deepEqual(ids, pluck(contract.operations, 'id'))
  t.regex(text, /"listPlants": \{"role":"list","collection":"plants","id":"id",.*"query limit":/u)
  const { stdout } = await exits(t, 0, ['explain', 'plants.yaml'], { cwd })
  t.notRegex(stdout, /Not as in the lock/u)
  await exits(t, 0, ['check', 'plants.yaml'], { cwd })
})

test('explain, check and the start name each role and effect that is not as in the lock', async (t) => {
  const cwd = await lockedFolder(t)
  for (const words of [['explain'], ['check'], ['run', '--', 'true'], ['run', '--log', 'silent', '--', 'true']]) {
    const [command = '', ...others] = words
    const { code, stderr, stdout } = await runProcess(t, [command, 'plants.yaml', ...others], { cwd })
    t.is(code, command === 'check' ? 1 : 0, words.join(' '))
    for (const change of [roleChanged, filterGone]) t.regex(stdout + stderr, change, words.join(' '))
  }
  const json = await exits(t, 0, ['explain', 'plants.yaml', '--json'], { cwd })
  t.notThrows(() => JSON.parse(json.stdout))
  t.regex(json.stderr, roleChanged)
})

test('serve, run and startDouble with strict refuse what is not as in the lock', async (t) => {
  const cwd = await lockedFolder(t)
  const runs = ['run', 'plants.yaml', '--strict', '--', 'true']
  for (const words of [['serve', 'plants.yaml', '--strict', '--memory'], runs])
    t.regex((await runProcess(t, words, { cwd })).stderr, roleChanged)
  const spec = join(cwd, 'plants.yaml')
  const refused = await t.throwsAsync(startDouble({ spec, strict: true }))
  t.regex(refused?.message ?? '', roleChanged)
  await (await startDouble({ spec })).stop()
})

test('explain --lock accepts the changes, and keeps the other contracts of the lock', async (t) => {
  const cwd = await lockedFolder(t)
  await writeFile(join(cwd, 'epics.yaml'), await readPackageFile('test/specs/epics.yaml'))
  const other = await exits(t, 1, ['check', 'epics.yaml'], { cwd })
  t.regex(other.stdout, /double\.lock\.json:1:1 .*has no roles of epics\.yaml {2}add them with explain --lock/u)
  await exits(t, 0, ['explain', 'epics.yaml', '--lock'], { cwd })
  await exits(t, 0, ['explain', 'plants.yaml', '--lock'], { cwd })
  await exits(t, 0, ['check', 'plants.yaml', 'epics.yaml'], { cwd })
})

test('new and removed operations are named', async (t) => {
  const renamed = plants.replace('operationId: removePlant', 'operationId: uprootPlant')
  const cwd = await lockedFolder(t, renamed)
  const { stdout } = await exits(t, 1, ['check', 'plants.yaml'], { cwd })
  t.regex(stdout, /operation uprootPlant is new: remove/u)
  t.regex(stdout, /operation removePlant is gone: remove/u)
})

test('a lock elsewhere is named by --lock-file, and a wrong one is refused with its line', async (t) => {
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, 'plants.yaml'), plants)
  await exits(t, 0, ['explain', 'plants.yaml', '--lock', '--lock-file', 'roles.json'], { cwd })
  await exits(t, 0, ['check', 'plants.yaml', '--lock-file', 'roles.json'], { cwd })
  const refusals: readonly (readonly [text: string, refusal: RegExp])[] = [
    ['{\n<<<<<<< ours\n', /^bad\.json:2:1 /mu],
    ['{"plants.yaml": {\n"listPlants": 5}}', /^bad\.json:2:15 {2}#\/plants\.yaml\/listPlants {2}is not what explain/mu],
    ['[]', /^bad\.json:1:1 /mu],
  ]
  for (const [text, refusal] of refusals) {
    await writeFile(join(cwd, 'bad.json'), text)
    for (const words of [['check'], ['explain'], ['explain', '--lock']]) {
      const { code, stderr, stdout } = await run(t, [...words, 'plants.yaml', '--lock-file', 'bad.json'], { cwd })
      t.not(code, 0)
      t.regex(stdout + stderr, refusal)
    }
    t.is(await readFile(join(cwd, 'bad.json'), 'utf8'), text)
  }
  const { stdout } = await exits(t, 1, ['check', 'plants.yaml', '--lock-file', 'none.json'], { cwd })
  t.regex(stdout, /none\.json.*--lock-file/u)
  t.regex((await exits(t, 2, ['explain', '--lock'])).stderr, /--lock-file/u)
  t.regex((await exits(t, 2, ['explain', '--lock', '--json', 'plants.yaml'], { cwd })).stderr, /exclude each other/u)
})

/** A random edit of a contract, as its author may make it. */
type Edit = (document: JsonObject, random: Random) => void

const pick = <T>(items: readonly T[], random: Random): T | undefined => items[Math.floor(random() * items.length)]

/** Lists the schemas with properties in a document. */
function schemasIn(value: unknown): readonly JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(schemasIn)
  if (!isObject(value)) return []
  const own = isObject(value['properties']) && Object.keys(value['properties']).length > 0 ? [value] : []
  return [...own, ...Object.values(value).flatMap(schemasIn)]
}

/** Creates an edit of a property of a random schema. */
const ofProperty =
  (edit: (properties: JsonObject, name: string, schema: JsonObject) => void): Edit =>
  (document, random) => {
    const schema = pick(schemasIn(document), random)
    const properties = objectAt(schema, 'properties')
    const name = pick(Object.keys(properties), random)
    if (schema && name !== undefined) edit(properties, name, schema)
  }

const edits: readonly Edit[] = [
  ofProperty((properties, name) => void Reflect.deleteProperty(properties, name)),
  ofProperty((properties, name) => setProperty(properties, `${name}More`, { type: 'string' })),
  ofProperty((properties, name) => {
    const { type } = objectAt(properties, name)
    setProperty(properties, name, { type: type === 'integer' ? 'string' : 'integer' })
  }),
  ofProperty((properties, name) => {
    setProperty(properties, `${name}Renamed`, properties[name])
    Reflect.deleteProperty(properties, name)
  }),
  ofProperty((_, name, schema) => {
    const required = listOf(schema['required'])
    const others = required.filter((each) => each !== name)
    setProperty(schema, 'required', others.length < required.length ? others : [...required, name])
  }),
  (document, random) => {
    const item = pick(Object.values(objectAt(document, 'paths')), random)
    const methods = ['get', 'post', 'put', 'patch', 'delete'].filter((method) => Object.hasOwn(objectOf(item), method))
    Reflect.deleteProperty(objectOf(item), pick(methods, random) ?? '')
  },
]

const rolesOf = ({ resources: { decisions } }: Service): ReadonlyMap<string, string> =>
  new Map(
    Array.from(decisions.values(), (decision) => {
      const collection = 'collection' in decision ? decision.collection : ''
      return [decision.operation.id, `${decision.role} ${collection}`]
    }),
  )

const own =
  'plants epics shop shelves contract-styles openapi-3.2 credentials errors passwords swagger swagger.converted'
const folder = process.env['LOCK_CONTRACTS']

test('no random edit of a contract changes a role that is not named', async (t) => {
  const random = seededRandom(1)
  const given = folder === undefined ? [] : (await readdir(folder)).map((name) => join(folder, name))
  const all = [...own.split(' ').map((name) => join(packageFolder, 'test/specs', `${name}.yaml`)), ...given]
  const files = all.slice(0, often(2, 20))
  const most = often(20, 1000)
  let tried = 0
  let changed = 0
  while (tried < most)
    for (const file of files) {
      const cwd = await temporaryFolder(t)
      const spec = join(cwd, 'contract.json')
      const document = objectOf(parse(await readFile(file, 'utf8')))
      const write = (): Promise<void> => writeFile(spec, JSON.stringify(document))
      await write()
      const before = await loadService(spec)
      await writeFile(join(cwd, 'double.lock.json'), await writeLockText(before, join(cwd, 'double.lock.json')))
      t.deepEqual(await findLockProblems(before), [])
      pick(edits, random)?.(document, random)
      await write()
      const after = await loadService(spec).catch((error: unknown) => {
        if (!(error instanceof ProblemsError)) throw error
      })
      // Some edits make the contract invalid.
      if (!after) continue
      tried++
      const named = new Set((await findLockProblems(after)).map(({ path = [] }) => path[1]))
      const [old, now] = [rolesOf(before), rolesOf(after)]
      const changedIds = [...old.keys(), ...now.keys()].filter((id) => old.get(id) !== now.get(id))
      const unnamed = changedIds.filter((id) => !named.has(id))
      t.deepEqual(unnamed, [], file)
      if ([...old].some(([id, role]) => now.get(id) !== role)) changed++
    }
  // The edits would prove nothing if they changed no role.
  t.true(changed > 0, `${changed} of ${tried} edits`)
})
