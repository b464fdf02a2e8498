/**
 * Kills a double at random moments while clients delete, again and again, and checks after each that nothing acknowledged was lost.
 *
 * Usage: npm run test:crash -- [rounds=200] [seed=1] [clients=8] [killWithinMs=200] [startWithinMs=2000] [records=1000]
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { largeFixture } from '../helpers/large.js'
import { seededRandom } from '../helpers/random.js'
import { folderForNow, median, numberGiven, quantile, say } from '../helpers/scripts.js'
import { spawnDouble } from '../helpers/spawned.js'
import type { Round } from './rounds.js'
import { crash } from './rounds.js'

const rounds = numberGiven('rounds', 200)
const seed = numberGiven('seed', 1)
const clients = numberGiven('clients', 8)
const killWithinMs = numberGiven('killWithinMs', 200)
const startWithinMs = numberGiven('startWithinMs', 2000)
const records = numberGiven('records', 1000)

await using folder = await folderForNow()
const file = join(folder.path, 'state', 'state.json')
const fixture = join(folder.path, 'fixture.json')
await writeFile(fixture, largeFixture(records))
const random = seededRandom(seed)
const done: Round[] = []
const wrong: string[] = []
for (let number = 1; number <= rounds; number++) {
  const round = await crash({ file, fixture, random, clients, killWithinMs })
  done.push(round)
  if (round.readyMs > startWithinMs) wrong.push(`round ${number}: the start took ${Math.round(round.readyMs)} ms`)
  wrong.push(...round.wrong.map((text) => `round ${number}: ${text}`))
  if (number % 20 === 0) say(`${number} of ${rounds} rounds, ${wrong.length} wrong`)
}
await using last = await spawnDouble({ words: ['--state', file, '--fixture', fixture, '--log', 'silent'] })
await last.end('SIGTERM')

const sum = (pick: (round: Round) => number): number => done.reduce((total, round) => total + pick(round), 0)
const starts = done.map(({ readyMs }) => readyMs)
say(`${rounds} kills, seed ${seed}, ${clients} clients, ${records} records`)
say(
  `  deletes: ${sum((r) => r.requested)} sent, ${sum((r) => r.acknowledged)} acknowledged, ${sum((r) => r.deleted)} on disk`,
)
say(`  kills that fell into a write: ${done.filter(({ leftBehind }) => leftBehind > 0).length}`)
say(`  starts: median ${Math.round(median(starts))} ms, longest ${Math.round(quantile(starts, 1))} ms`)
say(`  wrong: ${wrong.length}`)
for (const text of wrong) say(`    ${text}`)
if (wrong.length > 0 || sum(({ acknowledged }) => acknowledged) === 0) process.exitCode = 1
