/**
 * Deletes at a steady rate from a double that keeps a state file of 1,000 records, and prints the times until a delete is
 * acknowledged. For comparison, prints the times that the same disk takes to write and flush a file of the same size.
 *
 * Usage: npm run bench:deletes -- [seconds=60] [perSecond=100]
 */
import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { connectDouble, type FixtureDocument } from 'insights-double'

import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { as, exchange } from '../helpers/http.js'
import { numberArguments, cpuMsOf, print, printTable, quantile } from '../helpers/scripts.js'
import { spawnDouble } from '../helpers/spawn-double.js'
import { makeFixture } from './make-fixture.js'

const { perSecond, seconds } = numberArguments({ perSecond: 100, seconds: 60 })
const records = 1000

// Not in the system's temporary folder, which may be memory.
await using folder = await createTemporaryFolder(join(packageFolder, 'build'))
const { file } = await makeFixture(folder.path, records)
const state = join(folder.path, 'state.json')

/** Writes and flushes files of the size of the state file, as the double does. @returns The milliseconds of each. */
async function baseline(bytes: Buffer): Promise<readonly number[]> {
  const took: number[] = []
  const name = join(folder.path, 'baseline')
  while (took.length < 50) {
    const started = performance.now()
    await writeFile(`${name}.new`, bytes, { flush: true })
    await rename(`${name}.new`, name)
    const within = await open(folder.path, 'r')
    await within.sync()
    await within.close()
    took.push(performance.now() - started)
  }
  return took
}

async function deleteOne(url: string, id: string): Promise<number> {
  const started = performance.now()
  const { status } = await exchange(new URL(`${url}/insights/${id}`), 'DELETE', { headers: as('ada') })
  if (status !== 204) throw new Error(`DELETE ${id} was answered with ${status}`)
  return performance.now() - started
}

await using served = await spawnDouble({ words: ['--state', state, '--fixture', file, '--log', 'silent'] })
const double = connectDouble(served.url)
const full = JSON.parse(await readFile(file, 'utf8')) as FixtureDocument
const bytes = await readFile(state)
const before = await baseline(bytes)
const acknowledged: Promise<number>[] = []
const cpuBefore = await cpuMsOf(served.pid)
const started = performance.now()
for (let count = 0; count < seconds * perSecond; count++) {
  const ahead = started + (count * 1000) / perSecond - performance.now()
  if (ahead > 0) await wait(ahead)
  const index = count % (records / 2)
  // Half of the records are kept, so that the size of the file stays similar. The others are restored while no delete is pending.
  if (index === 0 && count > 0) await Promise.all(acknowledged).then(() => double.setState(full))
  acknowledged.push(deleteOne(served.url, `record-${index + 1}`))
}
const took = await Promise.all(acknowledged)
const lasted = (performance.now() - started) / 1000
const cpuMs = (await cpuMsOf(served.pid)) - cpuBefore
const after = await baseline(bytes)

const writes = [...before, ...after]
const row = (name: string, values: readonly number[]): readonly string[] => [
  name,
  ...[0.5, 0.99, 1].map((part) => quantile(values, part).toFixed(1)),
]
print(
  `${took.length} deletes in ${lasted.toFixed(1)} s, a state file of ${Math.round(bytes.length / 1024)} KiB, ${(cpuMs / took.length).toFixed(1)} ms of CPU each`,
)
printTable([
  ['milliseconds', 'p50', 'p99', 'most'],
  row('delete, acknowledged', took),
  row('write and flush alone', writes),
  ['times', ...[0.5, 0.99, 1].map((part) => (quantile(took, part) / quantile(writes, part)).toFixed(2))],
])
