import promises, { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { hostname } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import test, { type ExecutionContext } from 'ava'
import { type DoubleHandle, ProblemsError, startDouble } from 'insights-double'

import { acquireLock } from '#src/state/state-file.js'

import { exits, launch } from './helpers/cli.js'
import { control, serve, serveHere } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, assertError, del, idsSeenBy } from './helpers/http.js'
import { validFixture } from './helpers/refusals.js'
import { succeeds, until } from './helpers/until.js'

const ready = /ready at (\S+) [^]*try /u

test('a second double on a state file does not start, changes no file, and names the process that holds the file', async (t) => {
  const cwd = await temporaryFolder(t)
  const folder = join(cwd, '.insights-double')
  const first = await serveHere(t, { state: join(folder, 'state.json') })
  const filesOf = async () => [await readdir(folder), await readFile(join(folder, 'state.json'), 'utf8')]
  const files = await filesOf()
  for (const flags of [[], ['--fresh']]) {
    const { stderr, stdout } = await exits(t, 2, ['--port', '0', ...flags], { cwd })
    t.is(stdout, '')
    const problem = `.insights-double/state.json  is in use by the double with pid ${process.pid}  stop that double`
    t.true(stderr.startsWith(problem), stderr)
    t.regex(stderr, /--state.*--memory/u)
  }
  t.deepEqual(await filesOf(), files)
  t.is((await del(first, '/insights/monstera-watering', as('ada'))).status, 204)
})

const spellings: Readonly<Record<string, (state: string) => string | Promise<string>>> = {
  'by the same path': (state) => state,
  'by a relative path': (state) => relative('', state),
  'by a path that contains ./': (state) => `${dirname(state)}/./${basename(state)}`,
  'by a symlink to the file': async (state) => {
    const link = join(dirname(state), 'link.json')
    await symlink(state, link)
    return link
  },
  'by a symlink to its folder': async (state) => {
    const link = `${dirname(state)}/../link-${basename(dirname(state))}`
    await symlink(dirname(state), link)
    return join(link, basename(state))
  },
}
for (const [title, spell] of Object.entries(spellings))
  test(`two doubles of one process cannot use one state file that is given ${title}`, async (t) => {
    const folder = join(await temporaryFolder(t), 'inner')
    await mkdir(folder)
    const state = join(folder, 'state.json')
    const first = await serveHere(t, { state })
    const starting = startDouble({ state: await spell(state) })
    t.teardown(() => succeeds(starting.then((second) => second.stop())))
    const error = await t.throwsAsync(starting, { instanceOf: ProblemsError })
    t.true(error?.message.includes(`is in use by the double with pid ${process.pid}`), error?.message)
    t.is((await del(first, '/insights/monstera-watering', as('ada'))).status, 204)
  })

test('only one of several parallel starts with one state file in one process succeeds', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const starts = await Promise.allSettled(Array.from({ length: 5 }, () => startDouble({ state })))
  const winners: DoubleHandle[] = []
  for (const start of starts)
    if (start.status === 'fulfilled') winners.push(start.value)
    else t.true(start.reason instanceof ProblemsError, String(start.reason))
  t.teardown(() => Promise.all(winners.map((winner) => winner.stop())))
  t.is(winners.length, 1)
})

test('only one of two processes that start in parallel with one state file succeeds, and the other names the process id of the first', async (t) => {
  const cwd = await temporaryFolder(t)
  const first = await startTwo(t, cwd)
  t.is((await del(first, '/insights/monstera-watering', as('ada'))).status, 204)
  t.is((await first.end('SIGKILL')).code, null)
  // The time of the lock is an hour in the future. A start that waits until the lock is old would wait for an hour.
  const inAnHour = new Date(Date.now() + 3_600_000)
  await utimes(join(cwd, '.insights-double', 'state.json.lock'), inAnHour, inAnHour)
  t.regex((await startTwo(t, cwd)).said, /records {2}insights 11 .*\n.*continued/u)
})

/** Starts two processes, and asserts that the second is refused. @returns The one that serves. */
async function startTwo(t: ExecutionContext, cwd: string) {
  const starts = await Promise.all(Array.from({ length: 2 }, () => launch(t, ['--port', '0'], { cwd })))
  const outcomes = await Promise.all(
    starts.map(async (start) => {
      const [said = '', url = ''] = await start.printed(ready).catch(() => [])
      return { ...start, said, url }
    }),
  )
  const [winner, ...others] = outcomes.filter(({ url }) => url !== '')
  t.deepEqual(others, [])
  if (!winner) throw new Error('None has started')
  const { code, stderr } = (await outcomes.find(({ url }) => url === '')?.ended) ?? {}
  t.is(code, 2)
  t.true(stderr?.includes(`is in use by the double with pid ${winner.pid}  `), stderr)
  return winner
}

test('the lock of a double that was killed before it wrote its id expires', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  await mkdir(`${state}.lock`)
  const longAgo = new Date(Date.now() - 60_000)
  await utimes(`${state}.lock`, longAgo, longAgo)
  t.is((await idsSeenBy(await serveHere(t, { state }), 'ada'))[0], 'monstera-watering')
})

test('a double does not write after another one has taken over its state file', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await serve(t, { state })
  const listed = await idsSeenBy(double, 'ada')
  // The result of a takeover: another holder, an updated lock, and another state.
  await writeFile(`${state}.holder`, JSON.stringify({ pid: process.ppid, host: `not-${hostname()}`, thread: '1@1' }))
  const later = new Date(Date.now() + 60_000)
  // The double updates its lock every two and a half seconds, and then notices the takeover. The time of the lock is set repeatedly,
  // because the double may update the lock at the same moment.
  const isNoticed = async () => {
    await utimes(`${state}.lock`, later, later)
    return (await control(double, 'POST', '/reset')).status === 500
  }
  t.true(await until(isNoticed))
  await writeFile(state, validFixture)
  const reply = await del(double, '/insights/monstera-watering', as('ada'))
  assertError(t, reply, 500)
  t.regex(reply.text, /another double has taken over .*state\.json/u)
  t.is(await readFile(state, 'utf8'), validFixture)
  t.deepEqual(await idsSeenBy(double, 'ada'), listed)
  await double.stop()
  t.is(await readFile(state, 'utf8'), validFixture)
})

test('the release of a lock succeeds if the lock is lost during the release', async (t) => {
  const file = join(await temporaryFolder(t), 'state.json')
  const lock = await acquireLock(file, file)
  const { rm: remove } = promises
  t.teardown(() => {
    promises.rm = remove
    syncBuiltinESMExports()
  })
  // The lock is updated every two and a half seconds. So it is updated before the holder file is removed.
  promises.rm = async (path, options) => {
    if (path === `${file}.holder`) await wait(4000)
    return remove(path, options)
  }
  syncBuiltinESMExports()
  await rm(`${file}.lock`, { recursive: true })
  await t.notThrowsAsync(lock.release())
})
