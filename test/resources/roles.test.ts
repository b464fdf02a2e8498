import test from 'ava'

import {
  body as bodyOf,
  integer,
  listOf,
  object,
  operations,
  plants,
  plantSchema,
  plantWith,
  ref,
  text,
  time,
} from './plants-contract.js'
import { contract, crud } from './rules-contract.js'
import { now, serviceOf } from './service-of.js'

const fixture = {
  plants: [
    { id: 'fern', name: 'Fern', tag: 'green', height: 30, pot: { colour: 'red', size: 2 }, secret: 's' },
    { id: 'cactus', name: 'Cactus', tag: null, $access: ['ada'] },
    { name: 'Ivy', $access: ['grace'] },
  ],
}

test('a listing has the records of the caller in order, without writeOnly properties', async (t) => {
  const service = await serviceOf(plants(), fixture)
  const { body } = service.ok('listPlants')
  const fern = { id: 'fern', name: 'Fern', tag: 'green', height: 30, pot: { colour: 'red', size: 2 } }
  t.deepEqual(body, [fern, { id: 'cactus', name: 'Cactus', tag: null }])
  t.true(Object.isFrozen(body))
  t.is(service.ok('listPlants').body, body)
  t.deepEqual(service.ok('listPlants', {}, 'grace').body, [fern, { id: 'plant-3', name: 'Ivy' }])
})

test('a created record gets its default values, belongs to its caller and is the last one', async (t) => {
  const service = await serviceOf(plants(), fixture)
  const { body, headers, status } = service.ok('createPlant', { body: { name: 'Moss', secret: 'x', id: 'mine' } })
  t.is(status, 201)
  t.deepEqual(body, { id: 'plant-4', name: 'Moss', createdAt: now })
  t.deepEqual(headers, { location: '/plants/plant-4' })
  t.deepEqual(service.ok('readPlant', { path: { id: 'plant-4' } }).body, body)
  t.like(service.send('readPlant', { path: { id: 'plant-4' } }, 'grace'), { error: 'unknown_record' })
})

test('a default that its own schema does not allow is not used', async (t) => {
  const properties = {
    wateredAt: { type: 'string', minLength: 20, default: 'now' },
    createdAt: { ...time, default: 'now', readOnly: true },
    pots: { type: 'integer', minimum: 1, default: 2 },
  }
  const service = await serviceOf(plants({ schema: plantWith(properties, ['id', 'name', 'createdAt']) }))
  const { body } = service.ok('createPlant', { body: { name: 'Moss' } })
  t.deepEqual(body, { id: 'plant-1', name: 'Moss', createdAt: now, pots: 2 })
})

test('everyone sees a created record if the operations that read it require no credential', async (t) => {
  const open = { security: [{}] }
  const service = await serviceOf(plants({ operations: { list: open, read: open } }))
  const { body } = service.ok('createPlant', { body: { name: 'Moss' } })
  t.deepEqual(service.ok('listPlants', {}, '').body, [body])
  t.deepEqual(service.ok('readPlant', { path: { id: 'plant-1' } }, '').body, body)
  const owned = await serviceOf(plants({ operations: { list: { security: [{}, { bearer: [] }] }, read: open } }))
  owned.ok('createPlant', { body: { name: 'Moss' } })
  t.deepEqual(owned.ok('listPlants', {}, '').body, [])
  const room = { in: 'path', name: 'room', required: true, schema: text }
  const responses = { 200: bodyOf(listOf(ref('Plant'))) }
  const secured = { operationId: 'listOfRoom', parameters: [room], security: [{ bearer: [] }], responses }
  const paths = { '/rooms/{room}/plants': { get: secured } }
  const all = { operations: { list: open, read: open }, paths, schema: plantWith({ room: text }) }
  const two = await serviceOf(plants(all))
  t.is(two.explain('listOfRoom').role, 'list')
  two.ok('createPlant', { body: { name: 'Moss' } })
  t.is((two.ok('listPlants', {}, '').body as readonly unknown[]).length, 1, 'another listing knows its caller')
})

test('an id is never reused', async (t) => {
  const service = await serviceOf(plants(), fixture)
  const create = (): unknown => (service.ok('createPlant', { body: { name: 'Moss' } }).body as { id: string }).id
  t.is(create(), 'plant-4')
  service.ok('removePlant', { path: { id: 'plant-4' } })
  t.is(create(), 'plant-5')
})

test('the id of a removed record is not reused, also if ids have the form of a pattern', async (t) => {
  const id = { type: 'string', pattern: '^ord_[A-Z0-9]{4}$', readOnly: true }
  const schema = plantWith({ id })
  const service = await serviceOf(plants({ schema, idSchema: text }), { plants: [{ id: 'ord_0002', name: 'Fern' }] })
  service.ok('removePlant', { path: { id: 'ord_0002' } })
  t.like(service.ok('createPlant', { body: { name: 'Moss' } }).body, { id: 'ord_0003' })
})

test('a client can choose the id if the contract allows it, and an id can be chosen only once', async (t) => {
  const schema = plantWith({ id: text })
  const service = await serviceOf(plants({ schema }), fixture)
  t.like(service.ok('createPlant', { body: { id: 'moss', name: 'Moss' } }).body, { id: 'moss' })
  t.like(service.send('createPlant', { body: { id: 'moss', name: 'Moss' } }), { error: 'id_exists', id: 'moss' })
  // A create must not show whether another caller has the id.
  t.like(service.send('createPlant', { body: { id: 'plant-3', name: 'Moss' } }), { error: 'id_exists' })
  const replaced = service.ok('replacePlant', { path: { id: 'moss' }, body: { name: 'Peat moss' } })
  t.like(replaced.body, { id: 'moss', name: 'Peat moss' })
})

test('only the journal has the reason why a record is unknown', async (t) => {
  const service = await serviceOf(plants(), fixture)
  const note = (id: string): unknown => {
    const outcome = service.send('readPlant', { path: { id } })
    return 'error' in outcome ? outcome.note : outcome
  }
  service.ok('removePlant', { path: { id: 'cactus' } })
  t.is(note('cactus'), 'the record was removed since the last reset')
  t.is(note('plant-3'), 'the record exists, but ada has no access')
  t.is(note('oak'), 'a record with this id never existed since the last reset')
  t.is(note('__proto__'), 'a record with this id never existed since the last reset')
})

test('a replacement keeps only the properties of the server', async (t) => {
  const createdAt = '2020-01-01T00:00:00Z'
  const service = await serviceOf(plants(), { plants: [{ id: 'fern', name: 'Fern', tag: 'x', createdAt }] })
  const path = { id: 'fern' }
  const { body } = service.ok('replacePlant', { path, body: { name: 'New', createdAt: '1999-01-01T00:00:00Z' } })
  t.deepEqual(body, { id: 'fern', name: 'New', createdAt })
  t.like(service.send('replacePlant', { path, body: { id: 'other', name: 'New' } }), { error: 'id_mismatch' })
  t.like(service.ok('replacePlant', { path, body: { name: 5 } }).body, { name: 'New' }, 'only the record refuses it')
  t.like(service.send('replacePlant', { path: { id: 'oak' }, body: { name: 'New' } }), { error: 'unknown_record' })
})

test('a PUT without required properties is a replacement where its text says so', async (t) => {
  for (const [description, role] of [
    ['Fully updates a plant. It does not support partial updates.', 'replace'],
    ['Replaces a plant; partial bodies are merged.', 'update'],
    ['Changes a plant.', 'update'],
  ] as const) {
    const replace = { ...operations.update, operationId: 'replacePlant', description }
    const schema = { ...plantWith({ name: text, tag: text }), required: ['id'] }
    t.is((await serviceOf(plants({ operations: { replace }, schema }))).role('replacePlant'), role, description)
  }
})

test('a replacement creates a record only if 201 is documented', async (t) => {
  const responses = { ...operations.replace.responses, 201: operations.create.responses[201] }
  const service = await serviceOf(plants({ operations: { replace: { responses } } }), fixture)
  const made = service.ok('replacePlant', { path: { id: 'oak' }, body: { name: 'Oak' } })
  t.is(made.status, 201)
  t.deepEqual(made.body, { id: 'oak', name: 'Oak', createdAt: now })
  t.is(service.ok('replacePlant', { path: { id: 'oak' }, body: { name: 'Oak 2' } }).status, 200)
  t.like(service.send('replacePlant', { path: { id: 'plant-3' }, body: { name: 'Oak' } }), { error: 'unknown_record' })
})

test('a response is an empty object if the contract allows no property', async (t) => {
  const done = bodyOf({ type: 'object', additionalProperties: false })
  const replace = { responses: { 201: done, 204: { description: 'replaced' } } }
  const service = await serviceOf(plants({ operations: { create: { responses: { 201: done } }, replace } }))
  t.like(service.ok('createPlant', { body: { name: 'Moss' } }), { status: 201, body: {}, createdId: 'plant-1' })
  const path = { id: 'oak' }
  t.like(service.ok('replacePlant', { path, body: { name: 'Oak' } }), { status: 201, body: {} })
  t.like(service.ok('replacePlant', { path, body: { name: 'Oak 2' } }), { status: 204, body: undefined })
  t.like(service.ok('listPlants').body, [{ name: 'Moss' }, { name: 'Oak 2' }])
  const unread = await serviceOf(plants({ operations: { read: { responses: { 200: done } } } }))
  t.is(unread.reason('readPlant'), 'its success response does not show a record')
  const data = object({ data: { type: 'object' } })
  const removing = plants({ operations: { remove: { responses: { 200: bodyOf(data) } } } })
  t.deepEqual((await serviceOf(removing, fixture)).ok('removePlant', { path: { id: 'fern' } }).body, { data: {} })
})

test('an update merges objects and replaces everything else', async (t) => {
  const service = await serviceOf(plants(), fixture)
  const path = { id: 'fern' }
  const { body } = service.ok('updatePlant', { path, body: { tag: null, pot: { size: 3 }, height: 99 } })
  // The request schema lacks height, so height is a property of the server.
  t.deepEqual(body, { id: 'fern', name: 'Fern', tag: null, height: 30, pot: { colour: 'red', size: 3 } })
  t.like(service.send('updatePlant', { path, body: { name: null } }), { error: 'invalid_record' })
})

test('a merge patch removes properties that are null', async (t) => {
  const service = await serviceOf(plants(), fixture)
  const sent = { path: { id: 'fern' }, body: { tag: null, pot: { colour: null } } }
  const { body } = service.ok('updatePlant', { ...sent, mediaType: 'application/merge-patch+json' })
  t.deepEqual(body, { id: 'fern', name: 'Fern', height: 30, pot: { size: 2 } })
})

test('properties can be named __proto__ and constructor', async (t) => {
  const service = await serviceOf(plants(), {})
  const sent: unknown = JSON.parse('{"name":"x","__proto__":{"a":1},"constructor":2}')
  const { body } = service.ok('createPlant', { body: sent })
  t.is(JSON.stringify(body), `{"id":"plant-1","name":"x","createdAt":"${now}","__proto__":{"a":1},"constructor":2}`)
  const patch: unknown = JSON.parse('{"__proto__":{"b":2}}')
  const updated = service.ok('updatePlant', { path: { id: 'plant-1' }, body: patch })
  t.true(JSON.stringify(updated.body).includes('"__proto__":{"a":1,"b":2}'))
  t.is(Object.getPrototypeOf(updated.body), Object.prototype)
})

test('a record with additionalProperties: false does not store unknown properties', async (t) => {
  const service = await serviceOf(plants({ schema: { ...plantSchema, additionalProperties: false } }), {})
  const { body } = service.ok('createPlant', { body: { name: 'x', other: 1 } })
  t.deepEqual(body, { id: 'plant-1', name: 'x', createdAt: now })
})

test('ids that are integers, UUIDs or fit a simple pattern are created; another pattern makes the create mocked', async (t) => {
  const made = async (id: object, idSchema: Record<string, unknown>): Promise<unknown> => {
    const schema = plantWith({ id: { readOnly: true, ...id } })
    const service = await serviceOf(plants({ schema, idSchema }), {})
    if (service.role('createPlant') === 'mocked') return service.reason('createPlant')
    return (service.ok('createPlant', { body: { name: 'x' } }).body as { id: unknown }).id
  }
  t.is(await made({ type: 'integer', minimum: 100 }, integer), 100)
  t.is(await made({ type: 'string', format: 'uuid' }, text), '00000000-0000-4000-8000-000000000001')
  t.is(await made({ type: 'string', pattern: '^ord_[A-Z0-9]{4}$' }, text), 'ord_0001')
  t.is(await made({ type: 'number' }, integer), 1)
  t.is(await made(integer, { type: 'integer', minimum: 1, maximum: 10 }), 1, 'the path may allow ten only')
  const unknown = 'the double cannot create an id that is valid by its schema'
  t.is(await made(integer, { type: 'integer', minimum: 5, maximum: 10 }), unknown)
  t.is(await made({ type: 'string', pattern: '^(?:a|b)+$' }, text), unknown)
})

test('an action sets the time that has the name of what it sets', async (t) => {
  const state = { enum: ['draft', 'published'] }
  const published_at = { ...time, type: ['string', 'null'] }
  const Post = object({ id: text, state, published_at, sent_at: time }, 'id')
  const at = 'POST /posts/{id}/publish'
  const all = { ...crud('/posts', { response: ref('Post') }), [at]: { response: ref('Post') } }
  const post = { id: 'a', state: 'draft', published_at: null, sent_at: '2020-01-01T00:00:00Z' }
  const service = await serviceOf(contract(all, { Post }), { posts: [post] })
  const published = { ...post, state: 'published', published_at: now }
  t.deepEqual(service.ok(at, { path: { id: 'a' } }).body, published)
})

test('a create of an id that exists changes the record if its text says so, and else is an error', async (t) => {
  const request = object({ id: text, name: text, age: integer }, 'id')
  const Cat = object({ id: text, name: text, age: integer }, 'id')
  for (const [description, isChanged] of [
    ['Creating or modifying a cat.', true],
    ['Upserts a cat.', true],
    ['Create new or wake existing cat.', true],
    ['Creates a cat, or an error.', false],
  ] as const) {
    const line = { request, response: ref('Cat'), status: 201, with: { description } }
    const all = { ...crud('/cats', { request, response: ref('Cat') }), 'POST /cats': line }
    const [own, hidden] = [{ id: 'a', name: 'A', age: 3 } as const, { id: 'b', $access: ['grace'] }]
    const service = await serviceOf(contract(all, { Cat }), { cats: [own, hidden] })
    const found = service.send('POST /cats', { body: { id: 'a', name: 'B' } })
    t.deepEqual('error' in found ? found.error : found.body, isChanged ? { id: 'a', name: 'B', age: 3 } : 'id_exists')
    t.like(service.send('POST /cats', { body: { id: 'b' } }), { error: 'id_exists' })
  }
})

test('a secret that no response documents is not kept, and a record of one of several schemas lacks nothing', async (t) => {
  const either = { oneOf: [object({ zip: { enum: ['1', '2'] } }, 'zip'), object({ box: integer }, 'box')] }
  const House = { ...object({ id: text, name: text }, 'id'), ...either }
  const request = object({ name: text, zip: text, ApiPassword: text })
  const service = await serviceOf(contract(crud('/houses', { request, response: ref('House') }), { House }))
  const { body, notStored } = service.ok('POST /houses', { body: { name: 'x', zip: '9', ApiPassword: 'hidden' } })
  t.like(body, { name: 'x', zip: '1' })
  t.false(JSON.stringify(body).includes('hidden'))
  t.deepEqual(notStored, ['zip'])
  // One that the contract does not know is stored, because the record is open.
  t.like(service.ok('POST /houses', { body: { name: 'y', box: 1, token: 'mine' } }).body, { token: 'mine' })
})

test('of a record of JSON:API, attributes have the times of change, and what is filled and not stored', async (t) => {
  const shown = object({ name: text, updated_at: time, size: { ...integer, example: 7 } }, 'name', 'size')
  const Hook = object({ id: text, attributes: shown }, 'id')
  const sent = object({ name: text, secret_key: text, updated_at: { ...time, readOnly: true } }, 'name')
  const all = crud('/hooks', { request: object({ attributes: sent }, 'attributes'), response: ref('Hook') })
  const service = await serviceOf(contract(all, { Hook }), {
    hooks: [{ id: 'a', attributes: { name: 'A', size: 1, updated_at: '2020-01-01T00:00:00Z' } }],
  })
  const changed = { path: { id: 'a' }, body: { attributes: { name: 'B' } } }
  const attributes = { name: 'B', size: 1, updated_at: now }
  t.deepEqual(service.ok('PATCH /hooks/{id}', changed).body, { id: 'a', attributes })
  t.like(service.explain('POST /hooks'), { filled: ['attributes.size'], notStored: ['attributes.secret_key'] })
})
