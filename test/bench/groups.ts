/** Measures what the double costs: groups of figures, each with its bar. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

import { connectDouble, type DoubleHandle, type FixtureDocument } from 'insights-double'

import { Connection } from '../helpers/connection.js'
import { makePlants, plantsFixture, plantsSpec } from '../helpers/many-plants.js'
import { cpuMsOf, numberArguments, quantile } from '../helpers/scripts.js'
import {
  answers,
  type ComparedServer,
  installPackages,
  jsonServer,
  jsonServerPackage,
  plainKoa,
  start,
} from './compared-servers.js'
import { clients, plantCosts, cpuOfEach, cpuOfList, cpuToStart, list, memoryMb, seconds, serverOf } from './cpu-time.js'
import type { Costs } from './cpu-time.js'
import { makeFixture } from './make-fixture.js'

const { requests } = numberArguments({ requests: 1_000_000 })
const run = promisify(execFile)

/** A figure of a build. @param bar - The most that it may be. Undefined: none is set. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly bar?: number | undefined
  /** True if a figure below the bar misses it. */
  readonly isLeast?: boolean
}

/** Measures a build once. @param build - The folder of a package. */
type Group = (build: string) => Promise<readonly Figure[]>

const times = (name: string, value: number, bar?: number): Figure => ({ name, value, unit: 'times', bar })

/** Removes an insight. There may be none left, and the server may have stopped. */
const remove = (origin: string, id: string): Promise<unknown> =>
  fetch(`${origin}/insights/${id}`, { method: 'DELETE', headers: { authorization: 'Bearer ada-token' } })
    .then((reply) => reply.arrayBuffer())
    .catch(() => {})

/** Writes an overlay that adds 1,000 operations. @returns The file. */
async function writeOverlay(folder: string): Promise<string> {
  const file = join(folder, 'thousand.json')
  const responses = { 204: { description: 'none' } }
  const paths = Array.from({ length: 1000 }, (_, index) => [`/things-${index}`, { get: { responses } }])
  const update = Object.fromEntries(paths) as object
  const info = { title: 'More', version: '1' }
  await writeFile(file, JSON.stringify({ overlay: '1.0.0', info, actions: [{ target: '$.paths', update }] }))
  return file
}

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
    const own = await cpuToStart(serverOf(build, ['--memory']))
    const { listFile } = await makeFixture(folder, 20)
    const data = join(folder, 'db.json')
    await writeFile(data, JSON.stringify({ insights: [] }))
    const isCompared = await installPackages(folder, [jsonServerPackage])
    const other = isCompared ? await cpuToStart(jsonServer(folder, data, '/insights')) : NaN
    const koa = await cpuToStart(plainKoa(listFile))
    const plants = serverOf(build, [join(build, 'examples/plants.yaml'), '--memory'], '/plants')
    const script = `const before = process.cpuUsage(); const started = performance.now(); import(process.argv[1]).then(async ({ startDouble }) => {
      const ms = performance.now() - started; const double = await startDouble(); const { user, system } = process.cpuUsage(before)
      console.log(JSON.stringify([ms, (user + system) / 1000])); await double.stop() })`
    const { stdout } = await run(process.execPath, ['--eval', script, join(build, 'bundle/index.js')])
    const [imported = NaN, started = NaN] = JSON.parse(stdout) as readonly number[]
    return [
      { name: 'CPU time until the first response', value: own, unit: 'ms' },
      times('… of that of json-server 0.17', own / other, 1.8),
      times('… of that of Koa with ready bytes', own / koa),
      { name: 'import of the package', value: imported, unit: 'ms', bar: 25 },
      times('import and first startDouble, CPU time of json-server', started / other, 1.8),
      times('start with generated records, of the shipped one', (await cpuToStart(plants)) / own, 2),
    ]
  },
  lists: async (build) => {
    const figures: Figure[] = []
    for (const size of [20, 1000, 10_000]) {
      const bar = size === 20 ? 0.95 : 0.85
      const { file, listFile } = await makeFixture(folder, size)
      const own = await cpuOfList(serverOf(build, ['--memory', '--fixture', file]))
      const koa = await cpuOfList(plainKoa(listFile))
      figures.push({ ...times(`lists of ${size} for the CPU time of one of Koa`, koa / own, bar), isLeast: true })
      if (size !== 20) continue
      if (await installPackages(folder, [jsonServerPackage])) {
        const data = join(folder, 'db.json')
        await writeFile(data, `{"insights":${await readFile(listFile, 'utf8')}}`)
        const other = await cpuOfList(jsonServer(folder, data, '/insights'))
        figures.push({ ...times('… of one of json-server', other / own), isLeast: true })
      }
      const callers = Array.from({ length: 20 }, (_, index) => `caller-${index}`)
      const document = JSON.parse(await readFile(file, 'utf8')) as { insights: readonly { readonly id: string }[] }
      const mixed = join(folder, 'mixed.json')
      const tokens = Object.fromEntries([...callers, 'ada'].map((name) => [name, { token: `${name}-token` }]))
      await writeFile(mixed, JSON.stringify({ ...document, $callers: tokens }))
      const cpuOfMixed = async (server: ComparedServer, write?: (origin: string) => unknown): Promise<number> => {
        await using serving = await start(server)
        const { origin } = new URL(serving.url)
        const timer = setInterval(() => write?.(origin), 1000)
        const value = await cpuOfEach(origin, serving.pid, (count) => ({
          method: 'GET',
          path: `/insights?limit=${1 + (Math.floor(count / callers.length) % 50)}`,
          token: `${callers[count % callers.length]}-token`,
        }))
        clearInterval(timer)
        return value
      }
      let written = 0
      const value = await cpuOfMixed(serverOf(build, ['--memory', '--fixture', mixed]), (origin) =>
        remove(origin, document.insights[written++]?.id ?? ''),
      )
      const ofKoa = await cpuOfMixed(plainKoa(listFile))
      figures.push({ ...times('… with 20 callers, 50 limits, a write a second', ofKoa / value, 0.95), isLeast: true })
    }
    return figures
  },
  writes: async (build) => {
    const costsWith = async (size: number, state: readonly string[] = ['--memory']): Promise<Costs> => {
      const file = join(folder, `plants-${size}.json`)
      await writeFile(file, plantsFixture(makePlants(size)))
      const server = serverOf(build, ['--spec', plantsSpec, '--fixture', file, ...state], '/plants?limit=1')
      return plantCosts(server, 'application/merge-patch+json', 'limit=20&page')
    }
    const few = await costsWith(100)
    const many = await costsWith(100_000)
    const ratios = (name: string, costs: Costs, of: Costs, bar?: number): readonly Figure[] =>
      Object.entries(of).map(([kind, cost]) => ({
        ...times(`a ${kind} ${name}`, (costs[kind] ?? NaN) / cost, bar),
        isLeast: bar === undefined,
      }))
    const figures = ratios('with 100,000 records, of one with 100', many, few, 1.5)
    if (!(await installPackages(folder, [jsonServerPackage]))) return figures
    const own = await costsWith(1000, ['--state', join(folder, 'plants-state.json'), '--fresh'])
    const other = jsonServer(folder, join(folder, 'plants-1000.json'), '/plants/plant-1')
    const others = await plantCosts(other, 'application/json', '_limit=20&_page')
    return [...figures, ...ratios('of json-server with 1,000 records and a file, of one of the double', others, own)]
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
    const overlay = await writeOverlay(folder)
    const compare = async (name: string, words: readonly string[], prepare?: typeof sandboxes): Promise<Figure> => {
      const cost = await cpuOfList(serverOf(build, ['--memory', ...words]), prepare)
      return times(`a list with ${name}, of one without`, cost / plain, 1.15)
    }
    return [
      await compare('1,000 sandboxes', ['--max-sandboxes', '1000'], sandboxes),
      await compare('1,000 operations more', ['--overlay', overlay]),
      await compare('10,000 callers', ['--fixture', many]),
    ]
  },
  cycle: async (build) => {
    await using serving = await start(serverOf(build, ['--memory']))
    const { origin } = new URL(serving.url)
    const connection = await Connection.open(new URL(origin))
    const runCycles = async (count: number): Promise<number> => {
      const before = await cpuMsOf(serving.pid)
      for (let done = 0; done < count; done++) {
        const sandbox = await connectDouble(origin).sandbox({ fixture: 'default' })
        const path = `${new URL(sandbox.url).pathname}/insights`
        await connection.send({ method: 'GET', path })
        await connection.send({ method: 'DELETE', path: `${path}/monstera-watering` })
        await connection.send({ method: 'GET', path })
        await sandbox.requests({ operation: 'deleteInsight' })
        await sandbox.stop()
      }
      return ((await cpuMsOf(serving.pid)) - before) / count
    }
    await runCycles(500)
    const value = await runCycles(500)
    connection.end()
    return [{ name: 'a test: sandbox, list, delete, list, journal, drop; CPU time', value, unit: 'ms' }]
  },
  memory: async (build) => {
    const { file } = await makeFixture(folder, 100)
    const fixture = JSON.parse(await readFile(file, 'utf8')) as FixtureDocument
    const spec = join(folder, 'insights.yaml')
    const text = await readFile(join(build, 'spec/insights.yaml'), 'utf8')
    await writeFile(spec, text)
    const words = ['--memory', '--max-sandboxes', '700', '--watch', '--spec', spec]
    await using serving = await start(serverOf(build, words))
    const { origin } = new URL(serving.url)
    // The double loads the contract of the control plane two seconds after its start.
    await wait(4000)
    const first = await memoryMb(serving.pid)
    const sandboxes: DoubleHandle[] = []
    const makeSandboxes = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made++) sandboxes.push(await connectDouble(origin).sandbox({ fixture }))
    }
    const dropAll = async (): Promise<void> => {
      for (const each of sandboxes.splice(0)) await each.stop()
    }
    const connections = await Promise.all(Array.from({ length: clients }, () => Connection.open(new URL(origin))))
    const send = (count: number): Promise<unknown> =>
      Promise.all(
        connections.map(async (each) => {
          for (let sent = 0; sent < count / clients; sent++) await each.send(list())
        }),
      )
    let reloads = 0
    const reload = async (count: number): Promise<void> => {
      for (let done = 0; done < count; done++) {
        const path = `/reload-${++reloads}`
        const operation = `  ${path}: { get: { responses: { '204': { description: none } } } }`
        await writeFile(spec, text.replace('\npaths:\n', `\npaths:\n${operation}\n`))
        while (!(await answers(`${origin}${path}`))) await wait(5)
      }
    }
    /** Measures by how much a task makes the memory grow, MB. Before it, V8 takes the space that it keeps, in a smaller task. */
    const growth = async (smaller: () => Promise<unknown>, task: () => Promise<unknown>): Promise<number> => {
      await smaller()
      const before = await memoryMb(serving.pid)
      await task()
      return (await memoryMb(serving.pid)) - before
    }
    await send(requests)
    const ofRequests = (await memoryMb(serving.pid)) - first
    for (const each of connections) each.end()
    const ofSandboxes = await growth(
      () => makeSandboxes(200),
      () => makeSandboxes(500),
    )
    await dropAll()
    const turn = (): Promise<void> => makeSandboxes(500).then(dropAll)
    const ofDropped = await growth(turn, async () => {
      for (let turns = 0; turns < 4; turns++) await turn()
    })
    const ofReloads = await growth(
      () => reload(30),
      () => reload(200),
    )
    await using larger = await start(serverOf(build, ['--memory', '--overlay', await writeOverlay(folder)]))
    const ofOperations = (await memoryMb(larger.pid)) - first
    return [
      { name: 'resident memory after the start', value: first, unit: 'MB', bar: 85 },
      { name: 'an operation, of 1,000 more', value: (ofOperations * 1024) / 1000, unit: 'kB', bar: 60 },
      { name: `growth over ${requests.toLocaleString('en')} requests`, value: ofRequests, unit: 'MB', bar: 10 },
      { name: 'a sandbox of 100 records, after 200', value: (ofSandboxes * 1024) / 500, unit: 'kB', bar: 100 },
      { name: 'growth over 2,000 sandboxes that are dropped', value: ofDropped, unit: 'MB' },
      { name: 'growth over 200 reloads', value: ofReloads, unit: 'MB' },
    ]
  },
  latency: async (build) => {
    const { file } = await makeFixture(folder, 1000)
    const measure = async (writes: number): Promise<readonly [lists: number, deletes: number]> => {
      const state = join(folder, `state-${writes}-${Math.random()}.json`)
      await using serving = await start(serverOf(build, ['--state', state, '--fixture', file]))
      const { origin } = new URL(serving.url)
      const connections = await Promise.all(Array.from({ length: 8 }, () => Connection.open(new URL(origin))))
      const lists: number[] = []
      const deletes: number[] = []
      const timed = async (took: number[], send: () => Promise<unknown>): Promise<void> => {
        const started = performance.now()
        await send()
        took.push(performance.now() - started)
      }
      const until = performance.now() + seconds * 1000
      let removed = 0
      const write = (): void => {
        if (writes > 0) void timed(deletes, () => remove(origin, `record-${(removed += 1)}`))
      }
      const timer = setInterval(write, 1000 / (writes || 1))
      await Promise.all(
        connections.map(async (connection) => {
          while (performance.now() < until) {
            await timed(lists, () => connection.send({ method: 'GET', path: '/insights?limit=20' }))
            await wait(15)
          }
        }),
      )
      clearInterval(timer)
      for (const connection of connections) connection.end()
      return [quantile(lists, 0.99), quantile(deletes, 0.99)]
    }
    const [quiet] = await measure(0)
    const [busy, deletes] = await measure(100)
    return [
      times('p99 of a list of 20 while 100 writes a second are made durable, of that without', busy / quiet, 4),
      { name: 'p99 of a delete of these, until it is acknowledged', value: deletes, unit: 'ms' },
    ]
  },
})
