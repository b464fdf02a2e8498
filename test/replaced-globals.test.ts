/**
 * Uses the package where globals are replaced, as in tests: jsdom and happy-dom replace events, fake timers replace timers and the
 * clock, MSW and nock replace `fetch` and `http.request`. Each replacement fails when it is used.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import test from 'ava'

const replace = `
const http = require('node:http')
const replace = () => {
  const names = [
    'AbortController', 'AbortSignal', 'BroadcastChannel', 'CustomEvent', 'Event', 'EventTarget', 'Headers', 'MessageChannel',
    'MessageEvent', 'MessagePort', 'Request', 'Response', 'clearImmediate', 'clearInterval', 'clearTimeout', 'fetch',
    'performance', 'queueMicrotask', 'setImmediate', 'setInterval', 'setTimeout', 'structuredClone',
  ]
  // Node loads some of them when they are first used, which fails once Event is replaced.
  for (const name of names) void globalThis[name]
  for (const name of names)
    Object.defineProperty(globalThis, name, { value: () => { throw new Error(name + ' of the test was used') } })
  http.request = http.get = () => { throw new Error('http.request of the test was used') }
  Date.now = () => 0
  process.nextTick = () => {}
  process.hrtime.bigint = () => 0n
}`

const use = `
const main = async ({ DoubleError, startDouble, connectDouble }) => {
  const double = await startDouble()
  const sandbox = await connectDouble(double.url).sandbox({ fixture: 'empty' })
  const fault = await sandbox.addFault({ status: 503 })
  const waited = await sandbox.waitForRequests({ atLeast: 0, withinMs: 50 })
  const refused = await sandbox.reset('none').catch((error) => error instanceof DoubleError && error.code)
  await sandbox.stop()
  await double.stop()
  await double.stop()
  require('node:fs').writeSync(1, JSON.stringify([fault.status, waited.matched, refused]))
}`

const commonJs = fileURLToPath(new URL('../../bundle/index.cjs', import.meta.url))
const esm = new URL('../../bundle/index.js', import.meta.url).href

const orders: Readonly<Record<string, string>> = {
  'before it is required': `replace(); main(require(${JSON.stringify(commonJs)}))`,
  'after it is imported': `import(${JSON.stringify(esm)}).then((own) => { replace(); return main(own) })`,
}
for (const [title, order] of Object.entries(orders))
  test(`the package works if globals are replaced ${title}, and its process ends`, async (t) => {
    const { stderr, stdout } = await promisify(execFile)(process.execPath, ['--eval', `${replace}${use}\n${order}`])
    t.deepEqual([stdout, stderr], ['[503,0,"unknown_fixture"]', ''])
  })
