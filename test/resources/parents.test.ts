import test from 'ava'

import { fixtureSchema } from '#src/resources/document/fixture-schema.js'
import { readDocument } from '#src/resources/document/read.js'
import { toDocument, toText } from '#src/resources/document/write.js'
import { generateDocument } from '#src/resources/generated/generate-document.js'

import { pluck } from '../helpers/as-object-or-list.js'
import { inPath, integer, type Json, object, plants, plantWith, ref, text } from './plants-contract.js'
import { contract, crud } from './rules-contract.js'
import { now, serviceOf } from './service-of.js'

const parameters = [inPath('gardenId'), inPath('id')]

/** Plants below gardens. */
function nested(properties: Json = {}): Json {
  const document = plants({ schema: plantWith(properties) })
  const paths = document['paths'] as Record<string, Json>
  return {
    ...document,
    paths: {
      '/gardens/{gardenId}/plants': { ...paths['/plants'], parameters: parameters.slice(0, 1) },
      '/gardens/{gardenId}/plants/{id}': { ...paths['/plants/{id}'], parameters },
    },
  }
}

test('a parent without the name of an id is the property that is the id of that thing', async (t) => {
  const at = '/projects/{project}/views'
  for (const [property, held, isHeld] of [
    ['project_id', text, true],
    ['projectId', text, true],
    ['project', object({ id: text, name: text }, 'id'), true],
    ['project_id', integer, false],
    ['project', object({ id: text, name: text }, 'name'), false],
    ['project_name', text, false],
  ] as const) {
    const View = object({ id: { ...text, readOnly: true }, name: text, [property]: held }, 'id')
    const service = await serviceOf(contract(crud(at, { response: ref('View') }), { View }))
    const path = { project: 'p' }
    const { body } = service.ok(`POST ${at}`, { path, body: { name: 'x' } })
    const value = property === 'project' ? { id: 'p' } : 'p'
    t.deepEqual((body as Json)[property], isHeld ? value : undefined, property)
    t.deepEqual(service.ok(`GET ${at}`, { path }).body, [body])
    t.deepEqual(service.ok(`GET ${at}`, { path: { project: 'q' } }).body, [])
  }
})

for (const [title, document, property] of [
  ['a parent without a property is stored in $parents', nested(), undefined],
  ['a parent with a property is stored in the property', nested({ gardenId: text }), 'gardenId'],
  ['a property that is an object holds no parent', nested({ garden_id: { type: 'object' } }), undefined],
] as const)
  test(title, async (t) => {
    const inGarden = (name: string): Json =>
      property === undefined ? { $parents: { gardenId: name } } : { gardenId: name }
    const gardens = Object.entries({ A: 'east', B: 'west' })
    const fixture = { plants: gardens.map(([name, garden]) => ({ id: 'a', name, ...inGarden(garden) })) }
    const service = await serviceOf(document, fixture)
    const east = { gardenId: 'east' }
    const names = (path: Record<string, string>): readonly string[] =>
      (service.ok('listPlants', { path }).body as { name: string }[]).map(({ name }) => name)
    t.deepEqual(names(east), ['A'])
    t.deepEqual(names({ gardenId: 'west' }), ['B'])
    t.deepEqual(names({ gardenId: 'south' }), [])
    const { body, headers } = service.ok('createPlant', { path: { gardenId: 'a b' }, body: { name: 'C' } })
    t.like(body, { id: 'plant-3', name: 'C' })
    t.is(headers['location'], '/gardens/a%20b/plants/plant-3')
    t.is((body as Json)['gardenId'], property && 'a b')
    const elsewhere = { name: 'E', gardenId: 'west' }
    const made = service.ok('createPlant', { path: { gardenId: 'south' }, body: elsewhere }).body as Json
    t.is(made['gardenId'], property === undefined ? 'west' : 'south', 'the parent in the path takes precedence')
    t.deepEqual(names({ gardenId: 'south' }), ['E'])
    service.ok('removePlant', { path: { gardenId: 'south', id: String(made['id']) } })
    t.like(service.send('readPlant', { path: { ...east, id: 'plant-3' } }), { error: 'unknown_record', id: 'plant-3' })
    t.like(service.ok('replacePlant', { path: { ...east, id: 'a' }, body: { name: 'D' } }).body, { name: 'D' })
    service.ok('removePlant', { path: { gardenId: 'west', id: 'a' } })
    t.deepEqual([names(east), names({ gardenId: 'west' }), names({ gardenId: 'a b' })], [['D'], [], ['C']])
    const again = readDocument(JSON.parse(toText(service.state)), service.resources)
    if ('problems' in again) throw new Error(JSON.stringify(again.problems))
    t.deepEqual(toDocument(again.state)['plants'], toDocument(service.state)['plants'])
  })

test('a fixture must have $parents if the records have no property for the parent', async (t) => {
  const service = await serviceOf(nested())
  const { properties } = fixtureSchema(service.resources, 'Plants') as { properties: { plants: { items: Json } } }
  t.like(properties.plants.items, {
    required: ['name', '$parents'],
    properties: { $parents: { required: ['gardenId'], properties: { gardenId: text } } },
  })
  const document = {
    $callers: { ada: { token: 'x' } },
    plants: [{ name: 'A' }, { name: 'B', $parents: { gardenId: 5 } }],
  }
  const read = readDocument(document, service.resources)
  const problems = 'problems' in read ? read.problems : []
  t.deepEqual(pluck(problems, 'message'), ['$parents is missing', 'gardenId must be a string'])
})

test('in a generated record, an object and the id next to it are of the same record', async (t) => {
  const Named = object({ id: text, name: text }, 'id', 'name')
  const ids = { client_id: text, main_service_id: text }
  const booked = { id: text, ...ids, client: Named, service: Named }
  const Booking = object(booked, ...Object.keys(booked))
  const all = ['clients', 'services'].map((name) => crud(`/${name}`, { response: Named }))
  const bookings = crud('/bookings', { request: object(ids), response: ref('Booking') })
  const { resources } = await serviceOf(contract(Object.assign(bookings, ...all), { Booking }))
  const { document } = generateDocument(resources, { records: 8, seed: 1 }, Date.parse(now))
  const listed = document as Readonly<Record<string, readonly Readonly<Record<string, { readonly id: string }>>[]>>
  const { bookings: made = [], clients = [] } = listed
  t.is(made.length, 8)
  for (const { client, client_id: id, main_service_id: serviceId, service } of made) {
    t.deepEqual<unknown, unknown>(service?.id, serviceId)
    const found = clients.find((each) => each['id'] === id)
    t.deepEqual(client, found)
  }
})
