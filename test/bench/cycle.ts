/**
 * Measures the cost of a test: creates a sandbox, lists, deletes, lists, reads the journal, drops it. For comparison, it sends the same
 * number of the simplest requests to the same double, which is the cost of HTTP alone. First, it measures the costs that occur once: the
 * first sandbox of a double that has just started, and the stop of an idle double.
 *
 * Usage: npm run bench:cycle -- [cycles=2000] [rounds=5]
 */
import { connectDouble, startDouble } from 'insights-double'

import { numberArguments, cpuMsOf, print, median } from '../helpers/scripts.js'
import { spawnDouble } from '../helpers/spawn-double.js'

const { cycles, rounds } = numberArguments({ cycles: 2000, rounds: 5 })
const headers = { authorization: 'Bearer ada-token' }

await using served = await spawnDouble({ words: ['--memory', '--log', 'silent'] })
const double = connectDouble(served.url)

async function call(url: string, method: string, status: number): Promise<void> {
  const reply = await fetch(url, { method, headers })
  await reply.arrayBuffer()
  if (reply.status !== status) throw new Error(`${method} ${url} was answered with ${reply.status}`)
}

async function cycle(): Promise<void> {
  const sandbox = await double.sandbox({ fixture: 'default' })
  await call(`${sandbox.url}/insights`, 'GET', 200)
  await call(`${sandbox.url}/insights/monstera-watering`, 'DELETE', 204)
  await call(`${sandbox.url}/insights`, 'GET', 200)
  const { matched } = await sandbox.requests({ operation: 'deleteInsight' })
  if (matched !== 1) throw new Error(`${matched} deletes in the journal`)
  await sandbox.stop()
}

/** Sends as many requests as a cycle has. Each is the smallest possible. */
async function sixRequests(): Promise<void> {
  for (let request = 0; request < 6; request++) await call(`${served.url}/insights?limit=1`, 'GET', 200)
}

async function perRun(run: () => Promise<void>): Promise<number> {
  const count = Math.max(1, Math.floor(cycles / rounds))
  const started = performance.now()
  for (let done = 0; done < count; done++) await run()
  return (performance.now() - started) / count
}

/** Measures the time that a new double takes for its first sandbox after `/health` has answered, milliseconds. */
async function firstSandbox(): Promise<number> {
  await using fresh = await spawnDouble({ words: ['--memory', '--log', 'silent'] })
  const handle = connectDouble(fresh.url)
  await handle.health()
  const started = performance.now()
  await handle.sandbox({ fixture: 'default' })
  return performance.now() - started
}

/** Measures the time that an idle double takes to stop while a connection is kept alive, milliseconds. */
async function idleStop(): Promise<number> {
  const idle = await startDouble()
  await call(`${idle.url}/insights?limit=1`, 'GET', 200)
  const started = performance.now()
  await idle.stop()
  return performance.now() - started
}

const ofFirst: number[] = []
const ofStop: number[] = []
for (let round = 0; round < rounds; round++) {
  ofFirst.push(await firstSandbox())
  ofStop.push(await idleStop())
}
print(`first sandbox after /health has answered: ${median(ofFirst).toFixed(1)} ms (median of ${rounds} doubles)`)
print(`idle stop: ${median(ofStop).toFixed(1)} ms (median of ${rounds} doubles)`)

await perRun(cycle)
const cpuBefore = await cpuMsOf(served.pid)
await perRun(cycle)
const cpuMs = ((await cpuMsOf(served.pid)) - cpuBefore) / Math.max(1, Math.floor(cycles / rounds))
const ofCycle: number[] = []
const ofSix: number[] = []
for (let round = 0; round < rounds; round++) {
  ofCycle.push(await perRun(cycle))
  ofSix.push(await perRun(sixRequests))
}
print(
  `a cycle: ${median(ofCycle).toFixed(2)} ms (median of ${rounds} rounds), ${cpuMs.toFixed(2)} ms of the double's CPU`,
)
print(
  `six of the smallest requests: ${median(ofSix).toFixed(2)} ms; a cycle takes ${(median(ofCycle) / median(ofSix)).toFixed(2)} times as long`,
)
