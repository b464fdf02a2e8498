/**
 * Reads, lists, creates, updates and removes records of a double that keeps a state file, and of json-server, in turn. Prints the
 * ratios, and how the cost of a request grows with ten times as many records.
 *
 * Usage: npm run bench:crud -- [rounds=3] [seconds=3] [warmUp=5] [clients=32] [sizes=1000,10000]
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { makePlants, plantsFixture, plantsSpec } from '../helpers/many-plants.js'
import { numberArguments, print, printTable, wordArgument, median } from '../helpers/scripts.js'
import { commandFile } from '../helpers/spawn-double.js'
import type { ComparedServer, Serving } from './compared-servers.js'
import { installPackages, jsonServer, jsonServerPackage, start } from './compared-servers.js'
import { type Figures, loads, measureLoad, type Plants } from './measure-load.js'

const { rounds, seconds, warmUp, clients } = numberArguments({ rounds: 3, seconds: 3, warmUp: 5, clients: 32 })
const sizes = (wordArgument('sizes') ?? '1000,10000').split(',').map(Number)

/** The minimum ratio of the requests per second of a double to those of json-server, at 1,000 and 10,000 records. */
const bars = new Map([
  ['read by id', [5, 12]],
  ['filtered page', [8, 40]],
  ['create', [5, 10]],
  ['update', [5, 10]],
  ['remove', [5, 10]],
])

interface Asked {
  readonly prepare: () => Promise<ComparedServer>
  readonly words: Omit<Plants, 'records'>
}

interface Measured {
  readonly figures: Map<string, readonly Figures[]>
  /** Resident memory after all requests. */
  mb: number
}

// Not in the system's temporary folder, which may be memory.
await using folder = await createTemporaryFolder(join(packageFolder, 'build'))
const isCompared = await installPackages(folder.path, [jsonServerPackage])

async function serversOf(records: number): Promise<ReadonlyMap<string, Asked>> {
  const plants = makePlants(records)
  const fixture = join(folder.path, `of-${records}.json`)
  await writeFile(fixture, plantsFixture(plants))
  const state = join(folder.path, `state-of-${records}.json`)
  const words = ['--spec', plantsSpec, '--fixture', fixture, '--state', state, '--fresh', '--log', 'silent']
  const double: ComparedServer = {
    name: 'double',
    command: (port) => [commandFile, '--port', `${port}`, ...words],
    path: '/plants?limit=1',
  }
  const asked = new Map<string, Asked>([
    [
      'double',
      { prepare: async () => double, words: { size: 'limit', page: 'page', patch: 'application/merge-patch+json' } },
    ],
  ])
  if (!isCompared) return asked
  const data = join(folder.path, `data-of-${records}.json`)
  const other = jsonServer(folder.path, data, '/plants/plant-1')
  const prepare = async (): Promise<ComparedServer> => {
    await writeFile(data, JSON.stringify({ plants }))
    return other
  }
  return asked.set(other.name, { prepare, words: { size: '_limit', page: '_page', patch: 'application/json' } })
}

async function residentMbOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/mu.exec(text)?.[1]) / 1024
}

interface Running {
  readonly records: number
  readonly serving: Serving
  readonly words: Asked['words']
  readonly measured: Measured
}

/** Measures all servers in turn for each kind of request, so that the load of the machine is the same for all names and sizes. */
async function measureAll(): Promise<ReadonlyMap<number, ReadonlyMap<string, Measured>>> {
  const servers: Running[] = []
  const bySize = new Map<number, Map<string, Measured>>()
  try {
    for (const records of sizes) {
      const byName = new Map<string, Measured>()
      bySize.set(records, byName)
      for (const [name, { prepare, words }] of await serversOf(records)) {
        const measured = { figures: new Map<string, Figures[]>(), mb: 0 }
        byName.set(name, measured)
        servers.push({ records, words, serving: await start(await prepare()), measured })
      }
    }
    for (const load of loads)
      for (let round = 0; round <= rounds; round++)
        for (const { records, serving, words, measured } of servers) {
          const { pid, url } = serving
          const options = { origin: new URL(url).origin, pid, clients, load, plants: { records, ...words } }
          // The first round is not counted: Node compiles the server's code in it.
          const found = await measureLoad({ ...options, seconds: round === 0 ? warmUp : seconds })
          if (round === 0) continue
          for (const [kind, each] of Object.entries(found))
            measured.figures.set(kind, [...(measured.figures.get(kind) ?? []), each])
        }
    for (const { measured, serving } of servers) measured.mb = await residentMbOf(serving.pid)
    return bySize
  } finally {
    for (const { serving } of servers) await serving[Symbol.asyncDispose]()
  }
}

const middle = (figures: readonly Figures[], pick: (each: Figures) => number): number => median(figures.map(pick))
const perSecondOf = (figures: readonly Figures[]): number => middle(figures, ({ perSecond }) => perSecond)
const cpuUsOf = (figures: readonly Figures[]): number => middle(figures, ({ cpuUs }) => cpuUs)

print(
  `${clients} clients, ${rounds} rounds of ${seconds} s in turn after ${warmUp} s to warm up, medians; the double has a state file`,
)
const bySize = await measureAll()

const rows = [['records', 'request', 'by', 'requests/s', 'double is', 'bar', 'CPU us a request']]
for (const [size, measured] of bySize) {
  const own = measured.get('double')?.figures
  for (const kind of own?.keys() ?? [])
    for (const [name, { figures }] of measured) {
      const values = figures.get(kind) ?? []
      const ratio = perSecondOf(own?.get(kind) ?? []) / perSecondOf(values)
      const bar = bars.get(kind)?.[sizes.indexOf(size)]
      const compared = name === 'double' ? ['', ''] : [`${ratio.toFixed(1)} times`, bar === undefined ? '' : `${bar}`]
      rows.push([`${size}`, kind, name, perSecondOf(values).toFixed(0), ...compared, cpuUsOf(values).toFixed(0)])
    }
}
printTable(rows)

const [least, most] = [sizes[0], sizes.at(-1)].map((size) => bySize.get(size ?? 0)?.get('double')?.figures)
print(`\ncost of a request to the double with ${sizes.at(-1)} records, as a multiple of the cost with ${sizes[0]}`)
const costs = [['request', 'time', 'CPU', 'bar']]
for (const [kind, few] of least ?? []) {
  const many = most?.get(kind) ?? []
  const isFlat = kind === 'read by id' || kind === 'page'
  costs.push([
    kind,
    (perSecondOf(few) / perSecondOf(many)).toFixed(2),
    (cpuUsOf(many) / cpuUsOf(few)).toFixed(2),
    isFlat ? '1.3' : '',
  ])
}
printTable(costs)

print('\nresident MB after all requests')
const memory = [...bySize].flatMap(([size, measured]) =>
  [...measured].map(([name, { mb }]) => [`${size}`, name, mb.toFixed(0)]),
)
printTable([['records', 'by', 'MB'], ...memory])
