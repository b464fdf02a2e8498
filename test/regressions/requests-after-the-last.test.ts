import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { pluck } from '../helpers/as-object-or-list.js'
import { serveByCommand, serveByProcess } from '../helpers/cli.js'
import { serve, type Served, testOnDouble } from '../helpers/double.js'
import { temporaryFolder, writeTemporary } from '../helpers/files.js'
import { connectTo, get, idsSeenBy, readReplies, type Reply, wire } from '../helpers/http.js'
import { succeeds, until } from '../helpers/until.js'

const id = 'monstera-watering'
const credential = 'Authorization: Bearer ada-token'
const list = wire('GET /insights?limit=1', [credential])
const delayed = wire('GET /insights?limit=1', [credential, 'Prefer: delay-ms=60000'])
const remove = wire(`DELETE /insights/${id}`, [credential])

interface Client {
  readonly socket: Socket
  /** Returns the responses so far, and the remaining bytes. */
  received(): { readonly replies: readonly Reply[]; readonly rest: Buffer }
  readonly closed: Promise<unknown>
}

/** Writes requests and waits for the first byte of a response. By then the double has received all of them. */
async function say(t: ExecutionContext, double: Served, text: string): Promise<Client> {
  const socket = connectTo(double, { allowHalfOpen: true })
  t.teardown(() => socket.destroy())
  const chunks: Buffer[] = []
  socket.on('error', () => {}).on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.once('end', () => socket.end())
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(text)
  await once(socket, 'data')
  return { socket, closed, received: () => readReplies(Buffer.concat(chunks), []) }
}

const statusesOf = ({ received }: Client): readonly number[] => received().replies.map(({ status }) => status)

testOnDouble('a delete after a body that is too large is not served', async (t, double) => {
  const chunk = `10000\r\n${' '.repeat(65_536)}\r\n`
  const large = wire('POST /__admin/reset', ['Content-Type: application/json', 'Transfer-Encoding: chunked'])
  const client = await say(t, double, `${list}${large}${chunk.repeat(17)}0\r\n\r\n${remove}`)
  client.socket.end()
  await client.closed
  t.deepEqual(statusesOf(client), [200, 413])
  t.true((await idsSeenBy(double, 'ada')).includes(id))
  t.is((await double.requests({ operation: 'deleteInsight' })).matched, 0)
})

test('a delete after the last response of a stopping double is not served', async (t) => {
  const state = join(await temporaryFolder(t), 'state.json')
  const double = await serveByCommand(t, ['--state', state])
  const client = await say(t, double, list + delayed + remove)
  const { code, stderr } = await double.end()
  await client.closed
  t.deepEqual([code, stderr], [0, ''])
  t.deepEqual(statusesOf(client), [200, 200])
  t.true((await readFile(state, 'utf8')).includes(id))
})

testOnDouble('waiting requests of a disconnected client are not served', async (t, double) => {
  const { socket } = await say(t, double, list + delayed + remove)
  socket.resetAndDestroy()
  const { entries } = await double.waitForRequests({ caller: 'ada', atLeast: 2, withinMs: 30_000 })
  t.deepEqual(pluck(entries, 'operation', 'status'), [
    ['listInsights', 200],
    ['listInsights', null],
  ])
  t.true((await idsSeenBy(double, 'ada')).includes(id))
})

testOnDouble('a delayed delete is not served if the client disconnects', async (t, double) => {
  const late = wire(`DELETE /insights/${id}`, [credential, 'Prefer: delay-ms=60000'])
  const client = await say(t, double, list + late)
  client.socket.end()
  await client.closed
  t.deepEqual(statusesOf(client), [200])
  const { entries } = await double.waitForRequests({ operation: 'deleteInsight', atLeast: 1, withinMs: 30_000 })
  t.deepEqual(pluck(entries, 'status', 'note'), [
    [null, 'the client disconnected during the delay, so it got no response'],
  ])
  t.true((await idsSeenBy(double, 'ada')).includes(id))
})

test('a sandbox is idle after its clients have disconnected, even if some of their requests were not read', async (t) => {
  const double = await serve(t, { sandboxIdleMs: 300 })
  const sandbox = await double.sandbox()
  const path = new URL(sandbox.url).pathname
  const { socket } = await say(t, double, (list + delayed + delayed).replaceAll('/insights', `${path}/insights`))
  socket.resetAndDestroy()
  t.true(await until(async () => (await double.sandboxes()).length === 0))
})

test('a client that reads slowly gets complete responses while the double stops, and many parallel delays cause no warning of Node', async (t) => {
  const content = 'x'.repeat(6000)
  const insights = Array.from({ length: 1000 }, () => ({ content }))
  const text = JSON.stringify({ $callers: { ada: { token: 'ada-token' } }, insights })
  const fixture = await writeTemporary(t, 'large.json', text)
  const double = await serveByProcess(t, ['--memory', '--fixture', fixture])
  const delays = await Promise.all(Array.from({ length: 12 }, () => say(t, double, list + delayed)))
  const client = await say(t, double, wire('GET /insights', [credential]).repeat(5))
  client.socket.pause()
  const ended = double.end()
  t.true(await until(async () => !(await succeeds(get(double, '/__admin/health')))))
  client.socket.resume()
  t.deepEqual(await ended.then(({ code, stderr }) => [code, stderr]), [0, ''])
  await Promise.all([client, ...delays].map(({ closed }) => closed))
  const { replies, rest } = client.received()
  t.is(rest.length, 0)
  t.true(replies.length > 0)
  for (const each of delays) t.deepEqual(statusesOf(each), [200, 200])
})
