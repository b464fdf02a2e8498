import test from 'ava'

import { boxes, some } from './boxes.js'
import { integer, type Json, listOf, object, ref, text, time } from './plants-contract.js'
import { contract, crud, done, type Schema } from './rules-contract.js'
import { serviceOf } from './service-of.js'

/** Tests what the responses to changes tell of a record. */

const path = { id: 'b1' }

test('each operation has a message of its own, an id inside of an example is that of the record, and a file is none', async (t) => {
  const Box = object({ box_id: text, message: text, box: object({ id: text, kind: text }) }, 'box_id')
  const shown = { box_id: 'b-0001', message: 'Box created.', box: { id: 'b-0001', kind: 'x' } }
  const file = object({ box: { ...text, format: 'binary' } }, 'box')
  const withExample = (example: Json): Schema => ({ allOf: [ref('Box')], example })
  const all = {
    ...crud('/boxes', { id: 'box_id', request: file, response: ref('Box') }),
    'POST /boxes': { request: file, response: withExample(shown), status: 201 },
    'PUT /boxes/{box_id}': { request: file, response: withExample({ ...shown, message: 'Box changed.' }) },
    'DELETE /boxes/{box_id}': { response: withExample({ ...shown, message: 'Box deleted.' }) },
  }
  const service = await serviceOf(contract(all, { Box }), { boxes: [] })
  const created = service.ok('POST /boxes', { body: { box: '%PDF' } }).body as { box_id: string }
  t.not(created.box_id, 'b-0001')
  const { box_id } = created
  t.deepEqual(created as unknown, { box_id, message: 'Box created.', box: { id: box_id, kind: 'x' } })
  const its = { path: { box_id } }
  t.like(service.ok('PUT /boxes/{box_id}', { ...its, body: { box: '%PDF' } }).body, { message: 'Box changed.' })
  t.like(service.ok('DELETE /boxes/{box_id}', its).body, { message: 'Box deleted.' })
})

test('a removal answers what its text says that a property always is', async (t) => {
  const status = { ...text, description: 'Will contain "ok" if the request was successful' }
  const message = { ...text, description: 'Always `Box deleted`.' }
  const answer = async (response: Schema) => {
    const service = await boxes(object({ id: text }, 'id'), { 'DELETE /boxes/{id}': { response } }, some(1))
    return service.ok('DELETE /boxes/{id}', { path }).body
  }
  t.deepEqual(await answer(object({ message }, 'message')), { message: 'Box deleted' })
  t.deepEqual(await answer(object({ status })), { status: 'ok' })
})

test('a member is added by the id that its path names', async (t) => {
  const User = object({ id: text, name: text }, 'id')
  const added = object({ user: text }, 'user')
  const all = {
    'GET /groups/{group}/users': { response: listOf(ref('User')) },
    'POST /groups/{group}/users': { request: added, response: added },
    'DELETE /groups/{group}/users/{user}': done,
  }
  const service = await serviceOf(contract(all, { User }))
  const body = { user: 'u7' }
  t.deepEqual(service.ok('POST /groups/{group}/users', { path: { group: 'g' }, body }).body, body)
  const its = { path: { group: 'g', user: 'u7' } }
  t.is(service.ok('DELETE /groups/{group}/users/{user}', its).status, 204)
  // The id, also where the response shows an object of that name.
  const add = { request: object({ box_id: text }, 'box_id'), response: object({ box: ref('Box') }, 'box') }
  const Box = object({ id: text, name: text }, 'id')
  const given = await serviceOf(
    contract({ ...crud('/boxes', { id: 'box_id', response: ref('Box') }), 'POST /boxes': add }, { Box }),
  )
  given.ok('POST /boxes', { body: { box_id: 'b7' } })
  t.like(given.ok('GET /boxes/{box_id}', { path: { box_id: 'b7' } }).body, { id: 'b7' })
})

test('a response that tells of a record has its id', async (t) => {
  const Box = object({ id: text, sealed: { type: 'boolean' } }, 'id')
  const told = { ...object({ box_id: text, at: text }), example: { box_id: 'b9', at: 'noon' } }
  const seal = { 'POST /boxes/{id}/seal': { response: object({ data: told }) } }
  const service = await boxes(Box, { ...seal, 'DELETE /boxes/{id}': { response: told } }, some(2))
  const its = { path: { id: 'b2' } }
  t.deepEqual(service.ok('POST /boxes/{id}/seal', its).body, { data: { box_id: 'b2', at: 'noon' } })
  t.deepEqual(service.ok('DELETE /boxes/{id}', its).body, { box_id: 'b2', at: 'noon' })
})

test('a create whose response is an id by its format or its text answers that of the record', async (t) => {
  const uuid = { ...text, format: 'uuid' }
  const create = async (id: Schema, response: Schema) => {
    const Box = object({ id, name: text }, 'id')
    const service = await boxes(Box, { 'POST /boxes': { request: object({ name: text }), response, status: 201 } }, [])
    const { body } = service.ok('POST /boxes', { body: { name: 'B' } })
    const [record] = service.ok('GET /boxes').body as readonly { readonly id: unknown }[]
    return body === record?.id
  }
  t.true(await create(uuid, uuid))
  t.true(await create(text, { ...text, description: 'The id of the new box' }))
  t.false(await create(text, text))
  t.false(await create(integer, { ...text, description: 'Its id' }))
})

test('of an example with a value that its schema refuses, the rest is kept', async (t) => {
  const Box = object({ id: text, at: time, kind: text }, 'id', 'at', 'kind')
  const example = { message: 'Made.', data: { id: 'e', at: 'noon', kind: 'round' } }
  const response = { ...object({ message: text, data: ref('Box') }, 'message', 'data'), example }
  const create = { request: object({ note: text, id: text }), response, status: 201 }
  const service = await boxes(Box, { 'POST /boxes': create })
  const { body } = service.ok('POST /boxes', { body: { id: 'b1' } })
  t.like(body, { message: 'Made.', data: { id: 'b1', kind: 'round' } })
})

test('a removal answers with the id that it has removed, whatever the property is called', async (t) => {
  const removal = { 'DELETE /boxes/{id}': { response: object({ deletedId: text }, 'deletedId') } }
  const service = await boxes(object({ id: text, name: text }, 'id'), removal, [{ id: 'b1' }])
  t.deepEqual(service.ok('DELETE /boxes/{id}', { path }).body, { deletedId: 'b1' })
})

test('a removal says that it was done, but not of what the removed record shows inside of it', async (t) => {
  const flag = { type: 'boolean' }
  const Box = object({ id: text, deleted: flag, owner: object({ deleted: flag }) }, 'id')
  const removal = { 'DELETE /boxes/{id}': { response: ref('Box') } }
  const service = await boxes(Box, removal, [{ id: 'b1', deleted: false, owner: { deleted: false } }])
  t.deepEqual(service.ok('DELETE /boxes/{id}', { path }).body, { id: 'b1', deleted: true, owner: { deleted: false } })
})

test('a replacement has the defaults of what it leaves out, as a create', async (t) => {
  const request = object({ name: text, kind: { ...text, default: 'usual' } }, 'name')
  const put = { request, response: ref('Box'), with: { summary: 'Replaces a box.' } }
  const Box = object({ id: text, name: text, kind: text }, 'id', 'name')
  const service = await boxes(Box, { 'PUT /boxes/{id}': put }, [{ id: 'b1', name: 'A', kind: 'other' }])
  t.deepEqual(service.ok('PUT /boxes/{id}', { path, body: { name: 'B' } }).body, { id: 'b1', name: 'B', kind: 'usual' })
})
