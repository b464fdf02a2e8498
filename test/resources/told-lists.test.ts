import test from 'ava'

import { explainResources } from '#src/resources/explain.js'

import { boxes, some } from './boxes.js'
import { body, inPath, integer, type Json, listOf, object, parameter, ref, text, time } from './plants-contract.js'
import { contract, crud, done } from './rules-contract.js'
import { serviceOf } from './service-of.js'

/** Tests what contracts tell of lists, of parents and of names, and what a client then sees. */

test('a list tells its totals in headers, its pages and the records of a page; a text tells the size of a page', async (t) => {
  const meta = object({ total: integer, count: integer, last_page: integer, per_page: integer, current_page: integer })
  const headers = { 'X-Total-Count': { schema: integer } }
  const limits = ['The default pagination is per 2 items.', 'It is set to 2 by default.', 'The default and max 2.']
  for (const description of limits) {
    const list = {
      parameters: [{ ...parameter('limit', integer), description }, parameter('page', integer)],
      responses: { 200: { ...body(object({ data: listOf(ref('Box')), meta })), headers } },
    }
    const service = await boxes(object({ id: text }, 'id'), { 'GET /boxes': { with: list } }, some(3))
    const of = (page: number): unknown => service.ok('GET /boxes', { query: { page } })
    const totals = { total: 3, last_page: 2, per_page: 2 }
    t.like(of(2), { headers: { 'x-total-count': '3' }, body: { meta: { ...totals, count: 1, current_page: 2 } } })
    t.like(of(4), { body: { data: [], meta: { ...totals, count: 0, current_page: 4 } } })
  }
})

test('a read without security shows the records of every caller', async (t) => {
  const secured = { security: [{ token: [] }] }
  const create = { request: ref('Box'), response: ref('Box'), status: 201, with: secured }
  const list = { response: listOf(ref('Box')), with: secured }
  const service = await boxes(object({ id: text }, 'id'), { 'POST /boxes': create, 'GET /boxes': list })
  service.ok('POST /boxes', { body: { id: 'mine' } }, 'ada')
  t.deepEqual(service.ok('GET /boxes', {}, 'grace').body, [])
  t.like(service.ok('GET /boxes/{id}', { path: { id: 'mine' } }, ''), { body: { id: 'mine' } })
})

test('the property of a parent is named by its thing, and a record by its number or its name', async (t) => {
  const Box = object({ id: integer, name: text }, 'id', 'name')
  const Lid = object({ id: text, box: integer, effective_from: time, created: time }, 'id')
  const named = { parameters: [inPath('id_or_name', text, 'ID or name.')] }
  const numbered = { parameters: [inPath('id', integer)] }
  const all = {
    ...crud('/boxes', { id: 'id_or_name', response: ref('Box') }),
    'GET /boxes/{id_or_name}': { response: ref('Box'), with: named },
    'GET /boxes/{id}/lids': { response: listOf(ref('Lid')), with: numbered },
    'POST /boxes/{id}/lids': { request: object({ id: text }), response: ref('Lid'), with: numbered },
  }
  const service = await serviceOf(contract(all, { Box, Lid }), { boxes: [{ id: 7, name: 'big' }] })
  for (const id_or_name of ['7', 'big'])
    t.like(service.ok('GET /boxes/{id_or_name}', { path: { id_or_name } }).body, { id: 7 })
  const { body: lid } = service.ok('POST /boxes/{id}/lids', { path: { id: 7 }, body: {} })
  t.like(lid, { box: 7, effective_from: undefined, created: '2026-01-05T09:30:00Z' })
})

test('a new id has the singular of the name of its collection', async (t) => {
  const request = object({ name: text })
  const response = object({ id: text, name: text }, 'id')
  const singulars = 'movies movie, categories category, boxes box, cases case, statuses status, caches cache'
  for (const pair of `${singulars}, branches branch, sizes size`.split(', ')) {
    const [plural = '', singular = ''] = pair.split(' ')
    const service = await serviceOf(contract(crud(`/${plural}`, { request, response }), {}))
    t.like(service.ok(`POST /${plural}`, { body: {} }).body, { id: `${singular}-1` })
  }
  // A UUID, if the contract shows one.
  const id = { ...text, example: '5bd1a1e4-2f1c-4d3e-9a53-0c1d8c5a7b1e' }
  const shown = await boxes(object({ id, name: text }, 'id'), { 'POST /boxes': { request, response: ref('Box') } })
  t.like(shown.ok('POST /boxes', { body: {} }).body, { id: '00000000-0000-4000-8000-000000000001' })
})

test('a number that identifies a record next to the key of its path is counted', async (t) => {
  const Box = object({ id: integer, slug: text }, 'id', 'slug')
  const all = crud('/boxes', { id: 'slug', request: object({ slug: text }, 'slug'), response: ref('Box') })
  const service = await serviceOf(contract(all, { Box }), { boxes: [{ id: 1, slug: 'a' }] })
  for (const [at, slug] of ['b', 'c'].entries())
    t.like(service.ok('POST /boxes', { body: { slug } }).body, { id: at + 2, slug })
})

test('a parameter that is a number is no name', async (t) => {
  const parameters = [inPath('box_id', integer)]
  const Box = object({ name: text, uri: text }, 'name')
  const all = {
    ...crud('/boxes', { id: 'box_id', response: ref('Box') }),
    'DELETE /boxes/{box_id}': { ...done, with: { parameters, responses: { 204: { description: 'gone' } } } },
    'GET /boxes/{box_id}': { with: { parameters, responses: { 200: body(ref('Box')) } } },
  }
  const service = await serviceOf(contract(all, { Box }))
  t.regex(service.reason('GET /boxes/{box_id}'), /no property of its records is named by the path parameter box_id/u)
})

test('the pages of Spring begin with 0, and say where they are', async (t) => {
  const names = { totalElements: integer, totalPages: integer, number: integer, numberOfElements: integer }
  const flags = Object.fromEntries(['first', 'last', 'empty'].map((name) => [name, { type: 'boolean' }]))
  const index = { ...parameter('page', integer), description: 'Zero-based page index (0..N)' }
  const parameters = [index, parameter('size', integer)]
  const page = object({ content: listOf(ref('Box')), ...names, ...flags })
  const list = { 'GET /boxes': { response: page, with: { parameters, responses: { 200: body(page) } } } }
  const service = await boxes(object({ id: text }, 'id'), list, some(3))
  const [first, last] = [0, 1].map((number) => service.ok('GET /boxes', { query: { page: number, size: 2 } }).body)
  const totals = { totalElements: 3, totalPages: 2, empty: false }
  t.like(first, { ...totals, content: some(2), number: 0, numberOfElements: 2, first: true, last: false })
  t.like(last, { ...totals, content: [{ id: 'b3' }], number: 1, numberOfElements: 1, first: false, last: true })
})

test('a record below a path has its parent in the property that the thing and the parameter name, and one by a query is no single object', async (t) => {
  const Lid = object({ id: text, box_id: text }, 'id')
  const Zone = object({ id: text, dns_zone_id: text }, 'id')
  const Box = object({ id: text, name: text }, 'id')
  const all = {
    ...crud('/boxes', { response: ref('Box') }),
    'GET /dns_zones/{zone_id}/marks': { response: listOf(ref('Zone')) },
    'POST /dns_zones/{zone_id}/marks': { request: object({ id: text }), response: ref('Zone'), status: 201 },
    'GET /boxes/{id}/lids': { response: listOf(ref('Lid')) },
    'POST /boxes/{id}/lids': { request: object({ id: text }), response: ref('Lid'), status: 201 },
    'GET /post': { response: ref('Box'), with: { parameters: [parameter('post_id', text)] } },
    'PUT /post': { request: ref('Box'), response: ref('Box') },
  }
  const service = await serviceOf(contract(all, { Box, Lid, Zone }), { boxes: some(2) })
  const mark = service.ok('POST /dns_zones/{zone_id}/marks', { path: { zone_id: 'z1' }, body: {} })
  t.like(mark.body, { dns_zone_id: 'z1' })
  t.like(service.ok('POST /boxes/{id}/lids', { path: { id: 'b1' }, body: {} }).body, { box_id: 'b1' })
  t.deepEqual(service.ok('GET /boxes/{id}/lids', { path: { id: 'b2' } }).body, [])
  t.is(service.reason('GET /post'), 'a query parameter names one of several records')
})

test('a path with a POST alone that creates is that of a collection, if a longer path names a record', async (t) => {
  const Server = object({ metadata: object({ name: text, namespace: text }, 'name', 'namespace') }, 'metadata')
  const all = {
    'GET /servers': { response: listOf(ref('Server')) },
    'POST /servers/{namespace}': { request: ref('Server'), response: ref('Server'), status: 201 },
    'GET /servers/{namespace}/{name}': { response: ref('Server') },
    'DELETE /servers/{namespace}/{name}': done,
  }
  const service = await serviceOf(contract(all, { Server }))
  const metadata = { name: 'a', namespace: 'n' }
  t.is(service.ok('POST /servers/{namespace}', { path: { namespace: 'n' }, body: { metadata } }).status, 201)
  t.like(service.ok('GET /servers/{namespace}/{name}', { path: metadata }).body, { metadata })
  t.is((service.ok('GET /servers').body as readonly Json[]).length, 1)
})

test('a cursor may name the first record of a page, newest first, and each link is an object with its URL', async (t) => {
  const link = object({ href: text, type: text })
  const other = { ...link, type: ['object', 'null'] }
  const links = object({ self: link, previous: other, next: other }, 'self', 'previous', 'next')
  const count = { ...integer, description: 'The number of items in this result set. The maximum number is 250.' }
  const parameters = [
    { ...parameter('from', text), description: 'Start the result set from the item with the given ID and onwards.' },
    { ...parameter('sort', { enum: ['asc', 'desc'] }), description: 'Defaults to descending, newest to oldest.' },
    parameter('limit', integer),
  ]
  const page = object({ count, boxes: listOf(ref('Box')), _links: links }, 'count', 'boxes', '_links')
  const Box = object({ id: text, created_at: time }, 'id')
  const records = [2, 3, 1].map((day, at) => ({ id: `b${at}`, created_at: `2026-01-0${day}T00:00:00Z` }))
  const service = await boxes(Box, { 'GET /boxes': { response: page, with: { parameters } } }, records)
  const asked = (query: Readonly<Record<string, string | number>>): unknown => service.ok('GET /boxes', { query }).body
  t.like(asked({ limit: 2 }), { count: 2, boxes: [{ id: 'b1' }, { id: 'b0' }], _links: { previous: null } })
  t.regex(JSON.stringify(asked({ limit: 2 })), /"next":\{"href":"[^"]*\bfrom=b2"\}/u)
  t.like(asked({ from: 'b0' }), { count: 2, boxes: [{ id: 'b0' }, { id: 'b2' }], _links: { next: null } })
  t.like(asked({ sort: 'asc', limit: 1 }), { boxes: [{ id: 'b2' }] })
})

test('the number of a page is no number of records, and a cursor names the id of a record, also if its path names another property', async (t) => {
  const after = { ...parameter('after', text), description: 'The ID of the version to start after.' }
  const parameters = [parameter('page', integer), parameter('limit', integer), after]
  const number = { ...integer, description: 'Number of the page being returned' }
  const response = object({ data: listOf(ref('Version')), page: number, last_id: text, has_more: { type: 'boolean' } })
  const Version = object({ id: text, version: text }, 'id', 'version')
  const all = {
    ...crud('/versions', { id: 'version', request: Version, response: ref('Version') }),
    'GET /versions': { response, with: { parameters } },
  }
  const versions = ['a', 'b', 'c'].map((id, at) => ({ id, version: String(at + 1) }))
  const { ok } = await serviceOf(contract(all, { Version }), { versions })
  const asked = (query: Readonly<Record<string, number | string>>): unknown => ok('GET /versions', { query }).body
  t.like(asked({ limit: 1, page: 2 }), { page: 2, data: [{ id: 'b' }] })
  t.like(asked({ limit: 1 }), { last_id: 'a', has_more: true })
  t.like(asked({ limit: 1, after: 'a' }), { data: [{ id: 'b' }] })
})

test('links lead to the first and the last page', async (t) => {
  const parameters = [parameter('page', integer), parameter('per_page', integer)]
  const links = object({ last: object({ href: text }) })
  const page = object({ boxes: listOf(ref('Box')), first_page_url: text, last_page_url: text, links })
  const list = { 'GET /boxes': { response: page, with: { parameters } } }
  const service = await boxes(object({ id: text }, 'id'), list, some(5))
  const asked = (query: Readonly<Record<string, number>>): unknown => service.ok('GET /boxes', { query }).body
  const found = asked({ page: 2, per_page: 2 }) as { first_page_url: string; last_page_url: string; links: unknown }
  t.is(found.first_page_url, '/v1/plants?limit=2')
  t.is(found.last_page_url, '/v1/plants?limit=2&page=3')
  t.deepEqual(found.links, { last: { href: found.last_page_url } })
})

test('a parameter names the properties to show, also inner ones; what the schema requires stays', async (t) => {
  const told = 'If present, only the fields in the comma-separated string are included.'
  const mail = object({ kind: text, address: text })
  const Box = object({ id: text, name: text, note: text, mails: listOf(mail) }, 'id')
  const record = { id: 'b1', name: 'A', note: 'N', mails: [{ kind: 'home', address: 'a@boxes.test' }] }
  const of = async (description: string) => {
    const fields = { ...parameter('fields', text), description }
    const list = { response: listOf(ref('Box')), with: { parameters: [fields] } }
    const read = { response: ref('Box'), with: { parameters: [inPath('id'), fields] } }
    return boxes(Box, { 'GET /boxes': list, 'GET /boxes/{id}': read }, [record])
  }
  const service = await of(told)
  const query = { fields: 'name, mails.kind' }
  const shown = { id: 'b1', name: 'A', mails: [{ kind: 'home' }] }
  t.deepEqual(service.ok('GET /boxes', { query }).body, [shown])
  t.deepEqual(service.ok('GET /boxes/{id}', { query, path: { id: 'b1' } }).body, shown)
  t.deepEqual(service.ok('GET /boxes', { query: { fields: 'note' } }).body, [{ id: 'b1', note: 'N' }])
  t.deepEqual(service.ok('GET /boxes').body, [record])
  const { operations } = explainResources(service)
  const rules = operations.flatMap(({ rulesInTexts = [] }) => rulesInTexts)
  t.false(rules.some((rule) => rule.startsWith('fields')))
  // A syntax of its own is not read, and names of sets are no properties.
  const sets = await of('The fields to return: `all` or `none`. `none` shows only names.')
  t.deepEqual(sets.ok('GET /boxes', { query: { fields: 'none' } }).body, [record])
  t.deepEqual((await of('Fields to include, such as `mails{kind}`.')).ok('GET /boxes', { query }).body, [record])
})

test('a parent may be a record of another path, by the name of its parameter', async (t) => {
  const Run = object({ id: text, cluster_id: text }, 'id')
  const Cluster = object({ cluster_id: text, name: text }, 'cluster_id')
  const all = {
    ...crud('/orgs/{org_id}/clusters', { id: 'cluster_id', request: object({ name: text }), response: ref('Cluster') }),
    ...crud('/clusters/{cluster_id}/runs', { id: 'run_id', request: object({ size: text }), response: ref('Run') }),
  }
  const clusters = [{ cluster_id: 'c1', name: 'A', $parents: { org_id: 'o1' } }]
  const service = await serviceOf(contract(all, { Cluster, Run }), { clusters })
  const create = (cluster_id: string): object =>
    service.send('POST /clusters/{cluster_id}/runs', { path: { cluster_id }, body: { size: 'L' } })
  t.like(create('c1'), { body: { cluster_id: 'c1' } })
  t.like(create('c2'), { error: 'unknown_record', collection: 'clusters' })
  t.like(service.send('GET /clusters/{cluster_id}/runs', { path: { cluster_id: 'c2' } }), { error: 'unknown_record' })
})
