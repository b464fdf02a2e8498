/**
 * Starts the double and others, in turn, and prints how long each takes until it answers.
 *
 * Usage: npm run bench:ready -- [runs=7]
 */
import { cpuMsOf, folderForNow, median, numberGiven, quantile, sayTable } from '../helpers/scripts.js'
import { makeFixture } from './fixture.js'
import { double, installRivals, plainKoa, start } from './rivals.js'

const runs = numberGiven('runs', 7)

await using folder = await folderForNow()
const { list, listFile } = await makeFixture(folder.path, 20)
const contestants = [double('default'), plainKoa(listFile), ...(await installRivals(folder.path, list))]
const figures = new Map(contestants.map(({ name }) => [name, [] as number[]]))
const cpu = new Map(contestants.map(({ name }) => [name, [] as number[]]))
for (let run = 0; run < runs; run++) {
  for (const contestant of contestants) {
    await using serving = await start(contestant)
    figures.get(contestant.name)?.push(serving.readyMs)
    cpu.get(contestant.name)?.push(await cpuMsOf(serving.pid))
  }
}
const own = median(figures.get('double') ?? [])
const ownCpu = median(cpu.get('double') ?? [])
sayTable([
  ['ready to answer', 'median ms', 'least', 'most', 'double takes', 'CPU ms', 'double takes'],
  ...[...figures].map(([name, values]) => [
    name,
    ...[median(values), quantile(values, 0), quantile(values, 1)].map((value) => value.toFixed(0)),
    name === 'double' ? '' : `${(own / median(values)).toFixed(2)} times`,
    median(cpu.get(name) ?? []).toFixed(0),
    name === 'double' ? '' : `${(ownCpu / median(cpu.get(name) ?? [])).toFixed(2)} times`,
  ]),
])
