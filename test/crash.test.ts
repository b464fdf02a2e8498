import { join } from 'node:path'

import test from 'ava'

import { crash } from './crash/rounds.js'
import { temporaryFolder } from './helpers/double.js'
import { seededRandom } from './helpers/random.js'

test('no acknowledged delete is lost when the double is killed, and it starts again', async (t) => {
  const file = join(await temporaryFolder(t), 'state.json')
  const random = seededRandom(20)
  let acknowledged = 0
  for (let round = 1; round <= 3; round++) {
    const { wrong, ...counts } = await crash({ file, random, clients: 8, killWithinMs: 200 })
    t.deepEqual(wrong, [], `round ${round}: ${JSON.stringify(counts)}`)
    acknowledged += counts.acknowledged
  }
  t.log(`3 kills, ${acknowledged} deletes acknowledged, none lost`)
  t.true(acknowledged > 0)
})
