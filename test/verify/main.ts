/**
 * Verifies the Insights service of the tests in whole runs: with each deviation, alone and with changing values, and without a deviation,
 * with random states; and once more each deviation, and every tenth state, recorded and replayed. Prints the probe that found each deviation. `VERIFY_RUNS` sets the number of runs without a deviation, `VERIFY_SEED`
 * the first seed.
 */
import { seededRandom, shuffled } from '../helpers/seeded-random.js'
import { deviations } from './deviations.js'
import { type Insight, someInsights, startInsights } from './insights-service.js'
import { addChangingValues, findReplayErrors, findReportErrors, type Verified, verify } from './run-verify.js'

const runs = Number(process.env['VERIFY_RUNS'] ?? 1000)
const firstSeed = Number(process.env['VERIFY_SEED'] ?? 1)
const service = await startInsights([])
const failures: string[] = []

/** Verifies the service. Without `may`, it permits only reads. */
function verifyService(may?: readonly string[]): Promise<Verified> {
  service.mayChange = may !== undefined
  return verify(service.url, may ? { may } : {})
}

let startedAt = performance.now()
let requests = 0
const sayCost = (what: string, count: number): void => {
  const milliseconds = Math.round((performance.now() - startedAt) / count)
  process.stdout.write(`${what}: ${Math.round(requests / count)} requests and ${milliseconds} ms for each\n`)
  startedAt = performance.now()
  requests = 0
}

const permittedFor = (probe: string): readonly string[] | undefined =>
  probe.startsWith('deleteInsight:') ? ['deleteInsight=in-1,in-4,in-8'] : undefined

for (const deviation of deviations) {
  for (const switches of [deviation.switches, addChangingValues(deviation.switches)]) {
    service.reset(someInsights(), switches)
    const verified = await verifyService(permittedFor(deviation.probe))
    requests += verified.report.requests
    failures.push(...(await findReportErrors(verified, deviation)))
  }
  process.stdout.write(`| ${deviation.name} | \`${deviation.probe}\` |\n`)
}
for (const { name, probe, switches } of deviations) {
  service.reset(someInsights(), switches)
  const may = permittedFor(probe)
  service.mayChange = may !== undefined
  for (const error of await findReplayErrors(service.url, may)) failures.push(`${name}: ${error}`)
}
sayCost(`${deviations.length} deviations, alone and with changing values`, 2 * deviations.length)

/** Creates a random state: any number of insights, any properties, any access. */
function randomInsights(seed: number): readonly Insight[] {
  const random = seededRandom(seed)
  const names = ['ada', 'grace']
  const insights = Array.from({ length: Math.floor(random() * 30) }, (_, index): Insight => ({
    id: `${['in', 'x.y', 'A~b', '_'][Math.floor(random() * 4)] ?? ''}-${index}`,
    content: random() < 0.1 ? '' : `Content ${String.fromCodePoint(32 + Math.floor(random() * 0xd7_00))} ${random()}`,
    ...(random() < 0.5 ? { tag: random() < 0.5 ? 'care' : 'sales' } : {}),
    ...(random() < 0.3 ? { title: 'Title', source: '' } : {}),
    ...(random() < 0.5 ? { createdAt: new Date(Math.floor(random() * 2e12)).toISOString() } : {}),
    access: random() < 0.5 ? names : names.filter(() => random() < 0.5),
  }))
  return shuffled(insights, random)
}

for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
  const insights = randomInsights(seed)
  service.reset(insights)
  const visible = insights.filter(({ access }) => access.length > 0)
  const ids = visible.slice(0, 3).map(({ id }) => id)
  const isReading = seed % 2 === 0
  const may = ids.length === 0 ? ['deleteInsight'] : [`deleteInsight=${ids.join(',')}`]
  const { report } = await verifyService(isReading ? undefined : may)
  requests += report.requests
  if (seed % 10 === 0) {
    service.reset(insights)
    service.mayChange = !isReading
    for (const error of await findReplayErrors(service.url, isReading ? undefined : may))
      failures.push(`seed ${seed}: ${error}`)
  }
  for (const { differences, name, outcome } of report.probes)
    if (outcome === 'differs') failures.push(`seed ${seed}: ${name}: ${JSON.stringify(differences)}`)
}
sayCost(`${runs} runs of a faithful service from seed ${firstSeed}`, runs)
await service.stop()
failures.push(...service.notPermitted.map((request) => `not permitted: ${request}`))
for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`)
process.exitCode = failures.length > 0 ? 1 : 0
