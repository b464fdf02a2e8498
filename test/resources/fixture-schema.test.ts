import { Ajv } from 'ajv'
import test from 'ava'

import { fixtureSchema } from '#src/resources/document/fixture-schema.js'
import { toDocument } from '#src/resources/document/write.js'

import { plants, plantSchema } from './plants-contract.js'
import { serviceOf } from './service-of.js'

/** Validates fixtures as an editor does. */
async function validator(document: unknown): Promise<(fixture: unknown) => boolean> {
  const schema = fixtureSchema((await serviceOf(document)).resources, 'Plants')
  const ajv = new Ajv({ strict: false, validateFormats: false })
  return ajv.compile(JSON.parse(JSON.stringify(schema)) as object)
}

test('a valid fixture fits the schema, and an invalid one does not', async (t) => {
  const isFixture = await validator(plants({ schema: { ...plantSchema, additionalProperties: false } }))
  const $callers = { ada: { token: 'ada-token' } }
  t.true(isFixture({ $schema: 'x', $callers, plants: [{ name: 'A', $access: ['ada'] }] }))
  t.false(isFixture({ plants: [] }))
  t.false(isFixture({ $callers, plants: [{}] }))
  t.false(isFixture({ $callers, plants: [{ name: 'A', access: [] }] }))
  t.false(isFixture({ $callers, insights: [] }))
  const service = await serviceOf(plants(), { plants: [{ name: 'A', secret: 's' }] })
  service.ok('createPlant', { body: { name: 'B' } })
  service.ok('removePlant', { path: { id: 'plant-2' } })
  t.true((await validator(plants()))(toDocument(service.state)))
})

test('every key has a title or a description, for completion', async (t) => {
  const { properties } = fixtureSchema((await serviceOf(plants())).resources, 'Plants') as {
    properties: Record<string, object>
  }
  t.deepEqual(Object.keys(properties), ['$schema', '$description', '$seed', '$lastIds', '$callers', 'plants'])
  for (const property of Object.values(properties)) t.true('title' in property && 'description' in property)
})

test('a schema that contains itself becomes a definition', async (t) => {
  const schema = {
    ...plantSchema,
    properties: { ...(plantSchema['properties'] as object), parent: { $ref: '#/components/schemas/Plant' } },
  }
  const isFixture = await validator(plants({ schema }))
  const $callers = { ada: { token: 'ada-token' } }
  t.true(
    isFixture({ $callers, plants: [{ name: 'A', parent: { id: 'x', name: 'B', parent: { id: 'y', name: 'C' } } }] }),
  )
  t.false(isFixture({ $callers, plants: [{ name: 'A', parent: { id: 'x', name: 'B', parent: { id: 'y' } } }] }))
})
