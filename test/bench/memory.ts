/**
 * Prints the memory that a double has at rest, and by how much it grows: over many requests, over reloads of a changed spec, and over
 * sandboxes that are created and dropped. Memory is measured after a garbage collection.
 *
 * Usage: npm run bench:memory -- [requests=1000000] [reloads=1000] [sandboxes=10000]
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { connectDouble } from 'insights-double'

import { Connection } from '../helpers/connection.js'
import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { numberArguments, print, printTable } from '../helpers/scripts.js'
import { spawnDouble, type Spawned } from '../helpers/spawn-double.js'
import { until } from '../helpers/until.js'

const { requests, reloads, sandboxes } = numberArguments({ requests: 1_000_000, reloads: 1000, sandboxes: 10_000 })

const printMemory = new URL('print-memory.js', import.meta.url).href
await using folder = await createTemporaryFolder()
const rows: (readonly string[])[] = [['', 'resident MB', 'heap MB', 'resident after', 'heap after', 'heap grew by']]

interface Memory {
  readonly resident: number
  readonly heap: number
}

/** Starts a double that prints its memory after a signal. */
const launch = (words: readonly string[]): Promise<Spawned> =>
  spawnDouble({ words: ['--memory', ...words], nodeArguments: ['--expose-gc', `--import=${printMemory}`] })

async function memoryOf(double: Spawned): Promise<Memory> {
  const said = (): readonly string[] => double.printed().match(/^memory \d+ \d+$/gmu) ?? []
  const { length } = said()
  double.signal('SIGUSR2')
  await until(() => said().length > length)
  const [, resident, heap] = (said().at(-1) ?? '').split(' ').map((text) => Number(text) / 1024 / 1024)
  return { resident: resident ?? Number.NaN, heap: heap ?? Number.NaN }
}

/** Runs a task a few times, and then so many times that leaks show. */
async function watch(
  double: Spawned,
  [times, few]: readonly [number, number],
  what: string,
  run: (times: number) => Promise<void>,
): Promise<void> {
  await run(Math.min(times, few))
  const title = `${times} ${what}`
  const before = await memoryOf(double)
  const started = performance.now()
  await run(times)
  const seconds = (performance.now() - started) / 1000
  const after = await memoryOf(double)
  const figures = [before.resident, before.heap, after.resident, after.heap, after.heap - before.heap]
  rows.push([title, ...figures.map((value) => value.toFixed(1))])
  print(`${title}: ${seconds.toFixed(0)} s, resident ${before.resident.toFixed(0)} to ${after.resident.toFixed(0)} MB`)
}

async function ask(url: string, count: number): Promise<void> {
  const lines = [
    'GET /insights',
    'GET /insights?limit=3',
    'GET /insights?limit=x',
    'GET /nowhere',
    'DELETE /insights/none',
  ]
  const sent = lines.map((line) => line.split(' ')).map(([method = '', path = '']) => ({ method, path }))
  const work = async (): Promise<void> => {
    const connection = await Connection.open(new URL(url))
    for (let batch = 0; batch < count / 8 / sent.length; batch++)
      for (const request of sent) await connection.exchange(request)
    connection.end()
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

{
  await using double = await launch(['--log', 'silent'])
  const { heap, resident } = await memoryOf(double)
  rows.push(['at rest', resident.toFixed(1), heap.toFixed(1), '', '', ''])
  await watch(double, [requests, 20_000], 'requests', (count) => ask(double.url, count))
}
{
  await using double = await launch(['--log', 'silent', '--max-sandboxes', '10'])
  const handle = connectDouble(double.url)
  await watch(double, [sandboxes, 500], 'sandboxes', async (count) => {
    for (let made = 0; made < count; made++) {
      const sandbox = await handle.sandbox({ fixture: 'default' })
      await (await fetch(`${sandbox.url}/insights`, { headers: { authorization: 'Bearer ada-token' } })).arrayBuffer()
      await sandbox.stop()
    }
  })
}
{
  const spec = join(folder.path, 'insights.yaml')
  const text = await readFile(join(packageFolder, 'spec', 'insights.yaml'), 'utf8')
  await writeFile(spec, text)
  await using double = await launch(['--watch', '--spec', spec])
  const taken = (): number => double.printed().split('was reloaded.').length
  let written = 0
  await watch(double, [reloads, 30], 'reloads', async (count) => {
    for (let done = 0; done < count; done++) {
      const before = taken()
      await writeFile(spec, `${text}# ${++written}\n`)
      await until(() => taken() > before)
      await (await fetch(`${double.url}/insights`, { headers: { authorization: 'Bearer ada-token' } })).arrayBuffer()
    }
  })
}
printTable(rows)
