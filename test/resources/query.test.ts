import test from 'ava'

import type { Json } from '#src/contract/contract.js'
import { cutListings, explainResources } from '#src/resources/explain.js'

import { pluck } from '../helpers/as-object-or-list.js'
import { actsOf, cursored, described, fixture, ids, idsIn, listed, lister, rich } from './list-requests.js'
import { type Json as Schema, integer, listOf, object, parameter, plants, plantWith, text } from './plants-contract.js'
import { serviceOf } from './service-of.js'

test('paging parameters have synonyms', async (t) => {
  const synonyms = { cap: 'limit pageSize page_size per_page perPage size', skip: 'offset skip' }
  for (const [kind, names] of Object.entries(synonyms))
    for (const name of names.split(' ')) t.deepEqual(await actsOf([parameter(name, integer)]), { [name]: { kind } })
  for (const [first, cap, page] of [
    [1, 'limit', {}],
    [0, 'size', { minimum: 0 }],
    [0, 'size', { default: 0 }],
    [1, 'size', { minimum: 0, default: 1 }],
  ] as const) {
    const acts = await actsOf([parameter('page', { ...integer, ...page }), parameter(cap, integer)])
    t.deepEqual(acts, { page: { kind: 'page', first }, [cap]: { kind: 'cap' } })
  }
})

test('a value such as all or none, which no record can have, selects every record, and a parameter with any other such value has no effect', async (t) => {
  const oneOf = (...values: string[]): object => ({ type: 'string', enum: values })
  const schema = plantWith({ state: oneOf('open', 'closed'), search: text })
  const byState = parameter('state', { ...oneOf('open', 'closed', 'all'), default: 'open' })
  const query = [{ ...byState, description: 'Only plants in this state.' }]
  const states = { plants: ['open', 'closed', 'open'].map((state, at) => ({ id: `p-${at}`, name: 'x', state })) }
  const service = await serviceOf(plants({ query, schema }), states)
  t.deepEqual(idsIn(service), ['p-0', 'p-2'])
  t.deepEqual(idsIn(service, { state: 'closed' }), ['p-1'])
  t.is(idsIn(service, { state: 'all' }).length, 3)
  t.deepEqual(await actsOf([parameter('state', oneOf('open', 'stale'))], schema), { state: null })
  const zero = { ...oneOf('open', 'closed', 'STATE_UNKNOWN'), default: 'STATE_UNKNOWN' }
  const byZero = [{ ...parameter('state', zero), description: 'Filter by state.' }]
  t.is(idsIn(await serviceOf(plants({ query: byZero, schema: plantWith({ state: zero }) }), states)).length, 3)
  const byDefault = [parameter('search', text), parameter('tag', { ...text, default: 'none' })]
  t.is(idsIn(await serviceOf(plants({ query: byDefault }), fixture)).length, 25)
  t.deepEqual(await actsOf([parameter('search', text)], schema), { search: { kind: 'search' } })
})

test('a parameter without a rule has no effect', async (t) => {
  const query = [
    parameter('page', integer),
    parameter('sort', { type: 'string', enum: ['colour'] }),
    parameter('limit', text),
    parameter('height', text),
    parameter('secret', text),
    parameter('pot', { type: 'object' }),
  ]
  t.deepEqual(await actsOf(query), Object.fromEntries(query.map(({ name }) => [name, null])))
})

test('a property takes precedence over the name of a paging parameter', async (t) => {
  const schema = plantWith({ size: integer })
  t.deepEqual(await actsOf([parameter('size', integer), parameter('limit', integer)], schema), {
    size: { kind: 'select', property: 'size' },
    limit: { kind: 'cap' },
  })
})

test('a required parameter without an effect makes the listing mocked', async (t) => {
  const service = await serviceOf(plants({ query: [parameter('mode', text, true)] }))
  t.is(service.reason('listPlants'), 'its query parameter mode is required, and its effect is not known')
  t.is(service.role('removePlant'), 'remove')
  t.is((await serviceOf(plants({ query: [parameter('tag', text, true)] }))).role('listPlants'), 'list')
})

test('a negative limit returns every record if the contract allows it', async (t) => {
  const service = await serviceOf(plants({ query: [parameter('limit', { ...integer, minimum: -1 })] }), fixture)
  const counts = [-1, 0, 3].map((limit) => idsIn(service, { limit }).length)
  t.deepEqual(counts, [25, 0, 3])
})

test('a page has the length of the limit, and without a limit the first page has every record', async (t) => {
  const query = ['page', 'per_page'].map((name) => parameter(name, integer))
  const service = await serviceOf(plants({ query }), fixture)
  const asked = [{ page: 3, per_page: 10 }, { page: 4, per_page: 10 }, { page: 1 }, { page: 2 }]
  const counts = asked.map((each) => idsIn(service, each).length)
  t.deepEqual(counts, [5, 0, 25, 0])
})

test('a parameter with the singular of a list selects by its items', async (t) => {
  const query = [parameter('colour', text), parameter('colou', text)]
  const colours = [['red', 'blue'], ['red'], []].map((each, at) => ({ id: `p-${at}`, name: 'x', colours: each }))
  const found = lister(
    await serviceOf(plants({ query, schema: plantWith({ colours: listOf(text) }) }), { plants: colours }),
  )
  t.is(found({ colour: 'blue' }), 'p-0')
  t.is(found({ colour: 'red' }), 'p-0,p-1')
  t.is(found({ colour: 'bl' }), '')
  t.is(found({ colou: 'blue' }), 'p-0,p-1,p-2')
})

test('filters select by related, nested and listed values, by ranges and by texts', async (t) => {
  const query = [
    ...['ids', 'room', 'owner', 'q', 'planted_after', 'planted[lte]'].map((name) => parameter(name, text)),
    ...['min_price', 'room[floor]'].map((name) => parameter(name, integer)),
    parameter('tags', listOf(text)),
    described('since', 'Plants that were planted then or later.'),
    described('name', 'A comma-separated list of names.'),
    parameter('filter', object({ owner_id: text, price: object({ lt: integer }) })),
    described('search', 'A query with operators.'),
    described('keyword', 'Words to find in the name or the owner id.'),
    described('ownerId', 'The owner. Prefix with `-` to exclude it.'),
    parameter('until', text),
  ]
  const acts = await actsOf(query, rich)
  t.like(acts, {
    ids: { kind: 'select', property: 'id' },
    room: { kind: 'select', property: 'room.gid' },
    since: { kind: 'range', property: 'planted_at', compare: 'gte' },
    filter: { kind: 'group', parts: { 'filter[price][lt]': { kind: 'range', property: 'price', compare: 'lt' } } },
    search: null,
    keyword: { kind: 'search', properties: ['name', 'ownerId'] },
    ownerId: null,
    until: null,
  })
  const found = lister(await serviceOf(plants({ query, schema: rich }), listed))
  t.is(found({ ids: 'p-2,p-0' }), 'p-0,p-2')
  t.is(found({ room: 'r2' }), 'p-1')
  t.is(found({ owner: 'ada' }), 'p-1,p-2')
  t.is(found({ q: 'EDG' }), '')
  t.is(found({ q: 'AL' }), 'p-1')
  t.is(found({ q: 'r1' }), 'p-0')
  t.is(found({ keyword: 'ad' }), 'p-1,p-2')
  t.is(found({ keyword: 'r1' }), '')
  t.is(found({ planted_after: '2026-01-31T23:00:00Z' }), 'p-2')
  t.is(found({ 'planted[lte]': '2026-01-31T23:00:00Z' }), 'p-0,p-1')
  t.is(found({ since: '2026-01-31T23:00:00Z' }), 'p-1,p-2')
  t.is(found({ min_price: 2 }), 'p-0')
  t.is(found({ 'room[floor]': 1 }), 'p-0')
  t.is(found({ tags: ['a', 'z'] }), 'p-0')
  t.is(found({ name: 'Fern, Basil' }), 'p-0,p-2')
  t.is(found({ filter: { owner_id: 'ada', price: { lt: 2 } } }), 'p-2')
})

test('a list is sorted by terms of every form, and records without a value come last', async (t) => {
  const query = [
    parameter('sort', text),
    parameter('order_by', { type: 'string', enum: ['price_desc', 'planted', 'colour'] }),
    parameter('order', { type: 'string', enum: ['asc', 'desc'] }),
  ]
  const sorted = lister(await serviceOf(plants({ query, schema: rich }), listed))
  t.is(sorted({ sort: 'name' }), 'p-2,p-0,p-1')
  t.is(sorted({ sort: '-planted_at' }), 'p-2,p-1,p-0')
  t.is(sorted({ sort: 'price', order: 'desc' }), 'p-0,p-2,p-1')
  t.is(sorted({ sort: 'price:asc', order: 'desc' }), 'p-2,p-0,p-1')
  t.is(sorted({ sort: 'ownerId desc, name' }), 'p-2,p-1,p-0')
  t.is(sorted({ order_by: 'price_desc' }), 'p-0,p-2,p-1')
  t.is(sorted({ order_by: 'planted' }), 'p-0,p-1,p-2')
  t.is(sorted({ order_by: 'colour' }), 'p-0,p-1,p-2')
  t.deepEqual(await actsOf([parameter('order', { type: 'string', enum: ['asc', 'desc'] })]), { order: null })
  t.like(await actsOf(query, rich), { order_by: { kind: 'sort', ignored: ['colour'] } })
})

test('an opaque cursor leads through a list in both directions, while records come and go', async (t) => {
  const query = [parameter('cursor', text), parameter('limit', integer), parameter('sort', text)]
  const cursors = Object.fromEntries(['current', 'next', 'prev'].map((name) => [name, { type: ['string', 'null'] }]))
  const contract = cursored(query, { has_more: { type: 'boolean' }, cursors: object(cursors) })
  const service = await serviceOf(contract, { plants: fixture.plants.slice(0, 7) })
  const page = (asked: Record<string, Json>) =>
    service.ok('listPlants', { query: { limit: 2, ...asked } }).body as {
      readonly data: unknown
      readonly has_more: boolean
      readonly cursors: Record<'current' | 'next' | 'prev', string | null>
    }
  const orders = { '': 'p-0,p-1 p-2,p-3 p-4,p-5 p-6', '-name': 'p-2,p-5 p-1,p-4 p-0,p-3 p-6' }
  for (const [sort, order] of Object.entries(orders)) {
    const asked = sort === '' ? {} : { sort }
    const pages = [page(asked)]
    for (let at = 0; at < 5 && pages.at(-1)?.cursors.next; at++)
      pages.push(page({ ...asked, cursor: pages.at(-1)?.cursors.next ?? '' }))
    t.is(pages.map(({ data }) => ids(data).join()).join(' '), order)
    t.deepEqual(pluck(pages, 'has_more'), [true, true, true, false])
    t.is(pages[0]?.cursors.prev, null)
    const shown = pages.map((each) => each.cursors)
    t.deepEqual(pluck(shown, 'current'), [null, ...pluck(shown, 'next').slice(0, -1)])
    t.deepEqual(page({ ...asked, cursor: pages[2]?.cursors.prev ?? '' }).data, pages[1]?.data)
  }
  const { next } = page({}).cursors
  service.ok('removePlant', { path: { id: 'p-1' } })
  service.ok('createPlant', { body: { name: 'new' } })
  t.is(ids(page({ cursor: next ?? '' }).data).join(), 'p-2,p-3')
  const bySort = page({ sort: 'name' }).cursors.next
  for (const cursor of ['', 'p-2', `${next ?? ''}x`, bySort ?? '']) {
    const outcome = service.send('listPlants', { query: { limit: 2, cursor } })
    t.like(outcome, { error: 'foreign_cursor', parameter: 'cursor' })
  }
})

test('an id is a cursor if the description says so and the envelope has no cursor', async (t) => {
  const sides = ['after', 'before'].map((side) => described(side, 'The id of a plant.'))
  const contract = cursored([...sides, parameter('limit', integer)], { next_url: text, total: integer })
  const service = await serviceOf(contract, fixture)
  const page = (query: Record<string, Json>): unknown =>
    service.ok('listPlants', { query: { limit: 2, ...query } }).body
  const next_url = '/v1/plants?limit=2&after=p-5'
  t.deepEqual(page({ after: 'p-3' }), { data: fixture.plants.slice(4, 6), next_url, total: 25 })
  t.like(page({ before: 'p-3' }), { data: fixture.plants.slice(1, 3) })
  t.like(service.send('listPlants', { query: { after: 'p-99' } }), { error: 'foreign_cursor' })
  const acts = await actsOf([parameter('after', text), parameter('limit', integer)])
  t.deepEqual(acts, { after: null, limit: { kind: 'cap' } })
})

test('a list with a maximum and without a parameter for the rest is cut', async (t) => {
  const cutBy = async (...query: Schema[]): Promise<readonly string[]> =>
    cutListings(explainResources(await serviceOf(plants({ query }))).operations)
  const limit = parameter('limit', { ...integer, maximum: 50 })
  t.deepEqual(await cutBy(limit), ['listPlants'])
  t.deepEqual(await cutBy(limit, parameter('offset', integer)), [])
  t.deepEqual(await cutBy(parameter('limit', integer)), [])
})

test('x-double names a sort, a search, a cursor or a range where the rules find none', async (t) => {
  const meant = (name: string, meaning: unknown, schema: object = text): Schema => ({
    ...parameter(name, schema),
    'x-double': meaning,
  })
  const range = meant('old', { lte: 'planted_at' })
  t.deepEqual(await actsOf([meant('by', 'sort'), meant('about', 'search'), range], rich), {
    by: { kind: 'sort' },
    about: { kind: 'search' },
    old: { kind: 'range', property: 'planted_at', compare: 'lte' },
  })
  const query = [meant('from', 'cursor'), meant('most', 'limit', integer)]
  const service = await serviceOf(cursored(query, { next_cursor: text }), fixture)
  const { next_cursor: from = '' } = service.ok('listPlants', { query: { most: 24 } }).body as Record<string, string>
  t.like(service.ok('listPlants', { query: { most: 24, from } }).body, { data: fixture.plants.slice(24) })
})
