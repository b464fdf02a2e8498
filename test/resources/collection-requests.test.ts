/** Requests to collections whose records, ids and bodies have unusual forms. */
import test from 'ava'

import { toDocument } from '#src/resources/document/write.js'

import { body, inPath, integer, type Json, listOf, object, parameter, ref, text, time } from './plants-contract.js'
import { contract, crud, done, type Line, Pet, pet, Settings, type Schema } from './rules-contract.js'
import { serviceOf } from './service-of.js'

/** Each id: the record, the path of a record, and the place of the id. */
const ids: readonly (readonly [record: Schema, path: string, id: string])[] = [
  [object({ id: integer }), '/things/{thingId}', 'id'],
  [object({ metadata: object({ name: text }) }), '/things/{name}', 'metadata.name'],
  [object({ thingReference: object({ id: text }) }), '/things/{thing}', 'thingReference.id'],
  [object({ user: object({ id: text }), rank: text }), '/things/{user_id}', 'user.id'],
  [object({ slug: text, size: text }, 'slug'), '/things/{ref}', 'slug'],
  [object({ owner: text, label: text }), '/things/{owner}/{label}', 'label'],
  [object({ size: text }), '/things/{thing_id}', '$id'],
]

test('the id may be compared as text, be inside of an object, have several parts, or be next to the record', async (t) => {
  for (const [record, path, id] of ids) {
    const one = { response: ref('Thing') }
    const things = { response: listOf(ref('Thing')) }
    const operations = { 'GET /things': things, [`GET ${path}`]: one, [`DELETE ${path}`]: done }
    const { collections } = (await serviceOf(contract(operations, { Thing: record }))).resources
    t.deepEqual([collections.length, collections[0]?.model.idPath.join('.')], [1, id], path)
  }
  // The integer id is not the text of /orgs/{org}.
  const orgs = { 'GET /orgs': { response: listOf(ref('Org')) }, 'GET /orgs/{org}': { response: ref('Org') } }
  const service = await serviceOf(contract(orgs, { Org: object({ id: integer, login: text }) }))
  t.is(service.role('GET /orgs/{org}'), 'mocked')
})

test('a record with an id inside of an object is created, updated and removed', async (t) => {
  const Pod = object({ metadata: object({ name: text, color: text }), spec: object({ size: text }) })
  const one = { request: ref('Pod'), response: ref('Pod') }
  const service = await serviceOf(contract(crud('/pods', { id: 'name', ...one }), { Pod }))
  service.ok('POST /pods', { body: { metadata: { name: 'a' }, spec: { size: 's' } } })
  const path = { name: 'a' }
  service.ok('PATCH /pods/{name}', { path, body: { metadata: { color: 'red' } } })
  const pod = service.ok('GET /pods/{name}', { path }).body
  t.deepEqual(pod, { metadata: { name: 'a', color: 'red' }, spec: { size: 's' } })
  t.like(service.send('PATCH /pods/{name}', { path, body: { metadata: { name: 'b' } } }), { error: 'id_mismatch' })
  service.ok('DELETE /pods/{name}', { path })
  t.deepEqual(service.ok('GET /pods').body, [])
})

test('a singleton is the example until it is written, below each parent', async (t) => {
  const settings = { ...Settings, example: { theme: 'light', size: 1 } }
  const at = '/shops/{id}/settings'
  const operations = {
    [`GET ${at}`]: { response: ref('Settings') },
    [`PATCH ${at}`]: { request: ref('Settings'), response: ref('Settings') },
    [`DELETE ${at}`]: done,
  }
  const records = { 'shops/settings': [{ $parents: { id: 'b' }, theme: 'dark' }] }
  const service = await serviceOf(contract(operations, { Settings: settings }), records)
  const read = (id: string): unknown => service.ok(`GET ${at}`, { path: { id } }).body
  t.deepEqual([read('a'), read('b')], [{ theme: 'light', size: 1 }, { theme: 'dark' }])
  service.ok(`PATCH ${at}`, { path: { id: 'a' }, body: { theme: 'dark' } })
  t.deepEqual(read('a'), { theme: 'dark', size: 1 })
  t.deepEqual(read('c'), { theme: 'light', size: 1 })
  service.ok(`DELETE ${at}`, { path: { id: 'b' } })
  t.like(service.send(`GET ${at}`, { path: { id: 'b' } }), { error: 'unknown_record' }, '404 is documented')
  service.ok(`PATCH ${at}`, { path: { id: 'b' }, body: { size: 2 } })
  t.deepEqual(read('b'), { theme: 'light', size: 2 })
})

/** The request body of a form. */
const form = (schema: Schema): Schema => ({
  requestBody: { required: true, content: { 'application/x-www-form-urlencoded': { schema } } },
})

test('names of a body are those of the record, ignoring case and separators, and a form is a body', async (t) => {
  const create = { response: pet, status: 201, with: form(object({ Name: text, OwnerId: text })) }
  const service = await serviceOf(contract({ ...crud('/pets'), 'POST /pets': create }, { Pet }))
  t.like(service.ok('POST /pets', { body: { Name: 'Rex', OwnerId: 'o' } }).body, { name: 'Rex', owner_id: 'o' })
})

test('a form property that no response has is not shown, and an id that no path names is made', async (t) => {
  const Hook = object({ id: text, name: text, hook: object({ url: text }) }, 'id', 'name')
  const sent = { response: ref('Hook'), with: form(object({ name: text, 'Hook.Url': text }, 'name')) }
  const changes = { 'POST /hooks': { ...sent, status: 201 }, 'PATCH /hooks/{name}': sent }
  const all = { ...crud('/hooks', { id: 'name', response: ref('Hook') }), ...changes }
  const service = await serviceOf(contract(all, { Hook }))
  t.deepEqual(service.ok('POST /hooks', { body: { name: 'a', 'Hook.Url': 'x' } }).body, { id: 'hook-1', name: 'a' })
})

for (const [verb, flag] of Object.entries({ archive: 'archived', activate: 'is_active' }))
  test(`the action ${verb} sets a flag, and its opposite clears it`, async (t) => {
    const at = `/pets/{id}/${verb}`
    const operations = { ...crud('/pets'), [`POST ${at}`]: { response: pet }, [`DELETE ${at}`]: done }
    const path = { id: 'a' }
    const ofFlag = object({ id: text, name: text, [flag]: { type: 'boolean' } }, 'id', 'name')
    const service = await serviceOf(contract(operations, { Pet: ofFlag }), { pets: [{ id: 'a', name: 'A' }] })
    t.like(service.ok(`POST ${at}`, { path }).body, { [flag]: true })
    service.ok(`DELETE ${at}`, { path })
    t.like(service.ok('GET /pets/{id}', { path }).body, { [flag]: false })
    t.like(service.send(`POST ${at}`, { path: { id: 'b' } }), { error: 'unknown_record' })
  })

test('on and off set the flag that they name', async (t) => {
  const Switched = object({ id: text, name: text, enabled: { type: 'boolean' } }, 'id', 'name')
  const verbs = ['on', 'off', 'enable', 'disable', 'repair']
  const operations = Object.fromEntries(verbs.map((verb) => [`POST /pets/{id}/${verb}`, { response: pet }]))
  const service = await serviceOf(contract({ ...crud('/pets'), ...operations }, { Pet: Switched }), {
    pets: [{ id: 'a', name: 'A' }],
  })
  for (const [verb, changed] of [
    ['on', { enabled: true }],
    ['off', { enabled: false }],
    ['enable', { enabled: true }],
    ['disable', { enabled: false }],
  ] as const)
    t.like(service.ok(`POST /pets/{id}/${verb}`, { path: { id: 'a' } }).body, changed, verb)
  t.is(service.role('POST /pets/{id}/repair'), 'mocked')
})

test('an action whose verb fits two states sets the one that a text names, and is mocked if none does', async (t) => {
  const at = 'POST /jobs/{id}/cancel'
  for (const [states, description, answer, state] of [
    [['open', 'cancelled'], '', 'ok', 'cancelled'],
    [['open', 'cancelling', 'cancelled'], 'It is `cancelling` before it is `cancelled`.', 'ok', 'cancelling'],
    [['open', 'cancelling', 'cancelled'], 'Stops a job.', 'The job is cancelling.', 'cancelling'],
    [['open', 'cancelling', 'cancelled'], 'Cancels a job that is `open`.', 'ok', undefined],
    [['open', 'cancelling'], 'It is `cancelling`.', 'ok', undefined],
    [['open', 'cancel'], 'Stops a job.', 'ok', 'cancel'],
  ] as const) {
    const Job = object({ id: text, name: text, state: { enum: states } }, 'id')
    const responses = { 200: { ...body(ref('Job')), description: answer }, 404: { description: 'none' } }
    const all = { ...crud('/jobs', { response: ref('Job') }), [at]: { with: { description, responses } } }
    const service = await serviceOf(contract(all, { Job }), { jobs: [{ id: 'a', state: 'open' }] })
    const found = service.role(at) === 'mocked' ? {} : service.ok(at, { path: { id: 'a' } }).body
    t.is((found as Json)['state'], state, description)
  }
})

test('what is shown only on creation is made for each record, and left out of every other response', async (t) => {
  const told = (description: string): Schema => ({ ...text, description })
  for (const [name, property, create, isOnce] of [
    ['secret', told('Only returned on creation.'), '', true],
    ['api_key', told('It is included in the response once, and never again.'), '', true],
    ['value', text, 'Creates a key. The generated key is returned only during creation.', true],
    ['client_secret', text, 'Adds a client. The secret cannot be retrieved later.', true],
    ['url', told('Only returned to the creator of the key.'), '', false],
    ['label', text, 'The secret is returned only once.', false],
    ['secret', text, 'Creates a key.', false],
  ] as const) {
    const Key = object({ id: { ...text, readOnly: true }, name: text, [name]: property }, 'id')
    const one = { request: object({ name: text, [name]: text }), response: ref('Key') }
    const operations = { ...crud('/keys', one), 'POST /keys': { ...one, status: 201, with: { description: create } } }
    const service = await serviceOf(contract(operations, { Key }))
    const make = (own: object) => service.ok('POST /keys', { body: { name: 'x', ...own } }).body
    const made = isOnce ? { [name]: `${name.replace('_', '-')}-key-1` } : {}
    t.deepEqual(make({}), { id: 'key-1', name: 'x', ...made })
    t.deepEqual(make({ [name]: 'mine' }), { id: 'key-2', name: 'x', [name]: 'mine' })
    const changed = service.ok('PATCH /keys/{id}', { path: { id: 'key-2' }, body: { name: 'x' } }).body
    const later = { id: 'key-2', name: 'x', ...(isOnce ? {} : { [name]: 'mine' }) }
    t.deepEqual([changed, service.ok('GET /keys/{id}', { path: { id: 'key-2' } }).body], [later, later], create)
    t.deepEqual(service.ok('GET /keys').body, [{ id: 'key-1', name: 'x' }, later])
  }
  const [Full, Safe] = [object({ id: text, name: text, secret: text }, 'id'), object({ id: text, name: text }, 'id')]
  const create = { request: object({ name: text }), response: ref('Full'), status: 201 }
  const operations = { ...crud('/keys', { response: ref('Safe') }), 'POST /keys': create }
  const service = await serviceOf(contract(operations, { Full, Safe }))
  const safe = service.ok('POST /keys', { body: { name: 'x' } }).body
  t.like(safe, { secret: 'secret-safe-1' }, 'no other response has it')
})

test('a success that is for another request is not sent, and a text may say that what lies below stays', async (t) => {
  const responses = { 200: { description: 'If `wrapped=true` is sent.' }, 204: { description: 'Done.' } }
  const parameters = [inPath('id'), parameter('wrapped', text)]
  const remove = { with: { summary: 'This does not delete the toys.', parameters, responses } }
  const Toy = object({ id: text }, 'id')
  const operations = { ...crud('/pets'), ...crud('/pets/{id}/toys', { id: 'toy_id', response: ref('Toy') }) }
  const document = contract({ ...operations, 'DELETE /pets/{id}': remove }, { Pet, Toy })
  const toys = [{ id: 'ball', $parents: { id: 'a' } }]
  const service = await serviceOf(document, { pets: [{ id: 'a', name: 'A' }], toys })
  t.is(service.ok('DELETE /pets/{id}', { path: { id: 'a' } }).status, 204)
  t.like(toDocument(service.state), { pets: [], toys })
})

test('a removed singleton is the documented 404, else its example; one that is reset is its example', async (t) => {
  const example = { theme: 'light', size: 1 }
  for (const [status, summary, found] of [
    [404, 'Remove the limits', 'unknown_record'],
    [400, 'Remove the limits', example],
    [404, 'Reset the limits', example],
    [400, 'Reset the limits', example],
  ] as const) {
    const one = { description: 'ok', content: { 'application/json': { schema: { ...Settings, example }, example } } }
    const operations = {
      'GET /limits': { with: { responses: { 200: one, [status]: { description: 'no' } } } },
      'PUT /limits': { request: ref('Settings'), with: { responses: { 200: one } } },
      'DELETE /limits': { ...done, with: { summary } },
    }
    const service = await serviceOf(contract(operations, { Settings }))
    service.ok('PUT /limits', { body: { theme: 'dark' } })
    service.ok('DELETE /limits')
    const outcome = service.send('GET /limits')
    t.deepEqual('error' in outcome ? outcome.error : outcome.body, found, `${summary} ${status}`)
  }
})

test('a response to a create names the new id, a description another way to name a record, and both find it', async (t) => {
  const shop = inPath('shop_id_or_slug', text, 'The ID or slug.')
  const me = inPath('user_id', text, 'An id, or `me`.')
  const desk = inPath('desk', text, 'Can also be the `label` of the desk.')
  const bed = inPath('bed', text, 'Either the `bed` or the `label`, prefixed with `l_`, such as `l_1`.')
  const room = inPath('room', text, 'The name of the room.')
  const place = inPath('place', text, 'The id or name of the room.')
  const made = object({ exportId: text, size: text }, 'exportId')
  const showing = (response: Schema, ...parameters: readonly Schema[]): Line => ({ response, with: { parameters } })
  const operations = {
    'GET /shops': showing(listOf(ref('Shop'))),
    'GET /shops/{shop_id_or_slug}': showing(ref('Shop'), shop),
    'GET /shops/{shop_id_or_slug}/exports': showing(listOf(ref('Export')), shop),
    'POST /shops/{shop_id_or_slug}/exports': { ...showing(made, shop), request: ref('Export'), status: 201 },
    'GET /shops/{shop_id_or_slug}/exports/{id}': showing(ref('Export'), shop, inPath('id')),
    'GET /desks': showing(listOf(ref('Desk'))),
    'GET /desks/{desk}': showing(ref('Desk'), desk),
    'GET /beds': showing(listOf(ref('Bed'))),
    'GET /beds/{bed}': showing(ref('Bed'), bed),
    'GET /rooms': showing(listOf(ref('Room'))),
    'GET /rooms/{room}': showing(ref('Room'), room),
    'GET /rooms/{place}/lamps': showing(listOf(ref('Lamp')), place),
    'GET /rooms/{place}/lamps/{id}': showing(ref('Lamp'), place, inPath('id')),
    'GET /users': showing(listOf(ref('User'))),
    'GET /users/{user_id}': { response: ref('User'), with: { parameters: [me], security: [{ token: [] }] } },
  }
  const [labelled, named] = [object({ id: text, label: text }), object({ id: text, name: text })]
  const schemas = {
    Shop: object({ id: text, slug: text }),
    Export: object({ id: text, size: text }),
    User: named,
    Bed: labelled,
    Desk: labelled,
    Room: named,
    Lamp: object({ id: text, size: text }, 'id'),
  }
  const service = await serviceOf(contract(operations, schemas), {
    $callers: { ada: { token: 'ada-token', record: { users: 'u-2' } } },
    shops: [{ id: '7', slug: 'corner' }],
    beds: [{ id: 'b', label: 'x' }],
    desks: [{ id: 'd', label: 'by the door' }],
    rooms: [{ id: 'r', name: 'Attic' }],
    lamps: [{ id: 'l', $parents: { place: 'r' } }],
    users: ['Bo', 'Ada'].map((name, at) => ({ id: `u-${at + 1}`, name })),
  })
  const path = { shop_id_or_slug: 'corner' }
  const { body: created } = service.ok('POST /shops/{shop_id_or_slug}/exports', { path, body: { size: 's' } })
  const { exportId } = created as { readonly exportId: string }
  const one = { path: { shop_id_or_slug: '7', id: exportId } }
  t.like(service.ok('GET /shops/{shop_id_or_slug}/exports/{id}', one).body, { id: exportId, size: 's' })
  t.like(service.ok('GET /shops/{shop_id_or_slug}/exports', { path: one.path }).body, [{ id: exportId }])
  t.like(service.ok('GET /desks/{desk}', { path: { desk: 'by the door' } }).body, { id: 'd' })
  t.like(service.ok('GET /beds/{bed}', { path: { bed: 'l_x' } }).body, { id: 'b' })
  t.like(service.send('GET /beds/{bed}', { path: { bed: 'x' } }), { error: 'unknown_record' })
  t.like(service.ok('GET /rooms/{room}', { path: { room: 'Attic' } }).body, { id: 'r' })
  t.like(service.ok('GET /rooms/{place}/lamps', { path: { place: 'Attic' } }).body, [{ id: 'l' }])
  t.like(service.ok('GET /users/{user_id}', { path: { user_id: 'me' } }).body, { name: 'Ada' })
})

test('a value that a record cannot have is not stored, and the response says which', async (t) => {
  const sent = object({ size: text, name: text })
  const Plan = object({ id: text, name: text, size: { enum: ['s', 'm'] } }, 'id')
  const operations = crud('/plans', { request: sent, response: ref('Plan') })
  const service = await serviceOf(contract(operations, { Plan }), { plans: [{ id: 'a', name: 'A' }] })
  const change = (own: object) => service.ok('PATCH /plans/{id}', { path: { id: 'a' }, body: own })
  t.like(change({ name: 'B', size: 'xl' }), { body: { id: 'a', name: 'B' }, notStored: ['size'] })
  t.deepEqual(change({ name: 'C' }).notStored, [])
})

test('a removal says that it was done, and a planned time is not the present one', async (t) => {
  const endsAt = { ...time, example: '2031-01-01T00:00:00Z' }
  const Deal = object({ id: text, name: text, endsAt }, 'id', 'endsAt')
  const one = { request: object({ name: text }), response: ref('Deal') }
  const operations = {
    ...crud('/deals', one),
    'DELETE /deals/{id}': { response: object({ id: text, deleted: { type: 'boolean' } }, 'id') },
  }
  const service = await serviceOf(contract(operations, { Deal }))
  const { body: created } = service.ok('POST /deals', { body: { name: 'A' } })
  t.like(created, { endsAt: '2031-01-01T00:00:00Z' })
  const path = { id: (created as { readonly id: string }).id }
  t.deepEqual(service.ok('DELETE /deals/{id}', { path }).body, { id: path.id, deleted: true })
})

test('the id that a path names is that of the body, a body wins over a verb, and a wrapper may have others next to it', async (t) => {
  const Member = object({ id: text, name: text, muted: { type: 'boolean' } }, 'id')
  const sent = object({ member: object({ member_id: text, name: text }, 'member_id'), source: object({ ip: text }) })
  const operations = {
    ...crud('/members', { id: 'member_id', request: sent, response: ref('Member') }),
    'POST /members/{member_id}/mute': { request: object({ muted: { type: 'boolean' } }), response: ref('Member') },
  }
  const service = await serviceOf(contract(operations, { Member }))
  service.ok('POST /members', { body: { member: { member_id: 'm-77', name: 'Bo' }, source: { ip: '::1' } } })
  const path = { member_id: 'm-77' }
  t.like(service.ok('GET /members/{member_id}', { path }).body, { id: 'm-77', name: 'Bo' })
  t.like(service.ok('POST /members/{member_id}/mute', { path, body: {} }).body, { muted: true })
  t.like(service.ok('POST /members/{member_id}/mute', { path, body: { muted: false } }).body, { muted: false })
})
