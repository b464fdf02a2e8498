/** Measures what the double costs: groups of figures, each with its bar. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

import { connectDouble } from 'insights-double'

import { Connection, type SentRequest } from '../helpers/connection.js'
import { makePlants, plantsFixture, plantsSpec } from '../helpers/many-plants.js'
import { cpuMsOf, numberArguments, quantile } from '../helpers/scripts.js'
import {
  type ComparedServer,
  installPackages,
  jsonServer,
  jsonServerPackage,
  plainKoa,
  start,
} from './compared-servers.js'
import { makeFixture } from './make-fixture.js'

const { clients, requests, seconds } = numberArguments({ clients: 32, requests: 1_000_000, seconds: 2 })
const run = promisify(execFile)

/** A figure of a build. @param bar - The most that it may be. Undefined: none is set. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly bar?: number
  /** True if a figure below the bar misses it. */
  readonly isLeast?: boolean
}

/** Measures a build once. @param build - The folder of a package. */
type Group = (build: string) => Promise<readonly Figure[]>

const serverOf = (build: string, words: readonly string[], path = '/insights'): ComparedServer => ({
  name: words.join(' '),
  command: (port) => [join(build, 'bundle/main.js'), '--port', `${port}`, '--log', 'silent', ...words],
  path,
})

async function residentMb(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^VmRSS:\s+(\d+)/mu.exec(text)?.[1]) / 1024
}

async function cpuUntilReady(server: ComparedServer): Promise<number> {
  await using serving = await start(server)
  return await cpuMsOf(serving.pid)
}

/** Sends requests as fast as a server responds, after three seconds in which V8 compiles what they use. @returns The processor time of each, microseconds. */
async function cpuOfEach(
  url: string,
  pid: number,
  next: (count: number) => SentRequest,
  most = Infinity,
): Promise<number> {
  const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(new URL(url))))
  let count = 0
  const send = async (ms: number): Promise<void> => {
    const until = performance.now() + ms
    await Promise.all(
      connections.map(async (connection) => {
        while (performance.now() < until && count < most) await connection.send(next(count++))
      }),
    )
  }
  await send(3000)
  const [sent, before] = [count, await cpuMsOf(pid)]
  await send(seconds * 1000)
  const cpuMs = (await cpuMsOf(pid)) - before
  for (const connection of connections) connection.end()
  return (cpuMs * 1000) / (count - sent)
}

const list = (): SentRequest => ({ method: 'GET', path: '/insights' })

/** Measures lists of a server. @param prepare - Called before the requests, with its URL. */
async function cpuOfList(server: ComparedServer, prepare?: (url: string) => Promise<void>): Promise<number> {
  await using serving = await start(server)
  const { origin } = new URL(serving.url)
  await prepare?.(origin)
  return await cpuOfEach(origin, serving.pid, list)
}

/** Removes an insight. There may be none left, and the server may have stopped. */
const remove = (origin: string, id: string): Promise<unknown> =>
  fetch(`${origin}/insights/${id}`, { method: 'DELETE', headers: { authorization: 'Bearer ada-token' } })
    .then((reply) => reply.arrayBuffer())
    .catch(() => {})

/** The groups of figures, by name. @param folder - For files, servers and packages. It is not in the system's temporary folder, which may be memory. */
export const groupsIn = (folder: string): Readonly<Record<string, Group>> => ({
  install: async (build) => {
    const target = join(folder, 'installed')
    await mkdir(target, { recursive: true })
    await writeFile(join(target, 'package.json'), '{}')
    await run(process.execPath, ['scripts/pack.js', target], { cwd: build })
    const tarball = (await readdir(target)).find((name) => name.endsWith('.tgz')) ?? ''
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', `./${tarball}`], { cwd: target })
    const modules = join(target, 'node_modules')
    const names = await readdir(modules, { recursive: true })
    const files = await Promise.all(names.map((name) => stat(join(modules, name))))
    const own = files.filter((each) => each.isFile())
    return [
      { name: 'installed', value: own.reduce((sum, { size }) => sum + size, 0) / 1e6, unit: 'MB', bar: 12 },
      { name: 'installed', value: own.length, unit: 'files', bar: 400 },
      { name: 'installed', value: names.filter((name) => /^[^/.]+$/u.test(name)).length, unit: 'packages', bar: 10 },
    ]
  },

  start: async (build) => {
    const own = await cpuUntilReady(serverOf(build, ['--memory']))
    const { listFile } = await makeFixture(folder, 20)
    const data = join(folder, 'db.json')
    await writeFile(data, JSON.stringify({ insights: [] }))
    const isCompared = await installPackages(folder, [jsonServerPackage])
    const other = isCompared ? await cpuUntilReady(jsonServer(folder, data, '/insights')) : NaN
    const koa = await cpuUntilReady(plainKoa(listFile))
    const plants = serverOf(build, [join(build, 'examples/plants.yaml'), '--memory'], '/plants')
    const script = `const before = process.cpuUsage(); const started = performance.now(); import(process.argv[1]).then(async ({ startDouble }) => {
      const ms = performance.now() - started; const double = await startDouble(); const { user, system } = process.cpuUsage(before)
      console.log(JSON.stringify([ms, (user + system) / 1000])); await double.stop() })`
    const { stdout } = await run(process.execPath, ['--eval', script, join(build, 'bundle/index.js')])
    const [imported = NaN, started = NaN] = JSON.parse(stdout) as readonly number[]
    return [
      { name: 'CPU time until the first response', value: own, unit: 'ms' },
      { name: '… of that of json-server 0.17', value: own / other, unit: 'times', bar: 1.8 },
      { name: '… of that of Koa with ready bytes', value: own / koa, unit: 'times' },
      { name: 'import of the package', value: imported, unit: 'ms', bar: 25 },
      {
        name: 'import and first startDouble, CPU time of json-server',
        value: started / other,
        unit: 'times',
        bar: 1.8,
      },
      {
        name: 'start with generated records, of the shipped one',
        value: (await cpuUntilReady(plants)) / own,
        unit: 'times',
        bar: 2,
      },
    ]
  },

  lists: async (build) => {
    const figures: Figure[] = []
    for (const [size, bar] of [
      [20, 0.95],
      [1000, 0.85],
      [10_000, 0.85],
    ] as const) {
      const { file, listFile } = await makeFixture(folder, size)
      const own = await cpuOfList(serverOf(build, ['--memory', '--fixture', file]))
      const koa = await cpuOfList(plainKoa(listFile))
      figures.push({
        name: `lists of ${size} for the CPU time of one of Koa`,
        value: koa / own,
        unit: 'times',
        bar,
        isLeast: true,
      })
      if (size !== 20) continue
      const callers = Array.from({ length: 20 }, (_, index) => `caller-${index}`)
      const document = JSON.parse(await readFile(file, 'utf8')) as { insights: readonly { readonly id: string }[] }
      const mixed = join(folder, 'mixed.json')
      const tokens = Object.fromEntries([...callers, 'ada'].map((name) => [name, { token: `${name}-token` }]))
      await writeFile(mixed, JSON.stringify({ ...document, $callers: tokens }))
      await using serving = await start(serverOf(build, ['--memory', '--fixture', mixed]))
      const { origin } = new URL(serving.url)
      let written = 0
      const timer = setInterval(() => void remove(origin, document.insights[written++]?.id ?? ''), 1000)
      const value = await cpuOfEach(origin, serving.pid, (count) => ({
        method: 'GET',
        path: `/insights?limit=${1 + (count % 50)}`,
        token: `${callers[count % callers.length]}-token`,
      }))
      clearInterval(timer)
      figures.push({
        name: '… with 20 callers, 50 limits, a write a second',
        value: koa / value,
        unit: 'times',
        bar: 0.95,
        isLeast: true,
      })
    }
    return figures
  },

  writes: async (build) => {
    const measured = new Map<string, number[]>()
    for (const size of [100, 100_000]) {
      const file = join(folder, `plants-${size}.json`)
      await writeFile(file, plantsFixture(makePlants(size)))
      await using serving = await start(
        serverOf(build, ['--spec', plantsSpec, '--memory', '--fixture', file], '/plants?limit=1'),
      )
      const { origin } = new URL(serving.url)
      const json = { mediaType: 'application/json', body: JSON.stringify({ name: 'New', room: 'hall', thirsty: true }) }
      const kinds: Readonly<Record<string, (count: number) => SentRequest>> = {
        create: () => ({ method: 'POST', path: '/plants', ...json }),
        update: (count) => ({
          method: 'PATCH',
          path: `/plants/plant-${1 + (count % 100)}`,
          mediaType: 'application/merge-patch+json',
          body: JSON.stringify({ heightCm: count % 10_000 }),
        }),
        remove: (count) => ({ method: 'DELETE', path: `/plants/plant-${size + 1 + count}` }),
      }
      let made = 0
      for (const [kind, next] of Object.entries(kinds)) {
        const each = (count: number): SentRequest => {
          if (kind === 'create') made++
          return next(count)
        }
        const most = kind === 'remove' ? made - clients : Infinity
        measured.set(kind, [...(measured.get(kind) ?? []), await cpuOfEach(origin, serving.pid, each, most)])
      }
    }
    return [...measured].map(([kind, [few = NaN, many = NaN]]) => ({
      name: `a ${kind} with 100,000 records, of one with 100`,
      value: many / few,
      unit: 'times',
      bar: 1.5,
    }))
  },

  growth: async (build) => {
    const plain = await cpuOfList(serverOf(build, ['--memory']))
    const sandboxes = async (url: string): Promise<void> => {
      for (let made = 0; made < 1000; made++) await connectDouble(url).sandbox()
    }
    const many = join(folder, 'callers.json')
    const { file } = await makeFixture(folder, 12)
    const document = JSON.parse(await readFile(file, 'utf8')) as object
    const names = ['ada', ...Array.from({ length: 10_000 }, (_, index) => `caller-${index}`)]
    const $callers = Object.fromEntries(names.map((name) => [name, { token: `${name}-token` }]))
    await writeFile(many, JSON.stringify({ ...document, $callers }))
    const spec = join(folder, 'thousand.json')
    const paths = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [
        `/things-${index}`,
        { get: { responses: { 204: { description: 'none' } } } },
      ]),
    )
    const overlay = {
      overlay: '1.0.0',
      info: { title: 'More', version: '1' },
      actions: [{ target: '$.paths', update: paths }],
    }
    await writeFile(spec, JSON.stringify(overlay))
    const compare = async (
      name: string,
      words: readonly string[],
      prepare?: (url: string) => Promise<void>,
    ): Promise<Figure> => ({
      name: `a list with ${name}, of one without`,
      value: (await cpuOfList(serverOf(build, ['--memory', ...words]), prepare)) / plain,
      unit: 'times',
      bar: 1.15,
    })
    return [
      await compare('1,000 sandboxes', ['--max-sandboxes', '1000'], sandboxes),
      await compare('1,000 operations more', ['--overlay', spec]),
      await compare('10,000 callers', ['--fixture', many]),
    ]
  },

  memory: async (build) => {
    await using serving = await start(serverOf(build, ['--memory', '--max-sandboxes', '700']))
    const { origin } = new URL(serving.url)
    const first = await residentMb(serving.pid)
    const { file } = await makeFixture(folder, 100)
    const document = JSON.parse(await readFile(file, 'utf8')) as never
    const makeSandboxes = async (count: number): Promise<number> => {
      for (let made = 0; made < count; made++) await connectDouble(origin).sandbox({ fixture: document })
      return await residentMb(serving.pid)
    }
    // While the first are made, V8 gives new objects more space, which it keeps.
    const few = await makeSandboxes(200)
    const perSandbox = ((await makeSandboxes(500)) - few) / 500
    await using other = await start(serverOf(build, ['--memory']))
    const url = new URL(other.url).origin
    const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(new URL(url))))
    const send = (count: number): Promise<unknown> =>
      Promise.all(
        connections.map(async (each) => {
          for (let sent = 0; sent < count / clients; sent++) await each.send(list())
        }),
      )
    await send(20_000)
    const before = await residentMb(other.pid)
    await send(requests)
    const after = await residentMb(other.pid)
    for (const each of connections) each.end()
    return [
      { name: 'resident memory after the start', value: first, unit: 'MB', bar: 85 },
      { name: 'a sandbox of 100 records, after the first 200', value: perSandbox * 1024, unit: 'kB', bar: 100 },
      { name: `growth over ${requests.toLocaleString('en')} requests`, value: after - before, unit: 'MB', bar: 10 },
    ]
  },

  latency: async (build) => {
    const { file } = await makeFixture(folder, 1000)
    const p99 = async (writes: number): Promise<number> => {
      const state = join(folder, `state-${writes}-${Math.random()}.json`)
      await using serving = await start(serverOf(build, ['--state', state, '--fixture', file]))
      const { origin } = new URL(serving.url)
      const connections = await Promise.all(Array.from({ length: 8 }, () => Connection.open(new URL(origin))))
      const took: number[] = []
      const until = performance.now() + seconds * 1000
      let removed = 0
      const timer = setInterval(
        () => {
          if (writes > 0) void remove(origin, `record-${(removed += 1)}`)
        },
        1000 / (writes || 1),
      )
      await Promise.all(
        connections.map(async (connection) => {
          while (performance.now() < until) {
            const started = performance.now()
            await connection.send({ method: 'GET', path: '/insights?limit=20' })
            took.push(performance.now() - started)
            await wait(15)
          }
        }),
      )
      clearInterval(timer)
      for (const connection of connections) connection.end()
      return quantile(took, 0.99)
    }
    const [quiet, busy] = [await p99(0), await p99(100)]
    return [
      {
        name: 'p99 of a list of 20 while 100 writes a second are made durable, of that without',
        value: busy / quiet,
        unit: 'times',
        bar: 4,
      },
    ]
  },
})
