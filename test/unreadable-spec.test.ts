import test from 'ava'
import { ProblemsError } from 'insights-double'

import { ProblemsError as SourceError } from '#src/documents/problem.js'
import { readSource } from '#src/documents/source.js'

import { refuses } from './helpers/declare-invalid-spec-tests.js'
import { startDouble } from './helpers/double.js'
import { readPackageFile } from './helpers/read-repository-file.js'
import { temporaryFolder, writeTemporary } from './helpers/temporary-files.js'

const list = '#/paths/~1insights/get'
const schemas = '#/components/schemas'
const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name, index, names) => {
  const before = names[index - 1]?.[0]
  return index === 0 ? name : `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(', ')}]`
})

refuses(test, [
  { title: 'no content', by: '▸', what: /is empty/u },
  { title: 'only white space', by: '▸ \n\n', what: /is empty/u },
  { title: 'text that is not YAML', by: 'openapi: 3.1.0\ninfo: { title: x\n▸', what: /is not YAML/u },
  { title: 'a repeated key', part: 'info:', by: 'info: {}\n▸info:', what: /is not YAML.*unique/u },
  { title: 'an alias bomb', by: bomb.join('\n').replace('[*e', '[▸*e'), what: /alias "e", the aliases add more/u },
  { title: 'a list instead of an object', by: '▸- openapi\n', pointer: '#', what: /not an OpenAPI document/u },
  { title: 'a word instead of an object', by: '▸openapi\n', pointer: '#', what: /not an OpenAPI document/u },
  { title: 'no version', part: 'openapi: 3.1.0\n', by: '▸', pointer: '#', what: /no `openapi`/u },
  { title: 'Swagger 2.0', part: 'openapi: 3.1.0', by: "swagger: ▸'2.0'", pointer: '#/swagger', what: /Swagger 2/u },
  { title: 'OpenAPI 4.0.0', part: '3.1.0', by: '▸4.0.0', pointer: '#/openapi', what: /"4\.0\.0"/u },
  { title: 'a version that is a number', part: '3.1.0', by: '▸3.1', pointer: '#/openapi', what: /3\.1\b/u },
  {
    title: 'a reference to nothing',
    part: "'#/components/schemas/Insight'",
    by: "▸'#/components/schemas/Insigth'",
    pointer: `${list}/responses/200/content/application~1json/schema/items/$ref`,
    what: /Insigth" points at nothing/u,
  },
  {
    title: 'a named example that is a reference to nothing',
    part: 'schema: { type: array',
    by: "examples: { default: { $ref: ▸'#/components/examples/none' } }\n              schema: { type: array",
    pointer: `${list}/responses/200/content/application~1json/examples/default/$ref`,
    what: /examples\/none" points at nothing/u,
  },
  {
    title: 'a header whose name begins with x- and that is a reference to nothing',
    part: 'description: The insights.',
    by: "description: The insights.\n          headers: { x-total: { $ref: ▸'#/components/headers/none' } }",
    pointer: `${list}/responses/200/headers/x-total/$ref`,
    what: /headers\/none" points at nothing/u,
  },
  {
    title: 'a reference to itself',
    part: 'id: { type: string }',
    by: "id: { $ref: ▸'#/components/schemas/Insight/properties/id' }",
    pointer: `${schemas}/Insight/properties/id/$ref`,
    what: /refers to itself/u,
  },
  {
    title: 'a reference to another file',
    part: "'#/components/schemas/Insight'",
    by: '▸other.yaml',
    pointer: `${list}/responses/200/content/application~1json/schema/items/$ref`,
    what: /"other\.yaml" points outside/u,
  },
  {
    title: 'a reference to a URL',
    part: "'#/components/schemas/Insight'",
    by: '▸https://example.com/insight.json',
    pointer: `${list}/responses/200/content/application~1json/schema/items/$ref`,
    what: /points outside/u,
  },
])

/** The lines of a spec with a quote, and the line without its first or its last quote. */
const withoutQuote = (lines: readonly string[]): readonly (readonly [index: number, line: string])[] =>
  lines.flatMap((line, index) =>
    [/["'](?=[^"']*$)/u, /["']/u].flatMap((quote) => {
      const changed = line.replace(quote, '')
      return changed === line || /^ *#/u.test(line) ? [] : [[index, changed] as const]
    }),
  )

test('a missing quote is one problem, at its line, with the number of lines that could not be read', async (t) => {
  const text = await readPackageFile('spec/insights.yaml')
  const lines = text.trimEnd().split('\n')
  let refused = 0
  for (const [index, line] of withoutQuote(lines)) {
    const file = await writeTemporary(t, 'spec.yaml', lines.with(index, line).join('\n'))
    const error = await readSource(file).catch((thrown: unknown) => thrown)
    // Some quotes are a part of a text, and some texts need none.
    if (!(error instanceof SourceError)) continue
    refused++
    const [problem, ...others] = error.problems
    t.deepEqual(others, [])
    t.is(problem?.position?.line, index + 1, error.message)
    const left = lines.length - index
    t.is(problem?.hint, `correct the text here; ${left} lines from here on could not be read`)
  }
  t.true(refused > 25, String(refused))
})

test('repeated keys are listed up to the first syntax error', async (t) => {
  const parts = ['a: 1', 'a: 2', 'b: 1', 'b: 2', 'c: "open', 'd: 1', 'd: 2', 'e: x']
  const file = await writeTemporary(t, 'spec.yaml', parts.join('\n'))
  const error = await t.throwsAsync(readSource(file), { instanceOf: SourceError })
  t.deepEqual(
    error?.problems.map(({ position, what }) => [position?.line, what]),
    [
      [2, 'is not YAML: Map keys must be unique'],
      [4, 'is not YAML: Map keys must be unique'],
      [5, 'is not YAML: the quoted text that begins here has no closing quote before line 8'],
    ],
  )
})

test('a missing spec stops the start', async (t) => {
  const spec = `${await temporaryFolder(t)}/none.yaml`
  const error = await t.throwsAsync(startDouble({ spec }), { instanceOf: ProblemsError })
  const [problem, ...others] = error?.problems ?? []
  t.deepEqual(others, [])
  t.is(problem?.file, spec)
  t.is(problem?.position, undefined)
  t.is(problem?.path, undefined)
  t.regex(problem?.what ?? '', /cannot be read: .*no such file/u)
})

test('a spec that is a folder stops the start', async (t) => {
  const spec = await temporaryFolder(t)
  const error = await t.throwsAsync(startDouble({ spec }), { instanceOf: ProblemsError })
  t.is(error?.problems[0]?.file, spec)
  t.regex(error?.problems[0]?.what ?? '', /cannot be read/u)
})
