import test from 'ava'

import { boxes, some } from './boxes.js'
import { inPath, integer, type Json, listOf, object, ref, text, time } from './plants-contract.js'
import { contract, crud, done, type Schema } from './rules-contract.js'
import { now, serviceOf } from './service-of.js'

/** Tests what contracts tell by the schemas and the texts of bodies, and what a client then sees. */

const path = { id: 'b1' }

test('a null that only the request may have removes an object, also one that may be null by the letter of allOf', async (t) => {
  const nullable = { nullable: true, type: ['string', 'null'] }
  const owner = { allOf: [object({ gid: text, name: text }, 'gid'), { nullable: true }] }
  const Box = object({ id: text, owner }, 'id')
  const request = object({ owner: nullable })
  const User = object({ gid: text, name: text }, 'gid')
  const all = {
    ...crud('/users', { id: 'user_gid', response: ref('User') }),
    ...crud('/boxes', { request, response: ref('Box') }),
  }
  const users = [
    { gid: 'u1', name: 'Ada' },
    { gid: 'u2', name: 'Grace' },
  ]
  const service = await serviceOf(contract(all, { Box, User }), {
    boxes: [{ id: 'b1', owner: users[0] }],
    users,
  })
  const send = (body: Json): unknown => service.ok('PATCH /boxes/{id}', { path, body }).body
  t.like(send({ owner: 'u2' }), { owner: users[1] })
  t.deepEqual(send({ owner: null }), { id: 'b1' })
})

test('an object that is sent by its id has what the record of that id shows', async (t) => {
  const Owner = object({ id: text, name: text, age: integer }, 'id')
  const Box = object({ id: text, owner: object({ id: text, name: text }, 'id') }, 'id')
  const all = {
    ...crud('/owners', { response: ref('Owner') }),
    ...crud('/boxes', { request: object({ owner: text }), response: ref('Box') }),
  }
  const service = await serviceOf(contract(all, { Owner, Box }), { owners: [{ id: 'o1', name: 'Ada', age: 7 }] })
  t.like(service.ok('POST /boxes', { body: { owner: 'o1' } }).body, { owner: { id: 'o1', name: 'Ada' } })
  t.deepEqual(service.ok('POST /boxes', { body: { owner: 'o2' } }).body, { id: 'box-2', owner: { id: 'o2' } })
  const Door = object({ id: text, sites: listOf(object({ id: text, domain: text }, 'domain')) }, 'id')
  const doors = crud('/doors', { request: object({ sites: listOf(text) }), response: ref('Door') })
  const site = await serviceOf(contract(doors, { Door }))
  t.like(site.ok('POST /doors', { body: { sites: ['a.test'] } }).body, { sites: [{ domain: 'a.test' }] })
  const Lid = object({ id: text, owner_id: text, owner: object({ id: text, name: text }) }, 'id')
  const lids = crud('/lids', { request: object({ owner_id: text }), response: ref('Lid') })
  const owners = ['o1', 'o2'].map((id) => ({ id, name: `Of ${id}` }))
  const beside = await serviceOf(contract({ ...all, ...lids }, { Owner, Box, Lid }), { owners })
  const [o1, o2] = owners
  t.like(beside.ok('POST /lids', { body: { owner_id: 'o1' } }).body, { owner_id: 'o1', owner: o1 })
  const change = { path: { id: 'lid-1' }, body: { owner_id: 'o2' } }
  t.like(beside.ok('PATCH /lids/{id}', change).body, { owner_id: 'o2', owner: o2 })
})

test('a collection whose responses have no bodies has the records that its create takes, unless one of them is documented', async (t) => {
  const request = { ...object({ name: text, size: integer }, 'name'), additionalProperties: false }
  const all = {
    'GET /boxes': {},
    'POST /boxes': { request, status: 201 },
    'GET /boxes/{boxId}': {},
    'PUT /boxes/{boxId}': { request },
    'DELETE /boxes/{boxId}': done,
  }
  const service = await serviceOf(contract(all, {}))
  const sent = { name: 'B', size: 2 }
  const made = { id: 'box-1', ...sent }
  t.like(service.ok('POST /boxes', { body: sent }), { status: 201, body: made })
  t.deepEqual(service.ok('GET /boxes').body, [made])
  t.deepEqual(service.ok('GET /boxes/{boxId}', { path: { boxId: 'box-1' } }).body, made)
  service.ok('DELETE /boxes/{boxId}', { path: { boxId: 'box-1' } })
  t.deepEqual(service.ok('GET /boxes').body, [])
  for (const response of [listOf(text), { type: 'object', additionalProperties: true }]) {
    const told = await serviceOf(contract({ ...all, 'GET /boxes': { response } }, {}))
    t.is(told.role('POST /boxes'), 'mocked')
  }
})

test('what examples say next to records, or without one, is sent, but no failure and no link', async (t) => {
  const code = { ...integer, example: 200 }
  const errors = { ...text, example: 'none' }
  const status = object({ code, message: { ...text, example: 'Done.' } })
  const around = (properties: Schema): Schema => object({ ...properties, status, errors, links: object({ a: errors }) })
  const Box = object({ id: text }, 'id')
  const removed = { code, box: { ...text, example: 'e' }, deleted_ids: { ...listOf(text), example: ['e'] } }
  const more = {
    'GET /boxes': { response: around({ data: listOf(ref('Box')) }) },
    'GET /boxes/{id}': { response: around({ data: ref('Box') }) },
    'DELETE /boxes/{id}': { response: object(removed), status: 202 },
  }
  const service = await boxes(Box, more, some(1))
  const told = { status: { code: 200, message: 'Done.' } }
  t.deepEqual(service.ok('GET /boxes').body, { data: some(1), ...told })
  t.deepEqual(service.ok('GET /boxes/{id}', { path }).body, { data: { id: 'b1' }, ...told })
  t.deepEqual(service.ok('DELETE /boxes/{id}', { path }).body, { code: 202, box: 'b1', deleted_ids: ['b1'] })
})

test('a parent that is removed by its id is removed, too', async (t) => {
  const nullable = { type: ['string', 'null'] }
  const parent = { ...object({ id: text }), type: ['object', 'null'] }
  const Tag = object({ id: text, parent_id: nullable, parent }, 'id')
  const all = crud('/tags', { request: object({ parent_id: nullable }), response: ref('Tag') })
  const tags = [{ id: 't1' }, { id: 't2', parent_id: 't1', parent: { id: 't1' } }]
  const service = await serviceOf(contract(all, { Tag }), { tags })
  const { body: shown } = service.ok('PATCH /tags/{id}', { path: { id: 't2' }, body: { parent_id: null } })
  t.deepEqual(shown, { id: 't2', parent_id: null, parent: null })
})

test('settings that nobody has written are the examples of their properties', async (t) => {
  const Settings = object({ theme: { ...text, example: 'dark' }, size: integer })
  const all = { 'GET /settings': { response: Settings }, 'PUT /settings': { request: Settings, response: Settings } }
  t.deepEqual((await serviceOf(contract(all, {}))).ok('GET /settings').body, { theme: 'dark' })
})

test('items of arrays get ids, and an operation named after a state removes nothing', async (t) => {
  const tag = object({ id: integer, name: text }, 'id', 'name')
  const state = { enum: ['open', 'closed'] }
  const Box = object({ id: text, tags: listOf(tag), state }, 'id')
  const request = object({ tags: listOf(object({ name: text }, 'name')) })
  const close = { ...done, with: { operationId: 'closeBox' } }
  const post = { request, response: ref('Box'), status: 201 }
  const service = await boxes(Box, { 'POST /boxes': post, 'DELETE /boxes/{id}': close })
  const tags = [{ name: 'a' }, { name: 'b' }]
  const numbered = tags.map((each, at) => ({ id: at + 1, ...each }))
  t.like(service.ok('POST /boxes', { body: { tags } }).body, { tags: numbered })
  t.regex(service.reason('closeBox'), /close, which names a state of the record/u)
})

test('an update by its text keeps the rest', async (t) => {
  const Box = object({ id: text, name: text, status: text }, 'id', 'name')
  const request = object({ name: text, status: text, reason: text }, 'name')
  const records = [{ id: 'b1', name: 'N', status: 'new' }]
  const put = async (description: string, sent: Json, schema: Schema = request) => {
    const line = { request: schema, response: ref('Box'), with: { description } }
    const service = await boxes(Box, { 'PUT /boxes/{id}': line }, records)
    return service.ok('PUT /boxes/{id}', { path, body: sent }).body
  }
  t.like(await put('', { name: 'M' }), { status: undefined })
  t.like(await put('Revokes a box, by updating the status.', { name: 'M' }), { status: 'new' })
  t.like(await put('', { reason: 'r' }, object({ status: text, reason: text }, 'reason')), { status: 'new' })
  t.like(await put('Partial update.', { name: 'M' }), { status: 'new' })
})

test('a create fixes a state, a text its default in quotes, a required property needs no schema, and a nested secret is not kept', async (t) => {
  const label = { ...text, description: "Defaults to 'my own box'." }
  const model = object({ kind: text })
  const status = { enum: ['queued', 'upload_pending'] }
  const Box = object({ id: text, status, label, model }, 'id', 'status', 'label', 'odd')
  const created = object({ id: text, status: { enum: ['upload_pending'] } }, 'id', 'status')
  const request = object({ label, model: object({ kind: text, key: { ...text, writeOnly: true } }) })
  const service = await boxes(Box, { 'POST /boxes': { request, response: created, status: 201 } })
  const { body: made } = service.ok('POST /boxes', { body: { model: { kind: 'k', key: 'secret' } } })
  t.like(made, { status: 'upload_pending' })
  const [shown] = service.ok('GET /boxes').body as readonly Json[]
  t.like(shown, { status: 'upload_pending', label: 'my own box', odd: '', model: { kind: 'k', key: undefined } })
})

test('the object with the name of the records is the record, also next to others, but not in the response to an assignment', async (t) => {
  const around = object({ data: object({ box: ref('Box'), knowledge: integer }, 'box', 'knowledge') }, 'data')
  const shown = { response: around }
  const Box = object({ id: text, note: text }, 'id')
  const change = { request: object({ box: object({ note: text }) }, 'box'), response: around }
  const list = { 'GET /boxes': { response: listOf(ref('Box')) } }
  const document = contract({ ...list, 'GET /boxes/{box_id}': shown, 'PUT /boxes/{box_id}': change }, { Box })
  const service = await serviceOf(document, { boxes: [{ id: 'b1', note: 'n' }] })
  const box = { path: { box_id: 'b1' } }
  const changed = { data: { box: { id: 'b1', note: 'm' } } }
  t.like(service.ok('PUT /boxes/{box_id}', { ...box, body: { box: { note: 'm' } } }).body, changed)
  t.like(service.ok('GET /boxes/{box_id}', box).body, changed)
  const Role = object({ id: text, name: text }, 'id', 'name')
  const Assigned = object({ id: text, name: text, since: time }, 'id', 'name', 'since')
  const assigned = object({ group: object({ id: text }), role: ref('Role') })
  const roles = {
    ...crud('/roles', { response: ref('Role'), request: object({ name: text }) }),
    'GET /groups/{group_id}/roles': { response: listOf(ref('Assigned')) },
    'POST /groups/{group_id}/roles': { request: object({ role_id: text }), response: assigned },
    'GET /groups/{group_id}/roles/{role_id}': { response: ref('Assigned') },
    'DELETE /groups/{group_id}/roles/{role_id}': done,
  }
  const assignments = await serviceOf(contract(roles, { Role, Assigned }))
  t.is(assignments.role('GET /groups/{group_id}/roles'), 'list')
})

test('PUT of a property that its path names changes it without showing it, and an object whose change is accepted only is none', async (t) => {
  const Box = object({ id: text, name: text, menu: object({ items: listOf(text) }) }, 'id')
  const menu = object({ menu: object({ items: listOf(text) }) }, 'menu')
  const all = {
    ...crud('/boxes', { response: ref('Box') }),
    'PUT /boxes/{id}/menu': { request: menu },
    'GET /config': { response: ref('Box') },
    'PUT /config': { request: ref('Box'), response: object({ accepted: text }), status: 202 },
  }
  const service = await serviceOf(contract(all, { Box }), { boxes: some(1) })
  t.is(service.ok('PUT /boxes/{id}/menu', { path, body: { menu: { items: ['a'] } } }).status, 200)
  t.like(service.ok('GET /boxes/{id}', { path }).body, { menu: { items: ['a'] } })
  t.regex(service.reason('PUT /config'), /accepted \(202\)/u)
})

test('flags and numbers among the values of a text are texts', async (t) => {
  const Box = object({ id: text, kind: { ...text, enum: [501, true, 'all'] } }, 'id')
  const service = await boxes(Box, {
    'POST /boxes': { request: Box, response: object({ data: ref('Box'), key: text }) },
  })
  t.like(service.ok('POST /boxes', { body: { kind: '501' } }).body, { data: { kind: '501' } })
  t.deepEqual(service.explain('POST /boxes').leftOut, ['key'])
})

test('an id has the pattern of the path that names it, where the record tells none', async (t) => {
  const id = inPath('id', { ...text, pattern: '^box_.+$' })
  const read = { response: ref('Box'), with: { parameters: [id] } }
  const create = { request: object({ name: text }), response: ref('Box'), status: 201 }
  const service = await boxes(object({ id: text, name: text }, 'id'), {
    'POST /boxes': create,
    'GET /boxes/{id}': read,
  })
  const made = service.ok('POST /boxes', { body: { name: 'A' } }).body as { readonly id: string }
  t.regex(made.id, /^box_./u)
  t.deepEqual(service.ok('GET /boxes/{id}', { path: { id: made.id } }).body, made)
})

test('objects whose schema names no property are what the create takes, with an id', async (t) => {
  const Row = { type: 'object', additionalProperties: {} }
  const request = object({ name: text, admin_password: text })
  const one = object({ data: ref('Row') })
  const list = { 'GET /boxes': { response: object({ data: listOf(ref('Row')) }) } }
  const service = await serviceOf(contract({ ...crud('/boxes', { request, response: one }), ...list }, { Row }))
  const { body: made } = service.ok('POST /boxes', { body: { name: 'A', admin_password: 'p' } })
  t.deepEqual(made, { data: { id: 'row-1', name: 'A' } })
  service.ok('PATCH /boxes/{id}', { path: { id: 'row-1' }, body: { name: 'B' } })
  t.deepEqual(service.ok('GET /boxes').body, { data: [{ id: 'row-1', name: 'B' }] })
})

test('records that only examples show are served', async (t) => {
  const shown = { id: '', name: 'A', tags: ['x'], made: now, size: 1, owner: null }
  const of = (schema: Json, example: unknown) => ({ response: { ...schema, example } })
  const success = { allOf: [object({ ok: { type: 'boolean' } }), object({ data: { type: 'object' } })] }
  const request = object({ name: text, size: text })
  const service = await serviceOf(
    contract(
      {
        'GET /boxes': of({ type: 'array', items: { type: 'object' } }, [shown]),
        'POST /boxes': { ...of(success, { ok: true, data: shown }), request, status: 201 },
        'GET /boxes/{id}': of({}, { data: shown }),
        'PATCH /boxes/{id}': { ...of({ type: 'object' }, shown), request },
      },
      {},
    ),
  )
  const { body: made } = service.ok('POST /boxes', { body: { name: 'B', size: 'L' } })
  t.like(made, { data: { id: 'box-1', name: 'B' } })
  t.deepEqual(service.explain('POST /boxes').notStored, ['size'])
  service.ok('PATCH /boxes/{id}', { path: { id: 'box-1' }, body: { name: 'C' } })
  t.like(service.ok('GET /boxes/{id}', { path: { id: 'box-1' } }).body, { data: { name: 'C' } })
  t.like(service.ok('GET /boxes').body, [{ id: 'box-1', name: 'C' }])
})

test('a create that adds to a list of a record creates none, and an action shows its record', async (t) => {
  const Visit = object({ boxId: text, day: integer }, 'boxId')
  const Visits = object({ boxId: text, visits: listOf(ref('Visit')) }, 'boxId')
  const all = {
    'POST /visits': { request: object({ boxId: text, day: integer }, 'boxId', 'day'), response: ref('Visit') },
    'GET /visits/{boxId}': { response: ref('Visits') },
  }
  const service = await serviceOf(contract(all, { Visit, Visits }))
  t.regex(service.reason('POST /visits'), /an item of a list of the record/u)
  const Box = object({ id: text, kind: { enum: ['lid', 'box'] } }, 'id')
  const Lid = object({ id: text, kind: text }, 'id')
  const action = { 'PUT /boxes/{id}/lid': { response: ref('Lid') } }
  const lids = await serviceOf(contract({ ...crud('/boxes', { response: ref('Box') }), ...action }, { Box, Lid }))
  t.regex(lids.reason('PUT /boxes/{id}/lid'), /another object, the lid/u)
})
