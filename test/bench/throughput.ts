/**
 * Lists 20, 1,000 and 10,000 records, by the double and by others, in turn, and prints how they compare.
 *
 * Usage: npm run bench:throughput -- [rounds=3] [seconds=3] [clients=32] [sizes=20,1000,10000]
 */
import { folderForNow, median, numberGiven, say, sayTable, wordGiven } from '../helpers/scripts.js'
import { makeFixture } from './fixture.js'
import { hasWrk, requestsPerSecond } from './load.js'
import type { Contestant } from './rivals.js'
import { double, installRivals, plainKoa, start } from './rivals.js'

const rounds = numberGiven('rounds', 3)
const seconds = numberGiven('seconds', 3)
const clients = numberGiven('clients', 32)
const sizes = (wordGiven('sizes') ?? '20,1000,10000').split(',').map(Number)

async function measure(contestants: readonly Contestant[]): Promise<ReadonlyMap<string, number>> {
  const figures = new Map(contestants.map(({ name }) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const contestant of contestants) {
      await using serving = await start(contestant)
      await requestsPerSecond(serving.url, clients, 1)
      figures.get(contestant.name)?.push(await requestsPerSecond(serving.url, clients, seconds))
    }
  }
  return new Map([...figures].map(([name, values]) => [name, median(values)]))
}

say(`${hasWrk ? 'wrk' : 'own load'}, ${clients} clients, ${rounds} rounds of ${seconds} s in turn, medians`)
const rows = [['list of', 'by', 'requests/s', 'double is']]
for (const size of sizes) {
  await using folder = await folderForNow()
  const { file, list, listFile } = await makeFixture(folder.path, size)
  const rivals = await installRivals(folder.path, list)
  const figures = await measure([double(file), plainKoa(listFile), ...rivals])
  const own = figures.get('double') ?? Number.NaN
  for (const [name, value] of figures)
    rows.push([`${size}`, name, value.toFixed(0), name === 'double' ? '' : `${(own / value).toFixed(2)} times`])
}
sayTable(rows)
