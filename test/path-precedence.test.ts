import test from 'ava'

import { createPathIndex } from '#src/http/router.js'

import { pluck } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { get, json } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { body, pathParameters, text } from './resources/plants-contract.js'

/** Returns a spec whose operations answer with their path. */
const pathsOf = (paths: readonly string[]): object =>
  Object.fromEntries(
    paths.map((path) => [path, { get: { parameters: pathParameters(path), responses: { 200: body(text, path) } } }]),
  )

test('of several paths that match, the most specific one is served', async (t) => {
  const paths = '/{any}/b /a/{id} /a/{from}...{to} /a/mine /a/{id}/c /a/b/{id} /x/{id} /{any}/{id}'.split(' ')
  const double = await serve(t, { spec: await writeContract(t, pathsOf(paths)), fixture: {} })
  for (const [path, expected] of [
    ['/a/mine', '/a/mine'],
    ['/a/one', '/a/{id}'],
    ['/a/one...two', '/a/{from}...{to}'],
    ['/a/b', '/a/{id}'],
    ['/c/b', '/{any}/b'],
    ['/c/one', '/{any}/{id}'],
    ['/x/b', '/x/{id}'],
    ['/a/b/c', '/a/b/{id}'],
    ['/a/x/c', '/a/{id}/c'],
  ] as const)
    t.is(json(await get(double, path)), expected, path)
  // The contract documents no errors.
  for (const path of ['/a', '/a/x/d']) t.is((await fetch(double.url + path)).status, 404)
})

for (const order of ['get, head', 'head, get'])
  test(`a documented HEAD is a separate operation, with the methods in the order ${order}`, async (t) => {
    const item = {
      get: {
        responses: { 200: { description: 'A text.', content: { 'text/plain': { schema: { type: 'string' } } } } },
      },
      head: { responses: { 204: { description: 'Nothing.' } } },
    }
    const { get: got, head } = item
    const ordered = order === 'get, head' ? { get: got, head } : { head, get: got }
    const double = await serve(t, { spec: await writeContract(t, { '/a': ordered }), fixture: {} })
    const reply = await fetch(`${double.url}/a`, { method: 'HEAD' })
    t.deepEqual([reply.status, reply.headers.get('x-double')], [204, 'mocked'])
    t.is((await fetch(`${double.url}/a`)).status, 200)
    t.deepEqual(pluck((await double.requests()).entries, 'operation'), ['HEAD /a', 'GET /a'])
  })

test('a path is compared only with paths that it may match', (t) => {
  const names = Array.from({ length: 1000 }, (_, index) => `name${index}`)
  const find = createPathIndex(names.flatMap((name) => [`/${name}`, `/${name}/{id}`, `/all/{id}/${name}`]))
  t.deepEqual(find('/name7'), ['/name7'])
  t.deepEqual(find('/name7/x'), ['/name7/{id}'])
  t.deepEqual(find('/all/x/name7'), ['/all/{id}/name7'])
  for (const path of ['/', '', '/name7/', '/name7/x/y', '/constructor', '/__proto__'])
    t.deepEqual(find(path), path === '/name7/' ? ['/name7/{id}'] : [], path)
})
