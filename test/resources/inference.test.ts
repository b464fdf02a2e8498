import test from 'ava'

import { nameCollections } from '#src/resources/infer/collection-paths.js'
import { findIdPath } from '#src/resources/infer/id-property.js'

import {
  body,
  type Changes,
  integer,
  type Json,
  listOf,
  object,
  operations,
  plant,
  plants,
  plantSchema,
  plantWith,
  pathParameters,
  ref,
  text,
} from './plants-contract.js'
import { contract, crud } from './rules-contract.js'
import { now, serviceOf } from './service-of.js'

const idOf = (name: string, segment: string, ...names: string[]): string | undefined => {
  const properties = new Map(names.map((each) => [each, text]))
  return findIdPath({ name, schema: text }, segment, properties, new Set())?.join('.')
}

test('the id is the property that the path parameter names', async (t) => {
  t.is(idOf('taskId', 'tasks', 'name', 'task_id'), 'task_id')
  t.is(idOf('taskId', 'tasks', 'id', 'task_id'), 'task_id')
  t.is(idOf('external_user_id', 'external-users', 'user_id', 'id'), 'id')
  t.is(idOf('task_gid', 'tasks', 'gid', 'id'), 'gid')
  t.is(idOf('petId', 'pets', 'name', 'id'), 'id')
  t.is(idOf('username', 'users', 'id', 'userName'), 'userName')
  t.is(idOf('user', 'users', 'id', 'name'), 'id')
  t.is(idOf('id', 'pets', 'petId'), 'petId')
  t.is(idOf('id', 'accounts', 'userId', 'idAccount'), 'idAccount')
  t.is(idOf('api_key', 'api-keys', 'name', 'api_key_id'), 'api_key_id')
  t.is(idOf('resource', 'eduResources', 'title', 'id'), 'id')
  t.is(idOf('slug', 'posts', '_id', 'title'), '_id')
  t.is(idOf('slug', 'posts', 'id', 'title'), undefined)
})

test('if a path parameter may name several properties, the one with the same type is the id', async (t) => {
  const keys = new Map(Object.entries({ key_id: text, id: { type: 'number' } }))
  const find = (name: string, type: string): string | undefined =>
    findIdPath({ name, schema: { type } }, 'gpg_keys', keys, new Set())?.join('.')
  t.is(find('gpg_key_id', 'integer'), 'id')
  t.is(find('gpg_key_id', 'string'), 'key_id')
  t.is(find('key_id', 'integer'), 'key_id')
  const uuid = { ...text, format: 'uuid' }
  const named = new Map(Object.entries({ name: text }))
  t.is(findIdPath({ name: 'key_id', schema: uuid }, 'keys', named, new Set(['name'])), undefined)
})

test('a collection is named after its last segment, or after all segments if two collections share the last one', async (t) => {
  const paths = ['/pets', '/shop/orders', '/users/{id}/orders', '/orders']
  const names = nameCollections(paths.map((path) => ({ path, kind: 'pair' })))
  t.deepEqual([...names.keys()], paths)
  t.deepEqual([...names.values()], ['pets', 'shop/orders', 'users/orders', 'orders'])
})

test('a trailing slash is ignored', async (t) => {
  const document = plants()
  const paths = document['paths'] as Record<string, unknown>
  const both = { '/plants/': paths['/plants'], '/plants/{id}/': paths['/plants/{id}'] }
  const slashed = await serviceOf({ ...document, paths: both })
  t.is(slashed.role('createPlant'), 'create')
  t.is(slashed.ok('createPlant', { body: { name: 'x' } }).headers['location'], '/plants/plant-1/')
})

const batch = object({ Plants: listOf(plantSchema) }, 'Plants')
const ofText = { content: { 'text/plain': { schema: { type: 'string' } } } }
const readOnly: Changes = { onCollection: {}, onItem: { get: operations.read } }
const batched = { requestBody: body(batch) }
const head = { operationId: 'headPlant', responses: { 200: { description: 'x' } } }

/** The reason why an operation is mocked, by the operation: the changes of the contract of plants. */
const mocked: readonly (readonly [reason: string, operation: string, changes: Changes])[] = [
  ['there is no listing, and not a read and every change of a record fit', 'readPlant', readOnly],
  ['there is no path /plants/{id} next to it', 'listPlants', { onCollection: { get: operations.list }, onItem: {} }],
  ['no role is for HEAD of a record', 'headPlant', { onItem: { head, get: operations.read } }],
  ['its request body shares no property with the record', 'createPlant', { operations: { create: batched } }],
  [
    'its list has at least 12 items, which no state promises',
    'listPlants',
    {
      operations: { list: { responses: { 200: body(object({ months: { ...listOf(plantSchema), minItems: 12 } })) } } },
    },
  ],
  ['it takes no JSON body and no form', 'updatePlant', { operations: { update: { requestBody: ofText } } }],
]

test('every mocked operation has a reason', async (t) => {
  for (const [reason, operation, changes] of mocked) t.is((await serviceOf(plants(changes))).reason(operation), reason)
})

test('a creation without a body shows a fresh record, and the next read, too', async (t) => {
  const schema = plantWith({ state: { type: 'string', enum: ['new', 'old'] } }, ['id', 'state'])
  const service = await serviceOf(plants({ schema, operations: { create: { requestBody: undefined } } }))
  t.is(service.role('createPlant'), 'create')
  const created = { id: 'plant-1', createdAt: '2026-01-05T09:30:00Z', state: 'new' }
  t.like(service.ok('createPlant', {}).body, created)
})

test('a body property of another type is not stored, and what the record requires is generated', async (t) => {
  const requestBody = body(object({ name: text, tag: listOf(text) }))
  const schema = plantWith({ height: { ...integer, minimum: 5 } }, ['id', 'name', 'height'])
  const service = await serviceOf(plants({ schema, operations: { create: { requestBody } } }))
  const { body: made } = service.ok('createPlant', { body: { name: 'Fern', tag: ['a'] } })
  t.deepEqual(made, { id: 'plant-1', name: 'Fern', createdAt: now, height: 5 })
  t.like(service.explain('createPlant'), { notStored: ['tag'], filled: ['name', 'height'] })
})

test('if several collections have the same record schema, only the one that changes is stateful', async (t) => {
  const paths = {
    '/herbs': { get: { ...operations.list, operationId: 'listHerbs' } },
    '/herbs/{id}': { get: { ...operations.read, operationId: 'readHerb', parameters: pathParameters('/herbs/{id}') } },
  }
  const service = await serviceOf(plants({ paths }))
  t.is(service.role('listPlants'), 'list')
  t.is(service.reason('listHerbs'), 'its records have the schema of those of /plants')
})

test('a record may have a property with the name of its wrapper property', async (t) => {
  const schema = plantWith({ data: { type: 'object', properties: { a: {} } } })
  const read = { responses: { 200: body(object({ data: plant })) } }
  const record = { id: 'p', name: 'x', data: { a: 1 } }
  const service = await serviceOf(plants({ schema, operations: { read } }), { plants: [record] })
  t.deepEqual(service.ok('readPlant', { path: { id: 'p' } }).body, { data: record })
})

test('a response may require properties next to the record, which are filled from the example', async (t) => {
  const wrappedIn = (name: string, example?: object): Changes => {
    const schema = object({ code: integer, [name]: plant }, 'code', name)
    return { operations: { read: { responses: { 200: body(schema, example) } } } }
  }
  const record = { id: 'p', name: 'x' }
  const service = await serviceOf(plants(wrappedIn('data', { code: 7, data: record })), { plants: [record] })
  t.deepEqual(service.ok('readPlant', { path: { id: 'p' } }).body, { code: 7, data: record })
  t.deepEqual(service.explain('readPlant').filled, ['code'])
  t.regex((await serviceOf(plants(wrappedIn('owner')))).reason('readPlant'), /does not show a record/u)
})

test('a list below a path parameter is not a list of records', async (t) => {
  const read = { responses: { 200: body(object({ data: listOf(plant) })) } }
  t.is((await serviceOf(plants({ operations: { read } }))).role('readPlant'), 'mocked')
})

test('recursive schemas, allOf and nullable are resolved', async (t) => {
  const own = object({ name: text, parent: { oneOf: [plant, { type: 'null' }] } }, 'name')
  const Base = object({ id: { ...text, readOnly: true } }, 'id')
  const service = await serviceOf(plants({ schema: { allOf: [ref('Base'), own] }, schemas: { Base } }))
  t.is(service.role('createPlant'), 'create', service.reason('createPlant'))
  const { body: made } = service.ok('createPlant', { body: { name: 'x', parent: { id: 'p', name: 'y' } } })
  t.deepEqual(made, { id: 'plant-1', name: 'x', parent: { id: 'p', name: 'y' } })
  const unfit = { name: 'x', parent: { id: 'p' } }
  // Only the record refuses it.
  t.deepEqual(service.ok('createPlant', { body: unfit }).body, { id: 'plant-2', name: 'x' })
})

test('a body may wrap the record in one property', async (t) => {
  const wrapped = (name: string): Json => body(object({ [name]: plant }, name))
  const create = { requestBody: { ...wrapped('plant'), required: true }, responses: { 201: wrapped('data') } }
  const read = { responses: { 200: wrapped('data') } }
  const service = await serviceOf(plants({ operations: { create, read } }))
  t.like(service.ok('createPlant', { body: { plant: { name: 'x' } } }).body, { data: { id: 'plant-1', name: 'x' } })
  t.like(service.ok('readPlant', { path: { id: 'plant-1' } }).body, { data: { id: 'plant-1' } })
  t.like(service.send('createPlant', { body: {} }), { error: 'invalid_record' })
})

test('a record of several schemas has the properties of all of them', async (t) => {
  const choice = { oneOf: [plantSchema, object({ id: text, wings: integer }, 'wings')] }
  const shown = { list: { responses: { 200: body(listOf(choice)) } }, read: { responses: { 200: body(choice) } } }
  const bird = { id: 'b', wings: 2 }
  const service = await serviceOf(plants({ operations: shown }), { plants: [{ id: 'a', name: 'A' }, bird] })
  t.deepEqual(service.ok('readPlant', { path: { id: 'b' } }).body, bird)
  t.is((await serviceOf(plants({ schema: { oneOf: [plantSchema, { type: 'null' }] } }))).role('listPlants'), 'list')
})

test('records whose states exclude each other are of two collections, also if a choice of constants is their enum', async (t) => {
  const shared = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`part${at}`, text]))
  const collectionOf = async (...states: readonly string[]): Promise<unknown> => {
    const withState = (values: readonly string[]) =>
      object({ id: text, gymId: text, ...shared, state: { anyOf: values.map((value) => ({ const: value })) } }, 'id')
    const all = {
      ...crud('/mats', { request: ref('Mat'), response: ref('Mat') }),
      'GET /gyms/{id}/lessons': { response: listOf(ref('Lesson')) },
      'POST /gyms/{id}/lessons': { request: ref('Lesson'), response: ref('Lesson'), status: 201 },
    }
    const schemas = { Mat: withState(['live', 'hidden']), Lesson: withState(states) }
    const { collections } = (await serviceOf(contract(all, schemas))).resources
    return collections.map(({ name }) => name).join()
  }
  t.is(await collectionOf('live', 'hidden'), 'mats')
  t.is(await collectionOf('active', 'archived'), 'mats,lessons')
})
