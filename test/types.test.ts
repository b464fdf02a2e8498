/** Tests that the exported types are exactly those of the contracts. */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import test, { type ExecutionContext } from 'ava'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { documentBlock } from './helpers/documents.js'
import { insightsIn, serve } from './helpers/double.js'
import { createTemporaryFolder, temporaryFolder } from './helpers/files.js'
import { project } from './helpers/user-project.js'

const run = promisify(execFile)
const packageFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const modules = packageFile('node_modules')

const proof = `
import type {
  CoverageRow, Explanation, Fault, FaultRequest, FixtureDocument, FixtureSummary, Health, JournalEntry, RequestListing,
  ResetSummary, SandboxOptions, SandboxSummary, StateDiff, StateDocument, Violation,
} from 'insights-double'
import type { components as control, operations } from './control.js'

type Plain<T> = T extends readonly (infer Item)[] ? readonly Plain<Item>[]
  : T extends object ? { readonly [Key in keyof T]: Plain<T[Key]> } : T
type Same<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends (<T>() => T extends Plain<Other> ? 1 : 2) ? true : never
type Contract = control['schemas']
type Query = NonNullable<operations['listRequests']['parameters']['query']>

export const same: readonly true[] = [
  true satisfies Same<CoverageRow, Contract['CoverageRow']>,
  true satisfies Same<Fault, Contract['Fault']>,
  true satisfies Same<FaultRequest, Contract['FaultRequest']>,
  true satisfies Same<FixtureSummary, Contract['FixtureSummary']>,
  true satisfies Same<Health, Contract['Health']>,
  true satisfies Same<JournalEntry, Contract['JournalEntry']>,
  true satisfies Same<RequestListing, Contract['RequestList']>,
  true satisfies Same<ResetSummary, Contract['ResetResult']>,
  true satisfies Same<Omit<SandboxOptions, 'fixture'>, Omit<Contract['SandboxRequest'], 'fixture'>>,
  true satisfies Same<SandboxSummary, Contract['Sandbox']>,
  true satisfies Same<StateDiff, Contract['StateDiff']>,
  true satisfies Same<Explanation, Contract['Explanation']>,
  true satisfies Same<Violation, Contract['Violation']>,
  true satisfies Same<import('insights-double').JournalFilter & import('insights-double').WaitOptions, Query>,
]
// The contract of the service defines the properties of a record, so the control plane has an open type here.
type Defined<T> = { readonly [Key in keyof T]: Exclude<T[Key], undefined> }
export const there = (document: Plain<Defined<StateDocument>>): Plain<Contract['FixtureDocument']> => document
declare const document: Plain<Contract['FixtureDocument']>
export const back: FixtureDocument = document
`

/** Code of a user for the contract of the service, with errors that the compiler must report. */
const client = `
import createClient from 'openapi-fetch'
import type { paths as control } from './control.js'
import type { paths } from './insights.js'

const admin = createClient<control>({ baseUrl: process.argv[2]! })
const client = createClient<paths>({ baseUrl: process.argv[2]!, headers: { authorization: 'Bearer ada-token' } })
const { data = [] } = await client.GET('/insights', { params: { query: { limit: 2 } } })
const [first, ...others] = data
const deleted = await client.DELETE('/insights/{id}', { params: { path: { id: first?.id ?? '' } } })
const again = await client.DELETE('/insights/{id}', { params: { path: { id: first?.id ?? '' } } })
const left = await client.GET('/insights')
const asked = await admin.GET('/__admin/requests', { params: { query: { operation: 'deleteInsight', status: 404 } } })
const reset = await admin.POST('/__admin/reset', { body: { fixture: 'empty' } })
export const mistakes = [
  // @ts-expect-error There is no such path.
  () => client.GET('/insight'),
  // @ts-expect-error The path has no POST.
  () => client.POST('/insights', { body: {} }),
  // @ts-expect-error A limit is a number.
  () => client.GET('/insights', { params: { query: { limit: 'all' } } }),
  // @ts-expect-error There is no such field.
  () => first?.colour,
  // @ts-expect-error An id is needed.
  () => client.DELETE('/insights/{id}'),
  // @ts-expect-error A fixture has a name.
  () => admin.POST('/__admin/reset', { body: { fixture: 5 } }),
]
const error: { error: number; message: string } | undefined = again.error
console.log(JSON.stringify({
  first: first?.id, others: others.length, deleted: deleted.response.status, error, left: left.data?.map(({ id }) => id),
  matched: asked.data?.matched, reset: reset.data,
}))
`

/** Handlers with the generated types of a contract, with errors that the compiler must report. */
const handlers = `
import type { HandlerRequest, Handlers } from 'insights-double'
import type { operations } from './shop.js'

const handlers: Handlers<operations> = {
  login: ({ state, body }) => {
    const token = body.name + '-token'
    return { body: { token }, state: { ...state, $callers: { ...state.$callers, [body.name]: { token } } } }
  },
  cancelOrder: ({ state, path, next }) => {
    const order = state['orders']?.find(({ id }) => id === path.id)
    return order?.['state'] === 'shipped' ? { status: 409, body: { error: 409, message: 'It was shipped.' } } : next()
  },
  listOrders: ({ query, next }) => {
    const { body = [], ...response } = next() as { body?: { id: string; item: string; state: 'open' }[] }
    const sort: 'item' | '-item' | undefined = query.sort
    return sort === undefined ? next() : { ...response, body }
  },
}
export default handlers
export const mistakes: readonly Handlers<operations>[] = [
  // @ts-expect-error There is no such operation.
  { logn: () => ({ body: { token: '' } }) },
  // @ts-expect-error There is no such property in the body.
  { login: ({ body }) => ({ body: { token: body.user } }) },
  // @ts-expect-error A token is a string.
  { login: () => ({ body: { token: 5 } }) },
  // @ts-expect-error There is no such path parameter.
  { cancelOrder: ({ next, path }) => (path.order === '' ? next() : next()) },
  // @ts-expect-error A handler is synchronous.
  { login: async () => ({ body: { token: '' } }) },
  // @ts-expect-error The status is not documented.
  { login: () => ({ status: 404, body: { error: 404, message: '' } }) },
]
export const untyped: Handlers = { anything: ({ next, path, body }) => (path['id'] === body ? next() : { status: 204 }) }
export const request = (asked: HandlerRequest): string => asked.now
`

/** Creates a project that uses the package: the types of both contracts, and a program. */
async function createProject(t: ExecutionContext, name: string, program: string): Promise<string> {
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    // Another test checks the declarations of the package themselves.
    skipLibCheck: true,
  }
  const options = JSON.stringify({ compilerOptions, files: [`${name}.ts`] })
  const files = { 'tsconfig.json': options, [`${name}.ts`]: program, ...(await types) }
  return project(t, files, ['openapi-fetch', '@types'])
}

const specs = ['spec/insights', 'spec/control', 'test/specs/shop', 'examples/plants']

/** Generates the types of the contracts. @returns The types by the name of their file. */
async function generate(): Promise<Readonly<Record<string, string>>> {
  // In a separate folder, so that no configuration of the package applies.
  await using folder = await createTemporaryFolder()
  const output = (spec: string): string => `${basename(spec)}.d.ts`
  const apiOf = (spec: string) => ({ root: packageFile(`${spec}.yaml`), 'x-openapi-ts': { output: output(spec) } })
  const apis = Object.fromEntries(specs.map((spec) => [basename(spec), apiOf(spec)]))
  await writeFile(join(folder.path, 'redocly.yaml'), JSON.stringify({ apis }))
  const command = packageFile('test/types/node_modules/.bin/openapi-typescript')
  await run(command, ['--default-non-nullable', 'false'], { cwd: folder.path })
  const texts = await Promise.all(specs.map((spec) => readFile(join(folder.path, output(spec)), 'utf8')))
  return Object.fromEntries(specs.map((spec, at) => [output(spec), texts[at] ?? '']))
}

const types = generate()

/** Compiles a project. @returns The output of the compiler. */
async function compile(folder: string): Promise<string> {
  const outcome = await run(join(modules, '.bin/tsc'), [], { cwd: folder }).catch((error: unknown) => error)
  return outcome instanceof Object && 'stdout' in outcome ? String(outcome.stdout) : String(outcome)
}

test('the types of the package equal those of the contracts, and a difference would be found', async (t) => {
  const folder = await createProject(t, 'proof', proof)
  const wrong = proof.replaceAll("Same<Fault, Contract['Fault']>", "Same<Omit<Fault, 'fired'>, Contract['Fault']>")
  t.not(wrong, proof)
  await writeFile(join(folder, 'wrong.ts'), `${wrong}import './proof.js'\n`)
  const options = join(folder, 'tsconfig.json')
  await writeFile(options, (await readFile(options, 'utf8')).replace('"proof.ts"', '"wrong.ts"'))
  t.regex(await compile(folder), /^wrong\.ts\(\d+,\d+\): error TS\d+: [^\n]*\n(?: [^\n]*\n)*$/u)
})

/** A test of a user whose compiler has neither Node's types nor a newer library. */
const plainUse = `
import type { JournalEntry, SandboxHandle } from 'insights-double'
import { connectDouble, DoubleError, ProblemsError, RequestsNotSeenError, startDouble } from 'insights-double'
import { withSandbox, type WithSandboxOptions } from 'insights-double/jest'
import { doubleFixtures as playwright, type DoubleTestFixtures } from 'insights-double/playwright'
import { doubleFixtures as vitest, type DoubleFixtures } from 'insights-double/vitest'

export async function use(): Promise<readonly JournalEntry[]> {
  await using double = await startDouble({ fixture: { $callers: { ada: { token: 'x' } }, insights: [{ content: 'Hi' }] } })
  const sandbox: SandboxHandle = await connectDouble(double.url).sandbox({ uniqueTokens: true })
  // @ts-expect-error There is no such option.
  await sandbox.addFault({ stauts: 503 })
  double.unref()
  return (await sandbox.waitForRequests()).entries
}
export const codeOf = (error: DoubleError | ProblemsError): string => (error instanceof DoubleError ? error.code : error.message)
export const body: () => Promise<void> = withSandbox(async (sandbox) => sandbox.stop(), { fixture: 'empty' })
export const row: (limit: number) => Promise<void> = withSandbox((sandbox, limit: number) => sandbox.url + limit)
export const options: readonly (keyof WithSandboxOptions & keyof DoubleFixtures & keyof DoubleTestFixtures & keyof typeof vitest & keyof typeof playwright)[] = ['now']
export const errors: readonly (new (...parameters: never) => Error)[] = [DoubleError, ProblemsError, RequestsNotSeenError]
`

test('the types compile without the types of Node, for both entries and both kinds of module resolution, and the package contains no others', async (t) => {
  const files = ['use.mts', 'use.cts']
  const folder = await project(t, Object.fromEntries(files.map((file) => [file, plainUse])))
  const used = new Set<string>()
  for (const [module, moduleResolution] of Object.entries({ node16: 'node16', esnext: 'bundler' })) {
    const libraries = { target: 'es2022', lib: ['ES2022'], types: [] }
    const compilerOptions = { ...libraries, module, moduleResolution, strict: true, noEmit: true }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const { stdout } = await run(join(modules, '.bin/tsc'), ['--listFiles'], { cwd: folder })
    t.notRegex(stdout, /error TS|@types\//u)
    for (const line of stdout.split('\n'))
      if (line.startsWith(packageFile('.'))) used.add(relative(packageFile('.'), line))
  }
  const packed = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: packageFile('.') })
  const [{ files: there, size }] = JSON.parse(packed.stdout) as [{ files: { path: string }[]; size: number }]
  t.true(size < 2_000_000, `the package has ${size} bytes`)
  const typesOf = (paths: readonly string[]): readonly string[] =>
    paths.filter((path) => /^(?:bundle|dist)\/.*\.d\.c?ts$/u.test(path)).toSorted()
  t.deepEqual(typesOf(there.map(({ path }) => path)), typesOf([...used]))
  t.true(used.has('dist/index.d.ts') && used.has('bundle/index.d.cts'))
})

for (const entry of ['index', 'jest', 'vitest', 'playwright'])
  test(`the types of the CommonJS entry ${entry} declare each exported value`, async (t) => {
    const declarations = await readFile(packageFile(`bundle/${entry}.d.cts`), 'utf8')
    const declared = declarations.matchAll(/^export declare const (\w+)/gmu)
    const exported: unknown = createRequire(import.meta.url)(packageFile(`bundle/${entry}.cjs`))
    t.deepEqual(Array.from(declared, ([, name = '']) => name).toSorted(), Object.keys(asObject(exported)).toSorted())
  })

test('a client with the generated types of the contracts compiles and runs, and the compiler reports errors', async (t) => {
  const double = await serve(t)
  const folder = await createProject(t, 'client', client)
  t.is(await compile(folder), '')
  const before = (await insightsIn(double)).filter(({ $access }) => $access?.includes('ada') ?? true)
  const { stdout } = await run(process.execPath, [join(folder, 'client.js'), double.url])
  t.deepEqual(JSON.parse(stdout), {
    first: 'monstera-watering',
    others: 1,
    deleted: 204,
    error: { error: 404, message: 'insights has no record "monstera-watering" that the caller has access to.' },
    left: before.map(({ id }) => id).filter((id) => id !== 'monstera-watering'),
    matched: 1,
    reset: { fixture: 'empty', collections: { insights: 0 } },
  })
})

test('handlers have the types of their operations, and the compiler reports errors in them', async (t) => {
  const folder = await createProject(t, 'handlers', handlers)
  const recipe = await documentBlock('typed')
  await writeFile(join(folder, 'handlers.ts'), `${handlers}import './recipe.js'\nimport './wrong.js'\n`)
  await writeFile(join(folder, 'recipe.ts'), recipe)
  await writeFile(join(folder, 'wrong.ts'), recipe.replace('path.id', 'path.uid'))
  t.regex(await compile(folder), /^wrong\.ts\(\d+,\d+\): error TS2339: Property 'uid' does not exist [^\n]*\n$/u)
})

test('the packed package is one package, and says which versions and licences are inside', async (t) => {
  const folder = await temporaryFolder(t)
  await run(process.execPath, ['scripts/pack.js', folder], { cwd: packageFile('.') })
  const { version } = asObject(JSON.parse(await readFile(packageFile('package.json'), 'utf8')))
  await run('tar', ['xzf', `insights-double-${String(version)}.tgz`], { cwd: folder })
  const installed = join(folder, 'package')
  const manifest = asObject(JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')))
  t.deepEqual([manifest['dependencies'], manifest['scripts']], [undefined, undefined])
  const words = [join(installed, 'bundle/main.js'), 'check', 'spec/insights.yaml']
  t.regex((await run(process.execPath, words, { cwd: installed })).stdout, /insights\.yaml/u)
  const { components } = asObject(JSON.parse(await readFile(join(installed, 'bundle/sbom.cdx.json'), 'utf8')))
  const notice = await readFile(join(installed, 'bundle/NOTICE.txt'), 'utf8')
  const inside = asList(components).map((each) =>
    pluck([asObject(each)], 'name', 'version')
      .flat()
      .join(' '),
  )
  t.true(inside.some((each) => each.startsWith('@stoplight/prism-http ')))
  t.true(inside.some((each) => each.startsWith('rapidoc ')))
  const untold = inside.filter((each) => !notice.includes(`\n${each} (`))
  t.deepEqual(untold, [])
})
