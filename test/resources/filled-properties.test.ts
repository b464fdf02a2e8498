import test from 'ava'

import { explainResources } from '#src/resources/explain.js'

import { body, type Changes, integer, type Json, listOf, object, plants, plantWith, text } from './plants-contract.js'
import { serviceOf } from './service-of.js'

test('required properties that a client may omit are filled from the example, at every depth', async (t) => {
  const size = object({ width: integer, unit: text }, 'width')
  const schema = plantWith(
    {
      state: { type: 'string', example: 'fresh' },
      sizes: { ...listOf({ ...size, required: ['width', 'unit'] }), example: [{ width: 1, unit: 'cm' }] },
    },
    ['id', 'name', 'state', 'sizes'],
  )
  const sent = { name: text, state: text, sizes: listOf(size) }
  const requests = { create: { requestBody: body(object(sent, 'name')) }, update: { requestBody: body(object(sent)) } }
  const service = await serviceOf(plants({ schema, operations: requests }))
  const create = (own: object): unknown => service.ok('createPlant', { body: { name: 'x', ...own } }).body
  t.like(create({}), { state: 'fresh', sizes: [{ width: 1, unit: 'cm' }] })
  const sizes = [{ width: 2 }, { width: 3, unit: 'm' }]
  const complete = [{ width: 2, unit: 'cm' }, sizes[1]]
  t.like(create({ state: 'old', sizes }), { state: 'old', sizes: complete })
  // An update replaces arrays.
  t.like(service.ok('updatePlant', { path: { id: 'plant-1' }, body: { sizes } }).body, { sizes: complete })
  const explained = explainResources(service).operations
  t.deepEqual(explained.find(({ operation }) => operation === 'createPlant')?.filled, ['state', 'sizes'])
})

test('required properties without an example are generated in the parts that a client sends', async (t) => {
  const schema = plantWith({ parts: listOf(object({ uri: text }, 'uri')) })
  const requestBody = body(object({ name: text, parts: listOf(object({ uri: text })) }, 'name'))
  const service = await serviceOf(plants({ schema, operations: { create: { requestBody } } }))
  t.like(service.ok('createPlant', { body: { name: 'x', parts: [{}, { uri: 'mine' }] } }).body, {
    parts: [{ uri: '' }, { uri: 'mine' }],
  })
})

test('properties of the server are filled from the example, and explain lists them', async (t) => {
  const schema = plantWith(
    {
      state: { type: 'string', readOnly: true, example: 'fresh' },
      links: { type: 'array', items: {}, readOnly: true },
      closedAt: { type: ['string', 'null'], format: 'date-time', readOnly: true },
      kind: { const: 'plant', readOnly: true },
      count: { type: 'integer', default: 3, readOnly: true },
    },
    ['id', 'name', 'state', 'links', 'closedAt', 'kind', 'count'],
  )
  const service = await serviceOf(plants({ schema }))
  t.like(service.ok('createPlant', { body: { name: 'x' } }).body, {
    state: 'fresh',
    links: [],
    closedAt: null,
    kind: 'plant',
    count: 3,
  })
  const { collections, operations: explained } = explainResources(service)
  t.deepEqual(explained.find(({ operation }) => operation === 'createPlant')?.filled, ['state', 'links', 'closedAt'])
  t.deepEqual(collections, [
    {
      name: 'plants',
      path: '/plants',
      itemPath: '/plants/{id}',
      id: 'id',
      operations: {
        list: 'listPlants',
        create: 'createPlant',
        read: 'readPlant',
        replace: 'replacePlant',
        update: 'updatePlant',
        remove: 'removePlant',
      },
    },
  ])
})

/** What a created record has: the property of the record, its value in the response, and the text or the other parts of the create. Undefined: it is left out. */
const created: Readonly<
  Record<string, readonly (readonly [property: Json, value: unknown, create?: Json | string])[]>
> = {
  'the only value that enum, allOf and const allow together': [
    [{ enum: [2], allOf: [{ oneOf: [{ const: 1 }, { const: 2 }] }] }, 2],
    [{ enum: ['b', 'c'], allOf: [{ enum: ['a', 'b'] }] }, 'b'],
    [{ enum: ['a', 'b'] }, undefined],
  ],
}

for (const [rule, rows] of Object.entries(created))
  test(`a created record has ${rule}`, async (t) => {
    for (const [at, [property, value, create]] of rows.entries()) {
      const schema = plantWith({ kind: property })
      const described = typeof create === 'string' ? { description: create } : create
      const changes: Changes = {
        schema,
        operations: { create: { requestBody: body(object({ name: text })), ...described } },
      }
      const service = await serviceOf(plants(changes))
      const { kind } = service.ok('createPlant', { body: { name: 'x' } }).body as { readonly kind?: unknown }
      t.deepEqual(kind, value, `row ${at}`)
    }
  })

test('a generated value is one that enum, const and the schemas beside them allow', async (t) => {
  const { contract } = (await serviceOf(plants())).resources
  const numbers = { type: 'integer', oneOf: [{ const: 1 }, { const: 2 }] }
  for (const [schema, value] of [
    [{ enum: [2], allOf: [numbers] }, 2],
    [{ allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, 'b'],
    [{ allOf: [numbers] }, 1],
  ] as const)
    t.is(contract.generate(schema), value)
})
