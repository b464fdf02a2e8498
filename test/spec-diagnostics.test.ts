import type { ExecutionContext } from 'ava'
import test from 'ava'
import { ProblemsError } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { run, serveByCommand } from './helpers/cli.js'
import { control } from './helpers/control.js'
import { validSpec } from './helpers/declare-invalid-spec-tests.js'
import type { Served } from './helpers/double.js'
import { serve, startDouble } from './helpers/double.js'
import { as, get, json, violationsOf } from './helpers/http.js'
import { writeTemporary } from './helpers/temporary-files.js'
import { excuse } from './helpers/validate-responses.js'

const v30 = validSpec.replace('3.1.0', '3.0.3')
const id = 'id: { type: string }'

/** Replaces a part that occurs once. */
function changed(text: string, part: string, by: string): string {
  if (text.split(part).length !== 2) throw new Error(`${part} is not there once`)
  return text.replace(part, () => by)
}

const inId = (text: string, by: string): string => changed(text, id, `id: ${by}`)
const inListing = (by: string): string =>
  changed(validSpec, 'operationId: listInsights\n', `operationId: listInsights\n      ${by}\n`)
const inPaths = (by: string): string => changed(validSpec, 'components:\n', `  ${by}\ncomponents:\n`)
const ok = "responses: { '204': { description: X. } }"

/** Parts that are legal and not enforced: the spec, with `▸` before the expected position, and the message. */
const rows: readonly (readonly [title: string, text: string, what: string])[] = [
  ['an unknown format', inId(validSpec, '{ type: string, format: ▸ulid }'), 'format "ulid" is not enforced'],
  ['a misspelt format', inId(validSpec, '{ type: string, format: ▸datetime }'), 'format "datetime" is not enforced'],
  [
    'an unknown keyword',
    inId(validSpec, '{ type: string, ▸masked: true }'),
    '"masked" is not a keyword, and is not enforced',
  ],
  ['nullable in 3.1', inId(validSpec, '{ type: string, ▸nullable: true }'), 'nullable is not enforced in OpenAPI 3.1'],
  [
    'nullable without a type in 3.0',
    inId(v30, '{ ▸nullable: true, enum: [a] }'),
    'nullable has no effect without a type, and is not enforced',
  ],
  [
    'a keyword next to $ref in 3.0',
    changed(
      v30,
      "{ $ref: '#/components/schemas/Insight' }",
      "{ $ref: '#/components/schemas/Insight', ▸nullable: true }",
    ),
    'nullable next to $ref is not enforced, as OpenAPI requires',
  ],
  [
    'another method at a path that differs only in the name of a parameter',
    inPaths(
      `▸/insights/{name}: { parameters: [{ name: name, in: path, required: true, schema: {} }], get: { ${ok} } }`,
    ),
    'path "/insights/{name}" is the same as "/insights/{id}": only the names of parameters differ; the method of a request selects one of them',
  ],
  ['an anchor', inId(validSpec, '{ ▸$anchor: name, type: string }'), '$anchor is not enforced'],
  ['an empty enum', inId(validSpec, '{ enum: ▸[] }'), 'an empty enum is not enforced'],
  [
    'examples that are not a list',
    inId(validSpec, '{ type: string, examples: ▸{ a: b } }'),
    'examples is not a list, and is not used',
  ],
  [
    'a pattern of another language',
    inId(validSpec, "{ type: string, pattern: ▸'(?i)^a$' }"),
    'pattern (?i)^a$ is not enforced',
  ],
  [
    'a pattern with an escape without a meaning',
    inId(validSpec, String.raw`{ type: string, pattern: ▸'^\a$' }`),
    String.raw`pattern ^\a$ is not enforced`,
  ],
  [
    'a pattern of property names that has an escape without a meaning',
    inId(validSpec, String.raw`{ type: object, patternProperties: { ▸'^\a$': {} } }`),
    String.raw`pattern ^\a$ is not enforced`,
  ],
  [
    'a media type without a schema',
    inPaths("/x: { get: { responses: { '200': { description: X., content: { ▸application/json: {} } } } } }"),
    'has no schema, so any body is valid',
  ],
  [
    'a schema of XML',
    inPaths(
      "/x: { get: { responses: { '200': { description: X., content: { ▸application/xml: { schema: { type: object } } } } } } }",
    ),
    'the schema of application/xml is not enforced',
  ],
  [
    'a request body without media types',
    inPaths(`/x: { post: { requestBody: { ▸content: {} }, ${ok} } }`),
    'has no media type, so every body is refused',
  ],
  [
    'a 204 with content',
    inPaths(
      "/x: { get: { responses: { '204': { description: X., ▸content: { application/json: { schema: {} } } } } } }",
    ),
    'a 204 has no body, so its content is not sent',
  ],
  [
    'callbacks',
    inListing(`▸callbacks: { onChange: { '{$request.query.url}': { post: { ${ok} } } } }`),
    'callbacks are not sent',
  ],
  [
    'webhooks',
    changed(validSpec, 'components:\n', `▸webhooks: { changed: { post: { ${ok} } } }\ncomponents:\n`),
    'webhooks are not sent',
  ],
  [
    'links',
    inPaths(
      "/x: { get: { responses: { '204': { description: X., ▸links: { next: { operationId: listInsights } } } } } }",
    ),
    'links are not followed or checked',
  ],
  [
    'a header without a schema',
    inPaths("/x: { get: { responses: { '204': { description: X., headers: { ▸x-count: { description: X. } } } } } }"),
    'has no schema, so any value is valid',
  ],
  [
    'a header parameter that OpenAPI ignores',
    inPaths(`/x: { get: { parameters: [▸{ name: Accept, in: header, schema: { type: string } }], ${ok} } }`),
    'header Accept is not checked, as OpenAPI requires',
  ],
  [
    'an unknown field of an operation',
    inListing('▸owner: ada'),
    '"owner" is not a field of an operation, and is ignored',
  ],
  [
    'no responses in 3.1',
    inPaths('/x: { ▸post: { operationId: x } }'),
    'documents no responses, so no response is checked',
  ],
  [
    'no 2xx status',
    inPaths("/x: { get: { ▸responses: { '404': { description: X. } } } }"),
    'documents no 2xx status, so 204 is sent',
  ],
  [
    'a path with a fragment',
    inPaths(`▸'/x#a': { get: { ${ok} } }`),
    'path "/x#a" is never requested, since a path ends at ? or # and has no white space',
  ],
  [
    'an operation without a valid response',
    inPaths(
      "/x: { ▸get: { operationId: x, responses: { '200': { description: X., content: { application/json: { schema: { type: integer, minimum: 2, maximum: 1 }, example: 5 } } } } } }",
    ),
    'operation x can only be answered with 500: No example fits the 200 of x, and none can be generated: Response body must be <= 1',
  ],
]

function placeOf(marked: string): string {
  const before = marked.slice(0, marked.indexOf('▸')).split('\n')
  return `${before.length}:${(before.at(-1) ?? '').length + 1}`
}

/** A fixture that fits any contract, because it has no records. */
const onlyCallers = (t: ExecutionContext): Promise<string> =>
  writeTemporary(t, 'callers.json', '{"$callers":{"ada":{"token":"ada-token"}}}')

for (const [title, marked] of rows) {
  test(`a spec with ${title} is served`, async (t) => {
    const spec = await writeTemporary(t, 'spec.yaml', marked.replace('▸', ''))
    const fixture = await onlyCallers(t)
    const double = await serve(t, { spec, fixture })
    excuse(double, 'the independent validator compiles schemas strictly')
    t.is((await get(double, '/insights', as('ada'))).status, 200)
  })
}

test('a start with strict refuses parts that are not enforced', async (t) => {
  const [[, marked, what]] = rows as [(typeof rows)[number]]
  const spec = await writeTemporary(t, 'spec.yaml', marked.replace('▸', ''))
  const error = await t.throwsAsync(startDouble({ spec, fixture: await onlyCallers(t), strict: true }), {
    instanceOf: ProblemsError,
  })
  const [place, pointer, said, hint, ...others] = (error?.message ?? '').split('  ')
  t.is(place, `${spec}:${placeOf(marked)}`)
  t.regex(pointer ?? '', /^#\//u)
  t.is(said, what)
  t.regex(hint ?? '', /\S/u)
  t.deepEqual(others, [])
})

test('check prints a line for each part that is not enforced, and passes; with --strict it fails', async (t) => {
  const specs = await Promise.all(
    rows.map(async ([, marked]) => writeTemporary(t, 'spec.yaml', marked.replace('▸', ''))),
  )
  const { code, stdout } = await run(t, ['check', ...specs])
  t.is(code, 0)
  const lines = stdout.trimEnd().split('\n')
  for (const [index, [title, marked, what]] of rows.entries()) {
    const [line = '', ...others] = lines.filter((one) => one.startsWith(`${specs[index] ?? ''}:`))
    const [place, pointer, said, hint, ...rest] = line.split('  ')
    t.is(place, `${specs[index] ?? ''}:${placeOf(marked)}`, title)
    t.regex(pointer ?? '', /^#\//u, title)
    t.is(said, what, title)
    t.regex(hint ?? '', /\S/u, title)
    t.deepEqual([...rest, ...others], [], title)
  }
  t.is(lines.at(-1), `${rows.length} not enforced`)
  const strict = await run(t, ['check', '--strict', ...specs])
  t.is(strict.code, 1)
  t.notRegex(strict.stdout, / {2}ok {2}/u)
  for (const spec of specs) t.true(strict.stdout.includes(`${spec}:`), spec)
})

test('the start prints the first ten parts that are not enforced, and how to see the rest', async (t) => {
  const properties = Array.from({ length: 12 }, (_, index) => `p${index}: { type: string, format: ulid }`)
  const spec = await writeTemporary(
    t,
    'spec.yaml',
    inId(validSpec, `{ type: object, properties: { ${properties.join(', ')} } }`),
  )
  const { ready } = await serveByCommand(t, ['--memory', '--spec', spec, '--fixture', await onlyCallers(t)])
  t.true(ready.includes('and 2 more; insights-double check shows all'))
  t.is(ready.split('format "ulid" is not enforced').length - 1, 10)
})

/** The schemas of an id that are enforced, with a value that fits and one that does not. */
const enforced: readonly (readonly [
  title: string,
  text: string,
  fits: readonly unknown[],
  other: readonly unknown[],
])[] = [
  ['nullable with a type in 3.0', inId(v30, '{ type: string, nullable: true }'), [null, 'a'], [1]],
  ['nullable with an enum in 3.0', inId(v30, '{ type: string, nullable: true, enum: [a, null] }'), [null, 'a'], ['b']],
  [
    'nullable with an enum that lacks null in 3.0',
    inId(v30, '{ type: string, nullable: true, enum: [a] }'),
    ['a'],
    [null, 'b'],
  ],
  ['an exclusive bound in 3.0', inId(v30, '{ type: integer, minimum: 1, exclusiveMinimum: true }'), [2], [1]],
  ['an exclusive bound in 3.1', inId(validSpec, '{ type: integer, exclusiveMinimum: 1 }'), [2], [1]],
  ['const', inId(validSpec, '{ const: a }'), ['a'], ['b']],
  ['format: int32', inId(validSpec, '{ type: integer, format: int32 }'), [2_147_483_647], [2_147_483_648]],
  [
    'prefixItems',
    inId(validSpec, '{ prefixItems: [{ type: string }], items: { type: integer } }'),
    [['a', 1]],
    [['a', 'b'], [1]],
  ],
  ['dependentRequired', inId(validSpec, '{ dependentRequired: { a: [b] } }'), [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
  [
    'unevaluatedProperties',
    inId(validSpec, '{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }'),
    [{ a: 1 }],
    [{ b: 1 }],
  ],
  ['minContains', inId(validSpec, '{ contains: { const: 1 }, minContains: 2 }'), [[1, 1]], [[1]]],
  ['a pattern with a hyphen', inId(validSpec, String.raw`{ type: string, pattern: '^[\w-.]+$' }`), ['a-b.c'], ['a b']],
  ['a pattern with a needless escape', inId(validSpec, String.raw`{ type: string, pattern: '^\@\_$' }`), ['@_'], ['@']],
  ['a pattern with a single bracket', inId(validSpec, "{ type: string, pattern: '^{a{2}}$' }"), ['{aa}'], ['aa']],
  ['an enum with a repeated value', inId(validSpec, '{ enum: [a, a, b] }'), ['a', 'b'], ['c']],
  [
    'a keyword next to $ref in 3.1',
    changed(
      inId(validSpec, "{ $ref: '#/components/schemas/Name', minLength: 2 }"),
      '    Insight:\n',
      '    Name: { type: string, maxLength: 3 }\n    Insight:\n',
    ),
    ['ab'],
    ['a', 'abcd'],
  ],
  [
    'a schema with $schema',
    inId(validSpec, '{ $schema: "https://json-schema.org/draft/2020-12/schema", type: string }'),
    ['a'],
    [1],
  ],
  [
    'a schema of a document with jsonSchemaDialect',
    changed(
      inId(validSpec, '{ type: string }'),
      'openapi: 3.1.0',
      'openapi: 3.1.0\njsonSchemaDialect: https://json-schema.org/draft/2020-12/schema',
    ),
    ['a'],
    [1],
  ],
]
for (const [title, text, fits, others] of enforced) {
  test(`${title} is enforced`, async (t) => {
    const spec = await writeTemporary(t, 'spec.yaml', changed(text, 'id: {', 'id: { type: string }\n        value: {'))
    const double = await serve(t, { spec, fixture: await onlyCallers(t), strict: true })
    for (const value of fits) t.is(await putInsight(double, value), 204, JSON.stringify(value))
    for (const value of others) t.is(await putInsight(double, value), 400, JSON.stringify(value))
  })
}

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
  t.deepEqual(
    (await double.requests({ operation })).entries.map(({ status }) => status),
    [200],
  )
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
