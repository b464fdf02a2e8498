/** What is wrong with a file, said so that a person can go there and mend it. */
import type { Segment } from './pointer.js'
import { toPointer } from './pointer.js'

/** A place in a text. Both are counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One thing that is wrong with a file. */
export interface Problem {
  /** The file's path, as the user named it. */
  readonly file: string
  /** Where in the text. Absent where the file could not be read at all. */
  readonly position?: Position
  /** Where in the document. Absent where the text is no document. */
  readonly path?: readonly Segment[]
  /** What is wrong. No full stop. */
  readonly what: string
  /** What to do about it. No full stop. */
  readonly hint: string
}

/** A file that cannot be trusted, with everything that is wrong with it. */
export class ProblemsError extends Error {
  override readonly name = 'ProblemsError'
  /** At least one, in the order of the text. */
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    const sorted = problems.toSorted(byPosition)
    super(formatProblems(problems).join('\n'))
    this.problems = sorted
  }
}

/** In the order of the text, so that a file can be mended from top to bottom. */
function byPosition({ position: one }: Problem, { position: other }: Problem): number {
  return (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0)
}

/** Writes problems as lines, in the order of the text. */
export const formatProblems = (problems: readonly Problem[]): string[] =>
  problems.toSorted(byPosition).map(formatProblem)

/** One line: `file:line:column  path  what is wrong  what to do`. Columns that do not apply are left out. */
export function formatProblem(problem: Problem): string {
  const { file, position, path, what, hint } = problem
  const place = position ? `${file}:${position.line}:${position.column}` : file
  return [place, ...(path ? [toPointer(path)] : []), what, hint].join('  ')
}

/** Names the flag that gave a path in problems of the file as a whole. Those within it have a place instead. */
export function nameFlag(flag: string, error: unknown): unknown {
  if (!(error instanceof ProblemsError)) return error
  const named = (problem: Problem): Problem =>
    problem.position ? problem : { ...problem, hint: `${problem.hint}, or name another file with ${flag}` }
  return new ProblemsError(error.problems.map(named))
}
