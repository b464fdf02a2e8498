import { createTemporaryFolder } from '../helpers/files.js'
/**
 * Requests lists of 20, 1,000 and 10,000 records from the double and from other servers, in turn, and prints the ratios.
 *
 * Usage: npm run bench:throughput -- [rounds=3] [seconds=3] [clients=32] [sizes=20,1000,10000]
 */
import { cpuMsOf, print, printTable, numberArgument, wordArgument, median } from '../helpers/scripts.js'
import type { ComparedServer } from './compared-servers.js'
import { double, installOthers, plainKoa, start } from './compared-servers.js'
import { makeFixture } from './make-fixture.js'
import { hasWrk, requestsPerSecond } from './measure-load.js'

const rounds = numberArgument('rounds', 3)
const seconds = numberArgument('seconds', 3)
const clients = numberArgument('clients', 32)
const sizes = (wordArgument('sizes') ?? '20,1000,10000').split(',').map(Number)

interface Figures {
  readonly perSecond: number
  /** Processor time of the server for a request, microseconds. */
  readonly cpuUs: number
}

async function measure(servers: readonly ComparedServer[]): Promise<ReadonlyMap<string, Figures>> {
  const figures = new Map(servers.map(({ name }) => [name, { perSecond: [] as number[], cpuUs: [] as number[] }]))
  for (let round = 0; round < rounds; round++) {
    for (const server of servers) {
      await using serving = await start(server)
      await requestsPerSecond(serving.url, clients, 1)
      const before = await cpuMsOf(serving.pid)
      const perSecond = await requestsPerSecond(serving.url, clients, seconds)
      const cpuMs = (await cpuMsOf(serving.pid)) - before
      figures.get(server.name)?.perSecond.push(perSecond)
      figures.get(server.name)?.cpuUs.push((cpuMs * 1000) / (perSecond * seconds))
    }
  }
  return new Map(
    [...figures].map(([name, { cpuUs, perSecond }]) => [name, { perSecond: median(perSecond), cpuUs: median(cpuUs) }]),
  )
}

print(`${hasWrk ? 'wrk' : 'a Node client'}, ${clients} clients, ${rounds} rounds of ${seconds} s in turn, medians`)
const rows = [['list of', 'by', 'requests/s', 'double is', 'CPU us a request', 'double is']]
for (const size of sizes) {
  await using folder = await createTemporaryFolder()
  const { file, list, listFile } = await makeFixture(folder.path, size)
  const others = await installOthers(folder.path, list)
  const figures = await measure([double(file), plainKoa(listFile), ...others])
  const own = figures.get('double')
  for (const [name, { cpuUs, perSecond }] of figures) {
    const times = (ratio: number): string => (name === 'double' ? '' : `${ratio.toFixed(2)} times`)
    const asFast = times((own?.perSecond ?? Number.NaN) / perSecond)
    const asThrifty = times(cpuUs / (own?.cpuUs ?? Number.NaN))
    rows.push([`${size}`, name, perSecond.toFixed(0), asFast, cpuUs.toFixed(0), asThrifty])
  }
}
printTable(rows)
