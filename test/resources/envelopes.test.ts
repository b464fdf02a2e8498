import test from 'ava'

import { body, type Changes, integer, listOf, object, parameter, plant, plants, ref, text } from './plants-contract.js'
import { contract, crud, type Schema } from './rules-contract.js'
import { serviceOf, type TestService } from './service-of.js'

const items = listOf(plant)
const listing = (properties: object, ...required: readonly string[]): Changes => ({
  operations: { list: { responses: { 200: body(object(properties, ...required)) } } },
  query: ['limit', 'page'].map((name) => parameter(name, integer)),
})
const fixture = { plants: Array.from({ length: 5 }, (_, at) => ({ id: `p-${at}`, name: 'x' })) }
const shown = (from: number, to: number): unknown => fixture.plants.slice(from, to)

test('an envelope has the records and the computed properties', async (t) => {
  const properties = {
    data: items,
    errors: listOf({ type: 'object' }),
    object: { const: 'list' },
    hasMore: { type: 'boolean' },
    next: { type: ['string', 'null'] },
    cursor: text,
    meta: object({ total_count: integer, page: integer, per_page: integer, limit: integer }),
    region: { ...text, example: 'north' },
  }
  const service = await serviceOf(plants(listing(properties, 'data', 'next', 'region')), fixture)
  const { body: sent } = service.ok('listPlants', { query: { limit: 2, page: 2 } })
  t.deepEqual(sent, {
    data: shown(2, 4),
    object: 'list',
    hasMore: true,
    next: '/v1/plants?limit=2&page=3',
    meta: { total_count: 5, page: 2, per_page: 2, limit: 2 },
    region: 'north',
  })
  t.is(service.ok('listPlants', { query: { limit: 2, page: 2 } }).body, sent)
  t.like(service.ok('listPlants').body, { data: shown(0, 5), hasMore: false, meta: { total_count: 5, page: 1 } })
  t.deepEqual(service.explain('listPlants').filled, ['region'])
})

test('an empty page omits an optional array that must not be empty', async (t) => {
  const properties = { data: { ...items, minItems: 1 }, count: integer }
  const bodyOf = async (...required: readonly string[]): Promise<unknown> =>
    (await serviceOf(plants(listing(properties, ...required)))).ok('listPlants').body
  t.is(JSON.stringify(await bodyOf()), '{"count":0}')
  await t.throwsAsync(bodyOf('data'), { message: /fewer than 1 items/u })
})

test('if a listing has several arrays, the records are in the array that has the name of the path, or data, items or results', async (t) => {
  const service = await serviceOf(plants(listing({ items, plants: items })), fixture)
  t.deepEqual(service.ok('listPlants').body, { plants: shown(0, 5) })
  t.is((await serviceOf(plants(listing({ some: items, others: items })))).role('listPlants'), 'mocked')
})

test('a list is mocked if its array is not known, and the reason names the arrays', async (t) => {
  const reasonOf = async (properties: object): Promise<string> =>
    (await serviceOf(plants(listing(properties)))).reason('listPlants')
  const deeper = { _embedded: object({ plants: items }), count: integer }
  const service = await serviceOf(plants(listing(deeper)), fixture)
  t.deepEqual(service.ok('listPlants').body, { _embedded: { plants: shown(0, 5) }, count: 5 })
  t.is(await reasonOf({ some: items, others: items }), 'its success response has several arrays (some, others)')
  const either = listOf({ oneOf: [{ type: 'object' }, text] })
  const reason = 'the items of data in its success response may have one of several schemas (oneOf, anyOf)'
  t.is(await reasonOf({ data: either }), reason)
})

test('allOf may refine the items of a general array', async (t) => {
  const general = object({ data: listOf({ type: 'object' }) })
  const list = { responses: { 200: body({ allOf: [general, { properties: { data: items } }] }) } }
  const service = await serviceOf(plants({ operations: { list } }), fixture)
  t.deepEqual(service.ok('listPlants').body, { data: shown(0, 5) })
})

test('an envelope links the next and the previous page, each in its own form', async (t) => {
  const uri = { type: 'string', format: 'uri' }
  const links = object({ next: object({ href: uri }), prev: uri })
  const properties = { items, links, next_page: { type: ['integer', 'null'] }, next: uri, total_pages: integer }
  const service = await serviceOf(plants(listing(properties, 'next', 'next_page')), fixture)
  const bodyOf = (page: number): unknown => service.ok('listPlants', { query: { limit: 2, page } }).body
  const at = (page: number): string => `http://double.test/v1/plants?limit=2&page=${page}`
  t.like(bodyOf(1), { links: { next: { href: at(2) } }, next_page: 2, next: at(2), total_pages: 3 })
  const last = { items: shown(4, 5), links: { prev: at(2) }, next_page: null, next: 'about:blank' }
  t.deepEqual(bodyOf(3), { ...last, total_pages: 3 })
})

test('an object of the next page that may be null is null on the last page; explain lists what is not sent', async (t) => {
  const next = { ...object({ path: text, offset: text }), type: ['object', 'null'] }
  const properties = { items, next_page: next, facets: object({ names: listOf(text) }), errors: items }
  const operations = { list: { responses: { 200: body(object(properties, 'items')) } } }
  const query = [parameter('limit', integer), parameter('offset', text)]
  const service = await serviceOf(plants({ operations, query }), fixture)
  t.deepEqual(service.ok('listPlants', { query: { limit: 9 } }).body, { items: shown(0, 5), next_page: null })
  t.deepEqual(service.ok('listPlants').body, { items: shown(0, 5) })
  t.deepEqual(service.explain('listPlants').leftOut, ['facets'])
})

test('a link in a response encodes the brackets of a request', async (t) => {
  const links = object({ self: { type: 'string', format: 'uri' } })
  const page = parameter('page[size]', integer)
  const list = { responses: { 200: body(object({ data: items, links }, 'links')) } }
  const service = await serviceOf(plants({ operations: { list }, query: [page] }), fixture)
  const url = 'http://double.test/v1/plants?page[size]=2'
  const { links: sent } = service.ok('listPlants', { query: { 'page[size]': 2 } }, 'ada', url).body as typeof links
  t.deepEqual(sent, { self: 'http://double.test/v1/plants?page%5Bsize%5D=2' })
})

test('of a cut list without a way to the rest, a link that may be missing is; the size next to it is no page', async (t) => {
  const pages = object({ next: object({ page: integer, per_page: integer }) })
  const properties = { items, next_url: { type: ['string', 'null'] }, pages }
  const list = { responses: { 200: body(object(properties, 'items')) } }
  const service = await serviceOf(plants({ operations: { list }, query: [parameter('limit', integer)] }), fixture)
  const bodyOf = (limit: number): unknown => service.ok('listPlants', { query: { limit } }).body
  t.deepEqual(bodyOf(2), { items: shown(0, 2), pages: {} })
  t.deepEqual(bodyOf(9), { items: shown(0, 5), next_url: null, pages: {} })
  const paged = await serviceOf(plants(listing(properties)), fixture)
  t.like(paged.ok('listPlants', { query: { limit: 2 } }).body, { pages: { next: { page: 2, per_page: 2 } } })
})

test('an update whose body lacks the record changes nothing if the contract does not require the record', async (t) => {
  const update = (required: readonly string[]): Promise<TestService> => {
    const requestBody = { ...body(object({ data: object({ name: text }) }, ...required)), required: true }
    return serviceOf(plants({ operations: { update: { requestBody } } }), fixture)
  }
  const path = { id: 'p-0' }
  t.deepEqual((await update([])).ok('updatePlant', { path, body: {} }).body, fixture.plants[0])
  t.like((await update(['data'])).send('updatePlant', { path, body: {} }), { error: 'invalid_record' })
  t.like((await update([])).send('updatePlant', { path, body: { data: null } }), { error: 'invalid_record' })
})

test('a total is that of the filtered records', async (t) => {
  for (const [properties, query, found] of [
    [{ totalCount: { type: 'number' } }, {}, { totalCount: 5 }],
    [{ total_count: integer, count: integer }, { tag: 'a' }, { total_count: 2, count: 2 }],
    [{ done: { type: 'boolean' } }, { limit: 4 }, { done: false }],
    [{ done: { type: 'boolean' } }, { limit: 4, page: 2 }, { done: true }],
    [{ first_id: text, lastId: text }, { limit: 2 }, { first_id: 'p-0', lastId: 'p-1' }],
    [{ first_id: text, last_id: { type: ['string', 'null'] } }, { tag: 'z' }, { last_id: null }],
  ] as const) {
    const changes = listing({ data: items, meta: object(properties) })
    const document = plants({ ...changes, query: [...(changes.query ?? []), parameter('tag', text)] })
    const tagged = fixture.plants.map((each, at) => ({ ...each, tag: at < 2 ? 'a' : 'b' }))
    const { body: sent } = (await serviceOf(document, { plants: tagged })).ok('listPlants', { query })
    t.deepEqual((sent as { meta: unknown }).meta, found)
  }
})

test('a response with less than half of the properties and without the id shows no record', async (t) => {
  const Pod = object({ kind: text, metadata: object({ name: text, color: text }), spec: object({}) })
  const state = object({ kind: text, metadata: object({ color: text }), status: text, reason: text, code: integer })
  const coloured = { name: 'a', color: 'red' }
  for (const [response, found] of [
    [state, {}],
    [ref('Pod'), { kind: 'x', metadata: coloured }],
    [object({ metadata: object({ name: text }), status: text, code: integer }), { metadata: coloured }],
  ] as const) {
    const operations = {
      ...crud('/pods', { id: 'name', request: ref('Pod'), response: ref('Pod') }),
      'DELETE /pods/{name}': { response },
    }
    const pods = [{ kind: 'x', metadata: coloured }]
    const service = await serviceOf(contract(operations, { Pod }), { pods })
    t.deepEqual(service.ok('DELETE /pods/{name}', { path: { name: 'a' } }).body, found)
  }
})

test('the data of an envelope that each response describes is the same record, also that of the caller', async (t) => {
  const enveloped = (schema: Schema) => ({ allOf: [ref('Base'), object({ data: schema })] })
  const one = { response: enveloped(ref('Box')) }
  const all = {
    'GET /boxes': { response: enveloped(listOf(ref('Box'))) },
    'POST /boxes': { request: object({ name: text }), ...one, status: 201 },
    'GET /boxes/{id}': one,
    'GET /boxes/me': { ...one, with: { security: [{ token: [] }] } },
  }
  const Base = object({ ok: { type: 'boolean' }, data: { description: 'The payload' } })
  const service = await serviceOf(contract(all, { Base, Box: object({ id: text, name: text }, 'id') }))
  t.is(service.role('GET /boxes/me'), 'own-record')
})

test('a schema that contains itself in its data, its items, or by allOf, is one of a contract that starts', async (t) => {
  const Box = object({ id: text, name: text, data: ref('Box') }, 'id')
  const Lid = { allOf: [ref('Base')] }
  const Base = object({ id: text, result: { allOf: [ref('Lid')], description: 'That below it' } })
  const all = {
    ...crud('/boxes', { response: ref('Box') }),
    'GET /lid': { response: ref('Lid') },
    'GET /tree': { response: ref('Tree') },
  }
  const service = await serviceOf(contract(all, { Box, Lid, Base, Tree: listOf(ref('Tree')) }), {
    boxes: [{ id: 'b1', data: { id: 'b2' } }],
  })
  t.deepEqual(service.ok('GET /boxes/{id}', { path: { id: 'b1' } }).body, { id: 'b1', data: { id: 'b2' } })
})
