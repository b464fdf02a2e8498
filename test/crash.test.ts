import { join } from 'node:path'

import test from 'ava'

import { crash } from './crash/rounds.js'
import { temporaryFolder } from './helpers/double.js'
import { seededRandom } from './helpers/random.js'

/** Longer, and the start waited for the dead process's lock to grow stale. */
const startWithinMs = 10_000

test('no acknowledged delete is lost when the double is killed, and it starts again at once', async (t) => {
  t.timeout(120_000)
  const file = join(await temporaryFolder(t), 'state.json')
  const random = seededRandom(20)
  let acknowledged = 0
  for (let round = 1; round <= 5; round++) {
    const { wrong, readyMs, ...counts } = await crash({ file, random, clients: 8, killWithinMs: 200 })
    t.deepEqual(wrong, [], `round ${round}: ${JSON.stringify(counts)}`)
    t.true(readyMs < startWithinMs)
    acknowledged += counts.acknowledged
  }
  t.log(`5 kills, ${acknowledged} deletes acknowledged, none lost`)
  t.true(acknowledged > 0)
})
