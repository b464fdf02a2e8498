import { METHODS } from 'node:http'
import { join } from 'node:path'

import test from 'ava'

import { createPathIndex } from '#src/http/router.js'

import { pluck } from './helpers/as-object-or-list.js'
import { excuse, serve, testOnDouble } from './helpers/double.js'
import { packageFolder, readFixture, visibleIn } from './helpers/files.js'
import { assertError, get, json, raw, rawAs, violationsOf, wire } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { body, pathParameters, text } from './resources/plants-contract.js'

const credential = ['Authorization: Bearer ada-token', 'Connection: close']
const malformed =
  'The request target is not a path such as /orders. Percent-encode every character that is not visible ASCII.'

const unknown = `/Insights /INSIGHTS /insight /insightsx /insights/ /insights// //insights /// /insights/a/ /insights/a/b
  /insights//a /./insights /../insights /insights/./ /x/../insights /%2Finsights /insights%2F /insights%2Fa
  /insights%3Flimit=1 /insights;v=1 /insights.json /insights&limit=1 /%E0%A4%A /% /constructor /__proto__ /favicon.ico/`
for (const path of unknown.split(/\s+/u))
  testOnDouble(`the path ${path} does not exist`, async (t, double) => {
    for (const method of ['GET', 'DELETE', 'POST']) {
      const reply = await rawAs(double, 'ada', `${method} ${path}`)
      const message = `There is no path ${JSON.stringify(path)}. The contract has /insights, /insights/{id}.`
      assertError(t, reply, 404, message)
      t.is(reply.headers['allow'], undefined)
    }
  })

for (const path of ['/insights', '/insights/monstera-watering']) {
  const allow = path === '/insights' ? 'GET, HEAD, OPTIONS' : 'DELETE, OPTIONS'
  testOnDouble(`${path} allows ${allow} and refuses every other method`, async (t, double) => {
    const others = METHODS.filter((method) => !allow.split(', ').includes(method))
    t.true(others.includes('CONNECT') && others.includes('TRACE') && others.length > 25)
    for (const method of others) {
      const reply = await rawAs(double, 'ada', `${method} ${path}`)
      t.is(reply.headers['allow'], allow, method)
      if (method === 'HEAD') t.is(reply.status, 405)
      else assertError(t, reply, 405, `${method} is not a method of ${path}. Allowed: ${allow}.`)
    }
    t.deepEqual(json(await rawAs(double, 'ada', 'GET /insights')), visibleIn(await readFixture('default.json'), 'ada'))
  })

  testOnDouble(`OPTIONS ${path} lists the allowed methods without a credential`, async (t, double) => {
    const reply = await raw(double, wire(`OPTIONS ${path}`, ['Connection: close']))
    t.like(reply, { status: 204, headers: { allow, 'content-type': undefined }, text: '' })
  })
}

testOnDouble('an unknown method is malformed HTTP', async (t, double) => {
  for (const method of ['get', 'Get', 'GETT', 'FOO'])
    assertError(t, await rawAs(double, 'ada', `${method} /insights`), 400)
})

testOnDouble('CONNECT to another host is refused', async (t, double) => {
  const reply = await raw(double, wire('CONNECT example.com:443', ['Connection: close']))
  assertError(t, reply, 400, malformed)
})

testOnDouble('OPTIONS * gets a 204 with OPTIONS among the methods of the server', async (t, double) => {
  const reply = await raw(double, wire('OPTIONS *', ['Connection: close']))
  t.is(reply.status, 204)
  t.regex(reply.headers['allow'] ?? '', /\bOPTIONS\b/u)
})

testOnDouble('OPTIONS on an unknown path is a 404', async (t, double) => {
  assertError(t, await raw(double, wire('OPTIONS /nowhere', ['Connection: close'])), 404)
})

for (const target of ['http://127.0.0.1', 'http://localhost:4010', 'HTTP://other.example', 'https://[::1]:1'])
  testOnDouble(`an absolute target may begin with ${target}`, async (t, double) => {
    const reply = await rawAs(double, 'ada', `GET ${target}/insights?limit=2`)
    t.is(reply.status, 200)
    t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'ada').slice(0, 2))
    const wrong = await rawAs(double, 'ada', `GET ${target}/insights?limit=abc`)
    assertError(t, wrong, 400, 'Query parameter limit must be an integer from 1 to 2147483647, got "abc".')
  })

testOnDouble('an absolute target without a path has the path /', async (t, double) => {
  for (const target of ['http://127.0.0.1', 'http://127.0.0.1/', 'http://127.0.0.1?limit=1'])
    t.is((await rawAs(double, 'ada', `GET ${target}`)).headers['x-error-code'], undefined)
  assertError(t, await rawAs(double, 'ada', 'GET http://127.0.0.1/x'), 404)
})

for (const target of ['http://[/', 'http://[/insights', 'http:///insights', 'http://a b/insights'])
  testOnDouble(`the target ${target} has no valid host and is refused`, async (t, double) => {
    assertError(t, await rawAs(double, 'ada', `GET ${target}`), 400)
  })

for (const target of ['?limit=1', 'insights', '#', '', 'ftp://127.0.0.1/insights', 'file:///insights', '/a b'])
  testOnDouble(`the target "${target}" is not a path and is refused`, async (t, double) => {
    assertError(t, await rawAs(double, 'ada', `GET ${target}`), 400)
  })

for (const target of ['/insights#top', '/insights?limit=1#top', '/insights/\u00E9', '/insights?\u00FF=1'])
  testOnDouble(`the target ${target} has characters that must be encoded and is refused`, async (t, double) => {
    const reply = await raw(double, Buffer.from(wire(`GET ${target}`, credential), 'latin1'))
    // Node's parser refuses bytes beyond ASCII, with its own message.
    assertError(t, reply, 400, target.includes('#') ? malformed : undefined)
    t.is(violationsOf(reply)[0]?.['severity'], 'Error')
  })

testOnDouble('a very long target gets a 404 too', async (t, double) => {
  assertError(t, await rawAs(double, 'ada', `GET /${'a'.repeat(10_000)}`), 404)
})

testOnDouble('a request to upgrade the protocol is served without the upgrade', async (t, double) => {
  const upgrade = ['Authorization: Bearer ada-token', 'Connection: Upgrade', 'Upgrade: websocket']
  const reply = await raw(double, wire('GET /insights', upgrade))
  t.is(reply.status, 200)
  t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'ada'))
})

test('every operation is also served under the base path of each server, and Location has the base path of the request', async (t) => {
  const double = await serve(t, { spec: join(packageFolder, 'test/specs/errors.yaml'), fixture: {} })
  excuse(double, 'the independent validator does not know base paths')
  const sandbox = await double.sandbox()
  const bases = ['', '/v1', '/v1/beta', '/x'].map((path) => double.url + path)
  for (const base of [...bases, `${sandbox.url}/v1`]) {
    const headers = { 'content-type': 'application/json' }
    const created = await fetch(`${base}/things`, { method: 'POST', headers, body: '{"name":"one"}' })
    t.is(created.status, 201, base)
    const location = created.headers.get('location') ?? ''
    t.true(location.startsWith(`${new URL(base).pathname.replace(/\/$/u, '')}/things/thing-`), location)
    t.is((await fetch(new URL(location, base))).status, 200)
    t.is((await fetch(`${base}/things?x=1`)).status, 200)
    t.is((await fetch(`${base}/things`, { method: 'PUT' })).status, 405)
  }
  for (const path of ['/v1', '/v2/things', '/v1things', '/v1/v1/things', '/v1/nowhere'])
    t.is((await get(double, path)).status, 404, path)
  t.is((await double.state())['things']?.length, 4)
})

/** Returns a spec whose operations answer with their path. */
const pathsOf = (paths: readonly string[]): object => {
  const operation = (path: string) => ({ parameters: pathParameters(path), responses: { 200: body(text, path) } })
  return Object.fromEntries(paths.map((path) => [path, { get: operation(path) }]))
}

test('of several paths that match, the most specific one is served', async (t) => {
  const paths = '/{any}/b /a/{id} /a/{from}...{to} /a/mine /a/{id}/c /a/b/{id} /x/{id} /{any}/{id}'.split(' ')
  const double = await serve(t, { spec: await writeContract(t, pathsOf(paths)), fixture: {} })
  const served = {
    '/a/mine': '/a/mine',
    '/a/one': '/a/{id}',
    '/a/one...two': '/a/{from}...{to}',
    '/a/b': '/a/{id}',
    '/c/b': '/{any}/b',
    '/c/one': '/{any}/{id}',
    '/x/b': '/x/{id}',
    '/a/b/c': '/a/b/{id}',
    '/a/x/c': '/a/{id}/c',
  }
  for (const [path, expected] of Object.entries(served)) t.is(json(await get(double, path)), expected, path)
  // The contract documents no errors.
  for (const path of ['/a', '/a/x/d']) t.is((await fetch(double.url + path)).status, 404)
})

for (const order of ['get, head', 'head, get'])
  test(`a documented HEAD is a separate operation, with the methods in the order ${order}`, async (t) => {
    const got = { responses: { 200: { description: 'A text.', content: { 'text/plain': { schema: text } } } } }
    const head = { responses: { 204: { description: 'Nothing.' } } }
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

const withBody = ['Authorization: Bearer ada-token', 'Content-Length: 2']
/** Requests with two errors. The response is about the error that is checked first. */
const ordered: readonly (readonly [title: string, status: number, lines: readonly string[], body?: string])[] = [
  ['an unknown path is reported before a missing token', 404, ['GET /nowhere']],
  ['an unknown path is reported before an undocumented body', 404, ['GET /nowhere', 'Content-Length: 2'], '{}'],
  ['a wrong method is reported before a missing token', 405, ['POST /insights']],
  ['a wrong method is reported before a wrong id', 405, ['GET /insights/a%20b']],
  ['a missing token is reported before a wrong limit', 401, ['GET /insights?limit=abc']],
  ['a missing token is reported before a wrong id', 401, ['DELETE /insights/a%20b']],
  ['a missing token is reported before an id that cannot be decoded', 401, ['DELETE /insights/%']],
  ['a missing token is reported before an unknown id', 401, ['DELETE /insights/never-was']],
  ['a missing token is reported before an undocumented body', 401, ['GET /insights', 'Content-Length: 2'], '{}'],
  ['an unknown token is reported before a wrong limit', 401, ['GET /insights?limit=0', 'Authorization: Bearer x']],
  ['a wrong id is reported before an unknown one', 400, ['DELETE /insights/a%20b', 'Authorization: Bearer ada-token']],
  ['an undocumented body is reported before an unknown id', 400, ['DELETE /insights/never-was', ...withBody], '{}'],
]
for (const [title, status, [line = '', ...headers], sent] of ordered)
  testOnDouble(title, async (t, double) => {
    const reply = await raw(double, wire(line, [...headers, 'Connection: close'], sent))
    assertError(t, reply, status)
    t.is(reply.headers['www-authenticate'] !== undefined, status === 401)
    t.is(reply.headers['allow'] !== undefined, status === 405)
  })
