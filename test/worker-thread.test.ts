import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import workerThreads, { type Worker } from 'node:worker_threads'

import test from 'ava'
import { connectDouble, ProblemsError, startDouble } from 'insights-double'

import { workerFile } from '#src/package-files.js'

import { writeBlockingHandler } from './helpers/blocking-handler.js'
import { serve } from './helpers/double.js'
import { temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, del, get, idsSeenBy } from './helpers/http.js'
import { freePort } from './helpers/port.js'

/** Options of a JavaScript caller, which no compiler has checked. */
const loose = (value: unknown): never => value as never

/** The worker of this thread. */
function ownWorker(): Worker {
  const worker: unknown = Reflect.get(workerThreads, Symbol.for(workerFile))
  if (!(worker instanceof workerThreads.Worker)) throw new Error('There is no worker')
  return worker
}

test.serial('doubles share one worker and are isolated, and a stop of one does not stop the others', async (t) => {
  const one = await startDouble()
  const worker = ownWorker()
  const other = await startDouble({ fixture: 'empty' })
  t.is(ownWorker(), worker)
  const sandbox = await one.sandbox()
  t.deepEqual([(await get(one, '/insights', as('ada'))).status, (await idsSeenBy(one, 'ada')).length > 0], [200, true])
  t.is((await other.requests()).matched, 0)
  await Promise.all([one.stop(), one.stop()])
  await sandbox.stop()
  await one.stop()
  t.is((await other.health()).status, 'ok')
  await other.stop()
})

test.serial('when the worker ends, every call says why, and the next double continues from the state', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await startDouble({ state })
  const elsewhere = connectDouble((await serve(t)).url)
  t.is((await del(double, '/insights/monstera-watering', as('ada'))).status, 204)
  const sandbox = await double.sandbox()
  const pending = [double, sandbox].map((each) => each.waitForRequests({ atLeast: 9, withinMs: 60_000 }))
  await double.health()
  const worker = ownWorker()
  // The message is not a port, so the worker throws.
  worker.postMessage('not a port', [])
  const reason = /^The worker thread of the double has ended: \w+\.on is not a function\.$/u
  for (const call of pending) await t.throwsAsync(call, { message: reason })
  await t.throwsAsync(double.state(), { message: reason })
  await t.throwsAsync(sandbox.diff(), { message: reason })
  await sandbox.stop()
  await double.stop()
  t.is((await elsewhere.health()).status, 'ok', 'a double in another process is reached from the next worker')
  t.not(ownWorker(), worker)
  const next = await startDouble({ state })
  t.false((await idsSeenBy(next, 'ada')).includes('monstera-watering'))
  const message = /is in use by the double with pid/u
  await t.throwsAsync(startDouble({ state }), { instanceOf: ProblemsError, message })
  await next.stop()
})

test.serial('a double whose handler does not end stops with its worker, and frees lock and port', async (t) => {
  const { block, file: handlers } = await writeBlockingHandler(t, true)
  const state = join(await temporaryFolder(t), 'state.json')
  const port = await freePort()
  const double = await startDouble({ handlers, state, port })
  const other = await startDouble()
  t.true(await block(double.url))
  const message = `The worker thread of the double has ended: ${double.url} did not stop within 4500 ms, because JavaScript in the thread does not end.`
  await Promise.all([t.throwsAsync(other.health(), { message }), double.stop()])
  const next = await startDouble({ state, port })
  t.is((await next.health()).status, 'ok')
  await next.stop()
  await other.stop()
})

test('errors of startDouble keep their class and their properties', async (t) => {
  const double = await startDouble()
  const port = Number(new URL(double.url).port)
  const taken = await t.throwsAsync(startDouble({ port }), { code: 'EADDRINUSE' })
  const advice =
    /:\d+\. Another process listens on it\. Choose another port with the option port, or 0 for a free one\.$/u
  t.regex(taken?.message ?? '', advice)
  t.is(taken instanceof TypeError, false)
  await t.throwsAsync(startDouble({ host: '0.0.0.0' }), { instanceOf: TypeError, message: /needs an admin token/u })
  const missing = await t.throwsAsync(startDouble({ spec: 'no-such.yaml' }), { instanceOf: ProblemsError })
  t.is(missing instanceof ProblemsError ? missing.problems[0]?.file : undefined, 'no-such.yaml')
  await double.stop()
})

class Insight {
  readonly content = 'Hi'
}
const self: Record<string, unknown> = {}
self['self'] = self
for (const [value, got] of [
  [() => 'Hi', 'fixture.insights[0].content is a function'],
  [new Insight(), 'fixture.insights[0].content is an instance of Insight'],
  [new Map(), 'fixture.insights[0].content is an instance of Map'],
  [Symbol('Hi'), 'fixture.insights[0].content is a symbol'],
  [1n, 'fixture.insights[0].content is a bigint'],
  [Number.NaN, 'fixture.insights[0].content is NaN'],
  [[undefined], 'fixture.insights[0].content[0] is undefined'],
  [self, 'fixture.insights[0].content.self is an object that contains itself'],
] as const)
  test(`a value that JSON cannot contain is refused: ${got}`, async (t) => {
    const fixture = loose({ insights: [{ content: value }] })
    const rest =
      'The double runs in another thread, which takes only what JSON has. Give a plain object, array, string, number, true, false or null instead.'
    const double = await serve(t)
    const [reset, sandbox] = [() => double.reset(fixture), () => double.sandbox({ fixture })]
    const calls = { startDouble: () => startDouble({ fixture }), reset, sandbox }
    for (const [call, run] of Object.entries<() => Promise<unknown>>(calls))
      await t.throwsAsync(run, { instanceOf: TypeError, message: `${call}: ${got}. ${rest}` })
  })

test('an inline fixture may have dates, undefined properties, and objects without a prototype', async (t) => {
  const double = await serve(t, { fixture: 'empty' })
  const record = Object.assign(Object.create(null) as object, { content: 'Hi', createdAt: new Date(0), tag: undefined })
  await double.reset({ $callers: { ada: { token: 'ada-token' } }, insights: [loose(record)] })
  const stored = { id: 'insight-1', content: 'Hi', createdAt: '1970-01-01T00:00:00.000Z' }
  t.deepEqual((await double.state())['insights'], [stored])
})

const entry = JSON.stringify(new URL('../../bundle/index.js', import.meta.url).href)

test('a double keeps its process alive until unref, and then the process ends', async (t) => {
  const script = `const { startDouble } = await import(${entry})
    const double = await startDouble()
    console.log(double.url)
    process.stdin.once('data', () => { process.stdin.unref(); double.unref() })
    process.stdin.unref()`
  const words = ['--input-type=module', '--eval', script]
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const [url] = await once(child.stdout, 'data')
  // Only the double keeps the process alive.
  t.is((await get({ url: String(url).trim() }, '/insights', as('ada'))).status, 200)
  t.is(child.exitCode, null)
  child.stdin.write('unref\n')
  t.deepEqual(await ended, [0, null])
})

test("the preloaded modules of the process are loaded into the worker only under Yarn Plug'n'Play", async (t) => {
  const script = `const { connectDouble } = await import(${entry})
    await connectDouble('http://127.0.0.1:1').state().catch(() => {})`
  const print = `console.log(require('node:worker_threads').isMainThread ? 'main' : 'worker')`
  const threadsWith = async (preload: string): Promise<readonly string[]> => {
    const file = await writeTemporary(t, 'preload.cjs', preload)
    const env = { ...process.env, NODE_OPTIONS: `--require=${file}` }
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })
    return stdout.trim().split('\n')
  }
  t.deepEqual(await threadsWith(print), ['main'])
  t.deepEqual(await threadsWith(`process.versions.pnp = '3'\n${print}`), ['main', 'worker'])
})
