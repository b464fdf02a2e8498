import test from 'ava'

import { integer, type Json, listOf, object, ref, text } from './plants-contract.js'
import { contract } from './rules-contract.js'
import { serviceOf } from './service-of.js'

const [jsonPatch, mergePatch] = ['application/json-patch+json', 'application/merge-patch+json'] as const
const operation = object({ op: text, path: text, from: text, value: {} }, 'op', 'path')
const owned = { ...text, readOnly: true }
const tool = { ...object({ id: owned, name: text, tags: listOf(text), size: integer, made: owned }, 'id', 'name') }
const node = object({ metadata: object({ name: text, label: text }, 'name') }, 'metadata')

/** Creates a service of one record. @param contents - The schemas of the body of `PATCH`, by media type. */
const serve = (contents: Json, schema: Json, record: Json, id = 'id') => {
  const content = Object.fromEntries(Object.entries(contents).map(([type, each]) => [type, { schema: each }]))
  const patch = { response: ref('Tool'), with: { requestBody: { required: true, content } } }
  const lines = { 'GET /tools': { response: listOf(ref('Tool')) }, [`PATCH /tools/{${id}}`]: patch }
  return serviceOf(contract(lines, { Tool: { ...schema, additionalProperties: false } }), { tools: [record] })
}
const list = { 'application/json': listOf(operation) }
const typed = { [jsonPatch]: listOf(operation), [mergePatch]: { type: 'object' } }
const [saw, at] = [{ id: 'a', name: 'Saw', tags: ['old'], made: 'here' }, { path: { id: 'a' } }] as const

test('a list of operations is a JSON Patch, and an object a merge patch; what a client cannot change is kept', async (t) => {
  const body = [
    { op: 'test', path: '/name', value: 'Saw' },
    { op: 'replace', path: '/name', value: 'Axe' },
    { op: 'add', path: '/tags/-', value: 'new' },
    { op: 'remove', path: '/tags/0' },
    { op: 'replace', path: '/made', value: 'elsewhere' },
    { op: 'replace', path: '/id', value: 'b' },
  ]
  const patched = { ...saw, name: 'Axe', tags: ['new'] }
  for (const [contents, mediaType] of [
    [list, 'application/json'],
    [typed, jsonPatch],
  ] as const) {
    const service = await serve(contents, tool, saw)
    t.deepEqual(service.ok('PATCH /tools/{id}', { ...at, mediaType, body }).body, patched)
  }
  const service = await serve(typed, tool, saw)
  const merged = service.ok('PATCH /tools/{id}', { ...at, mediaType: mergePatch, body: { size: 2, tags: null } })
  t.deepEqual(merged.body, { id: 'a', name: 'Saw', made: 'here', size: 2 })
  t.like(service.send('PATCH /tools/{id}', { path: { id: 'b' }, body: [] }), { error: 'unknown_record' })
})

test('a patch changes what is next to an id inside of an object', async (t) => {
  const service = await serve(typed, node, { metadata: { name: 'n', label: 'old' } }, 'name')
  for (const [mediaType, body] of [
    [mergePatch, { metadata: { name: 'other', label: 'new' } }],
    [jsonPatch, [{ op: 'add', path: '/metadata', value: { name: 'other', label: 'new' } }]],
  ] as const) {
    const changed = service.ok('PATCH /tools/{name}', { path: { name: 'n' }, mediaType, body })
    t.deepEqual(changed.body, { metadata: { name: 'n', label: 'new' } })
  }
})

test('a patch is applied as a whole or not at all', async (t) => {
  const service = await serve(list, tool, saw)
  for (const wrong of [
    { op: 'test', path: '/name', value: 'Saw' },
    { op: 'remove', path: '/none' },
    { op: 'replace', path: '/size', value: 'large' },
    { op: 'remove', path: '/name' },
    { op: 'add', path: '/__proto__/x', value: 1 },
    { op: 'copy', from: '/constructor', path: '/tags/-' },
  ]) {
    const body = [{ op: 'replace', path: '/name', value: 'Axe' }, wrong]
    t.like(service.send('PATCH /tools/{id}', { ...at, body }), { error: 'invalid_record' }, JSON.stringify(wrong))
    t.deepEqual(service.ok('GET /tools').body, [saw])
  }
})
