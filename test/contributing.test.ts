import { access, readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { asObject } from './helpers/as-object-or-list.js'
import { configuredOverrides, importOverrides } from './helpers/import-lint-overrides.js'
import { packageFolder } from './helpers/package-folder.js'
import { blocksOf, codesIn, sectionOf, tableOf } from './helpers/read-markdown.js'
import { readPackageFile } from './helpers/read-repository-file.js'
import { mutants } from './mutants/list.js'

const readGuide = (): Promise<string> => readPackageFile('CONTRIBUTING.md')
const readManifest = async (): Promise<ReturnType<typeof asObject>> =>
  asObject(JSON.parse(await readPackageFile('package.json')))

const exists = (path: string): Promise<boolean> =>
  access(join(packageFolder, path)).then(
    () => true,
    () => false,
  )

test('every npm script that the guide names exists, and the guide names every script for maintainers', async (t) => {
  const commands = asObject((await readManifest())['scripts'])
  const scripts = Object.keys(commands)
  const named = [...(await readGuide()).matchAll(/`npm (?:run )?([\w:-]+)/gu)].map(([, name = '']) => name)
  t.true(named.length > 8)
  for (const name of named) t.true(name === 'ci' || scripts.includes(name), `npm run ${name}`)
  const isTold = (name: string): boolean => {
    const [whole = ''] = name.split(':')
    const isPart = whole !== name && String(commands[whole]).includes(`npm run ${name}`)
    return !isPart && !name.startsWith('pre')
  }
  t.deepEqual(
    scripts.filter((name) => isTold(name) && !named.includes(name)),
    [],
  )
})

test('.ci/run runs the commands that the guide names', async (t) => {
  const [[commands = '', what = ''] = []] = tableOf(sectionOf(await readGuide(), 'Commands'))
  t.true(what.includes('`.ci/run`'))
  const run = [...(await readPackageFile('.ci/run')).matchAll(/^run (.*)$/gmu)].map(([, command = '']) => command)
  t.deepEqual([...codesIn(commands)], run)
  const check = String(asObject((await readManifest())['scripts'])['check'])
  t.is(check.split(' && ').length, 8, 'types, lint, format, dead code, specs, names, package, documents')
})

test('every file that the guide names exists', async (t) => {
  const guide = await readGuide()
  const folders = /^(?:src|test|spec|contract|state|http|control)\/[\w./-]+\.\w+$/u
  const named = codesIn(guide).flatMap((code) => code.split(' ').filter((word) => folders.test(word)))
  const [, way = ''] = blocksOf(guide).map(({ text }) => text)
  const steps = [...way.matchAll(/[\w/-]+\.ts/gu)].map(([file]) => (file.includes('/') ? file : `http/${file}`))
  t.true(named.length > 8)
  t.is(steps.length, 5)
  for (const file of [...named, ...steps]) t.true((await exists(file)) || (await exists(`src/${file}`)), file)
})

test('the map names exactly the files and folders of src', async (t) => {
  const [map = ''] = blocksOf(await readGuide()).map(({ text }) => text)
  const entries: string[] = []
  for (const [, indent = '', names = '', text = ''] of map.matchAll(/^( *)(\S+(?:, \S+)*)(?: {2,}(.*))?$/gmu)) {
    const isInSource = indent !== ''
    for (const name of names.split(', ')) {
      t.true(await exists(isInSource ? `src/${name}` : name), name)
      if (isInSource) entries.push(name)
    }
    for (const [file] of text.matchAll(/\b[\w-]+\.ts\b/gu)) {
      const isBeside = isInSource && !names.endsWith('/')
      t.true(await exists(isBeside ? `src/${file}` : `src/${names}${file}`), `${names} ${file}`)
      if (isBeside) entries.push(file)
    }
  }
  const found = await readdir(join(packageFolder, 'src'), { withFileTypes: true })
  const there = found.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  t.deepEqual([...new Set(entries)].toSorted(), there.toSorted())
})

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly hasInstallScript?: boolean }>>
}

test('the table lists every dependency of the package; all are pinned, and none has an install script', async (t) => {
  const section = sectionOf(await readGuide(), 'Runtime dependencies')
  const rows = tableOf(section).map(([name = '', , why = '']) => ({ name: codesIn(name)[0] ?? '', why }))
  const { dependencies, devDependencies } = await readManifest()
  t.deepEqual(rows.map(({ name }) => name).toSorted(), Object.keys(asObject(dependencies)).toSorted())
  const pinned = { ...asObject(dependencies), ...asObject(devDependencies) }
  for (const [name, version] of Object.entries(pinned)) t.regex(String(version), /^\d+\.\d+\.\d+$/u, name)

  const { packages } = JSON.parse(await readPackageFile('package-lock.json')) as Lock
  for (const [path, { hasInstallScript }] of Object.entries(packages)) t.not(hasInstallScript, true, path)
  for (const { name, why } of rows) {
    const copies = Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`))
    if (why.includes('the one Prism resolves to')) {
      const byPrism = Object.keys(packages).filter(
        (path) => path.startsWith('node_modules/@stoplight/') && path.endsWith(`/node_modules/${name}`),
      )
      t.deepEqual(byPrism, [], name)
    }
    t.true(copies.includes(`node_modules/${name}`), name)
    const [, version] = /^(\d[\d.]*) is the newest/u.exec(why) ?? []
    if (version !== undefined) t.true(`${String(pinned[name])}.`.startsWith(`${version}.`), name)
  }
  for (const [, name = '', version = ''] of section.matchAll(/`(ava|typescript)` (\d[\d.]*\d|\d)/gu))
    t.true(`${String(pinned[name])}.`.startsWith(`${version}.`), name)
})

test('the linter enforces exactly the table of imports', async (t) => {
  t.deepEqual(await configuredOverrides(), await importOverrides())
})

test('the glossary has at most 25 terms, each with a meaning of one sentence', async (t) => {
  const rows = tableOf(sectionOf(await readGuide(), 'Glossary'))
  t.true(rows.length <= 25, String(rows.length))
  for (const [term = '', meaning = ''] of rows) t.notRegex(meaning, /\. /u, term)
})

test('no two files export the same name', async (t) => {
  const files = new Map<string, string[]>()
  for (const file of await readdir(join(packageFolder, 'src'), { recursive: true })) {
    if (!file.endsWith('.ts')) continue
    const text = await readFile(join(packageFolder, 'src', file), 'utf8')
    const names = text.matchAll(/^export (?:async )?(?:class|const|function\*?|interface|type) (\w+)/gmu)
    for (const name of new Set([...names].map(([, found = '']) => found)))
      files.set(name, [...(files.get(name) ?? []), file])
  }
  t.true(files.size > 500)
  const shared = [...files].filter(([, all]) => all.length > 1).map(([name]) => name)
  // The fixtures of both test runners have the same names.
  t.deepEqual(shared, ['doubleFixtures'])
})

test('no files of src import each other in a circle, not even types', async (t) => {
  const imports = new Map<string, readonly string[]>()
  for (const file of await readdir(join(packageFolder, 'src'), { recursive: true })) {
    if (!file.endsWith('.ts')) continue
    const found = (await readPackageFile(`src/${file}`)).matchAll(/ from '(\.[^']*)\.js'$/gmu)
    imports.set(
      file,
      [...found].map(([, path = '']) => `${join(file, '..', path)}.ts`),
    )
  }
  t.true(imports.size > 200)
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
