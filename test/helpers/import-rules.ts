/** The linter's rules for imports, made from the table in CONTRIBUTING.md. */
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { asObject, readPackageFile } from './double.js'
import { codesIn, sectionOf, tableOf } from './markdown.js'
import { packageFolder } from './scripts.js'

/** Packages that one place alone may import, by the pattern of their names. */
const homes: readonly (readonly [pattern: string, home: string])[] = [
  ['@stoplight/', 'src/contract/prism.ts'],
  ['lowdb(/|$)', 'src/state/store.ts'],
  ['(node:)?process$', 'src/node-process.ts'],
]
const never = ['#src/', 'insights-double(/|$)']

/** Makes the overrides of `.oxlintrc.json` that restrict imports. */
export async function importOverrides(): Promise<unknown[]> {
  const rows = tableOf(sectionOf(await readPackageFile('CONTRIBUTING.md'), 'Which folder imports which'))
  const allowed = new Map(
    rows.map(([folder = '', imports = '']) => [[...codesIn(folder)][0] ?? '', [...codesIn(imports)]] as const),
  )
  const names = (await readdir(join(packageFolder, 'src'))).map((name) => basename(name, '.ts')).toSorted()
  const leaves = allowed.get('*') ?? []
  return [...allowed]
    .filter(([folder]) => folder !== '*')
    .flatMap(([folder, imports]) => {
      const forbidden = names.filter((name) => name !== folder && !imports.includes(name) && !leaves.includes(name))
      const own = homes.filter(([, home]) => home.startsWith(`src/${folder}/`) || home === `src/${folder}.ts`)
      const isFile = leaves.includes(folder) || folder === 'src'
      const files = folder === 'src' ? 'src/*.ts' : isFile ? `src/${folder}.ts` : `src/${folder}/**/*.ts`
      const rule = (homesHere: readonly string[]): unknown => {
        const packages = homes.filter(([, home]) => !homesHere.includes(home)).map(([pattern]) => pattern)
        return {
          'no-restricted-imports': [
            'error',
            {
              patterns: [
                { regex: `^(${[...packages, ...never].join('|')})`, message: 'See CONTRIBUTING.md: one home each.' },
                {
                  regex: `^\\.{1,2}/(\\.\\./)*(${forbidden.join('|')})(/|\\.js$)`,
                  message: `See CONTRIBUTING.md: what ${folder} may import.`,
                },
              ],
            },
          ],
        }
      }
      return [{ files: [files], rules: rule([]) }, ...own.map(([, home]) => ({ files: [home], rules: rule([home]) }))]
    })
}

/** The overrides of `.oxlintrc.json` that restrict imports. */
export async function configuredOverrides(): Promise<unknown[]> {
  const config = asObject(JSON.parse(await readPackageFile('.oxlintrc.json')))
  return (config['overrides'] as unknown[]).filter((override) =>
    Object.hasOwn(asObject(asObject(override)['rules']), 'no-restricted-imports'),
  )
}
