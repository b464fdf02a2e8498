/**
 * Prints one table of what the double costs: each row with its bar, if it has one. With another commit, builds that and measures both in turn.
 *
 * Usage: npm run bench -- [--compare <commit>] [only=start,lists] [pairs=5] [seconds=2] [requests=1000000]
 */
import { execFile } from 'node:child_process'
import { cp, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { createTemporaryFolder, packageFolder } from '../helpers/files.js'
import { median, numberArguments, print, printTable, wordArgument } from '../helpers/scripts.js'
import { type Figure, groupsIn } from './groups.js'

const { pairs } = numberArguments({ pairs: 5 })
const run = promisify(execFile)
await using folder = await createTemporaryFolder(join(packageFolder, 'build'))
const groups = groupsIn(folder.path)

/** Builds a commit in a folder of its own, with the installed packages. */
async function buildCommit(commit: string): Promise<string> {
  const build = join(folder.path, 'other')
  await run('git', ['clone', '--quiet', '--shared', packageFolder, build])
  await run('git', ['checkout', '--quiet', commit], { cwd: build })
  await symlink(join(packageFolder, 'node_modules'), join(build, 'node_modules'))
  await cp(join(packageFolder, 'test/types/node_modules'), join(build, 'test/types/node_modules'), { recursive: true })
  await run('npm', ['run', 'build'], { cwd: build, maxBuffer: 2 ** 26 })
  return build
}

const at = process.argv.indexOf('--compare')
const builds = [packageFolder, ...(at === -1 ? [] : [await buildCommit(process.argv[at + 1] ?? 'HEAD')])]
const only = wordArgument('only')?.split(',') ?? Object.keys(groups)
const rows = [['', 'figure', 'bar', '', ...(builds.length > 1 ? ['before', 'ratio'] : [])]]
for (const [name, measure] of Object.entries(groups).filter(([each]) => only.includes(each))) {
  const measured = builds.map((): (readonly Figure[])[] => [])
  const rounds = ['install', 'memory'].includes(name) ? 1 : pairs
  for (let round = 0; round < rounds; round++)
    for (const [index, build] of builds.entries()) measured[index]?.push(await measure(build))
  const valueOf = (index: number, row: number): number =>
    median((measured[index] ?? []).flatMap((figures) => figures[row]?.value ?? []))
  for (const [row, { bar, isLeast = false, name: title, unit }] of (measured[0]?.[0] ?? []).entries()) {
    const value = valueOf(0, row)
    const isMet = bar === undefined || (isLeast ? value >= bar : value <= bar)
    const before = valueOf(1, row)
    const ratio = isLeast ? before / value : value / before
    if (builds.length > 1 && ratio > 1.1) process.exitCode = 1
    const shown = (each: number): string => each.toFixed(each >= 20 ? 0 : 2)
    const limit = bar === undefined ? '' : `${isLeast ? 'at least' : 'at most'} ${bar}`
    const compared = builds.length > 1 ? [shown(before), ratio.toFixed(2)] : []
    rows.push([title, `${shown(value)} ${unit}`, limit, isMet ? '' : 'missed', ...compared])
  }
  print(`${name} is measured`)
}
printTable(rows)
