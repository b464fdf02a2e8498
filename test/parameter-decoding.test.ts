import test from 'ava'
import { createQuerySerializer, defaultPathSerializer } from 'openapi-fetch'

import type { Json } from '#src/contract/contract.js'
import { loadContract } from '#src/contract/load-contract.js'

import { asObject } from './helpers/as-object-or-list.js'
import { excuse, serve } from './helpers/double.js'
import { readSpec, writeTemporary } from './helpers/files.js'
import { get, json } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { body, object, text } from './resources/plants-contract.js'

// The client writes the values, without any code of the double.
const clientQuery = createQuerySerializer()
const clientPath = (template: string, p: unknown): string => defaultPathSerializer(template, { p })

const numbers = { type: 'array', items: { type: 'integer' } }
const color = { type: 'object', properties: { R: { type: 'integer' }, G: { type: 'integer' } } }
const rgb = { R: 100, G: 200 }
const responses = { 204: { description: 'Done.' } }
const spread = { type: 'object', additionalProperties: { type: 'integer' } }

/** A parameter, its location, its text, and its value. */
const rows: readonly (readonly [parameter: object, written: string, value: Json | undefined])[] = [
  [{ in: 'query', schema: { type: 'integer' } }, 'p=5', 5],
  [{ in: 'query', schema: { type: 'string' } }, 'p=5', '5'],
  [{ in: 'query', schema: {} }, 'p=5', '5'],
  [{ in: 'query', schema: { type: ['integer', 'string'] } }, 'p=5', 5],
  [{ in: 'query', schema: { anyOf: [{ type: 'integer', maximum: 4 }, { type: 'string' }] } }, 'p=5', '5'],
  [{ in: 'query', schema: { type: 'boolean' } }, 'p=false', false],
  [{ in: 'query', schema: { type: ['integer', 'null'] } }, 'p=', null],
  [{ in: 'query', allowEmptyValue: true, schema: { type: 'integer' } }, 'p=', undefined],
  [{ in: 'query', schema: numbers }, clientQuery({ p: [1, 2] }), [1, 2]],
  [{ in: 'query', schema: numbers }, 'p=1', [1]],
  [{ in: 'query', explode: false, schema: { type: 'array', items: {} } }, 'p=a%2Cb,c', ['a,b', 'c']],
  [{ in: 'query', style: 'pipeDelimited', schema: numbers }, 'p=1%7C2', [1, 2]],
  [{ in: 'query', style: 'spaceDelimited', schema: numbers }, 'p=1%202', [1, 2]],
  [{ in: 'query', schema: color }, clientQuery(rgb), rgb],
  [{ in: 'query', schema: spread }, 'a=1&b=2', { a: 1, b: 2 }],
  [{ in: 'query', explode: false, schema: color }, 'p=R,100,G,200', rgb],
  [{ in: 'query', style: 'deepObject', explode: true, schema: color }, clientQuery({ p: rgb }), rgb],
  [{ in: 'query', style: 'deepObject', schema: { properties: { a: numbers } } }, 'p[a]=1&p[a]=2', { a: [1, 2] }],
  [{ in: 'query', style: 'deepObject', schema: { properties: { a: color } } }, 'p[a][R]=1', { a: { R: 1 } }],
  [{ in: 'query', content: { 'application/json': { schema: color } } }, 'p=%7B%22R%22%3A1%7D', { R: 1 }],
  [{ in: 'path', style: 'simple', schema: numbers }, clientPath('{p}', [1, 2]), [1, 2]],
  [{ in: 'path', style: 'label', explode: true, schema: color }, clientPath('{.p*}', rgb), rgb],
  [{ in: 'path', style: 'matrix', schema: color }, clientPath('{;p}', rgb), rgb],
  [{ in: 'path', style: 'matrix', explode: true, schema: numbers }, clientPath('{;p*}', [1, 2]), [1, 2]],
  [{ in: 'header', schema: numbers }, '1, 2', [1, 2]],
  [{ in: 'header', explode: true, schema: color }, 'R=100,G=200', rgb],
  [{ in: 'cookie', schema: { type: 'integer' } }, 'q=1; p=2', 2],
  [{ in: 'cookie', explode: false, schema: color }, 'p=R,100,G,200', rgb],
]
for (const [row, written, value] of rows)
  test(`the parameter ${JSON.stringify(row)} that is sent as ${written} has the value ${JSON.stringify(value)}`, async (t) => {
    const place = asObject(row)['in']
    const described = { name: 'p', ...(place === 'path' ? { required: true } : {}), ...row }
    const path = place === 'path' ? '/values/{p}' : '/values'
    const operation = { operationId: 'values', parameters: [described], responses }
    const contract = await loadContract(await writeContract(t, { [path]: { get: operation } }))
    const [values] = contract.operations
    if (!values) throw new Error('There is no operation')
    const headers = place === 'header' ? { p: written } : place === 'cookie' ? { cookie: written } : {}
    const request = { path: place === 'path' ? { p: written } : {}, query: place === 'query' ? written : '', headers }
    const { parameters, violations } = contract.checkRequest(values, request)
    t.deepEqual(violations, [])
    const decoded = Object.values(parameters).flatMap((found) => Object.entries(found))
    t.deepEqual(decoded, value === undefined ? [] : [[asObject(described)['name'], value]])
  })

test('a required property is required in responses if it is readOnly, and not if it is writeOnly', async (t) => {
  const spec = await readSpec()
  const properties = object({ id: { ...text, readOnly: true }, secret: { writeOnly: true } })
  const schema = { allOf: [properties, { required: ['id', 'secret'] }] }
  const operation = (operationId: string, example: object): object => {
    const answers = { 200: body(schema, example), 500: { $ref: '#/components/responses/Failed' } }
    return { get: { operationId, security: [], responses: answers } }
  }
  const paths = { '/whole': operation('whole', { id: 'a' }), '/part': operation('part', { secret: 'x' }) }
  const changed = { ...spec, paths: { ...asObject(spec['paths']), ...paths } }
  const double = await serve(t, { spec: await writeTemporary(t, 'spec.json', changed) })
  excuse(double, 'the independent validator knows nothing of writeOnly')
  const whole = await get(double, '/whole')
  t.deepEqual([whole.status, json(whole)], [200, { id: 'a' }])
  const part = await get(double, '/part')
  t.is(part.status, 200)
  const sent = asObject(json(part))
  t.is(typeof sent['id'], 'string', 'its example lacks the id, so a value is generated')
})
