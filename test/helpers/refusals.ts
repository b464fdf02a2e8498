/** The cases of `test/refusals/`: texts that are refused, each a change of a valid one, with the place and the text of every message. */
import type { ExecutionContext } from 'ava'
import { ProblemsError } from 'insights-double'
import { parse } from 'yaml'

import { pluck } from './as-object-or-list.js'
import { readPackageFileSync } from './files.js'

/** Marks the place of each message. It is removed before the text is read. */
const mark = '▸'

export interface Refusal {
  readonly title: string
  /** The whole text. `▸` marks the place of each message. */
  readonly marked: string
  /** After each place, one in a line. `[…]` stands for any text. */
  readonly message: string
  /** Default: any. */
  readonly as?: string
}

interface CaseFile {
  readonly valid: string
  readonly refused: Cases
  readonly notEnforced?: Cases
}

/**
 * By title. The keys other than `input`, `message` and `as` are parts of the valid text; their values replace them. A list is one case for each
 * of its items.
 */
type Cases = Readonly<
  Record<string, { readonly message: string } & Readonly<Record<string, string | readonly string[]>>>
>

function readCases(name: string): Required<Record<'refused' | 'notEnforced', readonly Refusal[]>> & { valid: string } {
  const { notEnforced = {}, refused, valid } = parse(readPackageFileSync(`test/refusals/${name}.yaml`)) as CaseFile
  const casesOf = (cases: Cases): readonly Refusal[] =>
    Object.entries(cases).flatMap(([title, { message, ...row }]) => {
      const items = Object.values(row).find((value) => typeof value !== 'string') ?? ['']
      return [...items].map((item) => {
        const texts = Object.entries(row).map(
          ([key, value]) => [key, typeof value === 'string' ? value : item] as const,
        )
        const { as, input = valid, ...changes } = Object.fromEntries(texts)
        const marked = Object.entries(changes).reduce((text, [part, by]) => replaceOnce(text, part, by), input)
        const named = items.length === 1 ? title : `${title}: ${JSON.stringify(unmarked(item))}`
        return { title: named, marked, message, ...(as === undefined ? {} : { as }) }
      })
    })
  return { valid, refused: casesOf(refused), notEnforced: casesOf(notEnforced) }
}

export const specs = readCases('specs')
export const fixtures = readCases('fixtures')
export const stateFiles = readCases('state-files')
export const validSpec = specs.valid
/** It is JSON, so it is YAML too. */
export const validFixture = fixtures.valid

/** Replaces a part of a text. @throws {Error} It is not there once. */
export function replaceOnce(text: string, part: string, by: string): string {
  if (text.split(part).length !== 2) throw new Error(`${part} is not there once`)
  return text.replace(part, () => by)
}

export function unmarked(text: string): string {
  return text.replaceAll(mark, '')
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

/** Lists the lines of a message about a file: each place with its part of the message. */
export const linesOf = (file: string, { marked, message }: Pick<Refusal, 'marked' | 'message'>): readonly string[] => {
  const places = placesIn(marked)
  return message.split('\n').map((line, index) => `${file}:${places[index]?.line}:${places[index]?.column}  ${line}`)
}

/** Asserts that a start is refused, with a problem at each mark and no others. @param hint - Follows the hint of each line. */
export async function assertRefused(
  t: ExecutionContext,
  refusal: Pick<Refusal, 'marked' | 'message'>,
  file: string,
  start: () => Promise<unknown>,
  hint = '',
): Promise<void> {
  const error = await t.throwsAsync(start, { instanceOf: ProblemsError })
  const places = placesIn(refusal.marked)
  t.deepEqual(pluck(error?.problems ?? [], 'position'), places)
  for (const { file: named } of error?.problems ?? []) t.is(named, file)
  const lines = error?.message.split('\n') ?? []
  const expected = linesOf(file, refusal).map((line) => line + hint)
  t.is(lines.length, expected.length, error?.message ?? '')
  for (const [index, line] of expected.entries()) {
    const [before = '', after] = line.split('[…]')
    if (after === undefined) t.is(lines[index], line)
    else t.true(lines[index]?.startsWith(before) === true && lines[index].endsWith(after), lines[index])
  }
}
