import test from 'ava'

import { createStartingDocument } from '#src/resources/document/write.js'
import { explainResources, ineffectiveParameters } from '#src/resources/explain.js'
import { generateDocument } from '#src/resources/generated/generate-document.js'

import { asList } from '../helpers/as-object-or-list.js'
import { actsOf, described, lister } from './list-requests.js'
import { body, inPath, integer, listOf, object, plants, plantWith, ref, text } from './plants-contract.js'
import { contract, crud } from './rules-contract.js'
import { now, serviceOf } from './service-of.js'

/** Tests what schemas, parameters and texts of public contracts tell. */

test('a property that a body has and no response documents is not shown, inside of an object either', async (t) => {
  const Box = object({ id: text, label: object({ name: text }) }, 'id')
  const inside = object({ label: object({ name: text, alt: text }) })
  for (const [request, sent, shown] of [
    [inside, { label: { name: 'n', alt: 'a' } }, { label: { name: 'n' } }],
    [object({ alt: text }), { alt: 'a' }, {}],
  ] as const) {
    const service = await serviceOf(contract(crud('/boxes', { request, response: ref('Box') }), { Box }))
    const { body: created } = service.ok('POST /boxes', { body: sent })
    t.deepEqual(created, { id: 'box-1', ...shown })
    t.deepEqual(service.explain('POST /boxes').notStored, ['label' in sent ? 'label.alt' : 'alt'])
  }
})

test('a create completes what the schema that it has chosen requires', async (t) => {
  const of = (kind: string, value: object) =>
    object({ id: text, kind: { enum: [kind] }, data: value }, 'id', 'kind', 'data')
  const words = object({ words: listOf(text), allowed: listOf(text) }, 'words', 'allowed')
  const Rule = { oneOf: [of('limit', object({ most: integer, each: integer }, 'most', 'each')), of('words', words)] }
  const request = { oneOf: [of('limit', object({ most: integer })), of('words', object({ words: listOf(text) }))] }
  const service = await serviceOf(contract(crud('/rules', { request, response: ref('Rule') }), { Rule }))
  const sent = { id: 'r1', kind: 'words', data: { words: ['bad'] } }
  const outcome = service.ok('POST /rules', { body: sent })
  t.deepEqual([outcome.body, outcome.notStored], [{ ...sent, data: { words: ['bad'], allowed: [] } }, []])
})

test('a path names a record by the property that has the pattern and the example of its parameter', async (t) => {
  const uid = { ...text, pattern: '^[a-z-]+$', example: 'unique-app' }
  const App = object({ id: { ...text, example: 'app_1' }, uid }, 'id')
  const all = crud('/apps', { request: object({ uid: text }), response: ref('App') })
  const put = { request: object({ uid: text }), response: ref('App') }
  const parameters = [{ name: 'id', in: 'path', required: true, schema: uid }]
  const document = contract({ ...all, 'PUT /apps/{id}': { ...put, with: { parameters } } }, { App })
  const service = await serviceOf(document, { apps: [{ id: 'a1', uid: 'mine' }] })
  t.like(service.ok('GET /apps/{id}', { path: { id: 'mine' } }).body, { id: 'a1' })
})

test('a search finds numbers where its text says so, and a total next to a filtered one counts every record', async (t) => {
  const told = 'If the value parses as a number, numeric fields are also matched exactly.'
  const envelope = object({ total_count: integer, filter_count: integer })
  const operations = { list: { responses: { 200: body(object({ data: listOf(ref('Plant')), meta: envelope })) } } }
  const fixture = { plants: [1, 2, 12].map((height) => ({ id: 'abc'.charAt(height % 3), name: 'x', height })) }
  const service = await serviceOf(plants({ operations, query: [described('search', told)] }), fixture)
  const { body: found } = service.ok('listPlants', { query: { search: '12' } })
  t.like(found, { data: [{ id: 'a' }], meta: { total_count: 3, filter_count: 1 } })
  t.like(service.ok('listPlants', { query: { search: '2' } }).body, { meta: { filter_count: 1 } })
  const plain = lister(await serviceOf(plants({ query: [described('search', 'Words.')] }), fixture))
  t.is(plain({ search: '12' }), '')
})

test('explain says that the response to a removal is the example, and which list of a record is a copy', async (t) => {
  const tags = { ...listOf({ oneOf: [text, object({ name: text })] }) }
  const Box = object({ id: text, tags }, 'id')
  const below = {
    'GET /boxes/{id}/tags': { response: listOf(ref('Tag')) },
    'POST /boxes/{id}/tags': { request: ref('Tag'), response: ref('Tag'), status: 201 },
  }
  const task = { response: object({ task: integer, state: text }) }
  const all = { ...crud('/boxes', { response: ref('Box') }), ...below, 'DELETE /boxes/{id}': task }
  const service = await serviceOf(contract(all, { Box, Tag: object({ id: text, name: text }, 'id') }))
  t.deepEqual(service.explain('DELETE /boxes/{id}').filled, ['the response'])
  t.deepEqual(service.explain('GET /boxes/{id}').copies, ['tags'])
})

test('what is added below a record, and answered with that record, is no collection', async (t) => {
  const Talk = object({ id: text, title: text }, 'id')
  const made = object({ id: text, talk_id: text, title: text }, 'id')
  const all = {
    ...crud('/talks', { id: 'talk_id', response: ref('Talk') }),
    'POST /talks': { request: object({ title: text }), response: made },
    'POST /talks/{talk_id}/guests': { request: object({ title: text }), response: ref('Talk') },
    'DELETE /talks/{talk_id}/guests/{guest_id}': { response: ref('Talk') },
  }
  const service = await serviceOf(contract(all, { Talk }))
  t.is(service.role('DELETE /talks/{talk_id}/guests/{guest_id}'), 'mocked')
})

test('a parameter that acts tells what it does not do, and a body that a value has no equal', async (t) => {
  const query = [
    described('page', 'The page. The value is not the page number, but a reference.', integer),
    described('limit', 'Must be between `1` and `100`.', integer),
  ]
  const schema = plantWith({ name: { ...text, description: 'Unique identifier of the plant.' } })
  const service = await serviceOf(plants({ query, schema }))
  t.deepEqual(service.explain('listPlants').rulesInTexts, [
    'page: The value is not the page number, but a reference.',
    'limit: Must be between `1` and `100`.',
  ])
  t.true(service.explain('createPlant').rulesInTexts?.includes('name: Unique identifier of the plant.'))
  t.like(await actsOf(query, schema), { limit: { kind: 'cap', maximum: 100 } })
})

test('the caller of the start has the key that the description of the contract names', async (t) => {
  const told = 'You can use the api key `special-key` to test.'
  const key = { type: 'apiKey', in: 'header', name: 'api_key' }
  const { components, ...rest } = plants() as { components: object }
  const securitySchemes = { bearer: key }
  const { resources } = await serviceOf({
    ...rest,
    info: { title: 'P', version: '1', description: told },
    components: { ...components, securitySchemes },
  })
  t.deepEqual(createStartingDocument(resources), { $callers: { demo: { token: 'special-key' } } })
})

test('a replacement that documents 201 creates the record that its path names', async (t) => {
  const User = object({ id: text, name: text }, 'id', 'name')
  const Member = object({ user: User, nick: text, kind: text }, 'user', 'nick')
  const responses = { 201: body(ref('Member')), 204: { description: 'changed' }, 409: { description: 'Banned.' } }
  const mood = { ...text, description: 'Must be good.' }
  const kind = { ...text, description: 'One of `new`, `old`.' }
  const put = {
    request: object({ nick: text, mood, kind }, 'nick'),
    with: { parameters: [inPath('user_id')], responses },
  }
  const overview = object({ order: listOf(text) })
  const all = {
    ...crud('/members', { id: 'user_id', response: ref('Member') }),
    'PUT /members/{user_id}': put,
    'GET /members': { response: listOf(overview) },
  }
  const service = await serviceOf(contract(all, { Member }))
  const sent = { path: { user_id: 'm1' }, body: { nick: 'Ada' } }
  t.like(service.ok('PUT /members/{user_id}', sent), { status: 201, body: { user: { id: 'm1' }, nick: 'Ada' } })
  t.is(service.ok('PUT /members/{user_id}', sent).status, 204)
  const { neverSent, rulesInTexts: rules = [] } = service.explain('PUT /members/{user_id}')
  t.deepEqual([neverSent, rules[0], rules[1]], [['409'], 'mood: Must be good.', 'kind: One of `new`, `old`.'])
  t.regex(service.reason('GET /members'), /lists objects without any property of the records/u)
  // The generator makes what is next to an id.
  const { document, filled } = generateDocument(service.resources, { records: 2, seed: 1 }, Date.parse(now))
  t.deepEqual([filled[0]?.count, asList(document['members']).length], [2, 2])
})

test('a search looks in the id and in the known ones of several names, and explain has the others', async (t) => {
  const query = [described('q', 'Search plants by id, name or shoe.')]
  const effect = { kind: 'search', properties: ['id', 'name'], ignored: ['shoe'] }
  t.deepEqual(await actsOf(query), { q: effect })
  const { operations } = explainResources(await serviceOf(plants({ query })))
  t.deepEqual(ineffectiveParameters(operations), ['listPlants: q (shoe)'])
  t.deepEqual(await actsOf([described('q', 'Search by name or any other field.')]), { q: { kind: 'search' } })
})

test('a body with the properties of the attributes of a record goes there', async (t) => {
  const Box = object({ id: text, type: text, attributes: object({ name: text, note: text }) }, 'id')
  const request = object({ name: text, note: text }, 'name')
  const service = await serviceOf(contract(crud('/boxes', { request, response: ref('Box') }), { Box }))
  t.like(service.ok('POST /boxes', { body: { name: 'A', note: 'N' } }).body, { attributes: { name: 'A', note: 'N' } })
  const changed = service.ok('PATCH /boxes/{id}', { path: { id: 'box-1' }, body: { name: 'B' } })
  t.like(changed.body, { id: 'box-1', attributes: { name: 'B', note: 'N' } })
})
