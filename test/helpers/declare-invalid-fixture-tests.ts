/** Declares the tests of invalid fixtures, with the expected problems of each. */
import type { ExecutionContext, TestFn } from 'ava'
import type { Problem } from 'insights-double'
import { ProblemsError } from 'insights-double'

import { startDouble } from './double.js'
import { writeTemporary } from './temporary-files.js'

/** A valid fixture. It is JSON, so it is YAML too. */
export const validFixture = `{
  "$callers": {
    "ada": { "token": "ada-token" },
    "grace": { "token": "grace-token" }
  },
  "insights": [
    { "id": "fern", "content": "Ferns.", "createdAt": "2026-01-05T09:30:00Z", "$access": ["ada"] },
    { "content": "Moss." }
  ]
}
`

/** Marks an expected position. The mark is removed before the fixture is read. */
const mark = '▸'

/** An invalid fixture. */
export interface InvalidFixture {
  /** The error: `a fixture with …`. */
  readonly title: string
  /** The part of the valid fixture that is replaced. Default: all of it. */
  readonly part?: string
  /** The replacement. `▸` marks the position of each expected problem. */
  readonly by: string
  /** The text after an expected position outside of `by`. */
  readonly at?: string
  /** The JSON pointer of each expected problem, in the order of the marks. Undefined: the text cannot be parsed. */
  readonly pointers?: readonly string[]
  readonly what: RegExp
}

/** Declares two tests for each fixture, as JSON and as YAML: the start fails with the marked problems and no others. */
export function refusesFixtures(test: TestFn, fixtures: readonly InvalidFixture[]): void {
  for (const fixture of fixtures) {
    for (const extension of ['json', 'yaml'])
      test(`a fixture with ${fixture.title} is refused (${extension})`, (t) => assertRefused(t, fixture, extension))
  }
}

/** Writes a fixture to a file. @returns Its path. */
export const writeFixture = (t: ExecutionContext, extension: string, text: string): Promise<string> =>
  writeTemporary(t, `mine.${extension}`, text)

/** Starts a double with an invalid fixture. @returns The problems, after a check that the message contains them. */
export async function fixtureProblems(
  t: ExecutionContext,
  extension: string,
  text: string,
): Promise<readonly Problem[]> {
  const fixture = await writeFixture(t, extension, text)
  const error = await t.throwsAsync(
    async () => {
      const double = await startDouble({ fixture })
      t.teardown(() => double.stop())
    },
    { instanceOf: ProblemsError },
  )
  const problems = error?.problems ?? []
  t.true(problems.length > 0)
  for (const { file, hint, what } of problems) {
    t.is(file, fixture)
    t.regex(what, /\S$/u)
    t.notRegex(what, /\.$/u)
    t.regex(hint, /^[^.\s].*[^.\s]$/u)
  }
  t.deepEqual(
    error?.message.split('\n'),
    problems.map(({ path, position, hint, what }) =>
      [
        position ? `${fixture}:${position.line}:${position.column}` : fixture,
        ...(path ? [pointerTo(path)] : []),
        what,
        hint,
      ].join('  '),
    ),
  )
  return problems
}

/** Asserts that a fixture is refused with a problem at each mark, and no others. */
export async function assertRefused(t: ExecutionContext, fixture: InvalidFixture, extension: string): Promise<void> {
  const { at, by, part, pointers, what } = fixture
  if (part !== undefined) t.is(validFixture.split(part).length, 2, 'the part is there once')
  const replaced = part === undefined ? by : validFixture.replace(part, by)
  const marked = at === undefined ? replaced : replaced.replace(at, `${mark}${at}`)
  const problems = await fixtureProblems(t, extension, marked.replaceAll(mark, ''))
  t.deepEqual(
    problems.map(({ path, position }) => ({ pointer: path && pointerTo(path), position })),
    placesIn(marked).map((position, index) => ({ pointer: pointers?.[index], position })),
  )
  for (const problem of problems) t.regex(problem.what, what)
}

/** Finds the positions of the marks `▸` in a text. */
export function placesIn(marked: string): readonly { readonly line: number; readonly column: number }[] {
  const parts = marked.split(mark)
  return parts.slice(1).map((_, index) => {
    const lines = parts
      .slice(0, index + 1)
      .join('')
      .split('\n')
    return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
  })
}

/** Written independently of the code that it tests. */
const pointerTo = (path: readonly (string | number)[]): string =>
  `#${path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')}`
