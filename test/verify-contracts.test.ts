import { join } from 'node:path'

import test from 'ava'

import type { RealCaller } from '#src/pull/pull.js'

import { pluck } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { packageFolder } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { body, inPath, listOf, object, text } from './resources/plants-contract.js'
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
  /** The probe that finds a fault of its operation. */
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
  const notes = [{ id: 'n-1', text: 'Water the fern.' }]
  const changes = ['createPlant', 'replacePlant=p2', 'updatePlant=p1', 'removePlant=p1']
  const cases: readonly Own[] = [
    { tokens: both, probe: 'deleteInsight:unknown-id' },
    { name: 'plants', records: { plants }, tokens: both, may: changes, probe: 'readPlant:known-id' },
    { name: 'shop', records: { orders }, tokens: both, probe: 'readOrder:known-id' },
    { name: 'shelves', records: { shelves, books }, tokens: [], probe: 'readBook:known-id' },
    { name: 'credentials', records: { notes }, tokens: ['ada:ada-token'], probe: 'deleteNote:unknown-id' },
  ]
  for (const { may, name, probe, records, tokens: own } of cases) {
    const [faulty = ''] = probe.split(':')
    const names = ['ada', 'grace'] as const
    const callers = own.map((token, index): RealCaller => ({ name: names[index] ?? '', token, variable: 'TOKEN' }))
    const $callers = Object.fromEntries(callers.map((each) => [each.name, { token: each.token }]))
    const spec = name === undefined ? {} : { spec: join(packageFolder, `test/specs/${name}.yaml`) }
    const fixture = records ? { fixture: { ...(own.length > 0 ? { $callers } : {}), ...records } } : {}
    const double = await serve(t, { ...spec, ...fixture })
    const reading = await verify(double.url, { ...spec, callers })
    t.deepEqual(differing(reading), [], name)
    t.true(pluck(reading.report.probes, 'outcome').includes('agrees'), name)
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
  const post = { ...create, operationId: 'addNote', responses: { 201: done } }
  const item = { parameters: [inPath('id')], delete: { operationId: 'removeNote', responses: { 204: done } } }
  const notes = { get: { responses: { 200: body(listOf(note)) } }, post }
  const spec = await writeContract(t, { '/notes': notes, '/notes/{id}': item })
  const double = await serve(t, { spec, fixture: { notes: [{ id: 'n', content: 'Water.' }] } })
  await sendJson(double, 'POST', '/notes', { content: 'Old.' })
  const [, { id } = { id: '' }] = json(await get(double, '/notes')) as readonly { id: string }[]
  await fetch(`${double.url}/notes/${id}`, { method: 'DELETE' })
  const result = await verify(double.url, { spec, callers: [], may: ['addNote', 'removeNote'] })
  t.deepEqual(differing(result), [])
  t.true(pluck(result.report.probes, 'name').includes('addNote:creates'))
})

type Change = (answer: ProxiedResponse, method: string) => void

/** Changes the status of the responses to one method that have a status. */
const turn =
  (from: number, to: number, only?: string): Change =>
  (answer, method) =>
    void (answer.status === from && method === (only ?? method) && (answer.status = to))

/** Changes the record of the responses with a status. */
const edit =
  (from: number, change: (record: Record<string, unknown>) => unknown, only?: string): Change =>
  (answer, method) => {
    if (answer.status !== from || method !== (only ?? method)) return
    const record = JSON.parse(answer.text) as Record<string, unknown>
    change(record)
    answer.text = JSON.stringify(record)
  }

test('verify finds deviations of creates, updates and removes, and removes the records that it created', async (t) => {
  const spec = join(packageFolder, 'test/specs/plants.yaml')
  const renamed = edit(200, (record) => (record['name'] = 'other'), 'PUT')
  const cases: readonly (readonly [what: RegExp, Change, probe?: string])[] = [
    [/^the service answers 200, the double 201$/mu, turn(201, 200)],
    [/^the service sends the header location: none/mu, (answer) => delete answer.headers['location']],
    [/required property 'name'/u, edit(201, (record) => delete record['name'])],
    [/^name is "other" in the service/mu, renamed],
    [/^the service answers 204, the double 200$/mu, turn(200, 204, 'PATCH')],
    [/^the service answers 204, the double 404$/mu, turn(404, 204, 'DELETE')],
    [/^the service answers 422, the double 400$/mu, turn(400, 422, 'POST'), 'createPlant:malformed-json'],
    [/^the service answers 422, the double 400$/mu, turn(400, 422, 'PATCH'), 'updatePlant:changes-otherwise'],
  ]
  const callers = [{ name: 'ada', token: 'ada-token', variable: 'TOKEN' }]
  const fixture = { $callers: { ada: { token: 'ada-token' } }, plants: [{ id: 'p1', name: 'Monstera' }] }
  const may = ['createPlant', 'removePlant', 'updatePlant', 'replacePlant']
  const double = await serve(t, { spec, fixture })
  for (const [what, change, only = 'createPlant:creates'] of cases) {
    const url = await serveProxy(t, double.url, change)
    const { report } = await verify(url, { spec, callers, may, only })
    t.regex(report.probes.flatMap(({ differences }) => pluck(differences, 'what')).join('\n'), what)
    t.deepEqual((await double.state())['plants'], fixture.plants)
  }
  const left: readonly (readonly [method: string, status: number, note: RegExp])[] = [
    ['DELETE', 500, /^The record \S+ of plants, which this run created, was not removed: the service answers 500\.$/mu],
    ['POST', 0, /^createPlant got no response, so a record of plants may be left behind\.$/mu],
  ]
  for (const [unsafe, status, note] of left) {
    const change: Change = (answer, method) => void (method === unsafe && (answer.status = status))
    const url = await serveProxy(t, double.url, change)
    const { report } = await verify(url, { spec, callers, may, only: 'createPlant:creates' })
    t.regex(report.notes.join('\n'), note)
  }
})
