import test from 'ava'

import { explainResources } from '#src/resources/explain.js'

import { body, integer, type Json, listOf, object, plant, plants, plantWith, text, time } from './plants-contract.js'
import { now, serviceOf } from './service-of.js'

const moment = { type: ['string', 'null'], format: 'date-time' }

test('required properties that a client may omit are filled from the example, at every depth', async (t) => {
  const size = object({ width: integer, unit: text }, 'width')
  const full = { ...listOf({ ...size, required: ['width', 'unit'] }), example: [{ width: 1, unit: 'cm' }] }
  const properties = { state: { ...text, example: 'fresh' }, sizes: full }
  const schema = plantWith(properties, ['id', 'name', 'state', 'sizes'])
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
  t.deepEqual(service.explain('createPlant').filled, ['state', 'sizes', 'sizes.unit'])
})

test('required properties without an example are generated in the parts that a client sends', async (t) => {
  const schema = plantWith({ parts: listOf(object({ uri: text }, 'uri')) })
  const requestBody = body(object({ name: text, parts: listOf(object({ uri: text })) }, 'name'))
  const service = await serviceOf(plants({ schema, operations: { create: { requestBody } } }))
  const { body: made } = service.ok('createPlant', { body: { name: 'x', parts: [{}, { uri: 'mine' }] } })
  t.like(made, { parts: [{ uri: '' }, { uri: 'mine' }] })
})

test('properties of the server are filled from the example, and explain lists them', async (t) => {
  const properties = {
    state: { ...text, readOnly: true, example: 'fresh' },
    links: { ...listOf({}), readOnly: true },
    closedAt: { ...moment, readOnly: true },
    kind: { const: 'plant', readOnly: true },
    count: { ...integer, default: 3, readOnly: true },
  }
  const schema = plantWith(properties, ['id', 'name', ...Object.keys(properties)])
  const service = await serviceOf(plants({ schema }))
  const created = service.ok('createPlant', { body: { name: 'x' } }).body
  t.like(created, { state: 'fresh', links: [], closedAt: null, kind: 'plant', count: 3 })
  t.deepEqual(service.explain('createPlant').filled, ['state', 'links', 'closedAt'])
  const roles = ['list', 'create', 'read', 'replace', 'update', 'remove']
  const byRole = Object.fromEntries(roles.map((role) => [role, `${role}Plant${role === 'list' ? 's' : ''}`]))
  const plantsExplained = { name: 'plants', path: '/plants', itemPath: '/plants/{id}', id: 'id', operations: byRole }
  t.deepEqual(explainResources(service).collections, [plantsExplained])
})

const states = (...values: readonly string[]): Json => ({ type: 'string', enum: values })

type Row = readonly [property: Json, value: unknown, name?: string, description?: string, example?: Json]
const shown = { id: 'p', name: 'x' }
const newByDefault = { ...text, description: 'Its state. Defaults to `new`.' }

/** What a created record has: the property of the record, its value in the response, and the text and the example of the create. Undefined: it is left out. */
const created: Readonly<Record<string, readonly Row[]>> = {
  'the only value that enum, allOf and const allow together': [
    [{ enum: [2], allOf: [{ oneOf: [{ const: 1 }, { const: 2 }] }] }, 2],
    [{ enum: ['b', 'c'], allOf: [{ enum: ['a', 'b'] }] }, 'b'],
    [{ enum: ['a', 'b'] }, undefined],
  ],
  'the time in the form of RFC 2822, or of an example': [
    [{ ...text, example: '2024/04/02 14:39' }, '2026/01/05 09:30', 'date_created'],
    [{ ...text, format: 'date-time-rfc-2822' }, 'Mon, 05 Jan 2026 09:30:00 +0000', 'date_created'],
    [{ ...text, description: 'The time in RFC 2822 format.' }, 'Mon, 05 Jan 2026 09:30:00 +0000', 'date_created'],
    [{ ...text, format: 'date-time' }, '2026-01-05T09:30:00Z', 'date_created'],
    [{ ...text, pattern: String.raw`^\d{4}-\d\d-\d\dT[\d:.]+Z$` }, '2026-01-05T09:30:00Z', 'date_created'],
    [text, '2026-01-05', 'date'],
    [text, '2026-01-05T09:30:00Z', 'timestamp'],
  ],
  'no time of an event that has not happened, unless the example of its create has it': [
    [{ ...moment, example: '2020-01-01T00:00:00Z' }, null, 'closedAt'],
    [{ ...moment, example: '2020-01-01T00:00:00Z' }, '2026-01-06T09:30:00Z', 'expiresAt'],
    [moment, null, 'expiresAt'],
    [{ ...time, example: '2020-01-01T00:00:00Z' }, undefined, 'disputeLostAt'],
    [{ ...time, example: '2020-01-01T00:00:00Z' }, '2026-01-05T09:30:00Z', 'joinedAt'],
    [moment, '2020-01-01T00:00:00Z', 'openedAt', '', { ...shown, openedAt: '2020-01-01T00:00:00Z' }],
  ],
  'the default that a description tells': [
    [newByDefault, 'new', 'status', 'Creates a plant.', { ...shown, status: 'old' }],
    [{ ...states('Fresh', 'old'), description: 'The default is fresh if not specified.' }, 'Fresh', 'status'],
    [{ type: 'boolean', description: 'It will be set to true if no value is provided.' }, true],
    [{ ...integer, description: 'Default: 7.' }, 7],
    [{ ...text, description: 'Its tags. If they have not been set, `{}` is returned.' }, '{}'],
    [{ ...integer, description: 'Defaults to the number of leaves.' }, undefined],
    [{ ...text, description: 'Defaults to the current user.' }, undefined],
    [{ ...states('a', 'b'), description: 'Defaults to `c`.' }, undefined],
    [{ ...states('a', 'K_UNSPECIFIED'), default: 'K_UNSPECIFIED' }, undefined],
  ],
  'the state that the example of its create names, else one that sounds initial': [
    [states('active', 'paused'), 'active', 'status'],
    [text, undefined, 'status'],
    [states('active', 'waiting'), 'waiting', 'status', '', { ...shown, status: 'waiting' }],
    [states('KEY_STATUS_UNSPECIFIED', 'KEY_STATUS_OLD', 'KEY_STATUS_ACTIVE'), 'KEY_STATUS_ACTIVE', 'status'],
    [states('S_UNSPECIFIED', 'S_OLD'), 'S_OLD', 'status'],
    [states('old', 'older'), undefined, 'status'],
  ],
}

for (const [rule, rows] of Object.entries(created))
  test(`a created record has ${rule}`, async (t) => {
    for (const [at, [property, value, name = 'kind', description = '', example]] of rows.entries()) {
      const sent = object({ name: text, ...(name === 'status' && { status: property }) })
      const create = { description, requestBody: body(sent), responses: { 201: body(plant, example) } }
      const service = await serviceOf(plants({ schema: plantWith({ [name]: property }), operations: { create } }))
      const found = service.ok('createPlant', { body: { name: 'x' } }).body as Json
      t.deepEqual(found[name], value, `row ${at}`)
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

test('a fresh record lacks what the client left out and may be null', async (t) => {
  const optional = { type: ['string', 'null'] }
  const properties = {
    nickname: optional,
    dug_up_by: { ...optional, description: 'Who has dug it up.' },
    deleted_by: { ...text, example: 'ada' },
    url: text,
    created_at: time,
    updated_at: time,
  }
  const told = { nickname: 'Ferny', url: 'https://plants.test/plants/plant-77/page' }
  const example = { id: 'plant-77', name: 'Fern', ...told }
  const schema = { ...plantWith(properties, ['id', 'name', 'nickname']), example }
  const sent = { name: text, nickname: optional, created_at: time, updated_at: time }
  const requests = { create: { requestBody: body(object(sent, 'name')) }, update: { requestBody: body(object(sent)) } }
  const service = await serviceOf(plants({ schema, operations: requests }))
  const made = service.ok('createPlant', { body: { name: 'x' } }).body as Json
  const url = `https://plants.test/plants/${String(made['id'])}/page`
  const times = { createdAt: now, created_at: now, updated_at: now }
  t.deepEqual(made, { id: made['id'], name: 'x', nickname: null, url, ...times })
  // A client that sends the time back does not choose it.
  const path = { id: String(made['id']) }
  const earlier = '2020-01-01T00:00:00Z'
  t.like(service.ok('updatePlant', { path, body: { updated_at: earlier } }).body, { updated_at: earlier })
  t.like(service.ok('updatePlant', { path, body: { updated_at: earlier } }).body, { updated_at: now })
})
