/** Swagger 2.0 is converted to OpenAPI 3.0; OpenAPI 3.2 is enforced, or the start names what is not. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'
import { ProblemsError } from 'insights-double'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { run } from './helpers/cli.js'
import { excuse, serve, startDouble } from './helpers/double.js'
import { packageFolder, readPackageYaml, writeTemporary } from './helpers/files.js'
import { ask, get, json, sendJson } from './helpers/http.js'
import { placesIn, replaceOnce, unmarked } from './helpers/refusals.js'

const swagger = join(packageFolder, 'test/specs/swagger.yaml')
const openApi32 = join(packageFolder, 'test/specs/openapi-3.2.yaml')
const noValidator = 'The validator of the tests reads OpenAPI 3.0 and 3.1.'

test('a converted contract is the expected document, and explain names the lines of the original', async (t) => {
  const double = await serve(t, { spec: swagger })
  const sent = asObject(await (await fetch(`${double.url}/openapi.json`)).json())
  t.deepEqual(sent, await readPackageYaml('test/specs/swagger.converted.yaml'))
  const lines = (await readFile(swagger, 'utf8')).split('\n')
  const { stdout } = await run(t, ['explain', '--json', swagger])
  const operations = asList(asObject(JSON.parse(stdout))['operations']).map(asObject)
  t.is(operations.length, 7)
  for (const { line, method, operation } of operations) {
    t.is(lines[Number(line) - 1]?.trim(), `${String(method).toLowerCase()}:`)
    t.is(lines[Number(line)]?.trim(), `operationId: ${String(operation)}`)
  }
})

/** Requests to the converted contract, and the status of each. */
const requests: readonly (readonly [string, status: number, form?: Readonly<Record<string, string>>])[] = [
  ['/v2/books?tags=new,old', 200],
  ['/books?tags=new,bad', 400],
  ['/books?ids=1&ids=2', 200],
  ['/books?ids=1,2', 400],
  ['/books?pages=1|2', 200],
  ['/books?pages=1,2', 400],
  ['/books?limit=0', 400],
  ['/books/none', 404],
  ['/shelves/UP/covers', 400, { note: 'a' }],
  ['/shelves/up/covers', 204, { note: 'short' }],
  ['/shelves/up/covers', 400, { note: 'too long' }],
]

test('parameters and forms of Swagger are enforced as Swagger says', async (t) => {
  const { url } = await serve(t, { spec: swagger })
  for (const [path, status, form] of requests) {
    const headers = { 'x-api-key': 'demo-token' }
    const sent = form ? { method: 'PUT', body: new URLSearchParams(form), headers } : { headers }
    t.is((await fetch(`${url}${path}`, sent)).status, status, path)
  }
  const cover = new FormData()
  cover.set('cover', new Blob(['x']), 'x.png')
  cover.set('sizes', '1')
  cover.append('sizes', '2')
  const headers = { authorization: 'Bearer demo-token' }
  const upload = await fetch(`${url}/shelves/up/covers`, { method: 'POST', body: cover, headers })
  t.is(upload.status, 200)
  t.regex(upload.headers.get('content-type') ?? '', /^text\/plain/u)
  t.is((await fetch(`${url}/books`, { headers: { authorization: `Basic ${btoa('demo:demo')}` } })).status, 200)
  t.is((await fetch(`${url}/books`)).status, 401)
})

/** A change of the Swagger document with a mark at the place of the problem, and the problem. */
const refusals: Readonly<Record<string, readonly [part: RegExp, by: string, problem: string]>> = {
  'an invalid keyword in a body': [/minLength: 2/u, 'minLength: ▸two', 'minLength is "two"'],
  'an invalid keyword of a parameter': [/minimum: 1/u, 'minimum: ▸one', 'minimum is "one"'],
  'an unknown parameter': [/'#\/parameters\/body'/u, "▸'#/parameters/none'", '"#/parameters/none" points at nothing'],
  'an unknown type of a security scheme': [/\{ type: basic \}/u, '▸{ type: basics }', 'has the type "basics"'],
}

for (const [title, [part, by, problem]] of Object.entries(refusals))
  test(`${title} of Swagger is refused at its place`, async (t) => {
    const text = (await readFile(swagger, 'utf8')).replace(part, () => by)
    const [place] = placesIn(text)
    const spec = await writeTemporary(t, 'swagger.yaml', unmarked(text))
    const error = await t.throwsAsync(startDouble({ spec }), { instanceOf: ProblemsError })
    t.true(error?.message.startsWith(`${spec}:${place?.line}:${place?.column}  `), error?.message)
    t.true(error?.message.includes(problem), error?.message)
  })

test('what Swagger has and OpenAPI 3 does not is named, and --strict refuses it', async (t) => {
  const text = replaceOnce(await readFile(swagger, 'utf8'), 'collectionFormat: pipes', 'collectionFormat: tsv')
  const spec = await writeTemporary(t, 'swagger.yaml', text)
  const { stdout } = await run(t, ['check', spec])
  t.regex(stdout, /swagger\.yaml:\d+:\d+ .*collectionFormat "tsv" is read as csv/u)
  t.is((await run(t, ['check', '--strict', spec])).code, 1)
})

test('a required header Authorization of Swagger is a bearer token, and a schema may be that of a parameter', async (t) => {
  const text = `swagger: '2.0'
info: { title: Tasks, version: 1.0.0 }
paths:
  /tasks:
    get:
      produces: [application/json]
      parameters: [{ name: Authorization, in: header, required: true, type: string }, { name: limit, in: query, schema: { $ref: '#/parameters/Limit' } }]
      responses:
        '200': { description: X., schema: { type: array, items: { type: object } } }
        '401': { description: X. }
parameters:
  Limit: { name: limit, in: query, type: integer }
`
  const spec = await writeTemporary(t, 'swagger.yaml', text)
  const { stdout } = await run(t, ['check', spec])
  t.regex(stdout, /swagger\.yaml:7:20 .*counts as a bearer token {2}describe it by security/u)
  const double = await serve(t, { spec })
  excuse(double, 'the 401 has no body')
  t.is((await get(double, '/tasks')).status, 401)
  t.is((await get(double, '/tasks?limit=1', { authorization: 'Bearer demo-token' })).status, 200)
  // A schema may refer to a parameter, whose schema it is.
  t.is((await get(double, '/tasks?limit=x', { authorization: 'Bearer demo-token' })).status, 400)
})

test('OpenAPI 3.2: QUERY, additional methods, $self, the query as a form and data values of examples', async (t) => {
  const double = await serve(t, { spec: openApi32 })
  excuse(double, noValidator)
  t.is((await sendJson(double, 'QUERY', '/things', { name: 'x' })).status, 200)
  t.is((await sendJson(double, 'QUERY', '/things', {})).status, 400)
  t.is((await ask(double, 'PURGE', '/things')).status, 204)
  t.is((await ask(double, 'COPY', '/things')).status, 405)
  t.is((await get(double, '/things?limit=0')).status, 400)
  t.is((await get(double, '/things?limit=1')).status, 200)
  t.deepEqual(json(await get(double, '/things', { prefer: 'example=a' })), [{ id: 'a' }])
  t.is((await sendJson(double, 'POST', '/things', {})).status, 405)
})

test('OpenAPI 3.2: what is not enforced is named with its line', async (t) => {
  const { stdout } = await run(t, ['check', openApi32])
  const named = stdout.split('\n').map((line) => line.replace(/^.*openapi-3\.2\.yaml/u, ''))
  t.regex(named[1] ?? '', /^:27:34 .*itemSchema of application\/jsonl is not enforced/u)
  t.regex(named[2] ?? '', /^:\d+:7 .*Fold \/things is not served: Node\.js does not know the method/u)
  t.is(named[3], '2 not enforced')
})
