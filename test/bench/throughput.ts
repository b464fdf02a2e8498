/**
 * Requests lists of 20, 1,000 and 10,000 records from the double and from other servers, in turn, and prints the ratios.
 *
 * Usage: npm run bench:throughput -- [rounds=3] [seconds=3] [clients=32] [sizes=20,1000,10000]
 */
import { createTemporaryFolder } from '../helpers/files.js'
import { numberArguments, print, printTable, wordArgument, median } from '../helpers/scripts.js'
import { type ComparedServer, double, installOthers, plainKoa, start } from './compared-servers.js'
import { makeFixture } from './make-fixture.js'
import { type Figures, measureLoad } from './measure-load.js'

const { rounds, seconds, clients } = numberArguments({ rounds: 3, seconds: 3, clients: 32 })
const sizes = (wordArgument('sizes') ?? '20,1000,10000').split(',').map(Number)

async function measure(servers: readonly ComparedServer[]): Promise<ReadonlyMap<string, Figures>> {
  const figures = new Map(servers.map(({ name }) => [name, [] as Figures[]]))
  for (let round = 0; round < rounds; round++)
    for (const { name, ...server } of servers) {
      await using serving = await start({ name, ...server })
      const options = { origin: new URL(serving.url).origin, pid: serving.pid, load: '/insights', clients } as const
      await measureLoad({ ...options, seconds: 1 })
      figures.get(name)?.push(...Object.values(await measureLoad({ ...options, seconds })))
    }
  const middle = (all: readonly Figures[], key: keyof Figures): number => median(all.map((each) => each[key]))
  return new Map(
    [...figures].map(([name, all]) => [name, { perSecond: middle(all, 'perSecond'), cpuUs: middle(all, 'cpuUs') }]),
  )
}

print(`${clients} clients, ${rounds} rounds of ${seconds} s in turn, medians`)
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
