/**
 * Prints the memory that a double has at rest, and by how much it grows: over many requests, over reloads of a changed spec, and over
 * sandboxes that are created and dropped. Memory is measured after a garbage collection.
 *
 * Usage: npm run bench:memory -- [requests=1000000] [reloads=1000] [sandboxes=10000]
 */
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'

import { connectDouble } from 'insights-double'

import { packageFolder, createTemporaryFolder } from '../helpers/files.js'
import { print, printTable, numberArgument } from '../helpers/scripts.js'
import type { Spawned } from '../helpers/spawn-double.js'
import { spawnDouble } from '../helpers/spawn-double.js'

const requests = numberArgument('requests', 1_000_000)
const reloads = numberArgument('reloads', 1000)
const sandboxes = numberArgument('sandboxes', 10_000)

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
  while (said().length === length) await new Promise((resolve) => setTimeout(resolve, 5))
  const [, resident, heap] = (said().at(-1) ?? '').split(' ').map((text) => Number(text) / 1024 / 1024)
  return { resident: resident ?? Number.NaN, heap: heap ?? Number.NaN }
}

async function watch(
  title: string,
  double: Spawned,
  warmUp: () => Promise<void>,
  run: () => Promise<void>,
): Promise<void> {
  await warmUp()
  const before = await memoryOf(double)
  const started = performance.now()
  await run()
  const seconds = (performance.now() - started) / 1000
  const after = await memoryOf(double)
  const figures = [before.resident, before.heap, after.resident, after.heap, after.heap - before.heap]
  rows.push([title, ...figures.map((value) => value.toFixed(1))])
  print(`${title}: ${seconds.toFixed(0)} s, resident ${before.resident.toFixed(0)} to ${after.resident.toFixed(0)} MB`)
}

/** Sends requests on a few connections, several at a time on each. */
async function ask(url: string, count: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const lines = ['/insights', '/insights?limit=3', '/insights?limit=x', '/nowhere', '/insights/none']
  const texts = lines.map((path, index) => {
    const method = index === 4 ? 'DELETE' : 'GET'
    return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ada-token\r\n\r\n`
  })
  const beginning = 'HTTP/1.1 '
  const each = Math.ceil(count / 8 / texts.length)
  const connection = async (): Promise<void> => {
    const socket = createConnection({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    let batches = 0
    let answered = 0
    let rest = ''
    socket.setEncoding('latin1').write(texts.join(''))
    for await (const chunk of socket) {
      const text = rest + String(chunk)
      answered += text.split(beginning).length - 1
      // A response may be split between two chunks.
      rest = text.slice(1 - beginning.length)
      if (answered < texts.length) continue
      answered -= texts.length
      if (++batches >= each) break
      socket.write(texts.join(''))
    }
  }
  await Promise.all(Array.from({ length: 8 }, connection))
}

{
  await using double = await launch(['--log', 'silent'])
  const { heap, resident } = await memoryOf(double)
  rows.push(['at rest', resident.toFixed(1), heap.toFixed(1), '', '', ''])
  const warmUp = (): Promise<void> => ask(double.url, Math.min(requests, 20_000))
  await watch(`${requests} requests`, double, warmUp, () => ask(double.url, requests))
}
{
  await using double = await launch(['--log', 'silent', '--max-sandboxes', '10'])
  const handle = connectDouble(double.url)
  const make = async (count: number): Promise<void> => {
    for (let made = 0; made < count; made++) {
      const sandbox = await handle.sandbox({ fixture: 'default' })
      await (await fetch(`${sandbox.url}/insights`, { headers: { authorization: 'Bearer ada-token' } })).arrayBuffer()
      await sandbox.stop()
    }
  }
  await watch(
    `${sandboxes} sandboxes`,
    double,
    () => make(Math.min(sandboxes, 500)),
    () => make(sandboxes),
  )
}
{
  const spec = join(folder.path, 'insights.yaml')
  const text = await readFile(join(packageFolder, 'spec', 'insights.yaml'), 'utf8')
  await writeFile(spec, text)
  await using double = await launch(['--watch', '--spec', spec])
  const taken = (): number => double.printed().split('was reloaded.').length
  let written = 0
  const reload = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) {
      const before = taken()
      await writeFile(spec, `${text}# ${++written}\n`)
      while (taken() === before) await new Promise((resolve) => setTimeout(resolve, 2))
      await (await fetch(`${double.url}/insights`, { headers: { authorization: 'Bearer ada-token' } })).arrayBuffer()
    }
  }
  await watch(
    `${reloads} reloads`,
    double,
    () => reload(Math.min(reloads, 30)),
    () => reload(reloads),
  )
}
printTable(rows)
