import test from 'ava'
import type { Document } from 'yaml'

import { asObject, changedSpec, serve, serveChanged } from './helpers/double.js'
import type { Headers } from './helpers/http.js'
import { as, assertError, ask, get, idsSeenBy, json, raw, violationsOf, wire } from './helpers/http.js'
import { excuse } from './helpers/judged.js'

const listing = ['paths', '/insights', 'get', 'responses']
const listed = [...listing, '200', 'content', 'application/json', 'schema']
const deletion = ['paths', '/insights/{id}', 'delete', 'responses']
const errorSchema = ['components', 'schemas', 'Error', 'properties']

interface Row {
  readonly title: string
  readonly change: (spec: Document) => void
  readonly method: 'GET' | 'DELETE'
  readonly path: string
  readonly headers?: Headers
  /** What the message has to name: the place and the rule. */
  readonly says: readonly RegExp[]
}
const content = { 'application/json': { schema: { type: 'object' } } }
const rows: readonly Row[] = [
  {
    title: 'a listing longer than the contract allows',
    change: (spec) => spec.setIn([...listed, 'maxItems'], 1),
    method: 'GET',
    path: '/insights',
    headers: as('ada'),
    says: [/\b1 items?\b/u, /more than/u],
  },
  {
    title: 'a field longer than the contract allows',
    change: (spec) =>
      spec.setIn([...listed, 'items'], { type: 'object', properties: { content: { type: 'string', maxLength: 9 } } }),
    method: 'GET',
    path: '/insights',
    headers: as('ada'),
    says: [/0\W+content\b/u, /more than 9 characters/u],
  },
  {
    title: 'a field that the contract demands and is not there',
    change: (spec) => spec.setIn([...listed, 'items'], { type: 'object', required: ['weight'] }),
    method: 'GET',
    path: '/insights',
    headers: as('ada'),
    says: [/'weight'/u, /required/u],
  },
  {
    title: 'a field that the contract does not allow',
    change: (spec) => spec.setIn([...listed, 'items'], { properties: { content: {} }, additionalProperties: false }),
    method: 'GET',
    path: '/insights',
    headers: as('ada'),
    says: [/'(?:id|title|tag|source|createdAt)'|additional properties/u],
  },
  {
    title: 'a listing sent as another media type than documented',
    change: (spec) => spec.setIn([...listing, '200', 'content'], { 'application/problem+json': { schema: {} } }),
    method: 'GET',
    path: '/insights',
    headers: as('ada'),
    says: [/application\/problem\+json/u, /got application\/json/u],
  },
  {
    title: 'a body where none is documented',
    change: (spec) => spec.deleteIn([...listing, '200', 'content']),
    method: 'GET',
    path: '/insights',
    headers: as('ada'),
    says: [/200/u, /has no body, got one/u],
  },
  {
    title: 'no body where one is documented',
    change: (spec) => {
      spec.deleteIn([...deletion, '204'])
      spec.setIn([...deletion, '200'], { description: 'Deleted.', content })
    },
    method: 'DELETE',
    path: '/insights/monstera-watering',
    headers: as('ada'),
    says: [/200 of deleteInsight/u, /must have a body, got none/u],
  },
  {
    title: 'a 400 that is not documented',
    change: (spec) => spec.deleteIn([...listing, '400']),
    method: 'GET',
    path: '/insights?limit=abc',
    headers: as('ada'),
    says: [/\b400\b/u, /not documented for listInsights/u],
  },
  {
    title: 'a 401 that is not documented',
    change: (spec) => spec.deleteIn([...listing, '401']),
    method: 'GET',
    path: '/insights',
    says: [/\b401\b/u, /not documented for listInsights/u],
  },
  {
    title: 'a 404 that is not documented',
    change: (spec) => spec.deleteIn([...deletion, '404']),
    method: 'DELETE',
    path: '/insights/never-was',
    headers: as('ada'),
    says: [/\b404\b/u, /not documented for deleteInsight/u],
  },
  {
    title: 'an Error with a message that breaks its schema',
    change: (spec) => spec.setIn([...errorSchema, 'message', 'maxLength'], 3),
    method: 'GET',
    path: '/insights',
    says: [/message/u, /more than 3 characters/u],
  },
  {
    title: 'an Error with a number that breaks its schema',
    change: (spec) => spec.setIn([...errorSchema, 'error', 'minimum'], 402),
    method: 'GET',
    path: '/insights',
    says: [/error/u, />= 402/u],
  },
  {
    title: 'a header that breaks its schema',
    change: (spec) =>
      spec.setIn(
        ['components', 'responses', 'Unauthorized', 'headers', 'WWW-Authenticate', 'schema', 'enum'],
        ['Basic'],
      ),
    method: 'GET',
    path: '/insights',
    says: [/www-authenticate/iu, /Basic|allowed values/u],
  },
]
for (const { change, headers, method, path, says, title } of rows) {
  test(`${title} is never sent: a 500 says so, and nothing is changed`, async (t) => {
    const double = await serveChanged(t, change)
    excuse(double, 'a 500 says what failed, in an Error that the changed spec may not allow')
    const reply = await ask(double, method, path, headers)
    assertError(t, reply, 500)
    const message = String(asObject(json(reply))['message'])
    t.regex(message, /would break the contract/u)
    t.regex(message, new RegExp(method === 'GET' ? 'listInsights' : 'deleteInsight', 'u'))
    for (const part of says) t.regex(message, part)
    t.true(violationsOf(reply).some(({ location }) => Array.isArray(location) && location[0] === 'response'))
    // A second time it is refused again: no verdict is forgotten, and no half of a change has stayed.
    assertError(t, await ask(double, method, path, headers), 500, message)
  })
}

test('a delete whose reply would break the contract leaves the insight', async (t) => {
  const double = await serveChanged(t, (spec) => {
    spec.deleteIn([...deletion, '204'])
    spec.setIn([...deletion, '200'], { description: 'Deleted.', content })
  })
  const before = await idsSeenBy(double, 'ada')
  assertError(t, await ask(double, 'DELETE', '/insights/monstera-watering', as('ada')), 500)
  t.deepEqual(await idsSeenBy(double, 'ada'), before)
})

test('of a listing that may hold one insight, one is sent', async (t) => {
  const double = await serveChanged(t, (spec) => {
    spec.setIn([...listed, 'maxItems'], 1)
  })
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 200)
  assertError(t, await get(double, '/insights?limit=2', as('ada')), 500)
})

test('a HEAD is checked like the GET it stands for', async (t) => {
  const spec = await changedSpec(t, (document) => {
    document.setIn([...listed, 'maxItems'], 1)
  })
  const double = await serve(t, { spec })
  const request = wire('HEAD /insights', ['Authorization: Bearer ada-token', 'Connection: close'])
  t.is((await raw(double, request)).status, 500)
})
