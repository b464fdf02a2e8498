/**
 * Stops a double again and again while clients keep it busy, and checks each time that no request was lost.
 *
 * Usage: npm run test:stop -- [times=20] [seed=1] [clients=50] [signalWithinMs=200]
 */
import { join } from 'node:path'

import { folderForNow, median, numberGiven, quantile, say } from '../helpers/scripts.js'
import { seededRandom } from '../helpers/seeded-random.js'
import type { Stopped } from './busy.js'
import { stopBusy } from './busy.js'

const times = numberGiven('times', 20)
const seed = numberGiven('seed', 1)
const clients = numberGiven('clients', 50)
const signalWithinMs = numberGiven('signalWithinMs', 200)

await using folder = await folderForNow()
const random = seededRandom(seed)
const done: Stopped[] = []
const wrong: string[] = []
for (let number = 1; number <= times; number++) {
  const stopped = await stopBusy({ file: join(folder.path, `${number}.json`), clients, random, signalWithinMs })
  done.push(stopped)
  if (stopped.code !== 0) wrong.push(`stop ${number}: exit ${stopped.code}`)
  if (stopped.tookMs > 5000) wrong.push(`stop ${number}: took ${Math.round(stopped.tookMs)} ms`)
  wrong.push(...stopped.wrong.map((text) => `stop ${number}: ${text}`))
}
const sum = (pick: (stopped: Stopped) => number): number => done.reduce((total, one) => total + pick(one), 0)
const took = done.map(({ tookMs }) => tookMs)
say(`${times} stops, seed ${seed}, ${clients} clients`)
say(`  under way at the signal: ${sum((one) => one.inFlight)}`)
say(`  answered: ${sum((one) => one.answeredBefore)} sent before it, ${sum((one) => one.answeredAfter)} after it`)
say(`  sent after it and turned away: ${sum((one) => one.turnedAway)}`)
say(`  from signal to exit: median ${Math.round(median(took))} ms, longest ${Math.round(quantile(took, 1))} ms`)
say(`  wrong: ${wrong.length}`)
for (const text of wrong) say(`    ${text}`)
if (wrong.length > 0) process.exitCode = 1
