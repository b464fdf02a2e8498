import { spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import type { Served } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, get } from './helpers/http.js'
import { commandFile } from './helpers/spawn-double.js'
import { succeeds, until } from './helpers/until.js'
import { project } from './helpers/user-project.js'

/**
 * Runs a script that starts a double in the background and prints its process id, and waits until the double is ready.
 *
 * @returns `pid` is that of the background process of the script, `group` that of the process group.
 */
async function start(
  t: ExecutionContext,
  script: string,
  env: Readonly<Record<string, string | undefined>> = {},
  scripts: Readonly<Record<string, string>> = { start: 'DOUBLE' },
) {
  const command = `node ${JSON.stringify(commandFile)} --port 0 --memory --report report.json`
  const manifest = JSON.stringify({ scripts }).replace('DOUBLE', JSON.stringify(command).slice(1, -1))
  const folder = await project(t, { 'package.json': manifest })
  const child = spawn('sh', ['-c', script.replace('DOUBLE', command)], {
    cwd: folder,
    // Standard output stays open in the double after the shell has ended.
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
    detached: true,
  })
  const group = child.pid ?? 0
  t.teardown(() => signal(-group, 'SIGKILL'))
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  t.true(await until(() => /ready at \S+ [^]*try .*\n/u.test(text)), text)
  return { url: match(/ready at (\S+)/u, text), pid: Number(match(/pid (\d+)/u, text)), group, folder }
}

const match = (pattern: RegExp, text: string): string => pattern.exec(text)?.[1] ?? ''

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const isServing = (url: string): Promise<boolean> =>
  succeeds(fetch(`${url}/insights`).then((response) => response.arrayBuffer()))
const isGone = (url: string): Promise<boolean> => until(async () => !(await isServing(url)))

const isWritten = (file: string): Promise<boolean> => succeeds(access(file))

/** Asserts that the double responds to a request with a delay of a second, and serves after it. */
async function servesForASecond(t: ExecutionContext, { url }: Served): Promise<void> {
  const { status } = await get({ url }, '/insights', { ...as('ada'), prefer: 'delay-ms=1000' })
  t.is(status, 200)
  t.true(await isServing(url))
}

test('a double that npm started stops when npm gets SIGTERM', async (t) => {
  const { folder, pid, url } = await start(t, 'npm start & echo pid $!; wait')
  signal(pid, 'SIGTERM')
  t.true(await isGone(url))
  t.true(await until(() => isWritten(join(folder, 'report.json'))), 'it stopped, and was not killed')
})

test('a double that npm started sends the pending responses and stops when npm is killed', async (t) => {
  const { folder, pid, url } = await start(t, 'npm start & echo pid $!; wait')
  const answer = get({ url }, '/insights', { ...as('ada'), prefer: 'delay-ms=60000' })
  // A response to a later request shows that the earlier one has arrived.
  await get({ url }, '/')
  signal(pid, 'SIGKILL')
  t.is((await answer).status, 200)
  t.true(await isGone(url))
  t.true(await until(() => isWritten(join(folder, 'report.json'))), 'it stopped, and was not killed')
})

test('a double that npx started stops when npx is killed', async (t) => {
  const words = '--offline insights-double --port 0 --memory'
  const { pid, url } = await start(t, `npx ${words} & echo pid $!; wait`)
  signal(pid, 'SIGKILL')
  t.true(await isGone(url))
})

test('Ctrl-C in a terminal reaches the double twice, and stops it gracefully', async (t) => {
  // A shell without job control starts background processes that ignore Ctrl-C.
  const { folder, group, url } = await start(t, 'echo pid $$; exec npm start')
  signal(-group, 'SIGINT')
  t.true(await isGone(url))
  t.true(await until(() => isWritten(join(folder, 'report.json'))))
})

test('npm start in the background continues after its shell has ended, and so does the double', async (t) => {
  await servesForASecond(t, await start(t, 'npm start & echo pid $!'))
})

test('a double that an npm script left running runs until npm stops', async (t) => {
  const untilReady = 'until grep -q try out; do sleep 0.1; done; cat out'
  const commands = { prestart: `DOUBLE > out & ${untilReady}`, start: 'sleep 1000' }
  const started = await start(t, 'npm start & echo pid $!; wait', {}, commands)
  await servesForASecond(t, started)
  await servesForASecond(t, started)
  signal(started.pid, 'SIGKILL')
  t.true(await isGone(started.url))
})

test('a double that was started without npm continues after its shell has ended', async (t) => {
  await servesForASecond(t, await start(t, 'DOUBLE & echo pid $!', { npm_lifecycle_event: undefined }))
})

test('a double in its own session continues after npm has ended', async (t) => {
  const folder = await temporaryFolder(t)
  const script = `setsid DOUBLE >'${folder}/out' & echo pid $!; until grep -q try '${folder}/out'; do sleep 0.1; done; cat '${folder}/out'`
  const started = await start(t, script, { npm_lifecycle_event: 'start' })
  t.teardown(() => signal(started.pid, 'SIGKILL'))
  await servesForASecond(t, started)
})
