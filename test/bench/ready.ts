/**
 * Imports the package and starts doubles in a new process, and prints how long each takes. Then starts the double and other servers, in
 * turn, and prints the time until the first response of each.
 *
 * Usage: npm run bench:ready -- [runs=7]
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { numberArguments, cpuMsOf, printTable, median, quantile } from '../helpers/scripts.js'
import { double, installOthers, plainKoa, start } from './compared-servers.js'
import { makeFixture } from './make-fixture.js'

const { runs } = numberArguments({ runs: 7 })

/** Measures the package in a separate process, loaded as in a user's test. The second call of each kind does not have the costs that occur once. */
const measureInProcess = `
const entry = process.argv[1]
const times = []
const time = async (run) => {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const result = await run()
  const { user, system } = process.cpuUsage(cpu)
  times.push({ ms: performance.now() - started, cpuMs: (user + system) / 1000 })
  return result
}
const { startDouble } = await time(async () => entry.endsWith('.cjs') ? require(entry) : import(entry))
const one = await time(() => startDouble())
const two = await time(() => startDouble())
await time(() => one.sandbox())
await time(() => two.sandbox())
await one.stop()
await two.stop()
console.log(JSON.stringify(times))`

const calls = ['import', 'first start', 'second start', 'first call', 'first call of the second']

interface Time {
  readonly ms: number
  /** CPU time of all threads. */
  readonly cpuMs: number
}

/** Measures an entry of the package. @returns A row of times, and one of CPU times. */
async function measureCalls(name: string, entry: string): Promise<readonly string[][]> {
  const times: Time[][] = []
  for (let run = 0; run < runs; run++) {
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--eval',
      `(async () => {${measureInProcess}})()`,
      entry,
    ])
    times.push(JSON.parse(stdout) as Time[])
  }
  const row = (of: (time: Time) => number): string[] =>
    calls.map((_, call) => median(times.flatMap((each) => each[call] ?? []).map(of)).toFixed(1))
  return [
    [name, ...row(({ ms }) => ms)],
    [`${name}, CPU`, ...row(({ cpuMs }) => cpuMs)],
  ]
}

printTable([
  ['milliseconds', ...calls],
  ...(await measureCalls('ES module', `${packageFolder}/bundle/index.js`)),
  ...(await measureCalls('CommonJS', `${packageFolder}/bundle/index.cjs`)),
])

await using folder = await createTemporaryFolder()
const { list, listFile } = await makeFixture(folder.path, 20)
const servers = [double('default'), plainKoa(listFile), ...(await installOthers(folder.path, list))]
const figures = new Map(servers.map(({ name }) => [name, [] as Time[]]))
for (let run = 0; run < runs; run++)
  for (const server of servers) {
    await using serving = await start(server)
    figures.get(server.name)?.push({ ms: serving.readyMs, cpuMs: await cpuMsOf(serving.pid) })
  }
const of = (name: string, key: keyof Time): number[] => (figures.get(name) ?? []).map((each) => each[key])
const ratio = (name: string, key: keyof Time): string =>
  name === 'double' ? '' : `${(median(of('double', key)) / median(of(name, key))).toFixed(2)} times`
printTable([
  ['ready to answer', 'median ms', 'least', 'most', 'double takes', 'CPU ms', 'double takes'],
  ...servers.map(({ name }) => [
    name,
    ...[0.5, 0, 1].map((part) => quantile(of(name, 'ms'), part).toFixed(0)),
    ratio(name, 'ms'),
    median(of(name, 'cpuMs')).toFixed(0),
    ratio(name, 'cpuMs'),
  ]),
])
