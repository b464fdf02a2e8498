import { once } from 'node:events'
import { join } from 'node:path'

import test from 'ava'

import { pluck } from '../helpers/as-object-or-list.js'
import { serve, type Served, testOnDouble } from '../helpers/double.js'
import { temporaryFolder } from '../helpers/files.js'
import { connectTo, readReplies, type Reply, wire } from '../helpers/http.js'

const credential = 'Authorization: Bearer ada-token'
const list = wire('GET /insights?limit=1', [credential])
const remove = (id: string): string => wire(`DELETE /insights/${id}`, [credential])

/** Sends all requests, ends its side, and reads until the double has ended its side. */
async function sayAndListen(double: Served, text: string): Promise<readonly Reply[]> {
  const socket = connectTo(double, { allowHalfOpen: true })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).end(text)
  await new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject))
  return readReplies(Buffer.concat(chunks), []).replies
}

const conversations: readonly (readonly [title: string, text: string, statuses: readonly number[]])[] = [
  ['a listing', list, [200]],
  ['twenty listings', list.repeat(20), Array.from({ length: 20 }, () => 200)],
  ['deletes, each saved', remove('monstera-watering') + remove('monstera-watering') + list, [204, 404, 200]],
  ['a control request', wire('GET /__admin/health') + list, [200, 200]],
  ['half a header', 'GET /insights HTTP/1.1\r\nHost: localhost\r\n', [400]],
  ['a listing and half a header', `${list}GET /insights HTTP/1.1\r\n`, [200, 400]],
  ['half a body', wire('POST /__admin/reset', ['Content-Type: application/json', 'Content-Length: 9'], '{'), [400]],
]
for (const [title, text, statuses] of conversations)
  test(`a client that ends its side after its requests gets every response: ${title}`, async (t) => {
    const double = await serve(t, { state: join(await temporaryFolder(t), 'state.json') })
    t.deepEqual(pluck(await sayAndListen(double, text), 'status'), statuses)
  })

testOnDouble('the journal entry of a delayed request has no status if the client disconnects', async (t, double) => {
  const socket = connectTo(double)
  socket.write(list + wire('GET /insights', [credential, 'Prefer: delay-ms=60000']))
  await once(socket, 'data')
  socket.destroy()
  const { entries } = await double.waitForRequests({ caller: 'ada', atLeast: 2, withinMs: 30_000 })
  t.deepEqual(pluck(entries, 'status'), [200, null])
})

testOnDouble('a wait for requests ends if the client ends its side', async (t, double) => {
  let isOver = false
  const waiting = double.waitForRequests({ atLeast: 9, withinMs: 60_000 }).finally(() => (isOver = true))
  // A response to this request shows that the earlier wait has started.
  await double.health()
  const replies = await sayAndListen(double, wire('GET /__admin/requests?atLeast=9&withinMs=60000'))
  t.false(isOver)
  t.is(replies.length, 1)
  t.regex(replies[0]?.text ?? '', /"satisfied":false/u)
  await double.stop()
  await t.throwsAsync(waiting, { name: 'RequestsNotSeenError' })
})
