import test from 'ava'

import { explainResources } from '#src/resources/explain.js'

import { body, operations, plants, plantWith } from './plants-contract.js'
import { serviceOf } from './service-of.js'

test('required properties that a client may omit are filled from the example, at every depth', async (t) => {
  const size = {
    type: 'object',
    required: ['width'],
    properties: { width: { type: 'integer' }, unit: { type: 'string' } },
  }
  const schema = plantWith(
    {
      state: { type: 'string', example: 'fresh' },
      sizes: { type: 'array', items: { ...size, required: ['width', 'unit'] }, example: [{ width: 1, unit: 'cm' }] },
    },
    ['id', 'name', 'state', 'sizes'],
  )
  const sent = { name: { type: 'string' }, state: { type: 'string' }, sizes: { type: 'array', items: size } }
  const onCollection = {
    get: operations.list,
    post: { ...operations.create, requestBody: body({ type: 'object', required: ['name'], properties: sent }) },
  }
  const patch = { ...operations.update, requestBody: body({ type: 'object', properties: sent }) }
  const service = await serviceOf(plants({ schema, onCollection, onItem: { get: operations.read, patch } }))
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
  const withParts = (required: string): Parameters<typeof plants>[0] => {
    const part = { type: 'object', properties: { [required]: { type: 'string' } } }
    const parts = { type: 'array', items: { ...part, required: [required] } }
    const schema = plantWith({ parts })
    const sent = { name: { type: 'string' }, parts: { type: 'array', items: part } }
    const requestBody = body({ type: 'object', required: ['name'], properties: sent })
    return { schema, onCollection: { get: operations.list, post: { ...operations.create, requestBody } } }
  }
  const service = await serviceOf(plants(withParts('uri')))
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
