import { join } from 'node:path'

import test from 'ava'

import type { RealCaller } from '#src/pull/pull.js'

import { pluck } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { packageFolder } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { body as bodyOf, listOf, object, text } from './resources/plants-contract.js'
import { type ProxiedResponse, serveProxy } from './verify/changing-proxy.js'
import { differing, verify } from './verify/run-verify.js'

const done = { description: 'Done.' }

/** A contract. A double of it is verified against another double of it. */
interface Own {
  /** The name of a file of `test/specs`. Undefined: the contract of Insights. */
  readonly name?: string
  readonly records?: Readonly<Record<string, readonly object[]>>
  readonly tokens: readonly string[]
  readonly may?: readonly string[]
  /** An operation that gets a fault, and the probe that finds it. */
  readonly faulty: string
  readonly probe: string
}

test('verify finds no difference between two doubles, for every kind of operation, and finds a fault', async (t) => {
  const both = ['ada-token', 'grace-token']
  const plants = [
    { id: 'p1', name: 'Monstera', room: 'hall' },
    { id: 'p2', name: 'Pothos', $access: ['grace'] },
    { id: 'p3', name: 'Fern' },
  ]
  const orders = ['rake', 'spade', 'hoe'].map((item, index) => ({ id: `o-${index}`, item, state: 'open' }))
  const shelves = [1, 2].map((id) => ({ id, name: `Shelf ${id}` }))
  const books = ['a', 'b', 'c'].map((id) => ({ id, title: `Book ${id}`, $parents: { shelfId: id === 'c' ? 2 : 1 } }))
  const cases: readonly Own[] = [
    { tokens: both, faulty: 'deleteInsight', probe: 'deleteInsight:unknown-id' },
    {
      name: 'plants',
      records: { plants },
      tokens: both,
      may: ['createPlant', 'replacePlant=p2', 'updatePlant=p1', 'removePlant=p1'],
      faulty: 'readPlant',
      probe: 'readPlant:known-id',
    },
    { name: 'shop', records: { orders }, tokens: both, faulty: 'readOrder', probe: 'readOrder:known-id' },
    { name: 'shelves', records: { shelves, books }, tokens: [], faulty: 'readBook', probe: 'readBook:known-id' },
    {
      name: 'credentials',
      records: { notes: [{ id: 'n-1', text: 'Water the fern.' }] },
      tokens: ['ada:ada-token'],
      faulty: 'deleteNote',
      probe: 'deleteNote:unknown-id',
    },
  ]
  for (const { faulty, may, name, probe, records, tokens: own } of cases) {
    const callers = own.map((token, index): RealCaller => ({
      name: ['ada', 'grace'][index] ?? '',
      token,
      variable: 'TOKEN',
    }))
    const $callers = Object.fromEntries(callers.map((each) => [each.name, { token: each.token }]))
    const spec = name === undefined ? {} : { spec: join(packageFolder, `test/specs/${name}.yaml`) }
    const fixture = records ? { fixture: { ...(own.length > 0 ? { $callers } : {}), ...records } } : {}
    const double = await serve(t, { ...spec, ...fixture })
    const reading = await verify(double.url, { ...spec, callers })
    t.deepEqual(differing(reading), [], name)
    const outcomes = pluck(reading.report.probes, 'outcome')
    t.true(outcomes.includes('agrees'), name)
    const { entries } = await double.requests()
    t.true(entries.length > 10 && entries.every(({ method }) => /^(?:GET|HEAD|OPTIONS)$/u.test(method)), name)
    if (may) t.deepEqual(differing(await verify(double.url, { ...spec, callers, may })), [], name)
    await double.addFault({ operation: faulty, times: 100, status: 503 })
    const permitted = probe.startsWith('delete') ? { may: [faulty] } : {}
    t.deepEqual(differing(await verify(double.url, { ...spec, ...permitted, callers, only: probe })), [probe])
  }
})

test('the id of a new record that no response tells is no difference', async (t) => {
  const note = object({ id: text, content: text }, 'id')
  const create = { requestBody: { content: { 'application/json': { schema: object({ content: text }) } } } }
  const notes = { get: { responses: { 200: bodyOf(listOf(note)) } }, post: { ...create, responses: { 201: done } } }
  const path = [{ name: 'id', in: 'path', required: true, schema: text }]
  const item = { parameters: path, delete: { operationId: 'removeNote', responses: { 204: done } } }
  const post = { ...notes.post, operationId: 'addNote' }
  const spec = await writeContract(t, { '/notes': { ...notes, post }, '/notes/{id}': item })
  const double = await serve(t, { spec, fixture: { notes: [{ id: 'n', content: 'Water.' }] } })
  await sendJson(double, 'POST', '/notes', { content: 'Old.' })
  const [, { id } = { id: '' }] = json(await get(double, '/notes')) as readonly { id: string }[]
  await fetch(`${double.url}/notes/${id}`, { method: 'DELETE' })
  const result = await verify(double.url, { spec, callers: [], may: ['addNote', 'removeNote'] })
  t.deepEqual(differing(result), [])
  t.true(result.report.probes.some(({ name }) => name === 'addNote:creates'))
})

test('verify finds deviations of creates, updates and removes, and removes the records that it created', async (t) => {
  const spec = join(packageFolder, 'test/specs/plants.yaml')
  const body = (response: ProxiedResponse, change: (record: Record<string, unknown>) => void): void => {
    const record = JSON.parse(response.text) as Record<string, unknown>
    change(record)
    response.text = JSON.stringify(record)
  }
  const cases: readonly (readonly [probe: string, what: RegExp, (answer: ProxiedResponse, method: string) => void])[] =
    [
      [
        'creates',
        /^the service answers 200, the double 201$/u,
        (answer) => void (answer.status === 201 && (answer.status = 200)),
      ],
      ['creates', /^the service sends the header location: none/u, (answer) => delete answer.headers['location']],
      [
        'creates',
        /required property 'name'/u,
        (answer) => void (answer.status === 201 && body(answer, (record) => delete record['name'])),
      ],
      [
        'creates',
        /^name is "other" in the service/u,
        (answer, method) =>
          void (method === 'PUT' && answer.status === 200 && body(answer, (record) => (record['name'] = 'other'))),
      ],
      [
        'creates',
        /^the service answers 204, the double 200$/u,
        (answer, method) => void (method === 'PATCH' && answer.status === 200 && (answer.status = 204)),
      ],
      [
        'creates',
        /^the service answers 204, the double 404$/u,
        (answer, method) => void (method === 'DELETE' && answer.status === 404 && (answer.status = 204)),
      ],
      [
        'malformed-json',
        /^the service answers 422, the double 400$/u,
        (answer, method) => void (method === 'POST' && answer.status === 400 && (answer.status = 422)),
      ],
    ]
  const callers = [{ name: 'ada', token: 'ada-token', variable: 'TOKEN' }]
  const fixture = { $callers: { ada: { token: 'ada-token' } }, plants: [{ id: 'p1', name: 'Monstera' }] }
  const may = ['createPlant', 'removePlant', 'updatePlant', 'replacePlant']
  const double = await serve(t, { spec, fixture })
  for (const [name, what, change] of cases) {
    const url = await serveProxy(t, double.url, change)
    const { report } = await verify(url, { spec, callers, may, only: `createPlant:${name}` })
    const found = report.probes.flatMap(({ differences }) => differences.map((each) => each.what))
    t.true(
      found.some((each) => what.test(each)),
      `${String(what)}: ${found.join('\n')}`,
    )
    t.deepEqual((await double.state())['plants'], fixture.plants)
  }
  const left: readonly (readonly [method: string, status: number, note: RegExp])[] = [
    ['DELETE', 500, /^The record \S+ of plants, which this run created, was not removed: the service answers 500\.$/u],
    ['POST', 0, /^createPlant got no response, so a record of plants may be left behind\.$/u],
  ]
  for (const [unsafe, status, note] of left) {
    const url = await serveProxy(
      t,
      double.url,
      (answer, method) => void (method === unsafe && (answer.status = status)),
    )
    const { report } = await verify(url, { spec, callers, may, only: 'createPlant:creates' })
    t.true(
      report.notes.some((each) => note.test(each)),
      report.notes.join('\n'),
    )
  }
})
