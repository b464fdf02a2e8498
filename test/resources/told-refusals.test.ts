import test, { type ExecutionContext } from 'ava'

import { mapProperties, objectOf } from '#src/documents/object.js'

import { serve } from '../helpers/double.js'
import { writeTemporary } from '../helpers/files.js'
import { as, get, json, sendJson, sendRequest } from '../helpers/http.js'
import { boxes } from './boxes.js'
import { body, errorSchema, integer, listOf, object, ref, text } from './plants-contract.js'
import { contract, crud, done, type Schema } from './rules-contract.js'
import { serviceOf } from './service-of.js'

/** Tests the refusals whose status and reason a contract tells by the text of a response. */

const state = { enum: ['draft', 'pending', 'sent'] }
const madeId = { ...text, readOnly: true }
const Letter = object({ id: madeId, name: text, code: text, state, active: { type: 'boolean' } }, 'id')
const request = object({ name: text, code: text })

/** Creates a service of letters. @param more - Added to the operations, by method and path. */
const letters = (
  more: Readonly<Record<string, { description: string; summary?: string; override?: Schema }>>,
  status = 409,
) => {
  const all = {
    ...crud('/letters', { request, response: ref('Letter') }),
    'POST /letters/{id}/activate': done,
    'POST /letters/{id}/send': done,
  }
  const told = Object.entries(more).map(([key, { description, override, summary = '' }]) => {
    const isCreate = key.endsWith('letters')
    const success = isCreate ? { 201: body(ref('Letter')) } : { 204: { description: 'ok' } }
    const responses = { ...success, [status]: { description } }
    const line = isCreate ? { request } : done
    return [key, { ...line, with: { responses, summary, ...(override && { 'x-double': override }) } }] as const
  })
  const fixture = [{ id: 'l1', name: 'A', code: 'x', state: 'pending', active: true }]
  return serviceOf(contract({ ...all, ...Object.fromEntries(told) }, { Letter }), { letters: fixture })
}

test('a create is refused for the values that the text names, else for all that are sent', async (t) => {
  const cases: readonly (readonly [string, Schema, boolean])[] = [
    ['A letter with this name already exists.', { name: 'A', code: 'y' }, true],
    ['A letter with this name already exists.', { name: 'B', code: 'x' }, false],
    ['The name or the code is taken.', { name: 'B', code: 'x' }, true],
    ['Duplicate name and code.', { name: 'B', code: 'x' }, false],
    ['Letter already tracked', { name: 'A', code: 'x' }, true],
    ['Letter already tracked', { name: 'A', code: 'y' }, false],
    ['Letter already tracked', { name: 'A' }, true],
    ['The idempotency key was already used.', { name: 'A', code: 'x' }, false],
    ['A letter is already in progress.', { name: 'A', code: 'x' }, false],
    ['The archive is closed.', { name: 'A', code: 'x' }, false],
  ]
  for (const [description, sent, isRefused] of cases) {
    const service = await letters({ 'POST /letters': { description } })
    const outcome = service.send('POST /letters', { body: sent })
    t.is('error' in outcome && outcome.error, isRefused && 'taken', `${description} ${JSON.stringify(sent)}`)
  }
  const override = { off: ['clash'] }
  const off = await letters({ 'POST /letters': { description: 'Letter already tracked', override } })
  t.is(off.ok('POST /letters', { body: { name: 'A', code: 'x' } }).status, 201)
})

test('records that may differ in what is not stored are no duplicates', async (t) => {
  const repeat = async (sent: Schema) => {
    const responses = { 201: body(ref('Box')), 409: { description: 'This was recorded already' } }
    const create = { 'POST /boxes': { request: object(sent), with: { responses } } }
    const service = await boxes(object({ id: madeId, of: text }, 'id'), create)
    service.ok('POST /boxes', { body: { of: 'a' } })
    return service.send('POST /boxes', { body: { of: 'a' } })
  }
  t.like(await repeat({ of: text }), { error: 'taken' })
  t.like(await repeat({ of: text, slots: listOf(text) }), { status: 201 })
  t.like(await repeat({ of: text, id: { ...text, readOnly: true } }), { error: 'taken' }, 'no client chooses the id')
})

test('an action is refused for a record that is in its state already, or in none that its text names', async (t) => {
  const path = { id: 'l1' }
  const already = await letters({ 'POST /letters/{id}/activate': { description: 'Already active.' } })
  const clash = { property: 'active', value: true }
  t.like(already.send('POST /letters/{id}/activate', { path }), { error: 'wrong_state', clash })
  for (const [summary, isRefused] of Object.entries({ 'Send a draft letter': true, 'Send a pending letter': false })) {
    const description = 'The letter cannot be sent in its current state.'
    const service = await letters({ 'POST /letters/{id}/send': { description, summary } }, 422)
    const refused = [1, 2].map(() => 'error' in service.send('POST /letters/{id}/send', { path }))
    t.deepEqual(refused, [isRefused, true], summary)
  }
})

/** Starts a double for a contract of letters. @param responses - Of the create. */
async function serveLetters(t: ExecutionContext, responses: Schema) {
  const required = object({ name: text }, 'name')
  const errors = objectOf(mapProperties(responses, (each) => ({ ...body(errorSchema), ...objectOf(each) })))
  const told = { responses: { 201: body(ref('Letter')), ...errors }, security: [{ token: [] }] }
  const create = { request: required, with: told }
  const all = { ...crud('/letters', { request: required, response: ref('Letter') }), 'POST /letters': create }
  const spec = await writeTemporary(t, 'letters.json', contract(all, { Letter }))
  return serve(t, { spec, fixture: { $callers: { ada: { token: 'ada-token' } }, letters: [] } })
}

test('a refusal has the status whose text tells it, if the usual one is not documented', async (t) => {
  const told = await serveLetters(t, {
    403: { description: 'Invalid API token' },
    405: { description: 'Invalid input' },
    422: { description: 'The name already exists.' },
  })
  t.is((await sendJson(told, 'POST', '/letters', {})).status, 403)
  t.is((await sendJson(told, 'POST', '/letters', {}, as('ada'))).status, 422, 'an alternative of 400 comes first')
  for (const status of [201, 422])
    t.is((await sendJson(told, 'POST', '/letters', { name: 'A' }, as('ada'))).status, status)
  for (const more of [{}, { 400: { description: 'Invalid ID supplied' } }]) {
    const petstore = await serveLetters(t, { 405: { description: 'Invalid input' }, ...more })
    t.is((await sendJson(petstore, 'POST', '/letters', {}, as('ada'))).status, 405)
  }
  for (const message of ['The name has already been taken.', 'UNIQUE constraint failed: letters.name']) {
    const shown = await serveLetters(t, { 422: { ...body(errorSchema, { error: 1, message }), description: '' } })
    for (const status of [201, 422])
      t.is((await sendJson(shown, 'POST', '/letters', { name: 'A' }, as('ada'))).status, status, message)
  }
  const reading = 'A problem reading or understanding the request.'
  const texts = { 'The box is full.': 422, 'Bad request': 400, 'Invalid token.': 422, [reading]: 422 }
  for (const [description, status] of Object.entries(texts)) {
    const both = await serveLetters(t, { 400: { description }, 422: { description: 'Validation Error' } })
    t.is((await sendJson(both, 'POST', '/letters', {}, as('ada'))).status, status, description)
    const malformed = { headers: { ...as('ada'), 'content-type': 'application/json' }, body: '{' }
    t.is((await sendRequest(both, 'POST', '/letters', malformed)).status, description === reading ? 400 : status)
  }
})

test('a response header of an object or an array is validated if it is sent, and a collection without an id reads its own state', async (t) => {
  const headers = { 'X-Pagination': { schema: object({ total: text }) }, 'X-Names': { schema: listOf(text) } }
  const Note = object({ channel: text }, 'channel')
  const all = {
    'GET /notes': { with: { responses: { 200: { ...body(listOf(ref('Note'))), headers } } } },
    'POST /notes': { request: ref('Note'), status: 201 },
  }
  const spec = await writeTemporary(t, 'notes.json', contract(all, { Note }))
  const double = await serve(t, { spec })
  t.is((await sendJson(double, 'POST', '/notes', { channel: 'a' })).status, 201)
  const shown = json(await get(double, '/notes'))
  const document = json(await get(double, '/__admin/state'))
  t.regex(JSON.stringify(document), /"\$id"/u)
  t.is((await sendJson(double, 'PUT', '/__admin/state', document)).status, 204)
  t.deepEqual(json(await get(double, '/notes')), shown)
})

test('a mocked operation of a record that does not exist is refused, unless it may create it', async (t) => {
  const response = object({ count: integer })
  const all = { 'GET /boxes/{id}/size': { response }, 'PUT /boxes/{id}': { request: object({ of: text }), response } }
  const { resources } = await boxes(object({ id: text }, 'id'), all)
  const refusing = [...resources.decisions.values()].flatMap((decision) =>
    decision.role === 'mocked' && decision.findMissing ? decision.operation.id : [],
  )
  t.deepEqual(refusing, ['GET /boxes/{id}/size'])
})
