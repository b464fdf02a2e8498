import test from 'ava'

import { readDocument } from '#src/resources/document/read.js'
import { toDocument, toText } from '#src/resources/document/write.js'
import { diffStates } from '#src/resources/records/diff.js'
import { withOrigin } from '#src/resources/records/state.js'

import type { Json } from './plants-contract.js'
import { operations, plants, plantSchema } from './plants-contract.js'
import { serviceOf } from './service-of.js'

const $callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }
const closed = plants({ schema: { ...plantSchema, additionalProperties: false } })

/** Returns the problems of a document. */
function problemsOf(document: unknown, contract: Json = closed): readonly string[] {
  const read = readDocument(document, serviceOf(contract).resources)
  return 'problems' in read
    ? read.problems.map(({ hint, message, path }) => `${path.join('.')}: ${message}; ${hint}`)
    : []
}

test('a state that is written and read again is the same', (t) => {
  const service = serviceOf(plants(), {
    $description: 'Some',
    plants: [
      { name: 'Fern', secret: 's' },
      { id: 'x', name: 'X', $access: [] },
    ],
  })
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
    plants: [
      { id: 'plant-1', name: 'Fern', secret: 's' },
      { id: 'x', name: 'X', $access: [] },
    ],
  })
  const again = readDocument(JSON.parse(text), service.resources)
  if ('problems' in again) throw new Error(JSON.stringify(again.problems))
  t.is(toText(again.state), text)
  // An id that was created before the restart is not reused.
  service.state = again.state
  t.like(service.ok('createPlant', { body: { name: 'Oak' } }).body, { id: 'plant-4' })
})

test('an invalid document has problems with place, error and hint', (t) => {
  const record = { id: 'a', name: 'A' }
  t.deepEqual(problemsOf({ callers: {}, description: '', insights: [], $foo: 1, $callers }), [
    'callers: key "callers" is not known; it is called $callers now',
    'description: key "description" is not known; it is called $description now',
    'insights: there is no collection "insights"; use plants',
    '$foo: key "$foo" is not known; use $schema, $description, $callers, $seed, $lastIds',
  ])
  t.deepEqual(problemsOf({ plants: [] }), [
    '$callers: $callers is missing; list the callers, such as {"ada": {"token": "a-token"}}',
  ])
  t.deepEqual(
    problemsOf({
      $callers,
      plants: [record, { ...record, name: 5 }, { name: 'B', access: ['ada'] }, { name: 'C', $access: ['eve'] }, 7],
    }),
    [
      'plants.1.name: name must be string; correct the value',
      'plants.1.id: id "a" is already the id of record 1; give each record another id',
      'plants.2.access: key "access" is not known; it is called $access now',
      'plants.3.$access.0: "eve" is not a caller; use ada, grace',
      'plants.4: a record must be an object; write {…}',
    ],
  )
  t.deepEqual(problemsOf({ $callers, plants: [{ name: 'B', access: ['ada'] }] }, plants()), [
    'plants.0.access: key "access" is not known; it is called $access now',
  ])
  t.deepEqual(problemsOf({ $callers, plants: {} }), ['plants: plants must be an array; list its records; [] is none'])
  t.deepEqual(problemsOf({ $callers: { ada: { token: 'x' }, eve: { token: 'x' }, 'a b': { token: '' } } }), [
    '$callers.eve.token: token is already the token of caller "ada"; give each caller another token',
    '$callers.a b: caller name "a b" must match ^[A-Za-z0-9._~-]{1,64}$; rename it',
    '$callers.a b.token: token must match ^[A-Za-z0-9._~+/-]+=*$, or be "*"; use letters, digits and -._~+/',
  ])
  t.deepEqual(problemsOf([]), [': is not a fixture; write an object with $callers, plants'])
})

test('an omitted id is created from the position, and is a problem if another record has it', (t) => {
  t.deepEqual(problemsOf({ $callers, plants: [{ id: 'plant-2', name: 'A' }, { name: 'B' }] }), [
    'plants.1: id "plant-2" is already the id of record 1; give each record another id',
  ])
})

test('an unknown property is a problem if no request could have stored it', (t) => {
  const fixed = plants({ onCollection: { get: operations.list }, onItem: { delete: operations.remove } })
  t.deepEqual(problemsOf({ $callers, plants: [{ name: 'A', nmae: 'B' }] }, fixed), [
    'plants.0.nmae: key "nmae" is not known; did you mean name?',
  ])
  t.deepEqual(problemsOf({ $callers, plants: [{ name: 'A', nmae: 'B' }] }, plants()), [])
})

test('callers may have a token for each scheme, and are optional if no operation needs a credential', (t) => {
  t.deepEqual(problemsOf({ $callers: { ada: { tokens: { bearer: 'x' } } } }), [])
  t.deepEqual(problemsOf({ $callers: { ada: { tokens: { cookie: 'x' } } } }), [
    '$callers.ada.tokens.cookie: security scheme "cookie" is not known; use bearer',
  ])
  t.deepEqual(problemsOf({}, plants({ security: false })), [])
})

test('a diff has the value of each changed property before and after', (t) => {
  const service = serviceOf(plants(), {
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
  t.deepEqual(diffStates(before, service.state), {
    plants: {
      added: ['plant-3'],
      removed: ['b'],
      changed: { a: { name: { before: 'A', after: 'New' }, tag: { before: 'x' } } },
    },
  })
})
