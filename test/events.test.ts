import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asObject, type JsonObject } from './helpers/as-object-or-list.js'
import { control, serve, type Served, testOnDouble } from './helpers/double.js'
import { followAsText, openEventStream } from './helpers/event-stream.js'
import { as, assertError, get, raw } from './helpers/http.js'
import { until } from './helpers/until.js'

/** One server-sent event: its fields by name. */
type Event = Readonly<Record<string, string>>

/** Reads the events of a double until the test ends. `next` returns undefined if the stream has ended. */
async function follow(t: ExecutionContext, double: DoubleHandle, lastEventId?: string) {
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const headers: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }
  const { parts, reply } = await openEventStream(double, { headers, signal: leaving.signal })
  const events = eventsOf(parts)
  return { reply, next: async (): Promise<Event | undefined> => (await events.next()).value }
}

async function* eventsOf(parts: AsyncIterable<string>): AsyncGenerator<Event, undefined> {
  let text = ''
  for await (const part of parts) {
    text += part
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split('\n').filter((line) => !line.startsWith(':'))
      if (lines.length > 0)
        yield Object.fromEntries(lines.map((line) => [line.split(': ')[0], line.replace(/^\w+: /u, '')]))
    }
  }
  return undefined
}

const dataIn = (event: Event | undefined): JsonObject => asObject(JSON.parse(event?.['data'] ?? ''))

/** Returns the URL in the journal entry of an event. */
const urlOf = async (double: DoubleHandle, event: Event | undefined): Promise<string> =>
  (await double.request(event?.['id'] ?? '')).url

testOnDouble('each journal entry is sent as an event with id, operation, status and verdict', async (t, double) => {
  await get(double, '/insights?limit=9', as('ada'))
  const { next, reply } = await follow(t, double)
  t.is(reply.status, 200)
  t.regex(reply.headers.get('content-type') ?? '', /^text\/event-stream(?:;|$)/u)
  for (const path of ['/insights', '/insights?limit=abc', '/nothing']) {
    const { headers } = await get(double, path, as('ada'))
    const event = await next()
    t.is(event?.['event'], 'exchange')
    t.is(event?.['id'], headers['x-request-id'])
    const { id, operation, status, verdict } = await double.request(headers['x-request-id'] ?? '')
    t.deepEqual(dataIn(event), { id, operation, status, verdict })
  }
})

testOnDouble('malformed HTTP and cut connections are sent as events', async (t, double) => {
  const { next } = await follow(t, double)
  await raw(double, 'GARBAGE\r\n\r\n')
  t.like(dataIn(await next()), { operation: null, status: 400 })
  await double.addFault({ disconnect: true })
  await t.throwsAsync(get(double, '/insights', as('ada')))
  t.like(dataIn(await next()), { operation: 'listInsights', status: null })
})

testOnDouble('a stream has the events of one sandbox, and continues after a reset', async (t, double) => {
  const sandbox = await double.sandbox()
  const { next } = await follow(t, sandbox)
  await get(double, '/insights', as('ada'))
  await get(sandbox, '/insights?limit=1', as('ada'))
  t.is(await urlOf(sandbox, await next()), `/sandboxes/${sandbox.name}/insights?limit=1`)
  await sandbox.reset('empty')
  await sandbox.clearRequests()
  await get(sandbox, '/insights?limit=2', as('ada'))
  t.is(await urlOf(sandbox, await next()), `/sandboxes/${sandbox.name}/insights?limit=2`)
})

test('several clients read events, and a client that disconnects does not affect the others', async (t) => {
  const double = await serve(t)
  const [stays, leaves] = [await follow(t, double), await follow(t, double)]
  await get(double, '/insights', as('ada'))
  t.deepEqual(await stays.next(), await leaves.next())
  const gone = await fetch(`${double.url}/__admin/events`)
  await gone.body?.cancel()
  await get(double, '/insights?limit=2', as('ada'))
  t.is(await urlOf(double, await stays.next()), '/insights?limit=2')
})

testOnDouble('event streams end when the double stops, and do not delay the stop', async (t, double) => {
  const { next } = await follow(t, double)
  await get(double, '/insights', as('ada'))
  t.is(dataIn(await next())['status'], 200)
  await double.stop()
  // If the double had cut the stream off, this would fail.
  t.is(await next(), undefined)
})

testOnDouble('a HEAD of the event stream gets a 200 without a body', async (t, double) => {
  const reply = await fetch(`${double.url}/__admin/events`, { method: 'HEAD', signal: AbortSignal.timeout(60_000) })
  t.is(reply.status, 200)
  t.is(await reply.text(), '')
})

testOnDouble('a client that reconnects gets the entries since its last event', async (t, double) => {
  const ids: string[] = []
  for (const limit of [1, 2, 3])
    ids.push((await get(double, `/insights?limit=${limit}`, as('ada'))).headers['x-request-id'] ?? '')
  const { next } = await follow(t, double, ids[0])
  t.is((await next())?.['id'], ids[1])
  t.is((await next())?.['id'], ids[2])
  const { headers } = await get(double, '/insights', as('ada'))
  t.is((await next())?.['id'], headers['x-request-id'])
})

test('a client that reconnects gets the number of missed events if its last event is no longer in the journal', async (t) => {
  const double = await serve(t)
  const { headers } = await get(double, '/insights', as('ada'))
  await get(double, '/insights', as('ada'))
  await double.clearRequests()
  const after = await get(double, '/insights', as('ada'))
  const { next } = await follow(t, double, headers['x-request-id'])
  t.deepEqual(await next(), { event: 'missed', data: '{"count":2}' })
  t.is((await next())?.['id'], after.headers['x-request-id'])
})

test('a double allows 100 event streams in all sandboxes together; a closed stream no longer counts', async (t) => {
  const double = await serve(t)
  const sandbox = await double.sandbox()
  const places = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? double : sandbox))
  const all = await Promise.all(places.map((place) => openEventStream(place)))
  t.true(all.every(({ reply: { status } }) => status === 200))
  const refused = await get(sandbox, '/__admin/events')
  const message = 'There are 100 event streams, which is the maximum. Close one, or use GET /__admin/requests.'
  assertError(t, refused, 503, message)
  await all[0]?.parts.return?.()
  const isAllowed = async (): Promise<boolean> => {
    const { parts, reply } = await openEventStream(double)
    await parts.return?.()
    return reply.status === 200
  }
  t.true(await until(isAllowed))
})

test('with changes=true, the event stream names the control operations that changed something, and no others', async (t) => {
  const double = await serve(t)
  const sandbox = await double.sandbox({ name: 'mine' })
  const changesAt = async (place: Served): Promise<() => readonly string[]> => {
    const text = await followAsText(t, place, '?changes=true')
    return () => [...text().matchAll(/event: change\ndata: \{"operation":"(\w+)"\}\n\n/gu)].map(([, name = '']) => name)
  }
  const [root, other] = [await changesAt(double), await changesAt(sandbox)]
  await double.state()
  await double.addFault({ status: 500 })
  await control(double, 'POST', '/faults', {})
  await double.clearFaults()
  await double.sandbox()
  t.true(await until(() => root().length === 3))
  t.true(await until(() => other().length === 1))
  t.deepEqual([...root()].toSorted(), ['addFault', 'clearFaults', 'createSandbox'])
  t.deepEqual(other(), ['createSandbox'])
})
