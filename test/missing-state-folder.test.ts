import { rename } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'

import test from 'ava'

import { idsOnDisk, serveOnWatchedDisk } from './helpers/disk.js'
import { as, assertError, del } from './helpers/http.js'

/** Longer than it takes the lock's holder to give its next sign of life, which then finds no lock to give it with. Milliseconds. */
const longGoneMs = 7000

test('deletes succeed again after the folder was missing for long, unless another double locked it', async (t) => {
  const double = await serveOnWatchedDisk(t)
  await rename(double.folder, `${double.folder}-away`)
  assertError(t, await del(double, '/insights/monstera-watering', as('ada')), 500)
  await wait(longGoneMs)
  await rename(`${double.folder}-away`, double.folder)
  const reply = await del(double, '/insights/monstera-watering', as('ada'))
  t.is(reply.status, 204, reply.text)
  t.is((await idsOnDisk(double.file)).length, 11)
})
