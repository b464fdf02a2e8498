import test, { type ExecutionContext } from 'ava'
import type { Explanation } from 'insights-double'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, run, serveByCommand } from './helpers/cli.js'
import { control, excuse, serve, type Served, startDouble } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, del, get, json, violationsOf } from './helpers/http.js'
import { assertRefused, linesOf, type Refusal, replaceOnce, specs, unmarked, validSpec } from './helpers/refusals.js'

const id = 'id: { type: string }'
const inPaths = (by: string): string => replaceOnce(validSpec, 'components:\n', `  ${by}\ncomponents:\n`)

/** A fixture that fits any contract, because it has no records. */
const onlyCallers = (t: ExecutionContext): Promise<string> =>
  writeTemporary(t, 'callers.json', '{"$callers":{"ada":{"token":"ada-token"}}}')

for (const { marked, title } of specs.notEnforced)
  test(`a spec with ${title} is served`, async (t) => {
    const spec = await writeTemporary(t, 'spec.yaml', unmarked(marked))
    const double = await serve(t, { spec, fixture: await onlyCallers(t) })
    excuse(double, 'the independent validator compiles schemas strictly')
    t.is((await get(double, '/insights', as('ada'))).status, 200)
  })

test('what is read as it is meant is enforced so', async (t) => {
  const exclusive = replaceOnce(validSpec, 'minimum: 1', 'minimum: 1, exclusiveMinimum: true')
  const meant = replaceOnce(replaceOnce(exclusive, '/insights/{id}:', '/insights/:id:'), '{ name: id,', '{ name: ID,')
  const spec = await writeTemporary(t, 'spec.yaml', meant)
  const double = await serve(t, { spec, fixture: await onlyCallers(t) })
  excuse(double, 'the contract documents no refusal')
  t.is((await get(double, '/insights?limit=1', as('ada'))).status, 400)
  t.is((await get(double, '/insights?limit=2', as('ada'))).status, 200)
  t.is((await del(double, '/insights/A1', as('ada'))).status, 400)
  t.is((await del(double, '/insights/a', as('ada'))).status, 404)
})

test('a start with strict refuses parts that are not enforced', async (t) => {
  const [refusal] = specs.notEnforced as [Refusal]
  const spec = await writeTemporary(t, 'spec.yaml', unmarked(refusal.marked))
  const fixture = await onlyCallers(t)
  await assertRefused(t, refusal, spec, () => startDouble({ spec, fixture, strict: true }))
})

test('check prints a line for each part that is not enforced, and passes; with --strict it fails', async (t) => {
  const texts = specs.notEnforced.map(({ marked }) => unmarked(marked))
  const files = await Promise.all(texts.map((text) => writeTemporary(t, 'spec.yaml', text)))
  const { stdout } = await exits(t, 0, ['check', ...files])
  const lines = stdout.trimEnd().split('\n')
  for (const [index, refusal] of specs.notEnforced.entries()) {
    const file = files[index] ?? ''
    const told = lines.filter((line) => line.startsWith(`${file}:`))
    t.deepEqual(told, linesOf(file, refusal), refusal.title)
  }
  t.is(lines.at(-1), `${files.length} not enforced`)
  const strict = await exits(t, 1, ['check', '--strict', ...files])
  t.notRegex(strict.stdout, / {2}ok {2}/u)
  for (const file of files) t.true(strict.stdout.includes(`${file}:`), file)
})

test('the start prints the first ten parts that are not enforced, and how to see the rest', async (t) => {
  const properties = Array.from({ length: 12 }, (_, index) => `p${index}: { type: string, format: ulid }`)
  const schema = `id: { type: object, properties: { ${properties.join(', ')} } }`
  const spec = await writeTemporary(t, 'spec.yaml', replaceOnce(validSpec, id, schema))
  const { ready } = await serveByCommand(t, ['--memory', '--spec', spec, '--fixture', await onlyCallers(t)])
  t.true(ready.includes('and 2 more; insights-double check shows all'))
  t.is(ready.split('format "ulid" is not enforced').length - 1, 10)
})

const dialect = 'https://json-schema.org/draft/2020-12/schema'
const unevaluated = '{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }'

/** Schemas that are enforced, with values that fit and others that do not. */
type Case = readonly [version: string, schema: string, fits: readonly unknown[], others: readonly unknown[]]
const besideRef = "{ $ref: '#/components/schemas/Insight/properties/content', minLength: 2, maxLength: 3 }"
const enforced: Readonly<Record<string, Case>> = {
  'nullable with a type in 3.0': ['3.0.3', '{ type: string, nullable: true }', [null, 'a'], [1]],
  'nullable with an enum in 3.0': ['3.0.3', '{ type: string, nullable: true, enum: [a, null] }', [null, 'a'], ['b']],
  'nullable with an enum without null': ['3.0.3', '{ type: string, nullable: true, enum: [a] }', ['a'], [null, 'b']],
  'an exclusive bound in 3.0': ['3.0.3', '{ type: integer, minimum: 1, exclusiveMinimum: true }', [2], [1]],
  'an exclusive bound in 3.1': ['3.1.0', '{ type: integer, exclusiveMinimum: 1 }', [2], [1]],
  const: ['3.1.0', '{ const: a }', ['a'], ['b']],
  'format: int32': ['3.1.0', '{ type: integer, format: int32 }', [2_147_483_647], [2_147_483_648]],
  prefixItems: ['3.1.0', '{ prefixItems: [{ type: string }], items: { type: number } }', [['a', 1]], [['a', 'b'], [1]]],
  dependentRequired: ['3.1.0', '{ dependentRequired: { a: [b] } }', [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
  unevaluatedProperties: ['3.1.0', unevaluated, [{ a: 1 }], [{ b: 1 }]],
  minContains: ['3.1.0', '{ contains: { const: 1 }, minContains: 2 }', [[1, 1]], [[1]]],
  'a pattern with a hyphen': ['3.1.0', String.raw`{ type: string, pattern: '^[\w-.]+$' }`, ['a-b.c'], ['a b']],
  'a pattern with a needless escape': ['3.1.0', String.raw`{ type: string, pattern: '^\@\_$' }`, ['@_'], ['@']],
  'a pattern with a single bracket': ['3.1.0', "{ type: string, pattern: '^{a{2}}$' }", ['{aa}'], ['aa']],
  'an enum with a repeated value': ['3.1.0', '{ enum: [a, a, b] }', ['a', 'b'], ['c']],
  'a keyword next to $ref in 3.1': ['3.1.0', besideRef, ['ab'], ['a', 'abcd', 5]],
  'a schema with $schema': ['3.1.0', `{ $schema: "${dialect}", type: string }`, ['a'], [1]],
  'a document with jsonSchemaDialect': [`3.1.0\njsonSchemaDialect: ${dialect}`, '{ type: string }', ['a'], [1]],
}
for (const [title, [version, schema, fits, others]] of Object.entries(enforced))
  test(`${title} is enforced`, async (t) => {
    const text = replaceOnce(validSpec.replace('3.1.0', version), id, `${id}\n        value: ${schema}`)
    const spec = await writeTemporary(t, 'spec.yaml', text)
    const double = await serve(t, { spec, fixture: await onlyCallers(t), strict: true })
    for (const value of fits) t.is(await putInsight(double, value), 204, JSON.stringify(value))
    for (const value of others) t.is(await putInsight(double, value), 400, JSON.stringify(value))
  })

/** Puts a state with an insight that has a value. @returns The status. */
async function putInsight(double: Served, value: unknown): Promise<number> {
  const insights = [{ id: 'moss', content: 'Moss.', value }]
  return (await control(double, 'PUT', '/state', { $callers: { ada: { token: 'ada-token' } }, insights })).status
}

const legalPaths = `/files/{id}.{format}:
    get:
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: format, in: path, required: true, schema: { type: string } }
      responses: { default: { description: X., content: { 'application/json; charset=utf-8': { schema: { type: object, required: [a], properties: { a: { type: integer } } } } } } }
  /files/{id}abc: { get: { parameters: [{ name: id, in: path, required: true, schema: { type: string } }], responses: { '404': { description: X. } } } }`

test('an operation without an operationId has method and path as its name in the journal, in faults and in coverage', async (t) => {
  const spec = await writeTemporary(t, 'spec.yaml', inPaths(legalPaths))
  const double = await serve(t, { spec, fixture: 'empty' })
  excuse(double, 'the independent validator knows segments that are one parameter')
  const operation = 'GET /files/{id}.{format}'
  const reply = await get(double, '/files/moss.json', as('ada'))
  t.is(reply.status, 200)
  t.is(typeof asObject(json(reply))['a'], 'number')
  t.deepEqual(pluck((await double.requests({ operation })).entries, 'status'), [200])
  await double.addFault({ operation, status: 503 })
  t.is((await get(double, '/files/moss.json', as('ada'))).status, 503)
  t.true((await double.coverage()).some((pair) => pair.operation === operation && pair.count > 0))
})

test('an operation without a documented success gets a 204 with a warning', async (t) => {
  const spec = await writeTemporary(t, 'spec.yaml', inPaths(legalPaths))
  const double = await serve(t, { spec, fixture: 'empty' })
  excuse(double, 'no 2xx is documented')
  const reply = await get(double, '/files/mossabc', as('ada'))
  t.deepEqual([reply.status, reply.text], [204, ''])
  t.like(violationsOf(reply), [{ severity: 'Warning', code: 'undocumented' }])
  const [entry] = (await double.requests({ status: 204 })).entries
  t.is(entry?.verdict, 'ok')
})

test('paths that differ only in the names of parameters are one path for routing, collections and explanations', async (t) => {
  const get200 =
    "get: { operationId: readInsight, parameters: [{ $ref: '#/components/parameters/name' }], responses: { '200': { description: X., content: { application/json: { schema: { $ref: '#/components/schemas/Insight' } } } }, '404': { description: None. } } }"
  const shared = '{ name: trace, in: header, schema: { type: integer } }'
  const named = replaceOnce(
    inPaths(
      `/insights/{name}: { parameters: [${shared}], ${get200}, delete: { responses: { '200': { description: X. } } } }`,
    ),
    'components:\n',
    'components:\n  parameters: { name: { name: name, in: path, required: true, schema: { type: string, maxLength: 9 } } }\n',
  )
  const spec = await writeTemporary(t, 'spec.yaml', named)
  const { stderr, stdout } = await run(t, ['explain', '--json', '--spec', spec])
  t.is(stderr, '')
  const { operations } = JSON.parse(stdout) as Explanation
  const lineOf = (text: string): number => named.split('\n').findIndex((line) => line.includes(text)) + 1
  t.deepEqual(pluck(operations, 'operation', 'path', 'role', 'line'), [
    ['listInsights', '/insights', 'list', lineOf('operationId: listInsights') - 1],
    ['deleteInsight', '/insights/{id}', 'remove', lineOf('operationId: deleteInsight') - 1],
    ['readInsight', '/insights/{id}', 'read', lineOf('/insights/{id}:') + 1],
  ])
  const fixture = { $callers: { ada: { token: 'ada-token' } }, insights: [{ id: 'moss', content: 'Moss.' }] }
  const double = await serve(t, { spec, fixture })
  excuse(double, 'the independent validator reads the spec before the paths are joined')
  t.is((await get(double, '/insights/moss', as('ada'))).status, 200)
  const wrong = await get(double, '/insights/moss-and-lichen', as('ada'))
  t.regex(wrong.text, /Path parameter id must NOT have more than 9 characters/u)
  t.is((await get(double, '/insights/moss', { ...as('ada'), trace: 'x' })).status, 400)
})

test('at least 40 specs, each with one error, are refused', (t) => {
  t.true(specs.refused.length >= 40, String(specs.refused.length))
})
