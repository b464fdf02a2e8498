import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { setImmediate as breathe } from 'node:timers/promises'

import test, { type ExecutionContext } from 'ava'

import { serveByProcess } from './helpers/cli.js'
import type { Served } from './helpers/double.js'
import { packageFolder, readFixture, visibleIn, temporaryFolder } from './helpers/files.js'
import { as, connectTo, get, json, wire } from './helpers/http.js'
import { often } from './helpers/repetitions.js'
import { seededRandom } from './helpers/seeded-random.js'
import { shell } from './helpers/shell.js'
import { until } from './helpers/until.js'
import { stopBusyDouble } from './stop/stop-busy-double.js'

async function send(t: ExecutionContext, double: Served, bytes: string): Promise<Socket> {
  const socket = connectTo(double)
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.on('error', () => {})
  if (bytes !== '') socket.write(bytes)
  return socket
}

const stops = often(1, 20)
const clients = often(20, 50)
test.serial(`no request is lost in ${stops} stops of a double that ${clients} clients keep busy`, async (t) => {
  const random = seededRandom(50)
  for (let number = 1; number <= stops; number++) {
    const file = join(await temporaryFolder(t), 'state.json')
    const { wrong, ...stopped } = await stopBusyDouble({ file, clients, random, signalWithinMs: often(100, 200) })
    t.log(JSON.stringify(stopped))
    t.deepEqual(wrong, [], JSON.stringify(stopped))
    t.is(stopped.code, 0)
    t.true(stopped.answeredBefore > 0)
    // The limit is five seconds. Other tests run in parallel, but not in the long form.
    t.true(stopped.tookMs < often(50_000, 5000))
  }
})

const delaying = ['Authorization: Bearer ada-token', 'Prefer: delay-ms=60000']
const waitings: readonly (readonly [title: string, request: string, answer: RegExp])[] = [
  ['an event stream', wire('GET /__admin/events'), /^HTTP\/1\.1 200 .*text\/event-stream.*\r\n0\r\n\r\n$/su],
  ['a wait', wire('GET /__admin/requests?atLeast=1000&withinMs=60000'), /^HTTP\/1\.1 200 .*"satisfied":false\}$/su],
  ['a delay of Prefer: delay-ms', wire('GET /insights', delaying), /^HTTP\/1\.1 200 .*\]$/su],
]
const titles = ['a delay of --delay', ...waitings.map(([title]) => title)]
test.serial(`${titles.join(', ')}: none delays a stop, and each gets a complete response`, async (t) => {
  const double = await serveByProcess(t, ['--memory', '--delay', '60000'])
  const delayed = get(double, '/insights', as('ada'))
  const texts = waitings.map(() => '')
  const sockets: Socket[] = []
  for (const [index, [, request]] of waitings.entries()) {
    const socket = await send(t, double, request)
    socket.setEncoding('utf8').on('data', (chunk: string) => (texts[index] += chunk))
    sockets.push(socket)
  }
  t.true(await until(() => texts[0]?.includes('\r\n\r\n') ?? false))
  // A response to a later request shows that the earlier ones have arrived.
  await get(double, '/')
  const closed = Promise.all(sockets.map((socket) => once(socket, 'close')))
  const { code, stderr } = await double.end()
  t.is(code, 0, stderr)
  await closed
  // A request that delays the stop would be cut off, and its response would not be complete.
  for (const [index, [, , answer]] of waitings.entries()) t.regex(texts[index] ?? '', answer)
  t.deepEqual(json(await delayed), visibleIn(await readFixture('default.json'), 'ada'))
})

const half = wire('PUT /__admin/state', ['Content-Type: application/json', 'Content-Length: 1000'], '{"$callers"')

test.serial('equal signals count as one Ctrl-C: an incomplete request is cut off after all others ended', async (t) => {
  const double = await serveByProcess(t, ['--memory'])
  const kept = await send(t, double, wire('GET /'))
  await once(kept, 'data')
  const answer = get(double, '/insights', { ...as('ada'), prefer: 'delay-ms=60000' })
  // The incomplete request is sent last, because its time limit is ten seconds.
  const sockets = { idle: await send(t, double, ''), kept, cut: await send(t, double, half) }
  let text = ''
  sockets.cut.on('data', (chunk: Buffer) => (text += chunk.toString()))
  await get(double, '/')
  const order: string[] = []
  const closed = Object.entries(sockets).map(async ([name, socket]) => {
    await once(socket.resume(), 'close')
    order.push(name)
  })
  const end = performance.now() + 50 // A tenth of the time in which they count as one.
  for (let count = 0; count < 20 && performance.now() < end; count++, await breathe()) double.signal('SIGINT')
  t.is((await answer).status, 200)
  t.is((await double.ended).code, 0)
  await Promise.all(closed)
  t.is(order.at(-1), 'cut')
  // The double did not wait until the time limit of the request. Otherwise it would have sent a 408.
  t.is(text, '')
})

test.serial('a second signal ends the double at once', async (t) => {
  const double = await serveByProcess(t, ['--memory'])
  await send(t, double, half)
  await get(double, '/')
  // The system may deliver two equal signals as one, so the second signal is another one.
  double.signal('SIGINT')
  // A double that waits for pending requests would exit with 0.
  t.is((await double.end('SIGTERM')).code, 130)
})

/** Starts the double as process 1 of a new namespace, as a container does. `$inner` is its id in this one. */
const asFirstProcess = (then: string): string => `
unshare --user --map-root-user --pid --fork node bundle/main.js --port 0 --memory > "$OUT" & outer=$!
until inner=$(cat /proc/$outer/task/$outer/children) && [ -n "$inner" ]; do sleep 0.02; done
${then}
wait $outer; echo "exit $?"`

for (const [title, then, code] of [
  ['stops', `until grep -q ' try ' "$OUT"; do sleep 0.05; done; kill -TERM $inner`, 0],
  ['ends during its start', `while kill -TERM $inner 2> "$OUT.errors"; do sleep 0.05; done`, 143],
] as const)
  test(`the first process of a container ${title} by SIGTERM`, async (t) => {
    const mayUnshare = await shell(t, 'unshare --user --map-root-user --pid --fork true')
    if (mayUnshare.code !== 0) return t.pass('This machine does not permit namespaces.')
    const OUT = join(await temporaryFolder(t), 'out')
    const { stderr, stdout } = await shell(t, asFirstProcess(then), { cwd: packageFolder, env: { OUT } })
    t.is(stdout, `exit ${code}\n`, stderr)
    return undefined
  })
