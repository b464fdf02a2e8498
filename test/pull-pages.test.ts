import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import { parse } from 'yaml'

import { planPull } from '#src/pull/pull.js'
import { loadService } from '#src/resources/load-service.js'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, run, runProcess } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { type InsightsService, serveInsights, someInsights, tokens } from './verify/insights-service.js'
import { pull } from './verify/run-verify.js'

const file = join(packageFolder, 'test/specs/shelves.yaml')
const asJson = { 'content-type': 'application/json' }
const oneShelf = { items: [{ id: 1 }], total: 1 }

/** Starts a double of shelves and their books. */
async function serveShelves(t: ExecutionContext, count: number) {
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

const byId = (records: unknown): unknown[] =>
  (records as { id: string }[]).toSorted((one, other) => one.id.localeCompare(other.id))

test('every page of every collection is pulled, also of nested collections', async (t) => {
  const { double, state } = await serveShelves(t, 450)
  const { cut, document, listings } = await pull(double.url, file, [])
  t.deepEqual(document['shelves'], state.shelves)
  t.deepEqual(byId(document['books']), byId(state.books))
  t.deepEqual(cut, [])
  const sent = (await double.requests()).entries.map(({ method, url }) => `${method} ${url}`)
  t.deepEqual(sent, [
    'GET /shelves?per_page=50&page=1',
    'GET /shelves/1',
    ...[0, 100, 200, 225].map((offset) => `GET /shelves/1/books?limit=100&offset=${offset}`),
    'GET /shelves/1/books/book-0',
    ...[0, 100, 200, 225].map((offset) => `GET /shelves/2/books?limit=100&offset=${offset}`),
    'GET /shelves/3/books?limit=100&offset=0',
  ])
  t.deepEqual(pluck(listings, 'requests'), [1, 4, 4, 1])
  const service = await loadService(file)
  t.deepEqual(planPull({ callers: [], service }), [
    'GET /shelves?per_page=50&page=1',
    'GET /shelves/{shelfId} for the first record, and for each if that shows other values',
    'GET /shelves/{shelfId}/books?limit=100&offset=0 for each parent',
    'GET /shelves/{shelfId}/books/{id} for the first record, and for each if that shows other values',
  ])
})

test('records with a path of their own are pulled from their listing below each parent', async (t) => {
  const text = (await readFile(file, 'utf8')).replace('/shelves/{shelfId}/books/{id}:', '/books/{id}:')
  const [before = '', after = ''] = text.split('/books/{id}:')
  const own = `${before}/books/{id}:${after.replace(/.*name: shelfId.*\n/u, '')}`
  const spec = await writeTemporary(t, 'own.yaml', own)
  const { state } = await serveShelves(t, 3)
  const double = await serve(t, { spec, fixture: state })
  const { document } = await pull(double.url, spec, [])
  t.deepEqual(byId(document['books']), byId(state.books))
})

test('a record of a collection without a listing is read if --value names it', async (t) => {
  const { double, state } = await serveShelves(t, 3)
  const text = (await readFile(file, 'utf8')).replace(/^ {2}\/shelves:\n(?: {4}.*\n)+/mu, '')
  const json = "content: { application/json: { schema: { $ref: '#/components/schemas/Shelf' } } }"
  const put = `    put: { requestBody: { ${json} }, responses: { '200': { description: It., ${json} } } }`
  const remove = "    delete: { responses: { '204': { description: Gone. } } }"
  const [before = '', after = ''] = text.split('    get:\n      operationId: readShelf')
  const own = [before + put, remove, `    get:\n      operationId: readShelf${after}`].join('\n')
  const spec = await writeTemporary(t, 'unlisted.yaml', own)
  const { stdout } = await exits(t, 0, ['pull', double.url, spec, '--value', 'shelfId=2'])
  t.deepEqual(asObject(JSON.parse(stdout))['shelves'], state.shelves.slice(1, 2))
  const both = ['pull', double.url, spec, '--value', 'shelfId=2', '--value', 'shelfId=3']
  const several = await exits(t, 0, both)
  t.deepEqual(asObject(JSON.parse(several.stdout))['shelves'], state.shelves.slice(1, 3))
  const plan = await exits(t, 0, [...both, '--plan'])
  t.regex(plan.stdout, /^GET \/shelves\/2\nGET \/shelves\/3$/mu)
  const unnamed = await exits(t, 0, ['pull', double.url, spec])
  t.regex(
    unnamed.stderr,
    /^shelves cannot be listed, so it is empty\. --value shelfId=<value> names a record to read\.$/mu,
  )
})

test('records that are added or removed between pages are reported', async (t) => {
  const booksFrom = (first: number, count: number): readonly object[] =>
    Array.from({ length: count }, (_, index) => ({ id: `b-${first + index}`, title: 'T' }))
  // A record that is added at the start moves the last record of page 1 to page 2.
  const answers: readonly unknown[] = [oneShelf, {}, booksFrom(0, 100), booksFrom(99, 51), []]
  const service = await serveInsights(t, [], {
    instead: ({ count }) => ({ status: 200, headers: asJson, body: answers[count - 1] }),
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
  const words = ['pull', double.url, '--spec', file, '--pace', '10000', '--out', out]
  const { code, stderr } = await runProcess(t, words, { env })
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
  const words = ['pull', double.url, '--spec', file, '--pace', '10000', '--max-requests', '4']
  const refused = await run(t, words)
  t.deepEqual([refused.code, refused.stdout], [2, ''])
  const reached = 'the limit of 4 requests was reached \\(--max-requests\\)\\.\n'
  t.regex(refused.stderr, new RegExp(`^/shelves/1/books seems to be cut: ${reached}`, 'mu'))
  t.regex(refused.stderr, new RegExp(`^/shelves/3/books was not read: ${reached}`, 'mu'))
  const ended = /^The run ended: .* \(--max-requests\) after 4 requests, [\d,]+ bytes and \d+\.\d s\. Raise it/mu
  t.regex(refused.stderr, ended)
  const partial = await exits(t, 0, [...words, '--partial'])
  t.is(asList(asObject(JSON.parse(partial.stdout))['books']).length, 200)
  t.is((await double.requests()).entries.length, 8)
})

/** Serves one shelf with endless books: each page has one new book, and its size in bytes. From the seventh request on, a response is late. */
async function serveEndlessBooks(t: ExecutionContext, pageBytes: number, lateMs = 0): Promise<InsightsService> {
  const book = (index: number): object => ({ id: `b-${index}`, title: 'T' })
  return serveInsights(t, [], {
    write: (response, { count, path }) => {
      const page = Array.from({ length: 100 }, (_, index) => (index < 99 ? book(index) : book(count * 100)))
      const isShelf = /^\/shelves(?:\/1)?$/u.test(path)
      const text = JSON.stringify(isShelf ? oneShelf : page)
      response.writeHead(200, asJson)
      setTimeout(() => response.end(isShelf ? text : text.padEnd(pageBytes)), count > 6 ? lateMs : 0)
      return true
    },
  })
}

test('a pull of endless pages ends with 2 at a limit of all requests, says what was read and what to raise, and writes only with --partial', async (t) => {
  const limits = [
    // The fourth page is cut.
    ['--max-bytes', '350000', '350,000 bytes for all responses', 0, 102],
    ['--max-time', '4000', '4 s for the run', 60_000, 103],
    ['--max-requests', '6', '6 requests', 0, 103],
  ] as const
  for (const [flag, value, limit, lateMs, records] of limits) {
    const words = async (): Promise<readonly string[]> => {
      const { url } = await serveEndlessBooks(t, 100_000, lateMs)
      return ['pull', url, '--spec', file, '--pace', '10000', flag, value]
    }
    const { code, stderr, stdout } = await run(t, await words())
    t.deepEqual([code, stdout], [2, ''], stderr)
    const reached = `the limit of ${limit} was reached (${flag})`
    t.true(stderr.includes(`/shelves/1/books seems to be cut: ${reached}.\n`), stderr)
    t.regex(stderr, new RegExp(`^/shelves/1/books: ${records} records, \\d+ requests$`, 'mu'))
    const end = /^The run ended: .* after \d+ requests, .* and \d+\.\d s\. Raise it to read more\.$/u
    t.regex(stderr.trim().split('\n').at(-1) ?? '', end)
    t.true(stderr.includes(`The run ended: ${reached} after`), stderr)
    const partial = await exits(t, 0, [...(await words()), '--partial'])
    t.is(asList(asObject(JSON.parse(partial.stdout))['books']).length, records)
  }
})

test('the limit of a run also ends a response that has begun, and a verification', async (t) => {
  const service = await serveInsights(t, someInsights(), {
    write: (response, { count }) => {
      if (count <= 12) return false
      response.writeHead(200, asJson).write('[')
      return true
    },
  })
  const env = { ADA_TOKEN: tokens['ada'] ?? '' }
  const words = [service.url, '--caller', 'ada=env:ADA_TOKEN', '--pace', '10000']
  const probes = await exits(t, 2, ['verify', ...words, '--max-time', '10000'], { env })
  const why = 'the run ended: the limit of 10 s for the run was reached (--max-time) after 13 requests'
  t.true(probes.stdout.includes(`\ncould not check, because ${why}`), probes.stdout)
  t.regex(probes.stdout, /: agrees [1-9]\d*, differs 0, could not check [1-9]/u)
  service.reset(someInsights())
  const listing = await run(t, ['verify', ...words, '--max-bytes', '2000'], { env })
  t.deepEqual([listing.code, listing.stdout], [2, ''], listing.stderr)
  t.regex(listing.stderr, /^The run ended: the limit of 2,000 bytes for all responses was reached \(--max-bytes\)/mu)
})

test('a record is pulled if a fixture can have its depth, and else it is left out, and the pull ends with 1', async (t) => {
  const contract = asObject(parse(await readFile(file, 'utf8')))
  // A book may have any content.
  const text = JSON.stringify(contract).replace('"title":{"type":"string"}', '"title":{"type":"string"},"content":{}')
  t.true(text.includes('"content":{}'))
  const spec = await writeTemporary(t, 'shelves.json', text)
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  // The record is in a list. In the fixture, the list is in an object.
  for (const levels of [997, 998, 1500, 6000, 1_000_000]) {
    const isPulled = levels === 997
    const books = `[{ "id": "b-1", "title": "T", "content": ${nested(levels)} }]`
    const service = await serveInsights(t, [], {
      instead: ({ path }) => ({ status: 200, headers: asJson, body: path === '/shelves' ? oneShelf : books }),
    })
    const out = join(await temporaryFolder(t), 'out.json')
    for (const flags of [[], ['--sanitise']]) {
      const words = ['pull', service.url, '--spec', spec, '--pace', '10000', '--out', out, '--force', ...flags]
      const { code, stderr } = await run(t, words)
      t.is(code, isPulled ? 0 : 1, stderr.slice(0, 500))
      const tooDeep =
        /^http:\S+\/shelves\/(?:1|\{shelfId\})\/books cannot be read: page 1 sent JSON nested more than 999 levels deep; a fixture has at most 1000\.$/mu
      if (isPulled) await exits(t, 0, ['check', out, '--spec', spec])
      else t.regex(stderr, tooDeep)
    }
  }
})
