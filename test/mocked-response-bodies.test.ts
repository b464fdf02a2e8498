import test from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { excuse, serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, get, json } from './helpers/http.js'
import { serveSpec } from './helpers/plants-spec.js'
import { validSpec } from './helpers/refusals.js'
import { object, operations, text } from './resources/plants-contract.js'

/** The valid contract with a further operation, which is mocked. */
const mockedBy = (response: string): string => {
  const path = `  /x: { get: { operationId: x, responses: { ${response} } } }\n`
  return validSpec.replace('components:\n', (components) => path + components)
}
const ofJson = (media: string): string => `'200': { description: X., content: { application/json: ${media} } }`

/** The response of a mocked operation: title, documented response, and expected body. */
const several = '{ schema: { type: integer }, examples: { a: { value: x }, b: { value: 7 }, c: { value: 8 } } }'
const invalid =
  '{ schema: { type: object, required: [a], properties: { a: { type: integer, minimum: 3 } } }, example: {} }'
const header = 'headers: { x-count: { required: true, schema: { type: integer } } }, content:'
const mocks: Readonly<Record<string, readonly [response: string, status: number, text: RegExp]>> = {
  'the first valid example': [ofJson(several), 200, /^7$/u],
  'a named example that is a reference': [
    `${ofJson("{ schema: { type: integer }, examples: { default: { $ref: '#/paths/~1x/get/responses/404/content/application~1json/examples/value' } } }")}, '404': { description: X., content: { application/json: { examples: { value: { value: 7 } } } } }`,
    200,
    /^7$/u,
  ],
  'an example of the schema': [
    ofJson("{ schema: { type: string, pattern: '^a+$', examples: [b, aa] }, example: b }"),
    200,
    /^"aa"$/u,
  ],
  'a generated value if no example is valid': [ofJson(invalid), 200, /^\{"a":\d+\}$/u],
  'a finite generated value for a recursive schema, and no bound of a format': [
    ofJson(
      "{ schema: { type: object, required: [id], properties: { id: { type: integer, format: int64 }, next: { $ref: '#/paths/~1x/get/responses/200/content/application~1json/schema' } } } }",
    ),
    200,
    /^\{"id":\d/u,
  ],
  'a value for the schema of the default response': [
    ofJson('{ schema: { type: boolean } }').replace("'200'", 'default'),
    200,
    /^(?:true|false)$/u,
  ],
  'a required header': [ofJson('{ schema: {} }').replace('content:', header), 200, /./u],
  text: ["'200': { description: X., content: { 'text/*': { example: Moss. } } }", 200, /^Moss\.$/u],
  'XML without validation': [
    "'200': { description: X., content: { application/xml: { schema: { type: object }, example: <a/> } } }",
    200,
    /^<a\/>$/u,
  ],
  'a 500 if no value is valid': [
    ofJson('{ schema: { type: integer, minimum: 2, maximum: 1 }, example: 1 }'),
    500,
    /No example fits the 200 of x/u,
  ],
}
for (const [title, [response, status, says]] of Object.entries(mocks))
  test(`a mocked operation sends ${title}`, async (t) => {
    const spec = await writeTemporary(t, 'spec.yaml', mockedBy(response))
    const double = await serve(t, { spec, fixture: 'empty' })
    excuse(double, 'its contract is wrong on purpose, or not strict')
    const reply = await get(double, '/x', as('ada'))
    t.is(reply.status, status, reply.text)
    t.regex(reply.text, says)
    t.is(/^\d+$/u.test(reply.headers['x-count'] ?? ''), title === 'a required header')
  })

test('a generated response has no writeOnly property', async (t) => {
  const secret = object({ name: text, password: { ...text, writeOnly: true } }, 'name', 'password')
  const schema = { ...secret, additionalProperties: false }
  const double = await serveSpec(t, { onCollection: { get: operations.list }, onItem: {}, schema })
  excuse(double, 'the independent validator requires what is writeOnly in responses too')
  const reply = await get(double, '/plants', as('ada'))
  t.is(reply.headers['x-double'], 'mocked')
  const plants = asList(json(reply)).map(asObject)
  t.true(plants.length > 0)
  for (const plant of plants) t.deepEqual(Object.keys(plant), ['name'])
})
