import type { ExecutionContext } from 'ava'
import test from 'ava'
import type { DoubleHandle, JournalEntry } from 'insights-double'

import { serve } from './helpers/double.js'
import { as, get, raw } from './helpers/http.js'

/** One server-sent event: its fields by name. */
type Event = Readonly<Record<string, string>>

interface Followed {
  readonly reply: Response
  /** Waits for the next event. @returns Undefined: the stream has ended. */
  next(): Promise<Event | undefined>
}

/** Follows the events of a double, until the test ends. */
async function follow(t: ExecutionContext, double: DoubleHandle): Promise<Followed> {
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const reply = await fetch(`${double.url}/__admin/events`, { signal: leaving.signal })
  const events = eventsOf(reply)
  return {
    reply,
    next: async () => {
      const { done, value } = await events.next()
      return done ? undefined : value
    },
  }
}

async function* eventsOf({ body }: Response): AsyncGenerator<Event, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true })
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

const entryIn = (event: Event | undefined): JournalEntry => JSON.parse(event?.['data'] ?? '') as JournalEntry

test('events are the entries of the journal, as they happen', async (t) => {
  const double = await serve(t)
  await get(double, '/insights?limit=9', as('ada'))
  const { next, reply } = await follow(t, double)
  t.is(reply.status, 200)
  t.regex(reply.headers.get('content-type') ?? '', /^text\/event-stream(?:;|$)/u)
  for (const path of ['/insights', '/insights?limit=abc', '/nothing']) {
    const { headers } = await get(double, path, as('ada'))
    const event = await next()
    t.is(event?.['event'], 'exchange')
    t.is(event?.['id'], headers['x-request-id'])
    t.deepEqual(entryIn(event), await double.request(headers['x-request-id'] ?? ''))
  }
})

test('events tell of HTTP that cannot be read and of connections that were cut', async (t) => {
  const double = await serve(t)
  const { next } = await follow(t, double)
  await raw(double, 'GARBAGE\r\n\r\n')
  t.like(entryIn(await next()), { method: '', status: 400 })
  await double.addFault({ disconnect: true })
  await t.throwsAsync(get(double, '/insights', as('ada')))
  t.like(entryIn(await next()), { operation: 'listInsights', status: null, fault: 'fault-1' })
})

test('events are those of one sandbox, and go on over a reset', async (t) => {
  const double = await serve(t)
  const sandbox = await double.sandbox()
  const { next } = await follow(t, sandbox)
  await get(double, '/insights', as('ada'))
  await get(sandbox, '/insights?limit=1', as('ada'))
  t.is(entryIn(await next()).sandbox, sandbox.name)
  await sandbox.reset('empty')
  await sandbox.clearRequests()
  await get(sandbox, '/insights?limit=2', as('ada'))
  t.is(entryIn(await next()).url, `/sandboxes/${sandbox.name}/insights?limit=2`)
})

test('several follow at a time, and one that leaves is no trouble to the others', async (t) => {
  const double = await serve(t)
  const [stays, leaves] = [await follow(t, double), await follow(t, double)]
  await get(double, '/insights', as('ada'))
  t.deepEqual(entryIn(await stays.next()), entryIn(await leaves.next()))
  const gone = await fetch(`${double.url}/__admin/events`)
  await gone.body?.cancel()
  await get(double, '/insights?limit=2', as('ada'))
  t.is(entryIn(await stays.next()).url, '/insights?limit=2')
})

test('events end when the double stops, which does not wait for those who follow', async (t) => {
  const double = await serve(t)
  const { next } = await follow(t, double)
  await get(double, '/insights', as('ada'))
  t.is(entryIn(await next()).status, 200)
  await double.stop()
  // A stream that had been waited for and cut off would fail here.
  t.is(await next(), undefined)
})

test('events are asked for with HEAD, and there is nothing to follow', async (t) => {
  const double = await serve(t)
  const reply = await fetch(`${double.url}/__admin/events`, { method: 'HEAD', signal: AbortSignal.timeout(60_000) })
  t.is(reply.status, 200)
  t.is(await reply.text(), '')
})
