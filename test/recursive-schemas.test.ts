import test from 'ava'

import { serve } from './helpers/double.js'
import type { Reply } from './helpers/http.js'
import { json, sendJson } from './helpers/http.js'
import { writeTemporary } from './helpers/temporary-files.js'

/** Schemas that all contain each other, with very many paths through them. */
const names = Array.from({ length: 20 }, (_, index) => `Node${index}`)
const schemas = Object.fromEntries(
  names.map((name) => [
    name,
    {
      type: 'object',
      required: ['label'],
      additionalProperties: false,
      properties: {
        label: { type: 'string' },
        ...Object.fromEntries(names.map((other) => [other, { $ref: `#/components/schemas/${other}` }])),
        children: {
          type: 'array',
          items: { anyOf: names.map((other) => ({ $ref: `#/components/schemas/${other}` })) },
        },
      },
    },
  ]),
)
const content = { 'application/json': { schema: { $ref: '#/components/schemas/Node0' } } }
const error = {
  type: 'object',
  required: ['error', 'message'],
  properties: { error: { type: 'integer' }, message: { type: 'string' } },
}
const spec = {
  openapi: '3.1.0',
  info: { title: 'Nodes', version: '1' },
  paths: {
    '/nodes': {
      post: {
        operationId: 'checkNode',
        requestBody: { required: true, content },
        responses: {
          '200': { description: 'Done.', content },
          '400': { description: 'Refused.', content: { 'application/json': { schema: error } } },
        },
      },
    },
  },
  components: { schemas },
}

test('schemas that all contain each other are validated at every depth', async (t) => {
  const file = await writeTemporary(t, 'nodes.json', JSON.stringify(spec))
  const fixture = await writeTemporary(t, 'none.json', '{}')
  const double = await serve(t, { spec: file, fixture })
  const post = (body: unknown): Promise<Reply> => sendJson(double, 'POST', '/nodes', body)
  const valid = await post({ label: 'a', Node3: { label: 'b', children: [{ label: 'c', Node0: { label: 'd' } }] } })
  t.is(valid.status, 200)
  t.is(typeof (json(valid) as { label: unknown }).label, 'string')
  const deep = await post({ label: 'a', Node3: { label: 'b', Node7: { label: 'c', Node0: { label: 5 } } } })
  t.is(deep.status, 400)
  t.regex(deep.text, /Node3\.Node7\.Node0\.label must be string/u)
  t.is((await post({ label: 'a', Node3: { label: 'b', Node7: { other: 1 } } })).status, 400)
})
