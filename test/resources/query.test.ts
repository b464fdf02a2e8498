import test from 'ava'

import { explainResources } from '#src/resources/explain.js'

import { plants, plantSchema, plantWith } from './plants-contract.js'
import { serviceOf } from './service-of.js'

const integer = { type: 'integer' }
const parameter = (name: string, schema: object, required = false): Record<string, unknown> => ({
  name,
  in: 'query',
  required,
  schema,
})
const fixture = {
  plants: Array.from({ length: 25 }, (_, at) => ({
    id: `p-${at}`,
    name: `n${at % 3}`,
    tag: at % 4 === 0 ? null : `t${at % 2}`,
    height: at % 5,
  })),
}
const ids = (body: unknown): readonly string[] => (body as { id: string }[]).map(({ id }) => id)

/** Returns the effect of each parameter of the listing. */
async function actsOf(
  query: readonly Record<string, unknown>[],
  schema = plantSchema,
): Promise<Record<string, unknown>> {
  const { operations } = explainResources(await serviceOf(plants({ query, schema })))
  const list = operations.find(({ operation }) => operation === 'listPlants')
  return Object.fromEntries((list?.parameters ?? []).map(({ acts, name }) => [name, acts]))
}

test('paging parameters have synonyms', async (t) => {
  for (const name of ['limit', 'pageSize', 'page_size', 'per_page', 'perPage', 'size'])
    t.deepEqual(await actsOf([parameter(name, integer)]), { [name]: { kind: 'cap' } })
  for (const name of ['offset', 'skip'])
    t.deepEqual(await actsOf([parameter(name, integer)]), { [name]: { kind: 'skip' } })
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
  const text = (...values: string[]): object => ({ type: 'string', enum: values })
  const schema = plantWith({ state: text('open', 'closed'), search: { type: 'string' } })
  const state = parameter('state', { ...text('open', 'closed', 'all'), default: 'open' })
  const query = [{ ...state, description: 'Only plants in this state.' }]
  const states = { plants: ['open', 'closed', 'open'].map((state, at) => ({ id: `p-${at}`, name: 'x', state })) }
  const service = await serviceOf(plants({ query, schema }), states)
  t.deepEqual(ids(service.ok('listPlants').body), ['p-0', 'p-2'])
  t.deepEqual(ids(service.ok('listPlants', { query: { state: 'closed' } }).body), ['p-1'])
  t.is(ids(service.ok('listPlants', { query: { state: 'all' } }).body).length, 3)
  t.deepEqual(await actsOf([parameter('state', text('open', 'stale'))], schema), { state: null })
  const byDefault = [parameter('search', { type: 'string' }), parameter('tag', { type: 'string', default: 'none' })]
  t.is(ids((await serviceOf(plants({ query: byDefault }), fixture)).ok('listPlants').body).length, 25)
  t.deepEqual(await actsOf([parameter('search', { type: 'string' })], schema), { search: { kind: 'search' } })
})

test('a parameter without a rule has no effect', async (t) => {
  const query = [
    parameter('page', integer),
    parameter('sort', { type: 'string', enum: ['colour'] }),
    parameter('limit', { type: 'string' }),
    parameter('height', { type: 'string' }),
    parameter('secret', { type: 'string' }),
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

test('a required parameter without an effect makes the whole collection mocked', async (t) => {
  const service = await serviceOf(plants({ query: [parameter('mode', { type: 'string' }, true)] }))
  t.is(service.reason('listPlants'), 'its query parameter mode is required, and its effect is not known')
  t.is(
    service.reason('removePlant'),
    'listPlants is mocked, and so is its whole collection, unless it has a handler or x-double: mocked',
  )
  t.is((await serviceOf(plants({ query: [parameter('tag', { type: 'string' }, true)] }))).role('listPlants'), 'list')
})

test('a negative limit returns every record if the contract allows it', async (t) => {
  const service = await serviceOf(plants({ query: [parameter('limit', { ...integer, minimum: -1 })] }), fixture)
  const listed = (limit: number): number => ids(service.ok('listPlants', { query: { limit } }).body).length
  t.deepEqual([listed(-1), listed(0), listed(3)], [25, 0, 3])
})

test('a page has the length of the limit, and without a limit the first page has every record', async (t) => {
  const service = await serviceOf(
    plants({ query: [parameter('page', integer), parameter('per_page', integer)] }),
    fixture,
  )
  const page = (query: Record<string, number>): number => ids(service.ok('listPlants', { query }).body).length
  t.deepEqual(
    [page({ page: 3, per_page: 10 }), page({ page: 4, per_page: 10 }), page({ page: 1 }), page({ page: 2 })],
    [5, 0, 25, 0],
  )
})
