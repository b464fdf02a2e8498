/**
 * Removes the guarantees one by one, and runs the tests that must fail.
 *
 * Each mutant is a change of one line in a copy of the project. The test files that are named for it run first. If they pass,
 * the whole suite runs. It is an error if a mutant survives, or if its text is not found exactly once.
 *
 * Usage: npm run test:mutants -- [--only <number>[,<number>…]] [--named]
 * With `--named`, only the files that are named for a mutant run.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { print, printTable } from '../helpers/scripts.js'
import { copyProject } from './copy-project.js'
import { type Mutant, mutants } from './list.js'

const { values } = parseArgs({ options: { only: { type: 'string' }, named: { type: 'boolean', default: false } } })
const all = [...mutants.entries()]
const chosen =
  values.only === undefined
    ? all
    : values.only.split(',').flatMap((number) => all.filter(([index]) => index + 1 === Number(number)))

await using folder = await createTemporaryFolder()
const project = await copyProject(folder.path)
const rows: string[][] = [['', 'guarantee', 'file', 'killed by']]
let wrong = chosen.length === 0 ? 1 : 0
for (const [index, mutant] of chosen) {
  const { isKilled, by } = await kill(mutant)
  if (!isKilled) wrong++
  rows.push([String(index + 1), mutant.guarantee, mutant.file, by])
  print(`${index + 1} of ${mutants.length}  ${mutant.guarantee}: ${by}`)
}
print('')
printTable(rows)
print(`\n${chosen.length - wrong} of ${chosen.length} killed`)
if (wrong > 0) process.exitCode = 1

/** Applies a mutant, runs the suite, and restores the file. @returns The test that failed, or another error. */
async function kill({ file, killedBy, replace, search }: Mutant): Promise<{ isKilled: boolean; by: string }> {
  const source = await project.read(file)
  const times = source.split(search).length - 1
  if (times !== 1) return { isKilled: false, by: `NOT APPLIED: its text occurs ${times} times, not once` }
  try {
    await project.write(file, source.split(search).join(replace))
    const mistakes = await project.build()
    if (mistakes !== '') return { isKilled: false, by: `NOT APPLIED: ${mistakes}` }
    const named = killedBy.map((name) => `test/${name}.test.ts`)
    const missing = named.find((name) => !existsSync(join(packageFolder, name)))
    if (missing !== undefined) return { isKilled: false, by: `NOT TRIED: there is no ${missing}` }
    const failed = (await project.firstFailure(named)) ?? (values.named ? undefined : await project.firstFailure([]))
    return { isKilled: failed !== undefined, by: failed ?? 'SURVIVED' }
  } finally {
    await project.write(file, source)
  }
}
