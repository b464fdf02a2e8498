import { access, readFile, readdir } from 'node:fs/promises'
import { join, basename } from 'node:path'

import test from 'ava'

import { asObject } from './helpers/as-object-or-list.js'
import { packageFolder, readPackageFile } from './helpers/files.js'
import { blocksOf, codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'
import { succeeds } from './helpers/until.js'
import { mutants } from './mutants/list.js'

const readGuide = (): Promise<string> => readPackageFile('CONTRIBUTING.md')
const exists = (path: string): Promise<boolean> => succeeds(access(join(packageFolder, path)))

test('every npm script that the guide names exists, and the guide names every script for maintainers', async (t) => {
  const commands = asObject(asObject(JSON.parse(await readPackageFile('package.json')))['scripts'])
  const scripts = Object.keys(commands)
  const named = [...(await readGuide()).matchAll(/`npm (?:run )?([\w:-]+)/gu)].map(([, name = '']) => name)
  t.true(named.length > 8)
  for (const name of named) t.true(name === 'ci' || scripts.includes(name), `npm run ${name}`)
  const isTold = (name: string): boolean => {
    const [whole = ''] = name.split(':')
    const isPart = whole !== name && String(commands[whole]).includes(`npm run ${name}`)
    return !isPart && !name.startsWith('pre')
  }
  const untold = scripts.filter((name) => isTold(name) && !named.includes(name))
  t.deepEqual(untold, [])
})

test('.ci/run runs the commands that the guide names', async (t) => {
  const [[commands = '', what = ''] = []] = tableOf(sectionOf(await readGuide(), 'Commands'))
  t.true(what.includes('`.ci/run`'))
  const run = [...(await readPackageFile('.ci/run')).matchAll(/^run (.*)$/gmu)].map(([, command = '']) => command)
  t.deepEqual([...codesIn(commands)], run)
})

test('every file that the guide names exists', async (t) => {
  const guide = await readGuide()
  const decisions = await readPackageFile('docs/decisions.md')
  const folders = /^(?:(?:src|test|spec)\/[\w./-]+\.\w+|(?:[a-z-]+\/)+[\w-]+\.tsx?)$/u
  const named = codesIn(guide + decisions).flatMap((code) => code.split(' ').filter((word) => folders.test(word)))
  const [, way = ''] = blocksOf(guide)
  const steps = [...way.matchAll(/[\w/-]+\.ts/gu)].map(([file]) => (file.includes('/') ? file : `http/${file}`))
  t.true(named.length > 8)
  t.is(steps.length, 5)
  for (const file of [...named, ...steps]) t.true((await exists(file)) || (await exists(`src/${file}`)), file)
})

test('the linter enforces exactly the table of imports', async (t) => {
  const { overrides } = asObject(JSON.parse(await readPackageFile('.oxlintrc.json')))
  const isAboutImports = (each: unknown): boolean => 'no-restricted-imports' in asObject(asObject(each)['rules'] ?? {})
  t.deepEqual((overrides as unknown[]).filter(isAboutImports), await importOverrides())
})

test('no two files export the same name', async (t) => {
  const files = new Map<string, string[]>()
  for (const file of await readdir(join(packageFolder, 'src'), { recursive: true })) {
    if (!/\.tsx?$/u.test(file)) continue
    const text = await readFile(join(packageFolder, 'src', file), 'utf8')
    const names = text.matchAll(/^export (?:async )?(?:class|const|function\*?|interface|type) (\w+)/gmu)
    for (const name of new Set([...names].map(([, found = '']) => found)))
      files.set(name, [...(files.get(name) ?? []), file])
  }
  t.true(files.size > 300)
  const shared = [...files].filter(([, all]) => all.length > 1).map(([name]) => name)
  // The fixtures of both test runners have the same names.
  t.deepEqual(shared, ['doubleFixtures'])
})

test('no files of src import each other in a circle, not even types', async (t) => {
  const imports = new Map<string, readonly string[]>()
  for (const file of await readdir(join(packageFolder, 'src'), { recursive: true })) {
    if (!file.endsWith('.ts')) continue
    const found = (await readPackageFile(`src/${file}`)).matchAll(/ from '(\.[^']*)\.js'$/gmu)
    const paths = [...found].map(([, path = '']) => `${join(file, '..', path)}.ts`)
    imports.set(file, paths)
  }
  t.true(imports.size > 100)
  // Remove the files that import no other file, until only the files of circles are left.
  for (let before = Infinity; imports.size < before;) {
    before = imports.size
    for (const [file, others] of imports) if (!others.some((other) => imports.has(other))) imports.delete(file)
  }
  t.deepEqual([...imports.keys()], [])
})

test('the text that a mutant replaces is in its file exactly once', async (t) => {
  for (const { file, search } of mutants)
    t.is((await readPackageFile(`src/${file}`)).split(search).length, 2, `${file}: ${search}`)
})

/** Packages and files that only one file or folder imports, by a pattern of their names. */
const homes: readonly (readonly [pattern: string, file: string])[] = [
  ['@stoplight/', 'src/contract/prism/*.ts'],
  [String.raw`(\.\.?/)+(contract/)?prism/(?!index\.js$)`, 'src/contract/prism/*.ts'],
  ['lowdb(/|$)', 'src/state/store.ts'],
  ['(node:)?process$', 'src/node-process.ts'],
]

const foreign = ['#src/', 'insights-double(/|$)']

const message = 'CONTRIBUTING.md says what each folder imports.'

function override(files: readonly string[], forbidden: readonly string[]): unknown {
  const isTop = files.some((file) => file.split('/').length === 2)
  const packages = homes.filter(([, file]) => !files.includes(file)).map(([pattern]) => pattern)
  const patterns = [
    { regex: `^(${[...packages, ...foreign].join('|')})`, message: 'One home each: see CONTRIBUTING.md.' },
    { regex: `^${isTop ? String.raw`\./` : String.raw`(\.\./)+`}(${forbidden.join('|')})(/|\\.js$)`, message },
  ]
  return { files, rules: { 'no-restricted-imports': ['error', { patterns }] } }
}

/** Creates the overrides of `.oxlintrc.json` that restrict imports. */
async function importOverrides(): Promise<unknown[]> {
  const rows = tableOf(sectionOf(await readPackageFile('CONTRIBUTING.md'), 'Which folder imports which'))
  const table = new Map(rows.map(([folder = '', imports = '']) => [codesIn(folder)[0] ?? '', codesIn(imports)]))
  const leaves = table.get('*') ?? []
  table.delete('*')
  const names = (await readdir(join(packageFolder, 'src'))).map((name) => basename(name, '.ts')).toSorted()
  const others = names.filter((name) => !leaves.includes(name))
  const [processFile] = homes.flatMap(([, file]) => (file.split('/').length === 2 ? [file] : []))
  const leafFiles = leaves.map((leaf) => `src/${leaf}.ts`).filter((file) => file !== processFile)
  return [
    override(['src/*.ts'], ['cli', 'index']),
    override(leafFiles, others),
    override([processFile ?? ''], others),
    ...[...table].flatMap(([folder, imports]) => {
      const forbidden = others.filter((name) => name !== folder && !imports.includes(name))
      const own = homes.map(([, file]) => file).filter((file) => file.startsWith(`src/${folder}/`))
      return [[`src/${folder}/**/*.ts`], ...[...new Set(own)].map((file) => [file])].map((files) =>
        override(files, forbidden),
      )
    }),
  ]
}
