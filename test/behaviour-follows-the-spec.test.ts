import test from 'ava'

import { serveChanged } from './helpers/double.js'
import { readFixture, visibleIn, writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, idsSeenBy, json, raw, wire } from './helpers/http.js'

const limit = ['paths', '/insights', 'get', 'parameters', 0]
const deletion = ['paths', '/insights/{id}', 'delete', 'responses']

for (const status of [200, 202, 205])
  test(`a delete gets ${status} without a body if the spec documents ${status}`, async (t) => {
    const double = await serveChanged(t, (spec) => {
      spec.deleteIn([...deletion, '204'])
      spec.setIn([...deletion, String(status)], { description: 'Deleted.' })
    })
    const request = wire('DELETE /insights/monstera-watering', ['Authorization: Bearer ada-token', 'Connection: close'])
    t.like(await raw(double, request), { status, text: '', headers: { 'content-type': undefined } })
    t.false((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
    assertError(t, await del(double, '/insights/monstera-watering', as('ada')), 404)
  })

test('a listing gets 203 if the spec documents 203', async (t) => {
  const double = await serveChanged(t, (spec) => {
    const responses = ['paths', '/insights', 'get', 'responses']
    spec.setIn([...responses, '203'], spec.getIn([...responses, '200']))
    spec.deleteIn([...responses, '200'])
  })
  const reply = await get(double, '/insights', as('ada'))
  t.is(reply.status, 203)
  t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'ada'))
})

/** A keyword of limit in the spec, its value, a limit that it refuses, and the rule in the message. */
const bounds: readonly (readonly [keyword: string, bound: number, refused: string, rule: string])[] = [
  ['maximum', 100, '101', 'from 1 to 100'],
  ['maximum', 1, '2', 'from 1 to 1'],
  ['minimum', 2, '1', 'from 2 to 2147483647'],
]
for (const [keyword, bound, refused, rule] of bounds)
  test(`limit must be an integer ${rule} if its ${keyword} is ${bound}`, async (t) => {
    const double = await serveChanged(t, (spec) => spec.setIn([...limit, 'schema', keyword], bound))
    t.is((await get(double, `/insights?limit=${bound}`, as('ada'))).status, 200)
    const message = `Query parameter limit must be an integer ${rule}, got "${refused}".`
    assertError(t, await get(double, `/insights?limit=${refused}`, as('ada')), 400, message)
  })

test('a limit of 0 is valid if its minimum is 0, and lists nothing', async (t) => {
  const double = await serveChanged(t, (spec) => spec.setIn([...limit, 'schema', 'minimum'], 0))
  t.like(await get(double, '/insights?limit=0', as('ada')), { status: 200, text: '[]' })
})

test('a request without a required limit is refused', async (t) => {
  const double = await serveChanged(t, (spec) => spec.setIn([...limit, 'required'], true))
  const message = 'Query parameter limit is required, and must be an integer from 1 to 2147483647.'
  assertError(t, await get(double, '/insights', as('ada')), 400, message)
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 200)
})

test('the error about a parameter has the rule that its value breaks: the length or the pattern', async (t) => {
  const double = await serveChanged(t, (spec) => {
    const schema = { type: 'string', pattern: '^[a-z]+$', minLength: 7 }
    spec.addIn(limit.slice(0, -1), { name: 'near', in: 'query', schema })
  })
  const answered = async (near: string, message: string): Promise<void> =>
    assertError(t, await get(double, `/insights?near=${near}`, as('ada')), 400, message)
  await answered('none', 'Query parameter near must NOT have fewer than 7 characters, got "none".')
  await answered('7777777', 'Query parameter near must match ^[a-z]+$, got "7777777".')
})

const weighed = {
  $callers: { ada: { token: 'ada-token' } },
  insights: [{ id: 'moss', content: 'Moss is heavier than it looks.', weight: 12.5 }],
}

test('a new property of Insight is accepted in a fixture, and is sent', async (t) => {
  const fixture = await writeTemporary(t, 'weighed.json', JSON.stringify(weighed))
  const weight = ['components', 'schemas', 'Insight', 'properties', 'weight']
  const double = await serveChanged(t, (spec) => spec.setIn(weight, { type: 'number' }), { fixture })
  t.deepEqual(json(await get(double, '/insights', as('ada'))), weighed.insights)
})

test('the double serves the paths of the spec, and no others', async (t) => {
  const double = await serveChanged(t, (spec) => {
    for (const path of ['/insights', '/insights/{id}']) {
      spec.setIn(['paths', `/v2${path}`], spec.getIn(['paths', path]))
      spec.deleteIn(['paths', path])
    }
  })
  t.is((await get(double, '/v2/insights', as('ada'))).status, 200)
  const message = 'There is no path "/insights". The contract has /v2/insights, /v2/insights/{id}.'
  assertError(t, await get(double, '/insights', as('ada')), 404, message)
  t.is((await del(double, '/v2/insights/monstera-watering', as('ada'))).status, 204)
})

test('an id follows the schema of the spec', async (t) => {
  const double = await serveChanged(t, (spec) => {
    spec.setIn(['components', 'schemas', 'InsightId', 'pattern'], '^[a-z0-9-]+$')
  })
  const message = 'Path parameter id must match ^[a-z0-9-]+$, got "A.b".'
  assertError(t, await del(double, '/insights/A.b', as('ada')), 400, message)
  t.is((await del(double, '/insights/monstera-watering', as('ada'))).status, 204)
})
