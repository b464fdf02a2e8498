import test from 'ava'

import { explainResources, ineffectiveParameters } from '#src/resources/explain.js'

import { actsOf, cursored, described, fixture, ids, idsIn, listed, lister, rich } from './list-requests.js'
import {
  body,
  inPath,
  integer,
  type Json,
  listOf,
  object,
  parameter,
  plants,
  plantWith,
  ref,
  text,
  time,
} from './plants-contract.js'
import { serviceOf } from './service-of.js'

test('a description says the default of a cap, what a value leaves out, and which day a filter means', async (t) => {
  const flag = { type: 'boolean' }
  const query = [
    described('limit', 'How many to show. Defaults to 2.', integer),
    described('thirsty', 'Whether to include thirsty plants.', flag),
    described('wilted', 'False includes all plants.', flag),
    described('planted_at', 'The day, as YYYY-MM-DD.'),
    parameter('keyword', text),
  ]
  const schema = plantWith({ name: text, planted_at: time, thirsty: flag, wilted: flag })
  const description = 'Lists plants.\n- `keyword`: Search by plant name (any case)'
  const times = ['2026-01-01T20:00:00Z', '2026-01-02T00:00:00Z', '2026-01-02T09:00:00+01:00']
  const all = times.map((planted_at, at) => {
    return { id: `p-${at}`, name: `n${at}`, planted_at, thirsty: at > 0, wilted: at > 1 }
  })
  const found = lister(
    await serviceOf(plants({ operations: { list: { description } }, query, schema }), { plants: all }),
  )
  t.is(found(), 'p-0,p-1')
  t.is(found({ limit: 3, planted_at: '2026-01-02' }), 'p-1,p-2')
  t.is(found({ limit: 3, thirsty: true }), 'p-0,p-1,p-2')
  t.is(found({ limit: 3, thirsty: false }), 'p-0')
  t.is(found({ limit: 3, wilted: false }), 'p-0,p-1,p-2')
  const two = { plants: ['a', 'b'].map((id) => ({ id, name: 'x', ...(id === 'b' && { wilted: true }) })) }
  for (const told of ['If true, also returns all wilted plants.', 'Include wilted plants. By default, none is.']) {
    const withWilted = lister(await serviceOf(plants({ query: [described('wilted', told, flag)], schema }), two))
    t.deepEqual([withWilted(), withWilted({ wilted: true }), withWilted({ wilted: false })], ['a', 'a,b', 'a'])
  }
  t.is(found({ limit: 3, keyword: 'p-1' }), '')
  const withDefault = described('thirsty', 'Whether to include thirsty plants.', { ...flag, default: false })
  const dry = await serviceOf(plants({ query: [withDefault], schema }), { plants: all })
  t.is(lister(dry)(), 'p-0')
  const fields = described('wilted', 'Whether to include the "wilted" fields.', flag)
  t.is((await actsOf([fields], schema))['wilted'], null)
  t.is(found({ limit: 3, keyword: 'N1' }), 'p-1')
})

test('a list has the order that its description promises, unless a parameter sorts', async (t) => {
  const promised: readonly (readonly [string, string])[] = [
    ['The newest plants come first.', 'p-2,p-1,p-0'],
    ['List recent plants.', 'p-2,p-1,p-0'],
    ['Sorted in descending order of `price`.', 'p-0,p-2,p-1'],
    ['Sorted by price ascending,\nthen by name descending.', 'p-2,p-0,p-1'],
    ['Plants are returned in ascending order by name.', 'p-2,p-0,p-1'],
    ['Returns a list of plants of a room, sorted alphabetically by name.', 'p-2,p-0,p-1'],
    ['All plants, sorted by owner id.', 'p-1,p-2,p-0'],
    ['By default, plants are in descending order by ID.', 'p-2,p-1,p-0'],
    ['Plants can be sorted in descending order.', 'p-0,p-1,p-2'],
    ['Lists plants.', 'p-0,p-1,p-2'],
  ]
  for (const [description, order] of promised) {
    const contract = plants({ operations: { list: { description } }, query: [parameter('sort', text)], schema: rich })
    const sorted = lister(await serviceOf(contract, listed))
    t.is(sorted(), order, description)
    for (const sort of ['-name', 'name,desc', ' name , desc']) t.is(sorted({ sort }), 'p-1,p-0,p-2', sort)
  }
  const data = { ...listOf(ref('Plant')), description: 'Ordered by `price` descending.' }
  const list = { responses: { 200: body(object({ data })) } }
  const told = await serviceOf(plants({ operations: { list }, schema: rich }), listed)
  t.like(told.ok('listPlants').body, { data: [{ id: 'p-0' }, { id: 'p-2' }, { id: 'p-1' }] })
})

test('a description says by what a direction sorts, what a search looks in, and what a time compares', async (t) => {
  const direction = { enum: ['asc', 'desc'], default: 'desc' }
  const dearest = described('order', 'Sort order by the `price` of the plants.', direction)
  const byTerm = described('filter_term', 'Only plants whose `name` or `owner_id` contain the term.')
  const rows: readonly (readonly [Json, Record<string, string | number>, string])[] = [
    [dearest, {}, 'p-0,p-2,p-1'],
    [dearest, { order: 'asc' }, 'p-2,p-0,p-1'],
    [described('order', 'By price.', { enum: ['asc', 'desc', 'normal'] }), { order: 'asc' }, 'p-2,p-0,p-1'],
    [described('amount', 'How many plants to return.', { type: 'integer' }), { amount: '1' }, 'p-0'],
    [described('order', 'Sort order.', direction), { order: 'asc' }, 'p-0,p-1,p-2'],
    [described('q', 'A word (searches name, owner_id).'), { q: 'ada' }, 'p-1,p-2'],
    [described('q', 'A word (searches name, owner_id).'), { q: 'r1' }, ''],
    [described('q', 'A query to filter plants by name or owner_id. A part is enough.'), { q: 'r1' }, ''],
    [described('q', 'Words. Relational fields are not searched.'), { q: 'r1' }, ''],
    [described('q', 'Words.'), { q: 'r1' }, 'p-0'],
    [described('q', 'A text that prefix matches against the `name` and `owner_id`.'), { q: 'ad' }, 'p-1,p-2'],
    [described('q', 'A text that prefix matches against the `name` and `owner_id`.'), { q: 'da' }, ''],
    [byTerm, { filter_term: 'DA' }, 'p-1,p-2'],
    [described('owner_id', 'Free-text search of owners.'), { owner_id: 'DA' }, 'p-1,p-2'],
    [described('owner_id', 'Search by owner.'), { owner_id: 'DA' }, 'p-1,p-2'],
    [described('owner_id', 'The owner.'), { owner_id: 'da' }, ''],
    [described('owner_id', 'The owner.'), { owner_id: 'ADA' }, ''],
    [described('owner_id', 'The owner (not case-sensitive).'), { owner_id: 'ADA' }, 'p-1,p-2'],
    [described('owner_id_query', 'A part.'), { owner_id_query: 'da' }, 'p-1,p-2'],
    [described('planted_at', 'Planted on this date.', time), { planted_at: '2026-01-31T00:00:00Z' }, 'p-1,p-2'],
    [described('planted_at', 'The time.', time), { planted_at: '2026-01-31T00:00:00Z' }, ''],
    ...['on or after', 'at or after', 'no earlier than', 'from (inclusive)'].map((told) => {
      const parameterOfList = described('planted_at>', `Planted ${told} this time.`, time)
      return [parameterOfList, { 'planted_at>': '2026-01-31T23:30:00Z' }, 'p-2'] as const
    }),
    [described('planted_at>', 'Planted after this time.', time), { 'planted_at>': '2026-01-31T23:30:00Z' }, ''],
    [described('planted_from', 'The exclusive bound.', time), { planted_from: '2026-01-31T23:30:00Z' }, ''],
    [described('planted_from', 'The bound.', time), { planted_from: '2026-01-31T23:30:00Z' }, 'p-2'],
    [described('price', 'Minimum price.', { type: 'number' }), { price: 2 }, 'p-0'],
    [described('price', 'The maximum price.', { type: 'number' }), { price: 2 }, 'p-2'],
    [described('price', 'The price.', { type: 'number' }), { price: 2 }, ''],
  ]
  for (const [parameterOfList, query, found] of rows) {
    const service = await serviceOf(plants({ query: [parameterOfList], schema: rich }), listed)
    t.is(lister(service)(query), found, JSON.stringify([parameterOfList, query]))
  }
})

test('texts say what orders a list, what a search looks in, and the first index', async (t) => {
  const status = { enum: ['pending', 'done'] }
  const place = { ...integer, description: 'Lists are sorted by this value.' }
  const placed = plantWith({ name: text, place, status })
  const states = ['done', 'pending', 'pending']
  const all = states.map((each, at) => ({ id: `p-${at}`, name: `n${3 - at}`, place: at % 2, status: each }))
  const sort = described('sort', 'If not specified, the plants are sorted by name.')
  const [q, skip] = [parameter('q', text), (told: string): Json => described('start', told, integer)]
  for (const [description, query, asked, found] of [
    ['Lists plants.', [sort], {}, 'p-2,p-1,p-0'],
    ['Lists plants with a name or status that match the query.', [q], { q: 'N3' }, 'p-0'],
    ['Lists plants with a name or status that match the query.', [q], { q: 'p-' }, ''],
    ['Lists plants.', [described('q', 'A structured query string.')], { q: 'N3' }, 'p-0,p-2,p-1'],
    ['Lists plants.', [skip('1-based index of the first.')], { start: 2 }, 'p-2,p-1'],
    ['Lists plants.', [skip('Index of the first.')], { start: 2 }, 'p-1'],
  ] as const) {
    const document = plants({ operations: { list: { description } }, query, schema: placed })
    const list = lister(await serviceOf(document, { plants: all }))
    t.is(list(asked), found, JSON.stringify([description, query]))
  }
})

test('a cursor is the id of the last record where its description says so', async (t) => {
  const after = described('after', 'Provide the ID of the last plant from the previous response.')
  const service = await serviceOf(cursored([after, parameter('limit', integer)], { next: text }), fixture)
  const { body: page } = service.ok('listPlants', { query: { after: 'p-1', limit: 2 } })
  t.deepEqual(ids((page as { data: unknown }).data), ['p-2', 'p-3'])
  for (const [name, description] of [
    ['after', 'The object ID of your place in the list, in order to fetch its next page.'],
    ['cursor', 'Plant ID cursor for pagination (plants before this ID)'],
  ] as const) {
    const paged = cursored([described(name, description), parameter('limit', integer)], { next: text })
    const { body: second } = (await serviceOf(paged, fixture)).ok('listPlants', { query: { [name]: 'p-1', limit: 2 } })
    t.deepEqual(ids((second as { data: unknown }).data), ['p-2', 'p-3'], name)
  }
  const token = { continuation_token: text }
  const query = [parameter('continuation_token', text), parameter('limit', integer)]
  const { body: first } = (await serviceOf(cursored(query, token), fixture)).ok('listPlants', { query: { limit: 2 } })
  t.truthy((first as typeof token).continuation_token)
})

test('a description says the most that a cap shows', async (t) => {
  for (const [description, count] of [
    ['How many to show. Defaults to 2. Max 3 plants.', 3],
    ['The limit can be between 1 and 4.', 4],
    ['Show up to 5 plants, max: 9.', 5],
    ['The maximum number of plants.', 20],
  ] as const) {
    const query = [described('limit', description, integer)]
    t.is(idsIn(await serviceOf(plants({ query }), fixture), { limit: 20 }).length, count, description)
  }
})

test('a default of a filter counts only if a description says that it filters', async (t) => {
  for (const [parameterText, description, count] of [
    ['The tag.', 'Lists plants.', 25],
    ['Only plants with this tag.', '', 12],
    ['', 'Lists plants. Filters by tag', 12],
    ['', 'Only t1 is listed.', 12],
    ['', 'Only for admins. A tag may be given.', 25],
  ] as const) {
    const query = [described('tag', parameterText, { ...text, default: 't1' })]
    const service = await serviceOf(plants({ operations: { list: { description } }, query }), fixture)
    t.is(idsIn(service).length, count, description)
  }
})

/** A listing with an envelope. */
test('a text may say the cap of a list, a page wins over an offset, and more before a record is more', async (t) => {
  const [cursor, next] = [parameter('cursor', text), { next_cursor: text }]
  for (const [description, query, envelope, asked, count] of [
    ['Returns a maximum of 20 plants per request.', [cursor], next, {}, 20],
    ['Returns a maximum of 20 plants per request.', [cursor, parameter('limit', integer)], next, { limit: 3 }, 3],
    ['Returns a maximum of 20 plants per request.', [], {}, {}, 25],
    ['A maximum of 20 plants fits in a room.', [cursor], next, {}, 25],
  ] as const) {
    const document = cursored(query, envelope) as { paths: Record<string, Record<string, object>> }
    Object.assign(document.paths['/plants']?.['get'] ?? {}, { description })
    const service = await serviceOf(document, fixture)
    const first = service.ok('listPlants', { query: asked }).body as { data: object[]; next_cursor?: string }
    t.is(first.data.length, count, description)
    if (count !== 20) continue
    const rest = service.ok('listPlants', { query: { cursor: first.next_cursor ?? '' } }).body
    t.deepEqual(ids((rest as { data: object[] }).data), ['p-20', 'p-21', 'p-22', 'p-23', 'p-24'])
  }
  const paging = ['page', 'offset', 'limit'].map((name) => parameter(name, integer))
  const pages = await serviceOf(plants({ query: paging }), fixture)
  t.deepEqual(idsIn(pages, { limit: 2, page: 2, offset: 1 }), ['p-2', 'p-3'])
  t.deepEqual(idsIn(pages, { limit: 2, offset: 1 }), ['p-1', 'p-2'])
  const before = [described('before', 'The id of a plant.'), parameter('limit', integer)]
  const service = await serviceOf(cursored(before, { has_more: { type: 'boolean' } }), fixture)
  for (const [id, hasMore] of [
    ['p-1', false],
    ['p-5', true],
  ] as const)
    t.like(service.ok('listPlants', { query: { limit: 2, before: id } }).body, { has_more: hasMore })
})

test('explain names the parts of an object that have no effect', async (t) => {
  const filter = parameter('filter', object({ name: text, mail: text }))
  const acts = { filter: { kind: 'group', ignored: ['filter[mail]'] } }
  t.like(await actsOf([filter], rich), acts)
  const { operations } = explainResources(await serviceOf(plants({ query: [filter], schema: rich })))
  t.deepEqual(ineffectiveParameters(operations), ['listPlants: filter[mail]'])
})

test('rules in texts are those of each list item and inner property, and of what a read shows otherwise', async (t) => {
  const name = { ...text, description: '<ul><li>Any name.</li><li>It must be unique.</li></ul>' }
  const code = { ...text, description: 'Its code. For reads, the value is an empty string.' }
  const description = 'One plant per pot. Moves seed → tree. If both are set, returns 400. It grows.'
  const pot = object({ kind: { ...text, description: 'Required for large plants. Up to 9 characters.' } })
  const limit = described('limit', 'At most 20. It cannot be used with a cursor.', integer)
  const remove = {
    summary: 'Removes a plant (only by its owner)',
    responses: { 204: { description: 'gone' }, 409: { description: 'The plant has pots.' } },
  }
  const schema = { ...plantWith({ name, code, pot }), description }
  const service = await serviceOf(plants({ schema, query: [limit], operations: { remove } }))
  const rulesOf = (id: string) => service.explain(id).rulesInTexts
  const read = 'code: For reads, the value is an empty string.'
  t.deepEqual(rulesOf('readPlant'), [read])
  t.deepEqual(rulesOf('removePlant'), ['Removes a plant (only by its owner).', '409: The plant has pots.'])
  t.deepEqual(service.explain('removePlant').neverSent, ['409'])
  t.deepEqual(rulesOf('listPlants'), ['limit: It cannot be used with a cursor.', read])
  t.deepEqual(rulesOf('createPlant'), [
    'One plant per pot.',
    'Moves seed → tree.',
    'If both are set, returns 400.',
    'name: It must be unique.',
    'pot.kind: Required for large plants.',
    'pot.kind: Up to 9 characters.',
    read,
  ])
})

test('explain names the copies of other records, and the rules that only texts tell', async (t) => {
  const description = 'Changes a plant. Updating is only possible while it is alive. Its pots are moved.'
  const name = { ...text, description: 'Its name. If it is not given,\n it is "plant". It is shown first.' }
  const height = { ...integer, description: 'Mirrors the height of its stem.' }
  const seedOfPlant = object({ id: text, size: text, kind: text })
  const places = listOf(object({ at: integer, seed: seedOfPlant }))
  const seeds = { seeds: listOf(ref('Seed')), seed: seedOfPlant, places }
  const schema = plantWith({ name, height, leaves: listOf(ref('Leaf')), ...seeds })
  const schemas = { Seed: object({ id: text, size: text }, 'id'), Leaf: object({ id: text }, 'id') }
  const seed = { responses: { 200: body(ref('Seed')) }, parameters: [inPath('id')] }
  const paths = {
    '/seeds': { get: { operationId: 'listSeeds', responses: { 200: body(listOf(ref('Seed'))) } } },
    '/seeds/{id}': { get: { operationId: 'readSeed', ...seed }, delete: { ...seed, operationId: 'removeSeed' } },
  }
  const service = await serviceOf(plants({ operations: { update: { description } }, schema, schemas, paths }))
  const copies = ['listPlants', 'createPlant', 'readPlant', 'replacePlant', 'updatePlant'].flatMap((id) =>
    ['seeds', 'seed', 'places'].map((each) => `${id}: ${each} is a copy, which does not change with its records`),
  )
  t.deepEqual(ineffectiveParameters(explainResources(service).operations), copies)
  const rulesOf = (id: string) => service.explain(id).rulesInTexts
  const shown = 'height: Mirrors the height of its stem.'
  const own = ['Updating is only possible while it is alive.', 'Its pots are moved.']
  t.deepEqual(rulesOf('updatePlant'), [...own, shown])
  t.deepEqual(rulesOf('createPlant'), ['name: If it is not given, it is "plant".', shown])
  t.deepEqual(rulesOf('listPlants'), [shown])
  t.is(rulesOf('readSeed'), undefined)
})
