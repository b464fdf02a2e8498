import test from 'ava'

import { serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { json, sendRequest } from './helpers/http.js'

const text = { type: 'string' }
const schema = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { ...text, readOnly: true },
    name: text,
    tags: { type: 'array', items: text },
    size: { type: 'integer' },
    made: { ...text, readOnly: true },
  },
  additionalProperties: false,
}
const content = (type: string, described: object): object => ({ [type]: { schema: described } })
const answer = (described: object): object => ({
  description: 'Done.',
  content: content('application/json', described),
})
const failed = answer({
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'integer' }, message: text },
})
const operation = {
  type: 'object',
  required: ['op', 'path'],
  properties: { op: { enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] }, path: text, from: text, value: {} },
}
const patches = {
  list: content('application/json', { type: 'array', items: operation }),
  typed: {
    ...content('application/json-patch+json', { type: 'array', items: operation }),
    ...content('application/merge-patch+json', { type: 'object' }),
  },
}
const contract = {
  openapi: '3.1.0',
  info: { title: 'Tools', version: '1.0.0' },
  paths: Object.fromEntries(
    Object.entries(patches).flatMap(([name, described]) => [
      [
        `/${name}`,
        { get: { operationId: `${name}List`, responses: { 200: answer({ type: 'array', items: schema }) } } },
      ],
      [
        `/${name}/{id}`,
        {
          parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
          patch: {
            operationId: `${name}Patch`,
            requestBody: { required: true, content: described },
            responses: { 200: answer(schema), 404: failed, 422: failed },
          },
        },
      ],
    ]),
  ),
}
const tool = { id: 'a', name: 'Saw', tags: ['old'], made: 'here' }

test('a list of operations is a JSON Patch, and an object a merge patch; what a client cannot change is kept', async (t) => {
  const spec = await writeTemporary(t, 'tools.json', JSON.stringify(contract))
  const double = await serve(t, { spec, fixture: { list: [tool], typed: [tool] } })
  const send = async (path: string, type: string, body: unknown): Promise<readonly [number, unknown]> => {
    const headers = { 'content-type': type }
    const reply = await sendRequest(double, 'PATCH', path, { headers, body: JSON.stringify(body) })
    return [reply.status, reply.status === 200 ? json(reply) : undefined]
  }
  const operations = [
    { op: 'test', path: '/name', value: 'Saw' },
    { op: 'replace', path: '/name', value: 'Axe' },
    { op: 'add', path: '/tags/-', value: 'new' },
    { op: 'remove', path: '/tags/0' },
    { op: 'replace', path: '/made', value: 'elsewhere' },
    { op: 'replace', path: '/id', value: 'b' },
  ]
  const patched = { ...tool, name: 'Axe', tags: ['new'] }
  t.deepEqual(await send('/list/a', 'application/json', operations), [200, patched])
  t.deepEqual(await send('/typed/a', 'application/json-patch+json', operations), [200, patched])
  const { tags, ...without } = patched
  t.deepEqual(tags, ['new'])
  t.deepEqual(await send('/typed/a', 'application/merge-patch+json', { size: 2, tags: null }), [
    200,
    { ...without, size: 2 },
  ])
  t.is((await send('/list/none', 'application/json', operations))[0], 404)
})

test('a patch changes what is next to an id inside of an object', async (t) => {
  const metadata = { type: 'object', required: ['name'], properties: { name: text, label: text } }
  const node = { type: 'object', required: ['metadata'], properties: { metadata } }
  const parameters = [{ name: 'name', in: 'path', required: true, schema: text }]
  const list = { operationId: 'listNodes', responses: { 200: answer({ type: 'array', items: node }) } }
  const both = { 'application/json-patch+json': {}, 'application/merge-patch+json': {} }
  const patch = {
    operationId: 'patchNode',
    requestBody: { content: both },
    responses: { 200: answer(node), 404: failed },
  }
  const paths = { '/nodes': { get: list }, '/nodes/{name}': { parameters, patch } }
  const spec = await writeTemporary(t, 'nodes.json', JSON.stringify({ ...contract, paths }))
  const double = await serve(t, { spec, fixture: { nodes: [{ metadata: { name: 'n', label: 'old' } }] } })
  for (const [type, body] of [
    ['merge-patch', { metadata: { name: 'other', label: 'new' } }],
    ['json-patch', [{ op: 'add', path: '/metadata', value: { name: 'other', label: 'newer' } }]],
  ] as const) {
    const headers = { 'content-type': `application/${type}+json` }
    const reply = await sendRequest(double, 'PATCH', '/nodes/n', { headers, body: JSON.stringify(body) })
    const label = type === 'json-patch' ? 'newer' : 'new'
    t.deepEqual(json(reply), { metadata: { name: 'n', label } })
  }
})

test('a patch is applied as a whole or not at all', async (t) => {
  const spec = await writeTemporary(t, 'tools.json', JSON.stringify(contract))
  const double = await serve(t, { spec, fixture: { list: [tool], typed: [] } })
  const rename = { op: 'replace', path: '/name', value: 'Axe' }
  for (const wrong of [
    { op: 'test', path: '/name', value: 'Saw' },
    { op: 'remove', path: '/none' },
    { op: 'replace', path: '/size', value: 'large' },
    { op: 'remove', path: '/name' },
    { op: 'add', path: '/__proto__/x', value: 1 },
    { op: 'copy', from: '/constructor', path: '/tags/-' },
  ]) {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify([rename, wrong])
    const { status } = await sendRequest(double, 'PATCH', '/list/a', { headers, body })
    t.is(status, 422, body)
    t.deepEqual((await double.state())['list'], [tool])
  }
})
