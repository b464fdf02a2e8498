import test from 'ava'

import { explainResources } from '#src/resources/explain.js'
import { nameCollections } from '#src/resources/infer/collection-paths.js'
import { findIdPath } from '#src/resources/infer/id-property.js'

import { body, operations, plants, plantSchema, plantWith } from './plants-contract.js'
import { serviceOf } from './service-of.js'

const idOf = (parameter: string, segment: string, ...names: string[]): string | undefined =>
  findIdPath(
    { name: parameter, schema: { type: 'string' } },
    segment,
    new Map(names.map((name) => [name, { type: 'string' }])),
    new Set(),
  )?.join('.')

test('the id is the property that the path parameter names', async (t) => {
  t.is(idOf('taskId', 'tasks', 'name', 'task_id'), 'task_id')
  t.is(idOf('taskId', 'tasks', 'id', 'task_id'), 'id')
  t.is(idOf('external_user_id', 'external-users', 'user_id', 'id'), 'id')
  t.is(idOf('task_gid', 'tasks', 'gid', 'id'), 'gid')
  t.is(idOf('petId', 'pets', 'name', 'id'), 'id')
  t.is(idOf('username', 'users', 'id', 'userName'), 'userName')
  t.is(idOf('user', 'users', 'id', 'name'), 'id')
  t.is(idOf('id', 'pets', 'petId'), 'petId')
  t.is(idOf('slug', 'posts', '_id', 'title'), '_id')
  t.is(idOf('slug', 'posts', 'id', 'title'), undefined)
})

test('if a path parameter may name several properties, the one with the same type is the id', async (t) => {
  const keys = new Map([
    ['key_id', { type: 'string' }],
    ['id', { type: 'number' }],
  ])
  const find = (name: string, type: string): string | undefined =>
    findIdPath({ name, schema: { type } }, 'gpg_keys', keys, new Set())?.join('.')
  t.is(find('gpg_key_id', 'integer'), 'id')
  t.is(find('gpg_key_id', 'string'), 'key_id')
  t.is(find('key_id', 'integer'), 'key_id')
})

test('a collection is named after its last segment, or after all segments if two collections share the last one', async (t) => {
  t.deepEqual(
    [
      ...nameCollections(
        ['/pets', '/shop/orders', '/users/{id}/orders', '/orders'].map((path) => ({ path, kind: 'pair' as const })),
      ),
    ],
    [
      ['/pets', 'pets'],
      ['/shop/orders', 'shop/orders'],
      ['/users/{id}/orders', 'users/orders'],
      ['/orders', 'orders'],
    ],
  )
})

test('a trailing slash is ignored', async (t) => {
  const document = plants()
  const paths = document['paths'] as Record<string, unknown>
  const slashed = await serviceOf({
    ...document,
    paths: { '/plants/': paths['/plants'], '/plants/{id}/': paths['/plants/{id}'] },
  })
  t.is(slashed.role('createPlant'), 'create')
  t.is(slashed.ok('createPlant', { body: { name: 'x' } }).headers['location'], '/plants/plant-1/')
})

test('every mocked operation has a reason', async (t) => {
  const reasonOf = async (changes: Parameters<typeof plants>[0], operation: string): Promise<string> =>
    (await serviceOf(plants(changes))).reason(operation)
  t.is(
    await reasonOf({ onCollection: {}, onItem: { get: operations.read } }, 'readPlant'),
    'there is no listing, and not a read and every change of a record fit',
  )
  t.is(
    await reasonOf({ onCollection: { get: operations.list }, onItem: {} }, 'listPlants'),
    'there is no path /plants/{id} next to it',
  )
  t.is(
    await reasonOf(
      {
        onItem: { head: { operationId: 'headPlant', responses: { 200: { description: 'x' } } }, get: operations.read },
      },
      'headPlant',
    ),
    'no role is for HEAD of a record',
  )
  const batch = { type: 'object', required: ['Plants'], properties: { Plants: { type: 'array', items: plantSchema } } }
  t.is(
    await reasonOf(
      { onCollection: { get: operations.list, post: { ...operations.create, requestBody: body(batch) } } },
      'createPlant',
    ),
    'its request body shares no property with the record',
  )
  t.is(
    await reasonOf(
      {
        onItem: {
          patch: {
            ...operations.update,
            requestBody: { content: { 'application/json-patch+json': { schema: { type: 'array' } } } },
          },
        },
      },
      'updatePlant',
    ),
    'it takes no JSON body and no form',
  )
})

test('a body property of another type is not stored, and what the record requires is generated', async (t) => {
  const tag = { type: 'array', items: { type: 'string' } }
  const requestBody = body({ type: 'object', properties: { name: { type: 'string' }, tag } })
  const post = { ...operations.create, requestBody }
  const schema = plantWith({ height: { type: 'integer', minimum: 5 } }, ['id', 'name', 'height'])
  const service = await serviceOf(plants({ schema, onCollection: { get: operations.list, post } }))
  t.deepEqual(service.ok('createPlant', { body: { name: 'Fern', tag: ['a'] } }).body, {
    id: 'plant-1',
    name: 'Fern',
    createdAt: '2026-01-05T09:30:00Z',
    height: 5,
  })
  const explained = explainResources(service).operations.find(({ operation }) => operation === 'createPlant')
  t.deepEqual([explained?.notStored, explained?.filled], [['tag'], ['name', 'height']])
})

test('if several collections have the same record schema, only the one that changes is stateful', async (t) => {
  const paths = {
    '/herbs': { get: { ...operations.list, operationId: 'listHerbs' } },
    '/herbs/{id}': {
      get: {
        ...operations.read,
        operationId: 'readHerb',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
  }
  const service = await serviceOf(plants({ paths }))
  t.is(service.role('listPlants'), 'list')
  t.is(service.reason('listHerbs'), 'its records have the schema of those of /plants')
})

test('a record may have a property with the name of its wrapper property', async (t) => {
  const schema = plantWith({ data: { type: 'object', properties: { a: {} } } })
  const data = { $ref: '#/components/schemas/Plant' }
  const wrapped = body({ type: 'object', properties: { data } })
  const onItem = { get: { ...operations.read, responses: { 200: wrapped } } }
  const plant = { id: 'p', name: 'x', data: { a: 1 } }
  const service = await serviceOf(plants({ schema, onItem }), { plants: [plant] })
  t.deepEqual(service.ok('readPlant', { path: { id: 'p' } }).body, { data: plant })
})

test('a response may require properties next to the record, which are filled from the example', async (t) => {
  const data = { $ref: '#/components/schemas/Plant' }
  const wrappedIn = (name: string, example?: object): Parameters<typeof plants>[0] => {
    const schema = { type: 'object', required: ['code', name], properties: { code: { type: 'integer' }, [name]: data } }
    const response = { description: 'ok', content: { 'application/json': { schema, ...(example && { example }) } } }
    return { onItem: { get: { ...operations.read, responses: { 200: response } } } }
  }
  const plant = { id: 'p', name: 'x' }
  const service = await serviceOf(plants(wrappedIn('data', { code: 7, data: plant })), { plants: [plant] })
  t.deepEqual(service.ok('readPlant', { path: { id: 'p' } }).body, { code: 7, data: plant })
  const explained = explainResources(service).operations
  t.deepEqual(explained.find(({ operation }) => operation === 'readPlant')?.filled, ['code'])
  t.regex((await serviceOf(plants(wrappedIn('owner')))).reason('readPlant'), /does not show a record/u)
})

test('a list below a path parameter is not a list of records', async (t) => {
  const list = body({
    type: 'object',
    properties: { data: { type: 'array', items: { $ref: '#/components/schemas/Plant' } } },
  })
  const onItem = { get: { ...operations.read, responses: { 200: list } } }
  t.is((await serviceOf(plants({ onItem }))).role('readPlant'), 'mocked')
})

test('recursive schemas, allOf and nullable are resolved', async (t) => {
  const base = { type: 'object', required: ['id'], properties: { id: { type: 'string', readOnly: true } } }
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Base' },
      {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string' },
          parent: { oneOf: [{ $ref: '#/components/schemas/Plant' }, { type: 'null' }] },
        },
      },
    ],
  }
  const service = await serviceOf(plants({ schema, schemas: { Base: base } }))
  t.is(service.role('createPlant'), 'create', service.reason('createPlant'))
  const { body: made } = service.ok('createPlant', { body: { name: 'x', parent: { id: 'p', name: 'y' } } })
  t.deepEqual(made, { id: 'plant-1', name: 'x', parent: { id: 'p', name: 'y' } })
  const unfit = { name: 'x', parent: { id: 'p' } }
  t.deepEqual(
    service.ok('createPlant', { body: unfit }).body,
    { id: 'plant-2', name: 'x' },
    'only the record refuses it',
  )
})

test('a body may wrap the record in one property', async (t) => {
  const wrapped = (name: string): Record<string, unknown> => ({
    type: 'object',
    required: [name],
    properties: { [name]: { $ref: '#/components/schemas/Plant' } },
  })
  const service = await serviceOf(
    plants({
      onCollection: {
        get: operations.list,
        post: {
          ...operations.create,
          requestBody: { ...body(wrapped('plant')), required: true },
          responses: { 201: body(wrapped('data')) },
        },
      },
      onItem: { get: { ...operations.read, responses: { 200: body(wrapped('data')) } } },
    }),
  )
  t.like(service.ok('createPlant', { body: { plant: { name: 'x' } } }).body, { data: { id: 'plant-1', name: 'x' } })
  t.like(service.ok('readPlant', { path: { id: 'plant-1' } }).body, { data: { id: 'plant-1' } })
  t.like(service.send('createPlant', { body: {} }), { error: 'invalid_record' })
})

test('a record of several schemas has the properties of all of them', async (t) => {
  const choice = {
    oneOf: [
      plantSchema,
      { type: 'object', required: ['wings'], properties: { id: { type: 'string' }, wings: { type: 'integer' } } },
    ],
  }
  const onCollection = { get: { ...operations.list, responses: { 200: body({ type: 'array', items: choice }) } } }
  const onItem = { get: { ...operations.read, responses: { 200: body(choice) } } }
  const bird = { id: 'b', wings: 2 }
  const service = await serviceOf(plants({ onCollection, onItem }), { plants: [{ id: 'a', name: 'A' }, bird] })
  t.deepEqual(service.ok('readPlant', { path: { id: 'b' } }).body, bird)
  t.is((await serviceOf(plants({ schema: { oneOf: [plantSchema, { type: 'null' }] } }))).role('listPlants'), 'list')
})
