import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { sharedId, usedRoles } from './crash/crash-client.js'
import { crash } from './crash/kill-and-compare.js'
import { temporaryFolder } from './helpers/files.js'
import { makePlants, plantsFixture } from './helpers/many-plants.js'
import { often } from './helpers/repetitions.js'
import { seededRandom } from './helpers/seeded-random.js'

const rounds = often(3, 200)
const records = often(500, 5000)

test(`after each of ${rounds} kills -9, the state file has every acknowledged change and no refused change, and has all other changes completely or not at all`, async (t) => {
  const folder = await temporaryFolder(t)
  const [file, fixture] = [join(folder, 'state', 'state.json'), join(folder, 'fixture.json')]
  await writeFile(fixture, plantsFixture([{ id: sharedId, name: 'Shared' }, ...makePlants(records)]))
  const random = seededRandom(20)
  const total = { kept: 0, lost: 0 }
  const acknowledged = new Map<string, number>()
  for (let round = 1; round <= rounds; round++) {
    const { counts, kept, lost, wrong } = await crash({ file, fixture, random, clients: 8, killWithin: 500, round })
    t.deepEqual(wrong, [], `round ${round}`)
    total.kept += kept
    total.lost += lost
    for (const [role, found] of counts) acknowledged.set(role, (acknowledged.get(role) ?? 0) + found.acknowledged)
  }
  t.log(`acknowledged: ${[...acknowledged].map(([role, count]) => `${count} × ${role}`).join(', ')}`)
  t.log(`unacknowledged changes: ${total.kept} in the file, ${total.lost} not`)
  for (const role of usedRoles) t.true((acknowledged.get(role) ?? 0) > 0, role)
})
