import test from 'ava'
import { ProblemsError } from 'insights-double'

import { ProblemsError as SourceError } from '#src/documents/problem.js'
import { readSource } from '#src/documents/source.js'

import { serve, startDouble } from './helpers/double.js'
import { readPackageFile, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, get } from './helpers/http.js'
import { assertRefused, specs, unmarked, validSpec } from './helpers/refusals.js'

for (const refusal of specs.refused)
  test(`a spec with ${refusal.title} stops the start`, async (t) => {
    const spec = await writeTemporary(t, 'spec.yaml', unmarked(refusal.marked))
    await assertRefused(t, refusal, spec, () => startDouble({ spec, fixture: 'empty' }))
  })

test('the valid spec is served', async (t) => {
  const spec = await writeTemporary(t, 'spec.yaml', validSpec)
  const insights = [{ id: 'moss', content: 'Moss.' }]
  const double = await serve(t, { spec, fixture: { $callers: { ada: { token: 'ada-token' } }, insights } })
  t.is((await get(double, '/insights', as('ada'))).status, 200)
})

test('every problem of a spec is reported with its line', async (t) => {
  const numbered = validSpec.replace("'^[a-z-]+$'", '7')
  const wrong = numbered.replace('integer', '7').replace('required: [', 'required: 1 # [')
  const spec = await writeTemporary(t, 'spec.yaml', wrong)
  const error = await t.throwsAsync(startDouble({ spec, fixture: 'empty' }), { instanceOf: ProblemsError })
  t.deepEqual(new Set(error?.problems.map(({ position }) => position?.line)), new Set([9, 20, 29]))
})

/** The lines of a spec with a quote, and the line without its first or its last quote. */
const withoutQuote = (lines: readonly string[]): readonly (readonly [index: number, line: string])[] =>
  lines.flatMap((line, index) =>
    [/["'](?=[^"']*$)/u, /["']/u].flatMap((quote) => {
      const changed = line.replace(quote, '')
      return changed === line || /^ *#/u.test(line) ? [] : [[index, changed] as const]
    }),
  )

test('a missing quote is one problem, at its line or below', async (t) => {
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
    t.true((problem?.position?.line ?? 0) > index, error.message)
    t.regex(problem?.hint ?? '', /^correct the text here, or a quote /u)
  }
  t.true(refused > 25, String(refused))
})

test('repeated keys are listed up to the first syntax error', async (t) => {
  const file = await writeTemporary(t, 'spec.yaml', 'a: 1\na: 2\nb: 1\nb: 2\nc: "open\nd: 1\nd: 2\ne: x')
  const error = await t.throwsAsync(readSource(file), { instanceOf: SourceError })
  const found = error?.problems.map(({ position, what }) => [position?.line, what])
  t.deepEqual(found, [
    [2, 'is not YAML: Map keys must be unique'],
    [4, 'is not YAML: Map keys must be unique'],
    [8, 'is not YAML: Missing closing "quote'],
  ])
})

for (const [title, name, reason] of [
  ['missing', 'none.yaml', /cannot be read: .*no such file/u],
  ['a folder', '', /cannot be read/u],
] as const)
  test(`a spec that is ${title} stops the start`, async (t) => {
    const spec = `${await temporaryFolder(t)}${name && '/'}${name}`
    const error = await t.throwsAsync(startDouble({ spec }), { instanceOf: ProblemsError })
    const [problem, ...others] = error?.problems ?? []
    t.deepEqual(others, [])
    t.deepEqual([problem?.file, problem?.position, problem?.path], [spec, undefined, undefined])
    t.regex(problem?.what ?? '', reason)
  })
