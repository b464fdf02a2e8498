import { rename } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

import test from 'ava'

import { as, assertError, del } from './helpers/http.js'
import { idsOnDisk, serveOnWatchedDisk } from './helpers/watched-disk.js'

/** Longer than the interval at which the holder updates its lock, so that an update finds no lock. Milliseconds. */
const longGoneMs = 7000

test('deletes succeed again after the folder of the state file was missing for longer than a lock is valid', async (t) => {
  const double = await serveOnWatchedDisk(t)
  await rename(double.folder, `${double.folder}-away`)
  assertError(t, await del(double, '/insights/monstera-watering', as('ada')), 500)
  await wait(longGoneMs)
  await rename(`${double.folder}-away`, double.folder)
  const reply = await del(double, '/insights/monstera-watering', as('ada'))
  t.is(reply.status, 204, reply.text)
  t.is((await idsOnDisk(double.file)).length, 11)
})
