/** The overrides of the linter that restrict imports: those that the table in CONTRIBUTING.md defines, and those of `.oxlintrc.json`. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { asObject } from './as-object-or-list.js'
import { packageFolder } from './package-folder.js'
import { codesIn, sectionOf, tableOf } from './read-markdown.js'
import { readPackageFile } from './read-repository-file.js'

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
export async function importOverrides(): Promise<unknown[]> {
  const rows = tableOf(sectionOf(await readPackageFile('CONTRIBUTING.md'), 'Which folder imports which'))
  const table = new Map(
    rows.map(([folder = '', imports = '']) => [codesIn(folder)[0] ?? '', codesIn(imports)] as const),
  )
  const leaves = table.get('*') ?? []
  table.delete('*')
  const names = (await readdir(join(packageFolder, 'src'))).map((name) => basename(name, '.ts')).toSorted()
  const others = names.filter((name) => !leaves.includes(name))
  const [processFile] = homes.flatMap(([, file]) => (file.split('/').length === 2 ? [file] : []))
  return [
    override(['src/*.ts'], ['cli', 'index']),
    override(
      leaves.map((leaf) => `src/${leaf}.ts`).filter((file) => file !== processFile),
      others,
    ),
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

/** Reads the overrides of `.oxlintrc.json` that restrict imports. */
export async function configuredOverrides(): Promise<unknown[]> {
  const { overrides } = asObject(JSON.parse(await readPackageFile('.oxlintrc.json')))
  return (overrides as unknown[]).filter((each) => 'no-restricted-imports' in asObject(asObject(each)['rules'] ?? {}))
}
