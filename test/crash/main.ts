/**
 * Kills a double at random moments while clients create, read, list, update, replace and remove records. Checks after each kill that the
 * state file contains all acknowledged changes and no refused one.
 *
 * Usage: npm run test:crash -- [rounds=200] [seed=1] [clients=8] [killWithin=200] [startWithinMs=20000] [records=5000]
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { createTemporaryFolder } from '../helpers/files.js'
import { makePlants, plantsFixture, plantsSpec } from '../helpers/many-plants.js'
import { numberArguments, print, median, quantile } from '../helpers/scripts.js'
import { seededRandom } from '../helpers/seeded-random.js'
import { spawnDouble } from '../helpers/spawn-double.js'
import { type Counts, sharedId, usedRoles } from './crash-client.js'
import { crash, type Round } from './kill-and-compare.js'

const { rounds, seed, clients, killWithin, startWithinMs, records } = numberArguments({
  rounds: 200,
  seed: 1,
  clients: 8,
  killWithin: 200,
  startWithinMs: 20_000,
  records: 5000,
})

await using folder = await createTemporaryFolder()
const file = join(folder.path, 'state', 'state.json')
const fixture = join(folder.path, 'fixture.json')
await writeFile(fixture, plantsFixture([{ id: sharedId, name: 'Shared' }, ...makePlants(records)]))
const random = seededRandom(seed)
const done: Round[] = []
const wrong: string[] = []
for (let number = 1; number <= rounds; number++) {
  const round = await crash({ file, fixture, random, clients, killWithin, round: number })
  done.push(round)
  if (round.readyMs > startWithinMs) wrong.push(`round ${number}: the start took ${Math.round(round.readyMs)} ms`)
  wrong.push(...round.wrong.map((text) => `round ${number}: ${text}`))
  for (const text of round.wrong) print(`round ${number}: ${text.slice(0, 1000)}`)
  if (number % 20 === 0) print(`${number} of ${rounds} rounds, ${wrong.length} wrong`)
}
await using last = await spawnDouble({
  words: ['--spec', plantsSpec, '--state', file, '--fixture', fixture, '--log', 'silent'],
})
await last.end('SIGTERM')

const sum = (pick: (round: Round) => number): number => done.reduce((total, round) => total + pick(round), 0)
const starts = done.map(({ readyMs }) => readyMs)
print(`${rounds} kills, seed ${seed}, ${clients} clients, ${records} records`)
const countOf = (role: string, pick: (counts: Counts) => number): number =>
  sum(({ counts }) => {
    const found = counts.get(role)
    return found ? pick(found) : 0
  })
for (const role of usedRoles) {
  const [sent, acknowledged, refused] = [
    countOf(role, (counts) => counts.sent),
    countOf(role, (counts) => counts.acknowledged),
    countOf(role, (counts) => counts.refused),
  ]
  print(`  ${role}: ${sent} sent, ${acknowledged} acknowledged, ${refused} refused`)
}
print(`  unacknowledged changes: ${sum(({ kept }) => kept)} in the file, ${sum(({ lost }) => lost)} not`)
print(`  records at the end: ${done.at(-1)?.records ?? 0}`)
print(`  kills during a write: ${done.filter(({ leftBehind }) => leftBehind > 0).length}`)
print(`  starts: median ${Math.round(median(starts))} ms, longest ${Math.round(quantile(starts, 1))} ms`)
print(`  wrong: ${wrong.length}`)
for (const text of wrong) print(`    ${text}`)
const isIdle = usedRoles.some((role) => countOf(role, ({ acknowledged }) => acknowledged) === 0)
if (wrong.length > 0 || isIdle) process.exitCode = 1
