/** A change of one line in the source code. */
export interface Mutant {
  /** The source file, below `src`. */
  readonly file: string
  /** A part of a line that the file has exactly once. */
  readonly search: string
  readonly replace: string
  /** The guarantee that no longer holds. */
  readonly guarantee: string
  /** Test files that run before the whole suite, below `test`, without their ending. */
  readonly killedBy: readonly string[]
}
