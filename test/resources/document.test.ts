import { Ajv } from 'ajv'
import test from 'ava'

import { fixtureSchema } from '#src/resources/document/fixture-schema.js'
import { readDocument } from '#src/resources/document/read.js'
import { toDocument, toText } from '#src/resources/document/write.js'
import { diffStates } from '#src/resources/records/diff.js'
import { withOrigin } from '#src/resources/records/state.js'

import { type Json, operations, plants, plantSchema, plantWith } from './plants-contract.js'
import { serviceOf } from './service-of.js'

const $callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }
const closed = plants({ schema: { ...plantSchema, additionalProperties: false } })

async function problemsOf(document: unknown, contract: Json = closed): Promise<readonly string[]> {
  const read = readDocument(document, (await serviceOf(contract)).resources)
  return 'problems' in read
    ? read.problems.map(({ hint, message, path }) => `${path.join('.')}: ${message}; ${hint}`)
    : []
}

test('a state that is written and read again is the same', async (t) => {
  const [fern, hidden] = [{ name: 'Fern', secret: 's' }, { id: 'x', name: 'X', $access: [] } as const]
  const service = await serviceOf(plants(), { $description: 'Some', plants: [fern, hidden] })
  service.ok('createPlant', { body: JSON.parse('{"name":"Moss","__proto__":1,"more":{"a":[1]}}') })
  service.ok('removePlant', { path: { id: 'plant-3' } })
  const seeded = withOrigin(service.state, { fixture: 'default', sha256: 'abc' })
  const text = toText(seeded)
  t.deepEqual(JSON.parse(text), toDocument(seeded))
  t.deepEqual(toDocument(seeded), {
    $description: 'Some',
    $callers,
    $seed: { fixture: 'default', sha256: 'abc' },
    $lastIds: { plants: 3 },
    plants: [{ id: 'plant-1', ...fern }, hidden],
  })
  const again = readDocument(JSON.parse(text), service.resources)
  if ('problems' in again) throw new Error(JSON.stringify(again.problems))
  t.is(toText(again.state), text)
  // An id that was created before the restart is not reused.
  service.state = again.state
  t.like(service.ok('createPlant', { body: { name: 'Oak' } }).body, { id: 'plant-4' })
})

test('an unknown property is a problem if no request could have stored it', async (t) => {
  const fixed = plants({ onCollection: { get: operations.list }, onItem: { delete: operations.remove } })
  const misspelt = { $callers, plants: [{ name: 'A', nmae: 'B' }] }
  const problem = 'plants.0.nmae: key "nmae" is not known; did you mean name?'
  t.deepEqual(await problemsOf(misspelt, fixed), [problem])
  t.deepEqual(await problemsOf(misspelt, plants()), [])
})

test('callers may have a token for each scheme, and are optional if no operation needs a credential', async (t) => {
  t.deepEqual(await problemsOf({ $callers: { ada: { tokens: { bearer: 'x' } } } }), [])
  const problem = '$callers.ada.tokens.cookie: security scheme "cookie" is not known; use bearer'
  t.deepEqual(await problemsOf({ $callers: { ada: { tokens: { cookie: 'x' } } } }), [problem])
  t.deepEqual(await problemsOf({}, plants({ security: false })), [])
})

test('a diff has the value of each changed property before and after', async (t) => {
  const service = await serviceOf(plants(), {
    plants: [
      { id: 'a', name: 'A', tag: 'x' },
      { id: 'b', name: 'B' },
    ],
  })
  const before = service.state
  t.deepEqual(diffStates(before, before), { plants: { added: [], removed: [], changed: {} } })
  service.ok('updatePlant', { path: { id: 'a' }, body: { name: 'New' } })
  service.ok('replacePlant', { path: { id: 'a' }, body: { name: 'New' } })
  service.ok('removePlant', { path: { id: 'b' } })
  service.ok('createPlant', { body: { name: 'C' } })
  const changed = { a: { name: { before: 'A', after: 'New' }, tag: { before: 'x' } } }
  t.deepEqual(diffStates(before, service.state), { plants: { added: ['plant-3'], removed: ['b'], changed } })
})

/** Validates fixtures as an editor does. */
async function validator(document: unknown): Promise<(fixture: unknown) => boolean> {
  const schema = fixtureSchema((await serviceOf(document)).resources, 'Plants')
  const ajv = new Ajv({ strict: false, validateFormats: false })
  return ajv.compile(JSON.parse(JSON.stringify(schema)) as object)
}

test('a valid fixture fits the schema, and an invalid one does not', async (t) => {
  const isFixture = await validator(closed)
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
  const schema = plantWith({ parent: { $ref: '#/components/schemas/Plant' } })
  const isFixture = await validator(plants({ schema }))
  const below = (parent: Json) => ({ $callers, plants: [{ name: 'A', parent: { id: 'x', name: 'B', parent } }] })
  t.true(isFixture(below({ id: 'y', name: 'C' })))
  t.false(isFixture(below({ id: 'y' })))
})
