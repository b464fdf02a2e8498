import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { sharedId, usedRoles } from './crash/crash-client.js'
import { crash } from './crash/kill-and-compare.js'
import { temporaryFolder } from './helpers/files.js'
import { makePlants, plantsFixture } from './helpers/many-plants.js'
import { seededRandom } from './helpers/seeded-random.js'

test('after kill -9, the state file has every acknowledged change and no refused change, and has all other changes completely or not at all', async (t) => {
  const folder = await temporaryFolder(t)
  const [file, fixture] = [join(folder, 'state', 'state.json'), join(folder, 'fixture.json')]
  await writeFile(fixture, plantsFixture([{ id: sharedId, name: 'Shared' }, ...makePlants(500)]))
  const random = seededRandom(20)
  const acknowledged = new Map<string, number>()
  for (let round = 1; round <= 3; round++) {
    const { counts, wrong } = await crash({ file, fixture, random, clients: 8, killWithin: 500, round })
    t.deepEqual(wrong, [], `round ${round}`)
    for (const [role, found] of counts) acknowledged.set(role, (acknowledged.get(role) ?? 0) + found.acknowledged)
  }
  t.log(`3 kills, acknowledged: ${[...acknowledged].map(([role, count]) => `${count} × ${role}`).join(', ')}`)
  for (const role of usedRoles) t.true((acknowledged.get(role) ?? 0) > 0, role)
})
