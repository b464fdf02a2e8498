/** The problems of a document that is read as a state. */
import type { Segment } from '../../documents/pointer.js'

/** A problem. The caller adds file, line and column. */
export interface DocumentProblem {
  readonly path: readonly Segment[]
  /** `key` if the key at the path is wrong; `value` if its value is wrong. */
  readonly at: 'key' | 'value'
  /** The error, without a full stop. */
  readonly message: string
  /** The correction, without a full stop. */
  readonly hint: string
}

/** The most problems of a document that are listed. One mistake in a program may make every record invalid. */
export const maxProblems = 1000

export type ReportProblem = (path: readonly Segment[], message: string, hint: string, at?: 'key' | 'value') => void
