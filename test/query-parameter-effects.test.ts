import test from 'ava'
import fc from 'fast-check'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { serveByCommand } from './helpers/cli.js'
import { entryOf } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, assertError, get, json, violationsOf } from './helpers/http.js'
import { plantCallers, servePlants, writePlantsSpec } from './helpers/plants-spec.js'
import { body, listOf, parameter, ref, text } from './resources/plants-contract.js'

const integer = { type: 'integer', minimum: 0 }
const parameters = [
  parameter('limit', { ...integer, default: 7 }),
  parameter('skip', integer),
  parameter('page', { type: 'integer', minimum: 1 }),
  parameter('tag', { type: 'array', items: text }),
  parameter('height', { type: 'integer' }),
  { ...parameter('name', { type: 'string', default: 'n1' }), description: 'Filters by name.' },
]
const plants = Array.from({ length: 25 }, (_, at) => ({
  id: `p-${at}`,
  name: `n${Math.floor(at / 9)}`,
  tag: at % 4 === 0 ? null : `t${at % 2}`,
  height: at % 3,
}))

const queries = fc.record(
  {
    limit: fc.integer({ min: 0, max: 9 }),
    skip: fc.integer({ min: 0, max: 9 }),
    page: fc.integer({ min: 1, max: 3 }),
    tag: fc.subarray(['t0', 't1', 'none'], { minLength: 1 }),
    height: fc.integer({ min: 0, max: 3 }),
    name: fc.constantFrom('n0', 'n1', 'n2', 'n9'),
  },
  { requiredKeys: [] },
)
type Query = typeof queries extends fc.Arbitrary<infer Given> ? Given : never

/** Computes the ids of a listing with array methods. */
const expectedIds = ({ height, limit = 7, name = 'n1', page = 1, skip = 0, tag }: Query): readonly string[] =>
  plants
    .filter((plant) => plant.name === name)
    .filter((plant) => tag === undefined || (plant.tag !== null && tag.includes(plant.tag)))
    .filter((plant) => height === undefined || plant.height === height)
    .slice(page > 1 ? (page - 1) * limit : skip)
    .slice(0, limit)
    .map(({ id }) => id)

test('filter, offset, page, limit and defaults have the same result as array methods, in every order of the parameters in the spec and in the query', async (t) => {
  const orders = fc.sample(fc.shuffledSubarray(parameters, { minLength: parameters.length }), { numRuns: 3, seed: 1 })
  for (const query of orders) {
    const double = await servePlants(t, plants, { query })
    const asked = queries.chain((given) => {
      const order = fc.shuffledSubarray(Object.entries(given), { minLength: Object.keys(given).length })
      return fc.record({ given: fc.constant(given), order })
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ given, order }) => {
        const pairs = order.flatMap(([name, value]) => [value].flat().map((each) => `${name}=${each}`))
        const reply = await get(double, `/plants?${pairs.join('&')}`, as('ada'))
        const got = asList(json(reply)).map((plant) => asObject(plant)['id'])
        t.deepEqual(got, expectedIds(given), reply.text)
      }),
      { numRuns: 40 },
    )
  }
})

const unused = [parameter('limit', integer), parameter('view', { type: 'string', enum: ['name', 'height'] })]

test('a parameter without an effect is validated, and gets a warning', async (t) => {
  const double = await servePlants(t, plants, { query: unused })
  const message = 'Query parameter view must be one of "name", "height", got "colour".'
  assertError(t, await get(double, '/plants?view=colour', as('ada')), 400, message)
  const reply = await get(double, '/plants?view=height&limit=2', as('ada'))
  t.deepEqual(pluck(asList(json(reply)).map(asObject), 'id'), ['p-0', 'p-1'])
  const warning = {
    location: ['request', 'query', 'view'],
    severity: 'Warning',
    code: 'not_acted_on',
    message: 'Query parameter view is validated, but has no effect.',
  }
  t.deepEqual(violationsOf(reply), [warning])
  const { verdict, violations } = await entryOf(double, reply)
  t.is(verdict, 'ok')
  t.deepEqual(violations, [warning])
  t.deepEqual(violationsOf(await get(double, '/plants?limit=2', as('ada'))), [])
})

test('the ready message counts the operations with parameters without an effect', async (t) => {
  const fixture = await writeTemporary(t, 'mine.json', { $callers: plantCallers, plants })
  const spec = await writePlantsSpec(t, { query: unused })
  const double = await serveByCommand(t, ['--memory', '--spec', spec, '--fixture', fixture])
  const [, ignored] = /^ +ignored +(.*)$/mu.exec(double.ready) ?? []
  t.is(ignored, 'parameters of 1 operation, validated but not acted on')
})

test('the Link header has absolute links that a client can follow to the end, without credentials', async (t) => {
  const responses = { 200: { ...body(listOf(ref('Plant'))), headers: { Link: { schema: text } } } }
  const query = [parameter('per_page', integer), parameter('cursor', text)]
  const double = await servePlants(t, plants, { operations: { list: { responses } }, query })
  const seen: unknown[] = []
  for (let path: string | undefined = '/plants?per_page=10'; path !== undefined;) {
    const reply = await get(double, path, as('ada'))
    seen.push(...asList(json(reply)))
    const [, next] = /<([^>]+)>; rel="next"/u.exec(String(reply.headers['link'])) ?? []
    t.true(next === undefined || next.startsWith(`${double.url}/plants?per_page=10&cursor=`))
    path = next?.slice(double.url.length)
  }
  t.deepEqual(seen, plants)
  const message =
    'cursor is no cursor of listPlants. Send one that a response of it shows, with the same order, or leave it out.'
  assertError(t, await get(double, '/plants?per_page=10&cursor=mine', as('ada')), 400, message)
})

test('the ready message names the lists that are cut', async (t) => {
  const spec = await writePlantsSpec(t, { query: [parameter('limit', { ...integer, maximum: 3 })] })
  const double = await serveByCommand(t, ['--memory', '--spec', spec])
  t.regex(double.ready, /^ +cut +listPlants: no parameter leads to the rest$/mu)
})
