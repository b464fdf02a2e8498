/**
 * Runs the setups: small projects, each with another test runner, that install the packed package into an empty folder. In each, `npm test`
 * must pass, `npm run failing` must fail and show the requests of the failed test, and no process may be left. Needs npm's registry.
 *
 * Usage: npm run test:setups -- [only=vitest,playwright]
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { asObject } from '../helpers/as-object-or-list.js'
import { browserScript } from '../helpers/browser.js'
import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { freePort } from '../helpers/port.js'
import { print, printTable, wordArgument } from '../helpers/scripts.js'
import { until } from '../helpers/until.js'

/** Finds running processes by a variable of their environment. */
async function processesWith(variable: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name))
  const environments = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')))
  return pids.filter((_, index) => environments[index]?.includes(variable))
}

/** Runs a command to its end, and two seconds later ends the processes that still run. @returns `left`: their ids. */
async function run(cwd: string, words: readonly string[], variables: Readonly<Record<string, string>>) {
  const { INSIGHTS_DOUBLE_URL: _url, NODE_ENV: _mode, ...env } = process.env
  const mark = randomUUID()
  const [file = '', ...rest] = words
  const child = spawn(file, rest, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, NO_COLOR: '1', CI: '1', ...variables, SETUP_RUN: mark },
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('exit', resolve).once('error', reject)
  })
  let left: readonly string[] = []
  await until(async () => (left = await processesWith(`SETUP_RUN=${mark}`)).length === 0, 2000)
  for (const pid of left) process.kill(Number(pid), 'SIGKILL')
  return { code, text, left }
}

/** Installs a setup, and runs its tests. @returns The failures. */
async function tryOut(name: string, tarball: string, variables: Readonly<Record<string, string>>): Promise<string[]> {
  await using folder = await createTemporaryFolder()
  const cwd = join(folder.path, name)
  await cp(join(packageFolder, 'test/setups', name), cwd, { recursive: true })
  const ports = { INSIGHTS_PORT: String(await freePort()), APP_PORT: String(await freePort()) }
  const env = { ...variables, ...ports }
  const installed = await run(cwd, ['npm', 'install', '--no-audit', '--no-fund', tarball], env)
  if (installed.code !== 0) return ['cannot be installed', installed.text]
  const passing = await run(cwd, ['npm', 'test'], env)
  const failing = await run(cwd, ['npm', 'run', 'failing'], env)
  const wrong = [
    ...(passing.code === 0 ? [] : ['npm test fails', passing.text]),
    ...(failing.code === 0 ? ['npm run failing passes', failing.text] : []),
    ...(/breaks the contract/u.test(failing.text) && !/The client broke the contract/u.test(failing.text)
      ? ['accepts a client that breaks the contract', failing.text]
      : []),
    ...(/DELETE +\S*\/insights\/monstera-watering\b/u.test(failing.text) ? [] : ['shows no journal', failing.text]),
  ]
  const left = passing.left.length + failing.left.length
  return left === 0 ? wrong : [...wrong, `leaves ${left} processes`]
}

const all = (await readdir(join(packageFolder, 'test/setups'), { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const only = wordArgument('only')?.split(',') ?? all
await using folder = await createTemporaryFolder()
const packed = await run(packageFolder, [process.execPath, 'scripts/pack.js', folder.path], {})
const tarball = (await readdir(folder.path)).find((file) => file.endsWith('.tgz')) ?? ''
if (packed.code !== 0 || tarball === '') throw new Error(packed.text)
const browser = await browserScript(folder.path)

const rows = [['setup', 'runner', 'result', 'seconds']]
for (const name of all.filter((each) => only.includes(each))) {
  const started = performance.now()
  const problems = await tryOut(name, join(folder.path, tarball), { CHROMIUM: browser })
  for (const problem of problems) print(`${name}: ${problem}`)
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'test/setups', name, 'package.json'), 'utf8'))
  const runners = Object.entries(asObject(asObject(manifest)['devDependencies'] ?? {})).map((pair) => pair.join(' '))
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  rows.push([name, runners.join(', '), problems.length === 0 ? 'passes' : 'fails', seconds])
  if (problems.length > 0) process.exitCode = 1
}
printTable(rows)
