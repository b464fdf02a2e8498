import promises, { readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import test from 'ava'

import { acquireLock } from '#src/state/state-file.js'

import { control } from './helpers/control.js'
import { serve } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, assertError, del, idsSeenBy } from './helpers/http.js'
import { validFixture } from './helpers/refusals.js'
import { until } from './helpers/until.js'

test('a double does not write after another one has taken over its state file', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await serve(t, { state })
  const listed = await idsSeenBy(double, 'ada')
  // The result of a takeover: another holder, an updated lock, and another state.
  await writeFile(`${state}.holder`, JSON.stringify({ pid: process.ppid, host: `not-${hostname()}`, thread: '1@1' }))
  const later = new Date(Date.now() + 60_000)
  // The double updates its lock every two and a half seconds, and then notices the takeover. The time of the lock is set repeatedly,
  // because the double may update the lock at the same moment.
  t.true(
    await until(async () => {
      await utimes(`${state}.lock`, later, later)
      return (await control(double, 'POST', '/reset')).status === 500
    }),
  )

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
