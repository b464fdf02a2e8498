/** The rules that find collections beyond a listing with a path of a record, each with cases that fit and counter-examples. */
import test from 'ava'

import { listOf, object, ref, text } from './plants-contract.js'
import { contract, crud, done, Pet, pet, petBody, pets, Settings, type Line } from './rules-contract.js'
import { serviceOf } from './service-of.js'

const list = { response: pets }
const settings = { response: ref('Settings') }
const one = { response: pet }
const changed = { request: ref('Settings'), ...settings }
const synced = object({ tenant: text, interval: text, pets })
const create = { request: petBody, response: pet, status: 201 }
const update = { request: petBody, response: pet }
const ofOwners = { 'GET /owners/{owner_id}/pets': list, 'POST /owners/{owner_id}/pets': create }
const ofShops = { 'GET /shops/{shop}/pets': list, 'POST /shops/{shop}/pets': create }
const secured = { security: [{ token: [] }] }
const posting = (post: Line) => ({ 'GET /settings': settings, 'POST /settings': post })

const withVerbs = {
  'GET /pets/list': list,
  'POST /pets/create': create,
  'GET /pets/get/{id}': one,
  'PATCH /pets/{pet_id}/edit': update,
  'DELETE /pets/delete/{id}': done,
}

type Case = readonly [operations: Readonly<Record<string, Line>>, roles: string]

/** Each rule: the operations, and the roles of those that the rule is about. */
const cases: Readonly<Record<string, readonly Case[]>> = {
  'of two versions of a path, the newer one is a collection': [
    [
      { ...crud('/v1/pets'), ...crud('/v2/pets') },
      'GET /v1/pets mocked, POST /v1/pets mocked, GET /v2/pets list, POST /v2/pets create',
    ],
  ],
  'a verb in a path that says what its method says is no part of the path': [
    [
      withVerbs,
      'GET /pets/list list, POST /pets/create create, GET /pets/get/{id} read, PATCH /pets/{pet_id}/edit update, DELETE /pets/delete/{id} remove',
    ],
    // The path without the verb has another operation of this method.
    [{ ...crud('/pets'), 'POST /pets/add': create }, 'POST /pets create, POST /pets/add mocked'],
    // It says more than its method.
    [{ ...crud('/pets'), 'POST /pets/{id}/add': update }, 'POST /pets/{id}/add action'],
  ],
  'a word and a property after a listing list the records with its value': [
    [{ ...crud('/pets'), 'GET /pets/owner/{owner_id}': list }, 'GET /pets list, GET /pets/owner/{owner_id} list'],
    // No property has this name, and one record is no list.
    [{ ...crud('/pets'), 'GET /pets/vet/{vet_id}': list }, 'GET /pets/vet/{vet_id} mocked'],
    [{ ...crud('/pets'), 'GET /pets/owner/{owner_id}': one }, 'GET /pets/owner/{owner_id} mocked'],
  ],
  'a mocked operation leaves the others of its collection stateful': [
    [
      {
        ...crud('/pets'),
        'POST /pets': { request: object({ pets: listOf(petBody) }), response: object({ count: {} }) },
      },
      'POST /pets mocked, GET /pets list, PATCH /pets/{id} update',
    ],
  ],
  'a create whose body shares nothing with the record is the example with a new id, unless it is a query': [
    [
      { ...crud('/pets'), 'POST /pets': { request: object({ template: text }), response: pet, status: 201 } },
      'POST /pets create',
    ],
    [
      { 'GET /pets/search': list, 'POST /pets/search': { request: petBody, response: pets } },
      'POST /pets/search mocked, GET /pets/search mocked',
    ],
  ],
  'collections below different parents are separate, and a path without a parent joins what has its properties': [
    [
      { ...crud('/shops/{shop}/pets'), ...crud('/farms/{farm}/pets') },
      'GET /shops/{shop}/pets list, POST /farms/{farm}/pets create',
    ],
    [{ ...crud('/pets'), ...crud('/farms/{farm}/pets') }, 'GET /pets list, POST /farms/{farm}/pets mocked'],
    [{ 'GET /owners/{owner_id}/pets': list, ...crud('/pets') }, 'GET /owners/{owner_id}/pets list'],
    [{ 'GET /owners/{id}/strays': list, ...crud('/pets') }, 'GET /owners/{id}/strays mocked'],
  ],
  'paths may have suffixes, verbs and keys in parentheses': [
    [
      { 'GET /pets.json': list, 'GET /pets/{id}.json': one, 'POST /pets/{id}:archive': done },
      'GET /pets.json list, GET /pets/{id}.json read, POST /pets/{id}:archive action',
    ],
    [{ 'GET /pets': list, "GET /pets('{id}')": one }, "GET /pets('{id}') read"],
    [
      { 'GET /pets.{format}': list, 'GET /pets/{id}.{format}': one },
      'GET /pets.{format} list, GET /pets/{id}.{format} read',
    ],
    [{ ...crud('/pets'), 'GET /pets.json': settings }, 'GET /pets list, GET /pets.json mocked'],
    [
      { 'GET /widget': settings, 'PATCH /widget': changed, 'GET /widget.json': one },
      'GET /widget singleton, GET /widget.json mocked',
    ],
  ],
  'the path of a record may have the singular of the listing': [
    [
      { 'GET /pets': list, 'POST /pet': create, 'GET /pet/{id}': one, 'POST /pet/{id}/archive': done },
      'GET /pets list, POST /pet create, GET /pet/{id} read, POST /pet/{id}/archive action',
    ],
    [{ 'GET /pets': list, 'GET /pet': settings, 'GET /pet/{id}': one }, 'GET /pets mocked, GET /pet/{id} mocked'],
    [{ 'GET /pets': list, 'GET /pets/{id}': one, 'GET /pet/{id}': one }, 'GET /pets/{id} read, GET /pet/{id} mocked'],
  ],
  'a listing below a parent may be that of records with a path of their own, if it is the only one with their noun': [
    [
      { ...ofShops, 'GET /pets/{id}': one, 'POST /pets/{id}/groom': one },
      'GET /shops/{shop}/pets list, POST /shops/{shop}/pets create, GET /pets/{id} read, POST /pets/{id}/groom mocked',
    ],
    [{ 'GET /shops/{shop}/pets': list, 'GET /pet/{id}': one }, 'GET /shops/{shop}/pets list, GET /pet/{id} read'],
    [{ 'GET /shops/{shop}/strays': list, 'GET /pets/{id}': one }, 'GET /shops/{shop}/strays mocked'],
    [
      { ...ofShops, 'GET /farms/{farm}/pets': list, 'GET /pets/{id}': one },
      'GET /shops/{shop}/pets mocked, GET /farms/{farm}/pets mocked, GET /pets/{id} mocked',
    ],
    // Several listings need a property for each parent.
    [
      { ...ofOwners, 'GET /found/{archived}/pets': list, 'GET /pets/{id}': one },
      'GET /owners/{owner_id}/pets mocked, GET /pets/{id} mocked',
    ],
  ],
  'a listing and a create need no path of a record, and a read and its changes no listing': [
    [{ 'GET /pets': list, 'POST /pets': create }, 'GET /pets list, POST /pets create'],
    [{ 'GET /pets/{id}': one, 'PATCH /pets/{id}': update }, 'GET /pets/{id} read, PATCH /pets/{id} update'],
    [{ 'GET /pets/{id}': one }, 'GET /pets/{id} mocked'],
    [{ 'GET /pets/{id}': one, 'GET /pets': { response: object({}) } }, 'GET /pets/{id} mocked'],
    [
      { 'GET /pets/{pet_id}': { response: object({ pet }) }, 'DELETE /pets/{pet_id}': done, ...ofOwners },
      'GET /pets/{pet_id} read, GET /owners/{owner_id}/pets list',
    ],
    [
      { 'GET /pets/{id}': one, 'PATCH /pets/{id}': update, 'GET /found': list },
      'GET /pets/{id} mocked, GET /found mocked',
    ],
  ],
  'an object without a listing that a change writes is a singleton': [
    [{ 'GET /settings': settings, 'PUT /settings': changed }, 'GET /settings singleton, PUT /settings singleton'],
    [
      { 'GET /shops/{id}/settings': settings, 'PATCH /shops/{id}/settings': { request: ref('Settings'), ...done } },
      'GET /shops/{id}/settings singleton',
    ],
    [
      { ...crud('/pets'), 'GET /pets/{id}/settings': settings, 'PUT /pets/{id}/settings': changed },
      'GET /pets/{id}/settings singleton, PUT /pets/{id}/settings singleton',
    ],
    [
      { 'GET /sync': { response: synced }, 'PUT /sync': { request: synced, response: synced } },
      'GET /sync singleton, PUT /sync singleton',
    ],
    [posting({ ...changed, with: { summary: 'Add settings' } }), 'GET /settings mocked, POST /settings mocked'],
    [posting({ request: ref('Settings'), ...done }), 'GET /settings singleton, POST /settings singleton'],
    [posting({ request: object({ theme: text, why: text }), ...done }), 'GET /settings mocked, POST /settings mocked'],
    [posting({ ...create, request: ref('Settings') }), 'GET /settings mocked, POST /settings mocked'],
    [{ 'GET /status': settings }, 'GET /status mocked'],
    [
      { 'GET /report': settings, 'PUT /report': { request: object({ from: text, to: text, theme: text }), ...done } },
      'GET /report mocked',
    ],
  ],
  'a POST on a record updates it if nothing else does and its body is that of the record': [
    [{ 'GET /pets': list, 'GET /pets/{id}': one, 'POST /pets/{id}': update }, 'POST /pets/{id} update'],
    [
      {
        'GET /pets': list,
        'GET /pets/{id}': one,
        'POST /pets/{id}': { request: object({ name: text, version: text, actions: listOf({}) }), response: pet },
      },
      'POST /pets/{id} mocked',
    ],
  ],
  'an action sets what its verb names, or updates by its body': [
    [
      {
        ...crud('/pets'),
        'POST /pets/{id}/archive': one,
        'POST /pets/{id}/unarchive': done,
        'POST /pets/{id}/rename': update,
        'POST /pets/{id}/copy': update,
        'POST /pets/{id}/groom': done,
      },
      'POST /pets/{id}/archive action, POST /pets/{id}/unarchive action, POST /pets/{id}/rename action, POST /pets/{id}/copy mocked, POST /pets/{id}/groom mocked',
    ],
  ],
  "the caller's own record is that of a collection": [
    [{ ...crud('/pets'), 'GET /me': { response: pet, with: secured } }, 'GET /me own-record'],
    [{ ...crud('/pets'), 'GET /me': one }, 'GET /me mocked'],
    [{ ...crud('/users'), 'GET /users/current': { response: pet, with: secured } }, 'GET /users/current own-record'],
    [{ ...crud('/periods'), 'GET /periods/current': { response: pet, with: secured } }, 'GET /periods/current mocked'],
    // It is the only one that changes.
    [{ 'GET /pets/{id}': one, 'PATCH /me': { ...update, with: secured } }, 'GET /pets/{id} read, PATCH /me own-record'],
  ],
}

for (const [rule, table] of Object.entries(cases))
  test(rule, async (t) => {
    for (const [operations, roles] of table) {
      const service = await serviceOf(contract(operations, { Pet, Settings }))
      const ids = roles.split(', ').map((told) => told.slice(0, told.lastIndexOf(' ')))
      const found = ids.map((id) => `${id} ${service.role(id)}`).join(', ')
      t.is(found, roles, ids.map(service.reason).join('; '))
    }
  })

test('the operations of a collection with verbs in its paths act on the same records', async (t) => {
  const service = await serviceOf(contract(withVerbs, { Pet }))
  const { body } = service.ok('POST /pets/create', { body: { name: 'Rex' } })
  const { id } = body as { readonly id: string }
  service.ok('PATCH /pets/{pet_id}/edit', { path: { pet_id: id }, body: { name: 'Max' } })
  t.deepEqual(service.ok('GET /pets/get/{id}', { path: { id } }).body, { id, name: 'Max', archived: false })
  service.ok('DELETE /pets/delete/{id}', { path: { id } })
  t.deepEqual(service.ok('GET /pets/list').body, [])
})
