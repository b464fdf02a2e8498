/**
 * Stops doubles while clients keep them busy, and checks each time that no request was lost.
 *
 * Usage: npm run test:stop -- [times=20] [seed=1] [clients=50] [signalWithinMs=200]
 */
import { join } from 'node:path'

import { createTemporaryFolder } from '../helpers/files.js'
import { numberArguments, print, median, quantile } from '../helpers/scripts.js'
import { seededRandom } from '../helpers/seeded-random.js'
import { stopBusyDouble, type Stopped } from './stop-busy-double.js'

const { times, seed, clients, signalWithinMs } = numberArguments({
  times: 20,
  seed: 1,
  clients: 50,
  signalWithinMs: 200,
})

await using folder = await createTemporaryFolder()
const random = seededRandom(seed)
const done: Stopped[] = []
const wrong: string[] = []
for (let number = 1; number <= times; number++) {
  const stopped = await stopBusyDouble({ file: join(folder.path, `${number}.json`), clients, random, signalWithinMs })
  done.push(stopped)
  if (stopped.code !== 0) wrong.push(`stop ${number}: exit ${stopped.code}`)
  if (stopped.tookMs > 5000) wrong.push(`stop ${number}: took ${Math.round(stopped.tookMs)} ms`)
  wrong.push(...stopped.wrong.map((text) => `stop ${number}: ${text}`))
}
const sum = (pick: (stopped: Stopped) => number): number => done.reduce((total, one) => total + pick(one), 0)
const took = done.map(({ tookMs }) => tookMs)
print(`${times} stops, seed ${seed}, ${clients} clients`)
print(`  in progress at the signal: ${sum((one) => one.inFlight)}`)
print(
  `  with a response: ${sum((one) => one.answeredBefore)} sent before the signal, ${sum((one) => one.answeredAfter)} after it`,
)
print(`  sent after the signal, without a response: ${sum((one) => one.turnedAway)}`)
print(`  from signal to exit: median ${Math.round(median(took))} ms, longest ${Math.round(quantile(took, 1))} ms`)
print(`  wrong: ${wrong.length}`)
for (const text of wrong) print(`    ${text}`)
if (wrong.length > 0) process.exitCode = 1
