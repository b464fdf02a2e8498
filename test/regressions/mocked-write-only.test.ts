import test from 'ava'

import { asList, asObject } from '../helpers/as-object-or-list.js'
import { as, get, json } from '../helpers/http.js'
import { serveSpec } from '../helpers/plants-spec.js'
import { excuse } from '../helpers/validate-responses.js'
import { operations } from '../resources/plants-contract.js'

test('a generated response has no writeOnly property', async (t) => {
  const { list } = operations
  const double = await serveSpec(t, {
    onCollection: { get: list },
    onItem: {},
    schema: {
      type: 'object',
      required: ['name', 'password'],
      additionalProperties: false,
      properties: { name: { type: 'string' }, password: { type: 'string', writeOnly: true } },
    },
  })
  excuse(double, 'the independent validator requires what is writeOnly in responses too')
  const reply = await get(double, '/plants', as('ada'))
  t.is(reply.headers['x-double'], 'mocked')
  const plants = asList(json(reply)).map(asObject)
  t.true(plants.length > 0)
  for (const plant of plants) t.deepEqual(Object.keys(plant), ['name'])
})
