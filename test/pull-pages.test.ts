import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'
import type { DoubleHandle } from 'insights-double'

import { loadService } from '#src/contract/load-service.js'
import { planPull } from '#src/pull/pull.js'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { run, runProcess } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { packageFolder } from './helpers/package-folder.js'
import { pull } from './helpers/pull-state.js'
import { temporaryFolder } from './helpers/temporary-files.js'
import { serveInsights } from './verify/insights-service.js'

const file = join(packageFolder, 'test/specs/shelves.yaml')

/** Starts a double of shelves and their books. */
async function serveShelves(t: ExecutionContext, count: number): Promise<Shelves> {
  const state = {
    shelves: Array.from({ length: 3 }, (_, index) => ({ id: index + 1, name: `Shelf ${index + 1}` })),
    books: Array.from({ length: count }, (_, index) => ({
      id: `book-${index}`,
      title: `${index} `.padEnd(1000, 'lorem ipsum '),
      $parents: { shelfId: (index % 2) + 1 },
    })),
  }
  return { double: await serve(t, { spec: file, fixture: state }), state }
}

interface Shelves {
  readonly double: DoubleHandle
  readonly state: Readonly<Record<'shelves' | 'books', readonly object[]>>
}

const byId = (records: unknown): unknown[] =>
  (records as { id: string }[]).toSorted((one, other) => one.id.localeCompare(other.id))

test('every page of every collection is pulled, also of nested collections', async (t) => {
  const { double, state } = await serveShelves(t, 450)
  const { cut, document, listings } = await pull(double.url, file, [])
  t.deepEqual(document['shelves'], state.shelves)
  t.deepEqual(byId(document['books']), byId(state.books))
  t.deepEqual(cut, [])
  const { entries } = await double.requests()
  t.deepEqual(
    entries.map(({ method, url }) => `${method} ${url}`),
    [
      'GET /shelves?per_page=50&page=1',
      ...[0, 100, 200, 225].map((offset) => `GET /shelves/1/books?limit=100&offset=${offset}`),
      ...[0, 100, 200, 225].map((offset) => `GET /shelves/2/books?limit=100&offset=${offset}`),
      'GET /shelves/3/books?limit=100&offset=0',
    ],
  )
  t.deepEqual(
    listings.map(({ requests }) => requests),
    [1, 4, 4, 1],
  )
  const service = await loadService(file)
  t.deepEqual(planPull({ callers: [], service }), [
    'GET /shelves?per_page=50&page=1',
    'GET /shelves/{shelfId}/books?limit=100&offset=0 for each parent',
  ])
})

test('records that are added or removed between pages are reported', async (t) => {
  const booksFrom = (first: number, count: number): readonly object[] =>
    Array.from({ length: count }, (_, index) => ({ id: `b-${first + index}`, title: 'T' }))
  // A record that is added at the start moves the last record of page 1 to page 2.
  const answers: readonly unknown[] = [{ items: [{ id: 1 }], total: 1 }, booksFrom(0, 100), booksFrom(99, 51), []]
  const service = await serveInsights(t, [], {
    instead: ({ count }) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: answers[count - 1],
    }),
  })
  const { cut, document } = await pull(service.url, file, [])
  t.is(asList(document['books']).length, 150)
  t.deepEqual(cut, ['/shelves/1/books seems to be cut: records were added or removed while it was read.'])
})

test('10,000 records are pulled with little memory, and the progress is printed', async (t) => {
  const { double, state } = await serveShelves(t, 10_000)
  const out = join(await temporaryFolder(t), 'shelves.json')
  // The records take 10 MB.
  const env = { NODE_OPTIONS: '--max-old-space-size=96' }
  const { code, stderr } = await runProcess(t, ['pull', double.url, '--spec', file, '--pace', '10000', '--out', out], {
    env,
  })
  t.is(code, 0, stderr)
  t.deepEqual(byId(asObject(JSON.parse(await readFile(out, 'utf8')))['books']), byId(state.books))
  t.deepEqual(stderr.split('\n').slice(0, 7), [
    '/shelves: 3 records, 1 request',
    ...[1000, 2000, 3000, 4000, 5000].map((count) => `/shelves/1/books: ${count} records so far`),
    '/shelves/1/books: 5000 records, 51 requests',
  ])
})

test('a pull that reaches --max-requests reports the place, and writes only with --partial', async (t) => {
  const { double } = await serveShelves(t, 450)
  const words = ['pull', double.url, '--spec', file, '--pace', '10000', '--max-requests', '3']
  const refused = await run(t, words)
  t.deepEqual([refused.code, refused.stdout], [1, ''])
  const reached = 'the limit of 3 requests was reached \\(--max-requests\\)\\.\n'
  t.regex(refused.stderr, new RegExp(`^/shelves/1/books seems to be cut: ${reached}`, 'mu'))
  t.regex(refused.stderr, new RegExp(`^/shelves/3/books was not read: ${reached}`, 'mu'))
  const partial = await run(t, [...words, '--partial'])
  t.is(partial.code, 0, partial.stderr)
  t.is(asList(asObject(JSON.parse(partial.stdout))['books']).length, 200)
  t.is((await double.requests()).entries.length, 6)
})
