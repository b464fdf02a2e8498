import test from 'ava'

import { body, integer, listOf, object, parameter, ref, text, time } from './plants-contract.js'
import { contract, crud, done, type Line, type Schema, Settings } from './rules-contract.js'
import { now, serviceOf } from './service-of.js'

/** Tests what the text and the examples of a contract tell of a change, and what a client then sees. */

const path = { id: 'b1' }
const flag = { type: 'boolean' }

const boxes = async (properties: Schema, more: Readonly<Record<string, Line>> = {}, record: object = {}) => {
  const Box = object({ id: text, ...properties }, 'id')
  const all = { ...crud('/boxes', { request: object(properties), response: ref('Box') }), ...more }
  return serviceOf(contract(all, { Box }), { boxes: [{ id: 'b1', ...record }] })
}

test('an operation on a list of a record adds items, takes them out, or replaces all, as its name says', async (t) => {
  const request = object({ tags: listOf(text) })
  const named = (summary: string): Line => ({ request, status: 204, with: { summary } })
  const of = async (operation: string, summary: string): Promise<unknown> => {
    const service = await boxes({ tags: listOf(text) }, { [operation]: named(summary) }, { tags: ['a', 'b'] })
    service.ok(operation, { path, body: { tags: ['b', 'c'] } })
    return (service.ok('GET /boxes/{id}', { path }).body as { tags: unknown }).tags
  }
  t.deepEqual(await of('POST /boxes/{id}/tags', 'Add tags to a box'), ['a', 'b', 'c'])
  t.deepEqual(await of('DELETE /boxes/{id}/tags', 'Remove tags from a box'), ['a'])
  t.deepEqual(await of('PUT /boxes/{id}/tags', 'Set the tags'), ['b', 'c'])
})

test('an action whose body decides what it does is mocked', async (t) => {
  const properties = { status: { enum: ['active', 'invited'] } }
  const request = object({ value: { enum: ['accept', 'decline'] } }, 'value')
  const invite = (line: Line) => boxes(properties, { 'PUT /boxes/{id}/invite': line })
  t.is((await invite({ response: ref('Box') })).role('PUT /boxes/{id}/invite'), 'action')
  const decided = await invite({ request, response: ref('Box') })
  t.is(decided.reason('PUT /boxes/{id}/invite'), 'its body says what invite does')
  const ban = { 'POST /boxes/{id}/ban': { request: object({ banned: flag }), response: ref('Box') } }
  t.is((await boxes({ is_banned: flag }, ban)).role('POST /boxes/{id}/ban'), 'mocked')
  // A part of a refund is not the amount of the payment.
  const Receipt = object({ id: text, amount: integer }, 'id')
  const refund = { request: object({ amount: integer }), response: ref('Receipt') }
  const Box = object({ id: text, amount: integer, state: { enum: ['PAID', 'REFUNDED'] } }, 'id')
  const all = { ...crud('/boxes', { response: ref('Box') }), 'POST /boxes/{id}/refund': refund }
  t.regex((await serviceOf(contract(all, { Box, Receipt }))).reason('POST /boxes/{id}/refund'), /the other object/u)
})

test('a removal that deactivates is mocked', async (t) => {
  for (const summary of ['Deactivate a box', 'Marks the box as hidden']) {
    const service = await boxes({ name: text }, { 'DELETE /boxes/{id}': { ...done, with: { summary } } })
    t.is(service.role('DELETE /boxes/{id}'), 'mocked', summary)
  }
  const removal = { ...done, with: { summary: 'Revoke a box' } }
  for (const [property, role] of Object.entries({ revoked_at: 'mocked', made_at: 'remove' }))
    t.is((await boxes({ [property]: time }, { 'DELETE /boxes/{id}': removal })).role('DELETE /boxes/{id}'), role)
})

test('POST of a record whose success is 201 makes another one, unless it updates', async (t) => {
  const request = object({ name: text })
  for (const [summary, role] of Object.entries({ 'Reply to a box': 'mocked', 'Update a box': 'update' })) {
    const { [`PATCH /boxes/{id}`]: _, ...all } = crud('/boxes', { request, response: ref('Box') })
    const post = { request, response: ref('Box'), status: 201, with: { summary } }
    const document = contract({ ...all, 'POST /boxes/{id}': post }, { Box: object({ id: text, name: text }, 'id') })
    t.is((await serviceOf(document)).role('POST /boxes/{id}'), role, summary)
  }
  const several = { 'GET /a/posts': { response: ref('Box') }, 'POST /a/posts': { request, response: ref('Box') } }
  const service = await serviceOf(contract(several, { Box: object({ name: text }) }))
  t.is(service.reason('POST /a/posts'), 'posts may be several objects')
})

test('explain says that an update does not change the key of its path', async (t) => {
  const Box = object({ slug: text, name: text }, 'slug')
  for (const [required, listed] of [
    [[], ['slug']],
    [['slug'], undefined],
  ] as const) {
    const request = object({ slug: text, name: text }, ...required)
    const service = await serviceOf(contract(crud('/boxes', { id: 'slug', request, response: ref('Box') }), { Box }))
    t.deepEqual(service.explain('PATCH /boxes/{slug}').notStored, listed)
  }
})

test('a refusal that says only that something exists already is of its usual key', async (t) => {
  const responses = { 201: body(ref('Box')), 409: { description: 'Box already exists' } }
  const create = { 'POST /boxes': { request: object({ email: text, name: text }), with: { responses } } }
  const service = await boxes({ email: text, name: text }, create)
  service.ok('POST /boxes', { body: { email: 'a@example.org', name: 'A' } })
  service.ok('POST /boxes', { body: { email: 'b@example.org', name: 'A' } })
  t.like(service.send('POST /boxes', { body: { email: 'a@example.org', name: 'C' } }), { error: 'taken' })
})

test('a create is refused whose version exists already', async (t) => {
  const responses = { 201: body(ref('Box')), 409: { description: 'The version already exists' } }
  const create = { 'POST /boxes': { request: object({ version: text }), with: { responses } } }
  const service = await boxes({ version: text }, create, { version: '1.0' })
  t.like(service.send('POST /boxes', { body: { version: '1.0' } }), { error: 'taken' })
})

test('a flag that an example shows as usable is set in a fresh record, and no other', async (t) => {
  const enabled = { ...flag, example: true, readOnly: true }
  const service = await boxes({ name: text, enabled, archived: enabled })
  t.like(service.ok('POST /boxes', { body: { name: 'N' } }).body, { enabled: true, archived: false })
})

test('a parent is in the property that is named as what its path parameter identifies', async (t) => {
  const Task = object({ id: text, project: text }, 'id')
  const all = crud('/projects/{projectId}/tasks', { request: object({ name: text }), response: ref('Task') })
  const service = await serviceOf(contract(all, { Task }))
  const made = service.ok('POST /projects/{projectId}/tasks', { path: { projectId: 'p1' }, body: {} })
  t.like(made.body, { project: 'p1' })
})

test('an envelope counts as the texts of its properties say', async (t) => {
  const told = (description: string): Schema => ({ ...integer, description })
  const Box = object({ id: text }, 'id')
  const page = object(
    {
      data: listOf(ref('Box')),
      total: told('Total number of items in the result set.'),
      count: told('Total number of items in the collection response.'),
      size: told('The amount of boxes that got returned'),
      total_here: told('Total number of boxes in the current page.'),
      limit: integer,
      has_more: { ...flag, description: 'Whether more items exist after the last item of this page' },
      token: text,
      next_token: { ...text, description: 'It will be empty if there are no more boxes.' },
      page_size: { ...integer, minimum: 1 },
      shown: { ...integer, minimum: 1, description: 'The number of boxes returned in this response' },
    },
    'page_size',
  )
  const query = ['limit', 'after', 'before'].map((name) => parameter(name, name === 'limit' ? integer : text))
  const list = { 'GET /boxes': { response: page, with: { parameters: query } } }
  const records = [1, 2, 3].map((at) => ({ id: `b${at}` }))
  const all = { ...crud('/boxes', { response: ref('Box') }), ...list }
  const service = await serviceOf(contract(all, { Box }), { boxes: records })
  const cut = service.ok('GET /boxes', { query: { limit: 2 } }).body as Record<string, unknown>
  t.like(cut, { total: 3, count: 2, size: 2, total_here: 2, limit: 2, has_more: true, page_size: 2, shown: 2 })
  t.like(service.ok('GET /boxes').body, { count: 3, has_more: false, next_token: '' })
  const none = await serviceOf(contract(all, { Box }))
  t.like(none.ok('GET /boxes').body, { count: 0, page_size: 1, shown: 1 })
})

test('explain names rules that only texts tell: ranges, allowed values, what is set without a value, and what else is removed', async (t) => {
  const told = (description: string): Schema => ({ ...text, description })
  const service = await boxes({
    minutes: told('Duration is between 1 and 59940 inclusively'),
    days: told('Valid values are `30` and `365`'),
    area: told('If no area is specified, one is generated.'),
    label: told('Unique name for the box.'),
    plain: told('The name of the box.'),
  })
  const rules = service.explain('POST /boxes').rulesInTexts ?? []
  t.is(rules.map((line) => line.split(':')[0]).join(), 'minutes,days,area,label,404')
  const [locked, open] = ['La caja está cerrada', 'No access token provided']
  const forbidden = { description: 'Forbidden' }
  const responses = { 204: done, 401: { description: open }, 404: {}, 403: forbidden, 423: { description: locked } }
  const removal = await boxes({}, { 'DELETE /boxes/{id}': { with: { responses } } })
  t.deepEqual(removal.explain('DELETE /boxes/{id}').rulesInTexts, [`423: ${locked}`])
  t.deepEqual(removal.explain('DELETE /boxes/{id}').neverSent, ['401', '403', '423'])
  const made = { ...body(ref('Box')), description: 'Box made' }
  const cases = { 200: { description: 'Box found' }, 201: made, 409: { description: 'Уже есть' } }
  const several = await boxes({}, { 'POST /boxes': { with: { responses: cases, summary: 'Marks a box as new.' } } })
  const { rulesInTexts: listed } = several.explain('POST /boxes')
  t.deepEqual(listed, ['Marks a box as new.', 'Box found', 'Box made', '409: Уже есть'])
  const summary = 'Retrieve the boxes for the logged-in user'
  const list = { 'GET /boxes': { response: listOf(ref('Box')), with: { summary } } }
  t.deepEqual((await boxes({}, list)).explain('GET /boxes').rulesInTexts, [`${summary}.`, '404: none'])
})

test('a readOnly property of attributes is not stored', async (t) => {
  const attributes = object({ name: text, editable: { ...flag, readOnly: true } })
  const Box = object({ id: text, attributes }, 'id')
  const service = await serviceOf(
    contract(crud('/boxes', { request: object({ attributes }), response: ref('Box') }), { Box }),
  )
  const made = service.ok('POST /boxes', { body: { attributes: { name: 'N', editable: true } } }).body
  t.like(made, { attributes: { name: 'N' } })
  t.not((made as { attributes: Record<string, unknown> }).attributes['editable'], true)
})

test('a parameter before that takes the next cursor leads to the next page, and a maximum is no count', async (t) => {
  const Box = object({ id: text }, 'id')
  const page = object({
    data: listOf(ref('Box')),
    next_cursor: { type: ['string', 'null'] },
    limit: { ...integer, description: 'The maximum number of items in the response.' },
  })
  const description = 'Cursor. Use the next_cursor value from the previous response.'
  const before = { ...parameter('before', text), description }
  const list = { 'GET /boxes': { response: page, with: { parameters: [parameter('limit', integer), before] } } }
  const all = { ...crud('/boxes', { response: ref('Box') }), ...list }
  const service = await serviceOf(contract(all, { Box }), { boxes: [1, 2, 3].map((at) => ({ id: `b${at}` })) })
  const first = service.ok('GET /boxes', { query: { limit: 2 } }).body as { next_cursor: string }
  t.like(first, { limit: 2 })
  const second = service.ok('GET /boxes', { query: { limit: 2, before: first.next_cursor } }).body
  t.like(second, { data: [{ id: 'b3' }], next_cursor: null })
})

test('a day that a client sends for a time is stored as its beginning, and a time without a zone as that of UTC', async (t) => {
  const request = object({ start: text })
  const update = { 'PUT /boxes/{id}': { request, response: ref('Box') } }
  const service = await boxes({ start: time }, update, { start: '2020-01-01T10:00:00Z' })
  const sent = { '2025-07-01': '2025-07-01T00:00:00Z', '2025-07-01T07:00:00': '2025-07-01T07:00:00Z' }
  for (const [start, stored] of Object.entries(sent))
    t.like(service.ok('PUT /boxes/{id}', { path, body: { start } }).body, { start: stored })
})

test('a change to a value that only another record may have is refused', async (t) => {
  const Box = object({ id: text, email: text, name: text }, 'id')
  const of = (description: string) => {
    const responses = { 200: body(ref('Box')), 409: { description } }
    const change = { request: object({ email: text, name: text }), with: { responses } }
    const changes = { 'PATCH /boxes/{id}': change }
    const records = ['a', 'b'].map((id) => ({ id, email: `${id}@example.com`, name: 'N' }))
    return serviceOf(contract({ ...crud('/boxes', { response: ref('Box') }), ...changes }, { Box }), { boxes: records })
  }
  const sent = { path: { id: 'a' }, body: { email: 'b@example.com' } }
  const taken = await of('Email already exists')
  const clash = { property: 'email', value: 'b@example.com' }
  t.like(taken.send('PATCH /boxes/{id}', sent), { error: 'taken', clash })
  t.like(taken.ok('PATCH /boxes/{id}', { ...sent, body: { name: 'N' } }).body, { name: 'N' })
  t.like(taken.ok('PATCH /boxes/{id}', { ...sent, body: { email: 'a@example.com' } }).body, { id: 'a' })
  const changed = await of('The email was already changed by another client')
  t.like(changed.ok('PATCH /boxes/{id}', sent).body, { email: 'b@example.com' })
})

test('a refusal of an e-mail is of the property mail, and not of another one', async (t) => {
  const responses = { 201: body(ref('Box')), 409: { description: 'Email already exists' } }
  const request = object({ mail: text, phone: text })
  const service = await boxes({ mail: text, phone: text }, { 'POST /boxes': { request, with: { responses } } })
  service.ok('POST /boxes', { body: { mail: 'a@boxes.test', phone: '1' } })
  service.ok('POST /boxes', { body: { mail: 'b@boxes.test', phone: '1' } })
  t.like(service.send('POST /boxes', { body: { mail: 'a@boxes.test' } }), { error: 'taken' })
})

test('a success that is a text has its example, and a flag of an event its time', async (t) => {
  const content = { 'text/plain': { schema: text, example: 'Gone.' } }
  const removal = { with: { responses: { 200: { description: 'Done.', content } } } }
  const properties = { isSealed: flag, sealedAt: { type: ['string', 'null'], format: 'date-time' } }
  const seal = { response: ref('Box') }
  const service = await boxes(properties, { 'POST /boxes/{id}/seal': seal, 'DELETE /boxes/{id}': removal })
  t.like(service.ok('POST /boxes/{id}/seal', { path }).body, { isSealed: true, sealedAt: now })
  t.like(service.ok('DELETE /boxes/{id}', { path }), { status: 200, mediaType: 'text/plain', body: 'Gone.' })
})

test('a list that is sent by ids has what the records of these ids show', async (t) => {
  const tag = object({ id: text, name: text }, 'id', 'name')
  for (const sent of ['tags', 'tag_ids']) {
    const tagged = crud('/boxes', { request: object({ [sent]: listOf(text) }), response: ref('Box') })
    const all = { ...crud('/tags', { response: ref('Tag') }), ...tagged }
    const document = contract(all, { Tag: tag, Box: object({ id: text, tags: listOf(ref('Tag')) }, 'id') })
    const service = await serviceOf(document, { tags: [{ id: 't1', name: 'red' }] })
    const { body: made, notStored } = service.ok('POST /boxes', { body: { [sent]: ['t1', 't9'] } })
    const tags = Object.entries({ t1: 'red', t9: '' }).map(([id, name]) => ({ id, name }))
    t.deepEqual(made, { id: 'box-1', tags }, sent)
    t.deepEqual(notStored, [])
  }
})

test('of an object, the properties that a record can have are stored, and the others are named', async (t) => {
  const size = object({ w: integer, unit: object({ name: text, scale: integer }) })
  const sent = object({ w: integer, unit: object({ name: text, scale: text }) })
  const request = object({ size: sent })
  const service = await boxes({ size }, { 'POST /boxes': { request, response: ref('Box') } })
  const made = service.ok('POST /boxes', { body: { size: { w: 1, unit: { name: 'cm', scale: 'big' } } } })
  t.like(made.body, { size: { w: 1, unit: { name: 'cm' } } })
  t.deepEqual(service.explain('POST /boxes').notStored, ['size.unit.scale'])
})

test('an envelope has the status that is sent, and an object with another id is another object', async (t) => {
  const owner = object({ id: text, name: text, mail: text })
  const enveloped = object({ status: { ...integer, example: 200 }, data: ref('Box') }, 'status', 'data')
  const request = object({ owner })
  const service = await boxes({ owner }, { 'POST /boxes': { request, response: enveloped, status: 201 } })
  const ada = { id: 'ada', name: 'Ada', mail: 'ada@boxes.test' }
  t.like(service.ok('POST /boxes', { body: { id: 'b2', owner: ada } }).body, { status: 201 })
  const change = (sent: object): unknown => service.ok('PATCH /boxes/{id}', { path, body: { owner: sent } }).body
  t.like(change(ada), { owner: ada })
  t.deepEqual(change({ id: 'ada', name: 'Ada L.' }), { id: 'b1', owner: { ...ada, name: 'Ada L.' } })
  t.deepEqual(change({ id: 'grace', name: 'Grace' }), { id: 'b1', owner: { id: 'grace', name: 'Grace' } })
  // A merge patch merges (RFC 7396), and the record itself is no other one, whatever a property is called.
  const patch = { path, body: { owner: { id: 'ada' } }, mediaType: 'application/merge-patch+json' }
  t.like(service.ok('PATCH /boxes/{id}', patch).body, { owner: { id: 'ada', name: 'Grace' } })
  const Place = object({ slug: text, id: integer, name: text }, 'slug')
  const places = crud('/places', { id: 'slug', request: object({ id: integer, name: text }), response: ref('Place') })
  const named = await serviceOf(contract(places, { Place }), { places: [{ slug: 'a', id: 1, name: 'A' }] })
  const moved = named.ok('PATCH /places/{slug}', { path: { slug: 'a' }, body: { id: 2 } }).body
  t.deepEqual(moved, { slug: 'a', id: 2, name: 'A' })
})

test('a removal tells its id also inside of an object, and an object follows the id that is sent without it', async (t) => {
  const owner = object({ id: text, name: text }, 'id')
  const Box = object({ id: text, owner_id: text, owner }, 'id')
  const removed = { response: object({ data: object({ id: { ...text, example: 'b7' } }, 'id') }, 'data') }
  const boxesOf = crud('/boxes', { request: object({ owner_id: text, owner }), response: ref('Box') })
  const owners = crud('/owners', { request: owner, response: owner })
  const document = contract({ ...owners, ...boxesOf, 'DELETE /boxes/{id}': removed }, { Box })
  const ada = { id: 'ada', name: 'Ada' }
  const grace = { id: 'grace', name: 'Grace' }
  const records = { owners: [ada, grace], boxes: [{ id: 'b1', owner_id: 'ada', owner: ada }] }
  const service = await serviceOf(document, records)
  const change = (sent: object): unknown => service.ok('PATCH /boxes/{id}', { path, body: sent }).body
  t.deepEqual(change({ owner_id: 'grace' }), { id: 'b1', owner_id: 'grace', owner: grace })
  const back = { owner_id: 'ada', owner: { id: 'ada', name: 'A.' } }
  t.deepEqual(change(back), { id: 'b1', ...back })
  t.deepEqual(service.ok('DELETE /boxes/{id}', { path }).body, { data: { id: 'b1' } })
})

test('an object of another one of several schemas replaces the old one', async (t) => {
  const shape = (kind: string, size: string) => object({ kind: { enum: [kind] }, [size]: integer }, 'kind')
  const plan = object({ shape: { oneOf: [shape('round', 'radius'), shape('square', 'side')] }, note: text })
  const old = { shape: { kind: 'round', radius: 1 }, note: 'x' }
  const service = await boxes({ plan }, {}, { plan: old })
  const change = (sent: object) => service.ok('PATCH /boxes/{id}', { path, body: { plan: { shape: sent } } }).body
  t.like(change({ kind: 'round' }), { plan: old })
  t.deepEqual(change({ kind: 'square', side: 2 }), {
    id: 'b1',
    plan: { shape: { kind: 'square', side: 2 }, note: 'x' },
  })
})

test('a removed object is not updated where another operation creates it', async (t) => {
  const write = { request: Settings, response: ref('Settings') }
  const all = { 'GET /theme': { response: ref('Settings') }, 'PUT /theme': write, 'DELETE /theme': done }
  const service = await serviceOf(contract({ ...all, 'POST /theme': { ...write, status: 201 } }, { Settings }), {})
  service.ok('DELETE /theme')
  t.like(service.send('PUT /theme', { body: { size: 1 } }), { error: 'unknown_record' })
})
