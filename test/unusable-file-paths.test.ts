import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { ProblemsError } from 'insights-double'

import { exits, run, runInOneProcess, scriptOf } from './helpers/cli.js'
import { startDouble } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import type { Ended } from './helpers/test-host-client.js'

/** Creates what a path names. @param at - Returns the path of a name. */
type Make = (at: (name: string) => string, t: ExecutionContext) => unknown
/** A path, the reason in the message, and what creates the path. */
type Kind = readonly [path: string, reason: RegExp, make?: Make]

const makeFifo = (path: string): unknown => execFileSync('mkfifo', [path])

async function makeSocket(path: string, t: ExecutionContext): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, () => resolve()))
  t.teardown(() => void server.close())
}

const cycle = /its symlinks form a cycle/u
const makeCycle: Make = (at) => Promise.all([symlink('b.json', at('a.json')), symlink('a.json', at('b.json'))])
const linkFifo: Make = (at) => Promise.all([makeFifo(at('fifo')), symlink('fifo', at('a.json'))])
const noFolder = /whose folder does not exist|no such file or folder/u
const kinds = {
  'a symlink that leads to itself': ['a.json', cycle, makeCycle],
  'a path through a symlink that leads to itself': ['loop/a.json', cycle, (at) => symlink('loop', at('loop'))],
  'a FIFO': ['a.json', /it is a FIFO/u, (at) => makeFifo(at('a.json'))],
  'a symlink to a FIFO': ['a.json', /it is a FIFO/u, linkFifo],
  'a socket': ['a.json', /it is a socket/u, (at, t) => makeSocket(at('a.json'), t)],
  'a device': ['a.json', /it is a device/u, (at) => symlink('/dev/null', at('a.json'))],
  'a folder': ['a.json', /it is a folder/u, (at) => mkdir(at('a.json'))],
  'a path through a file': ['file/a.json', /a part of its path is a file/u, (at) => writeFile(at('file'), '')],
  'a name that is too long': [`${'x'.repeat(300)}.json`, /its name is too long/u],
  'a symlink into a folder that is not there': ['a.json', noFolder, (at) => symlink('gone/b.json', at('a.json'))],
} satisfies Readonly<Record<string, Kind>>

/** Creates the path of a kind in a folder. @returns It, relative to the folder. */
async function create(t: ExecutionContext, folder: string, [path, , make]: Kind): Promise<string> {
  await make?.((name) => join(folder, name), t)
  return path
}

/** The arguments of the command for each flag and path. */
const flags: Readonly<Record<string, (path: string) => readonly string[]>> = {
  '--state': (path) => ['--port', '0', '--state', path],
  '--fixture': (path) => ['--port', '0', '--memory', '--fixture', path],
  '--spec': (path) => ['--port', '0', '--memory', '--spec', path],
  '--report': (path) => ['--port', '0', '--memory', '--report', path],
  '--out': (path) => ['state', '--out', path, '--url', 'http://127.0.0.1:1'],
}

for (const [title, kind] of Object.entries(kinds))
  for (const option of ['state', 'fixture', 'spec', 'overlay', 'handlers'] as const)
    test(`the option ${option} with ${title} stops the start, and the message names the flag and the reason`, async (t) => {
      const folder = await temporaryFolder(t)
      const path = join(folder, await create(t, folder, kind))
      const error = await t.throwsAsync(startDouble({ [option]: path }), { instanceOf: ProblemsError })
      const message = error?.message ?? ''
      t.true(message.startsWith(`${path}  `), message)
      t.regex(message, kind[1])
      t.true(message.includes(`--${option}`), message)
      t.false(message.includes('\n'), message)
    })

test('a FIFO does not block the command: each flag with a FIFO ends it, and the message names the flag and the reason', async (t) => {
  const cwd = await temporaryFolder(t)
  const path = await create(t, cwd, kinds['a FIFO'])
  const ended = await runInOneProcess(Object.values(flags).map((words) => ({ words: words(path), cwd, env: {} })))
  t.is(ended.length, 5)
  for (const [index, flag] of Object.keys(flags).entries()) {
    const each = ended[index]
    if (each) assertRefused(t, each, flag, kinds['a FIFO'][1])
  }
})

/** Flags with other paths, one command for each. */
const held: readonly (readonly [flag: string, kind: keyof typeof kinds])[] = [
  ['--state', 'a symlink that leads to itself'],
  ['--state', 'a device'],
  ['--report', 'a symlink that leads to itself'],
  ['--report', 'a path through a file'],
  ['--report', 'a symlink into a folder that is not there'],
  ['--out', 'a folder'],
  ['--out', 'a name that is too long'],
]
for (const [flag, kind] of held)
  test(`${flag} with ${kind} ends the command, and the message names the flag and the reason`, async (t) => {
    const cwd = await temporaryFolder(t)
    const words = flags[flag]?.(await create(t, cwd, kinds[kind])) ?? []
    assertRefused(t, await run(t, words, { cwd }), flag, kinds[kind][1])
  })

for (const flag of ['--report', '--out'])
  test(`${flag} in a folder where no file can be created ends the command, and the message names the flag and the reason`, async (t) => {
    const words = flags[flag]?.('/sys/insights.json') ?? []
    assertRefused(t, await run(t, words), flag, /permission denied|read-only|no such file or folder/u)
  })

test('--state in a folder below /proc ends the command at once', async (t) => {
  for (const path of ['/proc/none/state.json', '/proc/self/none/deeper/state.json']) {
    const ended = await run(t, flags['--state']?.(path) ?? [])
    assertRefused(t, ended, '--state', /no such file or folder|permission denied/u)
  }
})

test('state --out creates no file if the command fails', async (t) => {
  const cwd = await temporaryFolder(t)
  await exits(t, 2, ['state', '--out', 'a.json', '--url', 'http://127.0.0.1:1'], { cwd })
  t.deepEqual(await readdir(cwd), [])
})

const noFolders: Readonly<Record<string, Kind>> = {
  'a symlink that leads to itself': ['loop', /cycle/u, (at) => symlink('loop', at('loop'))],
  'a FIFO': ['fifo', /a file, not a folder/u, (at) => makeFifo(at('fifo'))],
  'a file': ['file', /a file, not a folder/u, (at) => writeFile(at('file'), '')],
  'a name that is too long': ['x'.repeat(300), /its name is too long/u],
  'a path that does not exist': ['gone', /no such file or folder/u],
}
for (const [title, kind] of Object.entries(noFolders))
  test(`the option fixtures with ${title} stops the start, and the message names the flag and the reason`, async (t) => {
    const folder = await temporaryFolder(t)
    const fixtures = join(folder, await create(t, folder, kind))
    const error = await t.throwsAsync(startDouble({ fixtures }), { instanceOf: ProblemsError })
    t.regex(error?.message ?? '', kind[1])
    t.regex(error?.message ?? '', /--fixtures$/u)
  })

test('check --fixtures with a FIFO ends the command', async (t) => {
  const cwd = await temporaryFolder(t)
  execFileSync('mkfifo', [join(cwd, 'fifo')])
  const ended = await run(t, ['check', '--fixtures', 'fifo'], { cwd })
  assertRefused(t, ended, '--fixtures', /a file, not a folder/u)
})

/** Root has every permission. So if the tests run as root, these commands run as the user nobody, all in one process. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const runner = new URL('helpers/run-in-this-process.js', import.meta.url).href
test('a path in a folder without permission ends the command, and the message names the flag and the reason', async (t) => {
  const cwd = await temporaryFolder(t)
  await chmod(cwd, 0o755)
  await mkdir(join(cwd, 'closed'))
  await writeFile(join(cwd, 'closed', 'a.json'), '{}')
  await chmod(join(cwd, 'closed'), 0o000)
  const commands = Object.values(flags).map((words) => ({ words: words('closed/a.json'), cwd, env: {} }))
  const node = (...args: readonly string[]): ReturnType<typeof spawnSync> =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', ...args], { ...nobody, cwd, encoding: 'utf8' })
  if (node(`await import(${JSON.stringify(runner)})`).status !== 0) {
    t.log('skipped: only root can read this checkout')
    t.pass()
    return
  }
  const { stderr, stdout } = node(scriptOf(commands))
  await chmod(join(cwd, 'closed'), 0o700)
  t.is(stderr, '')
  const ended = JSON.parse(String(stdout)) as readonly Ended[]
  for (const [index, flag] of Object.keys(flags).entries()) {
    t.is(ended[index]?.code, 2)
    t.regex(ended[index]?.stderr ?? '', /permission denied/u)
    t.true(ended[index]?.stderr.includes(flag), ended[index]?.stderr)
  }
})

function assertRefused(t: ExecutionContext, ended: Ended, flag: string, reason: RegExp): void {
  const { code, stderr, stdout } = ended
  t.is(code, 2, stdout + stderr)
  t.is(stdout, '')
  t.is(stderr.trimEnd().split('\n').length, 1, stderr)
  t.true(stderr.includes(flag), stderr)
  t.regex(stderr, reason)
}
