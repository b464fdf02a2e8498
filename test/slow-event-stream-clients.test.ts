import { once } from 'node:events'

import test from 'ava'

import { EventStreams } from '#src/control/event-streams.js'
import { startInThisThread } from '#src/double/start-in-this-thread.js'
import type { RecordedRequest } from '#src/sandbox/journal-entry.js'
import { Journal } from '#src/sandbox/journal.js'

import { openEventStream } from './helpers/event-stream.js'
import { connectTo, wire } from './helpers/http.js'

/** The maximum that the double buffers for one client, bytes. */
const mostBytes = 1024 * 1024

const entry = (number: number, operation = 'listInsights'): RecordedRequest => {
  const common = {
    sandbox: 'root',
    method: 'GET',
    url: '/insights',
    operation,
    caller: 'ada',
    status: 200,
    verdict: 'ok',
    violations: [],
    fault: null,
    preference: null,
    note: null,
  } as const
  const id = `boot-${number}`
  const details = {
    requestHeaders: {},
    requestText: undefined,
    responseHeaders: {},
    responseText: undefined,
    truncated: [],
  }
  const summary = { id, time: '2026-01-12T09:30:00.125Z', durationMs: 1, ...common }
  return { id, common, summary, bytes: 1, pathParameters: {}, details: () => details }
}

type Stream = ReturnType<EventStreams['open']>

/** Reads the available text of a stream. */
async function readAll(stream: Stream): Promise<string> {
  let text = ''
  for (;;) {
    // The stream continues to read later in the same turn of the event loop.
    await new Promise(setImmediate)
    const chunk = stream.read() as Buffer | null
    if (chunk === null) return text
    text += chunk.toString()
  }
}

const idsIn = (text: string): readonly string[] => [...text.matchAll(/^id: (.*)$/gmu)].map(([, id = '']) => id)

test('a client that does not read is disconnected after 1 MiB of events, of which the double buffers 16 KiB', async (t) => {
  const journal = new Journal()
  const streams = new EventStreams()
  const stream = streams.open(journal)
  const other = streams.open(journal)
  stream.read(0)
  const bytesPerEvent = 90
  let number = 0
  for (; !stream.destroyed && number < 100_000; number++) {
    journal.record(entry(number))
    if (number % 500 === 0) await readAll(other)
    t.true(stream.readableLength < 20_000)
  }
  t.true(stream.destroyed)
  t.true(number * bytesPerEvent > mostBytes / 2, String(number))
  t.true(number * bytesPerEvent < mostBytes * 1.5, String(number))
  t.false(other.destroyed)
  other.destroy()
})

test('a client that reads late gets all events in order, and the number of entries that the journal dropped', async (t) => {
  const journal = new Journal({ maxEntries: 10, maxBytes: 1_000_000 })
  const stream = new EventStreams().open(journal)
  await readAll(stream)
  for (let number = 1; number <= 1000; number++) journal.record(entry(number))
  await new Promise(setImmediate)
  const text = await readAll(stream)
  const ids = idsIn(text).map((id) => Number(id.slice(5)))
  const sorted = ids.toSorted((one, next) => one - next)
  t.deepEqual(ids, sorted)
  t.is(ids.at(-1), 1000)
  const missed = [...text.matchAll(/^data: \{"count":(\d+)\}$/gmu)].reduce((sum, [, count]) => sum + Number(count), 0)
  t.is(ids.length + missed, 1000)
  t.true(missed > 0)
  stream.destroy()
})

test('a replay that is larger than the buffers is complete', async (t) => {
  const journal = new Journal()
  for (let number = 1; number <= 1000; number++) journal.record(entry(number))
  const stream = new EventStreams().open(journal, 'boot-1')
  const ids = idsIn(await readAll(stream))
  const kept = Array.from({ length: 999 }, (_, index) => `boot-${index + 2}`)
  t.deepEqual(ids, kept)
  stream.destroy()
})

test('an entry is serialized once for all streams', async (t) => {
  const journal = new Journal()
  const streams = new EventStreams()
  const [one, other] = [streams.open(journal), streams.open(journal)]
  await Promise.all([readAll(one), readAll(other)])
  let written = 0
  const counted = entry(1)
  Object.defineProperty(counted.common, 'status', { get: () => 200 + ++written, enumerable: true })
  journal.record(counted)
  const [first, second] = await Promise.all([readAll(one), readAll(other)])
  t.is(first, second)
  t.is(written, 1)
  one.destroy()
  other.destroy()
})

test('a closed stream no longer counts against the maximum', (t) => {
  const journal = new Journal()
  const streams = new EventStreams()
  const open = Array.from({ length: 100 }, () => streams.open(journal))
  t.throws(() => streams.open(journal), { message: /^There are 100 event streams, which/u })
  open[0]?.end()
  const next = streams.open(journal)
  t.throws(() => streams.open(journal))
  next.destroy()
  streams.open(journal).end()
  for (const stream of open) stream.destroy()
})

test('a client that was disconnected because it did not read gets the rest of the journal when it reconnects', async (t) => {
  const double = await startInThisThread()
  t.teardown(() => double.stop())
  const client = connectTo(double)
  t.teardown(() => client.destroy())
  client.on('error', () => {})
  client.write(wire('GET /__admin/events'))
  await once(client, 'readable')
  // The system buffers some megabytes for a client that does not read, so the events are long.
  const count = 10_000
  for (let number = 1; number <= count; number++) {
    double.root.journal.record(entry(number, 'x'.repeat(2000)))
    if (number % 100 === 0) await new Promise(setImmediate)
  }
  const closed = once(client, 'close')
  let text = ''
  client.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await closed
  t.false(text.endsWith('0\r\n\r\n'), 'what was cut off does not look whole')
  const ids = idsIn(text.replaceAll('\r\n', '\n'))
  t.true(ids.length < count)
  const leaving = new AbortController()
  t.teardown(() => leaving.abort())
  const headers = { 'Last-Event-ID': ids.at(-1) ?? '' }
  const { parts } = await openEventStream(double, { headers, signal: leaving.signal })
  let rest = ''
  for await (const part of parts) {
    rest += part
    if (idsIn(rest).includes(`boot-${count}`)) break
  }
  const kept = double.root.journal.find().map(({ summary }) => summary.id)
  t.deepEqual(idsIn(rest), kept)
  t.true(rest.includes(`event: missed\ndata: {"count":${double.root.journal.dropped}}\n`))
})
