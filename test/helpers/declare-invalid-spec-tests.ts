/** Declares the tests of specs with one error each, and the expected problem. */
import type { ExecutionContext, TestFn } from 'ava'
import type { Problem } from 'insights-double'
import { ProblemsError } from 'insights-double'

import { startDouble } from './double.js'
import { writeTemporary } from './temporary-files.js'

/** A valid spec. */
export const validSpec = `openapi: 3.1.0
info: { title: Insights, version: 1.0.0 }
security: [{ bearer: [] }]
paths:
  /insights:
    get:
      operationId: listInsights
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1 } }
      responses:
        '200':
          description: The insights.
          content:
            application/json:
              schema: { type: array, items: { $ref: '#/components/schemas/Insight' } }
  /insights/{id}:
    delete:
      operationId: deleteInsight
      parameters:
        - { name: id, in: path, required: true, schema: { type: string, pattern: '^[a-z-]+$' } }
      responses:
        '204': { description: Deleted. }
components:
  securitySchemes:
    bearer: { type: http, scheme: bearer }
  schemas:
    Insight:
      type: object
      required: [content]
      properties:
        id: { type: string }
        content: { type: string }
        created: { type: string, format: date-time }
`
/** Its operations, as text. */
export const operations = validSpec.slice(validSpec.indexOf('  /insights:'), validSpec.indexOf('components:'))

/** Marks the expected position. The mark is removed before the spec is read. */
const mark = '▸'

/** An invalid spec. */
export interface InvalidSpec {
  /** The error: `a spec with …`. */
  readonly title: string
  /** The part of the valid spec that is replaced. Default: all of it. */
  readonly part?: string
  /** The replacement. `▸` marks the position of the expected problem. Without a mark, the problem has no position. */
  readonly by: string
  /** The JSON pointer of the expected problem. Undefined: the text cannot be parsed. */
  readonly pointer?: string
  readonly what: RegExp
}

/** Declares a test for each spec: the start fails with one problem, which names file, position and error. */
export function refuses(test: TestFn, specs: readonly InvalidSpec[]): void {
  for (const { by, part, pointer, title, what } of specs) {
    test(`a spec with ${title} stops the start`, async (t) => {
      if (part !== undefined) t.is(validSpec.split(part).length, 2, 'the part is there once')
      const marked = part === undefined ? by : validSpec.split(part).join(by)
      const [problem, ...others] = await problemsOf(t, marked.replace(mark, ''))
      t.deepEqual(others, [])
      t.regex(problem?.what ?? '', what)
      t.notRegex(problem?.what ?? '', /\.$/u)
      t.regex(problem?.hint ?? '', /^[^.]/u)
      t.deepEqual(problem?.position, placeOf(marked))
      t.is(problem?.path && pointerTo(problem.path), pointer)
    })
  }
}

/** Starts a double with an invalid spec. @returns The problems. */
export async function problemsOf(t: ExecutionContext, text: string): Promise<readonly Problem[]> {
  const spec = await writeTemporary(t, 'spec.yaml', text)
  const error = await t.throwsAsync(startDouble({ spec, fixture: 'empty' }), { instanceOf: ProblemsError })
  const problems = error?.problems ?? []
  for (const { file } of problems) t.is(file, spec)
  return problems
}

function placeOf(marked: string): Problem['position'] {
  const before = marked.split(mark)[0] ?? ''
  if (before === marked) return undefined
  const lines = before.split('\n')
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** Written independently of the code that it tests. */
const pointerTo = (path: readonly (string | number)[]): string =>
  `#${path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`
