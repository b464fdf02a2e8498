import { once, withLazy } from '../once.js'
import { safeLine } from '../safe-text.js'
import { type Segment, toPointer } from './pointer.js'

/** A position in a text. Line and column count from 1. */
export type Position = Readonly<Record<'column' | 'line', number>>

/** A position in a file: that of a document, or of an overlay that changes it. */
export interface Place extends Position {
  /** As the user named it. */
  readonly file: string
  /** The whole text of the file. */
  readonly text: string
}

/** For a missing key, finds the closest ancestor that exists. @param at - The start of the value, or of its key. Default: the value. */
export type Locate = (path: readonly Segment[], at?: 'key' | 'value') => Place

/** One problem in a file. */
export interface Problem {
  /** The file's path, as the user named it. */
  readonly file: string
  /** The position in the text. Absent if the problem concerns the whole file. */
  readonly position?: Position
  /** The path in the document. Absent if the text could not be parsed. */
  readonly path?: readonly Segment[]
  /** The problem. No full stop. */
  readonly what: string
  /** The correction. No full stop. */
  readonly hint: string
}

/** Creates a problem at a path of a document. The position is found on first access, because that takes long in a large JSON file. */
export function problemAt(
  { locate }: { readonly locate: Locate },
  path: readonly Segment[],
  what: string,
  hint: string,
  target: 'key' | 'value' = 'value',
): Problem {
  const find = once((): Place => locate(path, target))
  const position = (): Position => ({ line: find().line, column: find().column })
  return withLazy({ path, what, hint }, { file: () => find().file, position })
}

/** An invalid file, with all its problems. */
export class ProblemsError extends Error {
  override readonly name = 'ProblemsError'
  /** At least one problem, in the order of the text. */
  readonly problems: readonly Problem[]
  /** Files that are referred to and cannot be read. */
  readonly unread: readonly string[]

  constructor(problems: readonly Problem[], unread: readonly string[] = []) {
    super(formatProblems(problems).join('\n'))
    this.problems = problems.toSorted(byPosition)
    this.unread = unread
  }
}

/** Sorts by file and position, so that a user can correct a file from top to bottom. */
function byPosition({ file, position: one }: Problem, { file: otherFile, position: other }: Problem): number {
  if (file !== otherFile) return file < otherFile ? -1 : 1
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0)
}

/** Formats problems as lines, in the order of the text. */
export const formatProblems = (problems: readonly Problem[]) => problems.toSorted(byPosition).map(formatProblem)

/** Formats a problem as one line: `file:line:column  path  problem  correction`. Leaves out parts that are absent, and escapes control characters. */
export function formatProblem({ file, position, path, what, hint }: Problem): string {
  const location = position ? `${file}:${position.line}:${position.column}` : file
  return safeLine([location, ...(path ? [toPointer(path)] : []), what, hint].join('  '))
}

/** Adds the flag that named the file to the hint of each problem without a position. @returns Any other error as it is. */
export function addFlagToHints(flag: string, error: unknown): unknown {
  if (!(error instanceof ProblemsError)) return error
  const withFlag = (problem: Problem): Problem =>
    problem.position || problem.hint.includes('name another file with')
      ? problem
      : { ...problem, hint: `${problem.hint}, or name another file with ${flag}` }
  return new ProblemsError(error.problems.map(withFlag))
}

/** Continues from the previous offset, in either direction: to count from the start for each of many offsets is slow in a large text. */
export function createLineCounter(text: string): (offset: number) => Position {
  let line = 1
  let lineStart = 0
  return (offset) => {
    while (lineStart < offset) {
      const next = text.indexOf('\n', lineStart)
      if (next === -1 || next >= offset) break
      lineStart = next + 1
      line++
    }
    while (lineStart > offset) {
      lineStart = lineStart < 2 ? 0 : text.lastIndexOf('\n', lineStart - 2) + 1
      line--
    }
    return { line, column: offset - lineStart + 1 }
  }
}

/** The hint of the first syntax error of a text, which hides those after it. */
export const syntaxErrorHint = 'correct the text here, or a quote or a bracket above that is not closed'
