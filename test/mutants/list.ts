/** Mutants: changes of one line, each of which removes a guarantee. If the suite passes with one of them, it does not test the guarantee. */
import { parse } from 'yaml'

import { readPackageFileSync } from '../helpers/files.js'

export interface Mutant {
  /** Below `src`. */
  readonly file: string
  readonly guarantee: string
  /** A text that is in the file exactly once, and the text instead. */
  readonly search: string
  readonly replace: string
  /** The test files that run first, below `test`, without their ending. */
  readonly killedBy: readonly string[]
}

type Rows = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

const groups = parse(readPackageFileSync('test/mutants/mutants.yaml')) as Rows

export const mutants: readonly Mutant[] = Object.entries(groups).flatMap(([group, rows]) => {
  const [file = '', ...killedBy] = group.split(' ')
  return Object.entries(rows).flatMap(([guarantee, change]) =>
    Object.entries(change).map(([search, replace]) => ({ file, guarantee, search, replace, killedBy })),
  )
})
