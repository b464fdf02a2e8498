import test from 'ava'
import type { Document } from 'yaml'

import { asObject } from './helpers/as-object-or-list.js'
import { excuse, serveChanged } from './helpers/double.js'
import { as, ask, assertError, get, json, rawAs, violationsOf } from './helpers/http.js'

const listing = ['paths', '/insights', 'get', 'responses']
const listed = [...listing, '200', 'content', 'application/json', 'schema']
const deletion = ['paths', '/insights/{id}', 'delete', 'responses']
const errorSchema = ['components', 'schemas', 'Error', 'properties']
const unauthorized = ['components', 'responses', 'Unauthorized']

type Change = (spec: Document) => void

const bounded =
  (keyword: string, bound: number): Change =>
  (spec) =>
    spec.setIn([...listed, keyword], bound)
/** Requires a header field that the double sends only in responses of a create. */
const demanding =
  (responses: readonly string[], status: string): Change =>
  (spec) =>
    spec.setIn([...responses, status, 'headers'], { Location: { required: true, schema: { type: 'string' } } })
/** Responses that break the changed contract, with the expected parts of the message: the place and the rule. */
const rows: Readonly<Record<string, readonly [line: string, change: Change, ...says: readonly RegExp[]]>> = {
  'a listing longer than the contract allows': ['GET /insights', bounded('maxItems', 1), /\b1 items?\b/u, /more than/u],
  'a listing that is too short': ['GET /insights', bounded('minItems', 20), /\b20 items?\b/u, /fewer than/u],
  'a listing without a required header': ['GET /insights', demanding(listing, '200'), /location/iu, /required/u],
  'a delete without a required header': [
    'DELETE /insights/monstera-watering',
    demanding(deletion, '204'),
    /location/iu,
    /required/u,
  ],
}
for (const [title, [line, change, ...says]] of Object.entries(rows))
  test(`${title} is not sent: the response is a 500, and nothing changes`, async (t) => {
    const double = await serveChanged(t, change)
    const [method = '', path = ''] = line.split(' ')
    excuse(double, 'a 500 says what failed, in an Error that the changed spec may not allow')
    const reply = await ask(double, method, path, as('ada'))
    assertError(t, reply, 500)
    const message = String(asObject(json(reply))['message'])
    t.regex(message, /would break the contract/u)
    t.regex(message, new RegExp(method === 'GET' ? 'listInsights' : 'deleteInsight', 'u'))
    for (const part of says) t.regex(message, part)
    t.true(violationsOf(reply).some(({ location }) => Array.isArray(location) && location[0] === 'response'))
    // The second request is refused too: no part of the change remains, and what was to be deleted is there.
    assertError(t, await ask(double, method, path, as('ada')), 500, message)
  })

/** Contracts whose 401 differs from that of the double, with the expected 401. */
const errors: Readonly<Record<string, readonly [change: Change, body: RegExp, mediaType: string]>> = {
  'a shorter message': [
    (spec) => spec.setIn([...errorSchema, 'message', 'maxLength'], 3),
    /^\{"error":401,"message":"No "\}$/u,
    'application/json',
  ],
  'another value of error': [
    (spec) => spec.setIn([...errorSchema, 'error', 'minimum'], 402),
    /^\{"error":402,"message":"No bearer token\./u,
    'application/json',
  ],
  'another media type': [
    (spec) => {
      const content = [...unauthorized, 'content']
      spec.setIn([...content, 'application/problem+json'], spec.getIn([...content, 'application/json']))
      spec.deleteIn([...content, 'application/json'])
    },
    /^\{"error":401,"message":"No bearer token\./u,
    'application/problem+json',
  ],
  'a header with another value': [
    (spec) => spec.setIn([...unauthorized, 'headers', 'WWW-Authenticate', 'schema', 'enum'], ['Basic']),
    /^\{"error":401,"message":"No bearer token\./u,
    'application/json',
  ],
}
for (const [title, [change, body, mediaType]] of Object.entries(errors))
  test(`a 401 keeps its status if the contract documents ${title}`, async (t) => {
    const double = await serveChanged(t, change)
    excuse(double, 'a header cannot be made to fit')
    const reply = await ask(double, 'GET', '/insights')
    t.is(reply.status, 401)
    t.regex(reply.text, body)
    t.is(reply.headers['content-type'], mediaType)
    t.true(violationsOf(reply).every(({ severity }) => severity === 'Warning'))
  })

test('a listing with maxItems 1 is sent with limit=1', async (t) => {
  const double = await serveChanged(t, bounded('maxItems', 1))
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 200)
  assertError(t, await get(double, '/insights?limit=2', as('ada')), 500)
})

test('a HEAD is validated like the GET of its path', async (t) => {
  const double = await serveChanged(t, bounded('maxItems', 1))
  t.is((await rawAs(double, 'ada', 'HEAD /insights')).status, 500)
})

for (const [status, where, method, path, headers] of [
  [400, listing, 'GET', '/insights?limit=abc', as('ada')],
  [401, listing, 'GET', '/insights', {}],
  [404, deletion, 'DELETE', '/insights/never-was', as('ada')],
] as const)
  test(`a ${status} that is not documented is sent unchanged, with a warning`, async (t) => {
    const double = await serveChanged(t, (spec) => spec.deleteIn([...where, String(status)]))
    excuse(double, 'the independent validator refuses a status that is not documented')
    const reply = await ask(double, method, path, headers)
    assertError(t, reply, status)
    const found = violationsOf(reply).filter(({ code }) => code === 'undocumented')
    t.like(found, [{ severity: 'Warning' }])
  })
