import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import test from 'ava'
import { connectDouble } from 'insights-double'

import { type Command, commands } from '#src/cli/flags.js'

import { asObject, type JsonObject, pluck } from './helpers/as-object-or-list.js'
import { runProcess, serveByProcess } from './helpers/cli.js'
import { insightsIn, serve } from './helpers/double.js'
import { readPackageFile, temporaryFolder } from './helpers/files.js'
import { ask, as, get } from './helpers/http.js'
import { codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'

/** The oldest version of Node.js that the package supports. */
const oldest = '20.19.0'

/** The maximum number of packages that a user installs with this one. A new package needs a reason. */
const atMost = 175

const packageJson = async (): Promise<JsonObject> => asObject(JSON.parse(await readPackageFile('package.json')))

/** Returns the entries of the lock file by folder, without that of the package itself. */
async function locked(): Promise<readonly (readonly [folder: string, entry: JsonObject])[]> {
  const { packages } = asObject(JSON.parse(await readPackageFile('package-lock.json')))
  return Object.entries(asObject(packages)).flatMap(([folder, entry]) =>
    folder === '' ? [] : [[folder, asObject(entry)] as const],
  )
}

test('no dependency has an install script', async (t) => {
  const packages = await locked()
  t.true(packages.length > 0)
  const scripted = packages.filter(([, entry]) => entry['hasInstallScript'] === true)
  t.deepEqual(pluck(scripted, 0), [])
})

test('the lock file names no registry, so that each user can use their own', async (t) => {
  const text = await readPackageFile('package-lock.json')
  // Only a folder of this repository, which is linked by its path, may have `resolved`.
  const resolved = (await locked()).filter(([, entry]) => entry['resolved'] !== undefined && entry['link'] !== true)
  t.deepEqual(pluck(resolved, 0), [])
  t.false(/"resolved": "[^"]*:/u.test(text))
  t.deepEqual(text.match(/(?:https?|git|ssh):\/\/[^"]*registry[^"]*/gu) ?? [], [])
})

test('the lock file has a hash for every package', async (t) => {
  const installed = (await locked()).filter(([folder, { link }]) => folder.includes('node_modules/') && link !== true)
  const loose = installed.filter(([, entry]) => typeof entry['integrity'] !== 'string')
  t.deepEqual(pluck(loose, 0), [])
})

test('dependencies are pinned to the versions in the lock file', async (t) => {
  const { dependencies, devDependencies } = await packageJson()
  const packages = new Map(await locked())
  for (const [name, version] of Object.entries({ ...asObject(dependencies), ...asObject(devDependencies) })) {
    t.regex(String(version), /^\d+\.\d+\.\d+$/u, name)
    t.is(packages.get(`node_modules/${name}`)?.['version'], version, name)
  }
})

test(`a user installs at most ${atMost} packages, and CONTRIBUTING.md says why of each direct one`, async (t) => {
  const names = Object.keys(asObject((await packageJson())['dependencies']))
  const packages = await locked()
  const all = packages.filter(([, entry]) => entry['dev'] !== true)
  t.log(`${names.length} direct, ${all.length} in all`)
  t.true(all.length <= atMost)
  const table = tableOf(sectionOf(await readPackageFile('CONTRIBUTING.md'), 'Runtime dependencies'))
  t.deepEqual(table.map(([name = '']) => codesIn(name)[0] ?? '').toSorted(), names.toSorted())
  for (const [name = '', , why = ''] of table) {
    const ofPrism = packages.filter(
      ([folder]) =>
        folder.startsWith('node_modules/@stoplight/') && folder.endsWith(`/node_modules/${codesIn(name)[0]}`),
    )
    if (why.includes('the one Prism resolves to')) t.deepEqual(ofPrism, [], name)
  }
})

test(`every dependency runs on Node ${oldest}`, async (t) => {
  t.true(allows('^20.19 || ^22.20 || >=25', oldest))
  t.true(allows('>=10.18.0 <11 || >=12.14.0 <13 || >=14', oldest))
  t.true(allows('>=16 || 14 >=14.17', oldest))
  t.false(allows('>=20.19.1', oldest))
  t.false(allows('^18 || >= 22', oldest))
  t.false(allows('20.18.x', oldest))
  const { engines } = await packageJson()
  t.true(allows(String(asObject(engines)['node']), oldest))
  for (const [folder, entry] of await locked()) {
    if (entry['engines'] === undefined) continue
    const { node = '*' } = asObject(entry['engines'])
    t.true(allows(String(node), oldest), `${folder} wants Node ${String(node)}`)
  }
})

const preload = new URL('helpers/preload-connection-recorder.js', import.meta.url).href

test('the double connects to no other machine, at the start or under load', async (t) => {
  const log = join(await temporaryFolder(t), 'connections')
  const served = await serveByProcess(t, [], { env: { CONNECTIONS_LOG: log, NODE_OPTIONS: `--import=${preload}` } })
  const double = connectDouble(served.url)
  const paths = ['/insights', '/insights?limit=2&limt=3', '/nowhere', '/__admin/', '/__admin/docs', '/__admin/spec']
  await Promise.all(Array.from({ length: 20 }, () => paths.map((path) => get(served, path, as('ada')))).flat())
  t.is((await ask(served, 'DELETE', '/insights/monstera-watering', as('ada'))).status, 204)
  await get(served, '/insights', { ...as('ada'), prefer: 'dynamic=true' })
  t.is((await get(served, '/insights', { ...as('ada'), prefer: 'code=400' })).status, 400)
  const sandbox = await double.sandbox({ fixture: 'edge-cases' })
  t.true((await insightsIn(sandbox)).length > 0)
  await sandbox.stop()
  await double.reset('many')
  const { code, stderr } = await served.end()
  t.is(code, 0, stderr)
  t.is(stderr, '')
  const [loaded, ...asked] = (await readFile(log, 'utf8')).trim().split('\n')
  t.is(loaded, 'loaded')
  // Node looks up the address that it listens on. This sends nothing.
  const away = asked.filter((line) => line !== 'lookup 127.0.0.1')
  t.deepEqual(away, [])
})

/** The arguments of the commands that need some, with the URL of a double. A command without a row runs without arguments. */
const argumentsOf = (url: string): Partial<Record<Command, readonly string[]>> => ({
  run: ['--', process.execPath, '--version'],
  verify: [url, '--caller', 'ada=env:ADA', '--only', 'listInsights', '--pace', '10000'],
  pull: [url, '--caller', 'ada=env:ADA', '--pace', '10000'],
  reset: ['--url', url],
  state: ['--url', url],
  requests: ['--url', url],
})

/** The commands that need no connection, not even to this machine. */
const offline: ReadonlySet<Command> = new Set(['check', 'explain', 'schema', 'fixture'])

for (const command of commands.filter((each) => each !== 'serve'))
  test(`${command} connects to no host that no flag or argument names`, async (t) => {
    const { url } = await serve(t)
    const log = join(await temporaryFolder(t), 'connections')
    const words = [command, ...(argumentsOf(url)[command] ?? [])]
    const env = { CONNECTIONS_LOG: log, NODE_OPTIONS: `--import=${preload}`, ADA: 'ada-token' }
    const { code, stderr } = await runProcess(t, words, { env })
    t.is(code, 0, stderr)
    const lines = (await readFile(log, 'utf8')).trim().split('\n')
    const asked = lines.filter((line) => line !== 'loaded')
    const isNamed = (line: string): boolean => /^(?:lookup|connect) (?:127\.0\.0\.1|localhost)$/u.test(line)
    const foreign = asked.filter((line) => offline.has(command) || !isNamed(line))
    t.deepEqual(foreign, [])
    if (argumentsOf(url)[command]?.includes(url)) t.true(asked.length > 0)
  })

test('the start does not load the generator of Prism', async (t) => {
  const script = `
    const { startInThisThread } = await import(${JSON.stringify(new URL('../../bundle/start-in-this-thread.js', import.meta.url).href)})
    const { registerHooks, createRequire } = await import('node:module')
    const double = await startInThisThread()
    await fetch(double.url + '/insights', { headers: { authorization: 'Bearer ada-token' } })
    const loaded = Object.keys(createRequire(import.meta.url)('node:module')._cache)
    console.log(JSON.stringify({ files: loaded.length, faker: loaded.filter((file) => /faker/u.test(file)).length }))
    await double.stop()`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const { faker, files } = asObject(JSON.parse(stdout))
  t.is(faker, 0)
  t.true(Number(files) < 1500, `${String(files)} files`)
})

const parts = (text: string): readonly number[] => Array.from(text.matchAll(/(?<=^|\.)\d+(?=\.|$)/gu), Number)

/** Returns a number that is greater for a later version. */
const rankOf = (major = 0, minor = 0, patch = 0): number => (major * 1000 + minor) * 1000 + patch

/** Returns the versions that a comparator such as `^20.19` allows: from the first, up to but not including the second. */
function boundsOf(comparator: string): readonly [from: number, below: number] {
  const [, operator = '', text = ''] = /^(\^|~|>=|<=|<|>|=)?v?(.*)$/u.exec(comparator) ?? []
  const given = parts(text)
  const [major = 0, minor = 0, patch = 0] = given
  const [at, nextMajor, nextMinor] = [rankOf(major, minor, patch), rankOf(major + 1), rankOf(major, minor + 1)]
  const next = given.length === 1 ? nextMajor : given.length === 2 ? nextMinor : at + 1
  if (given.length === 0) return [0, Infinity]
  if (operator === '>=') return [at, Infinity]
  if (operator === '>') return [next, Infinity]
  if (operator === '<') return [0, at]
  if (operator === '<=') return [0, next]
  if (operator === '^') return [at, nextMajor]
  if (operator === '~') return [at, given.length === 1 ? nextMajor : nextMinor]
  return [at, next]
}

/** Tells whether a range such as `^20.19 || >=22` allows a version such as `20.19.0`. */
function allows(range: string, version: string): boolean {
  const wanted = rankOf(...parts(version))
  return range.split('||').some((alternative) =>
    alternative
      .replaceAll(/([<>=^~])\s+/gu, '$1')
      .trim()
      .split(/\s+/u)
      .map(boundsOf)
      .every(([from, below]) => from <= wanted && wanted < below),
  )
}
