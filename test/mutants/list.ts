/** Mutants: changes of one line, each of which removes a guarantee. If the suite passes with one of them, it does not test the guarantee. */
import { parse } from 'yaml'

import { readPackageFileSync } from '../helpers/files.js'

/** The keys are those of `mutants.yaml`. */
export interface Mutant {
  readonly file: string
  readonly guarantee: string
  readonly search: string
  readonly replace: string
  readonly killedBy: readonly string[]
}

interface Row {
  readonly search: string
  readonly replace?: string
  readonly killedBy: string
}

type Rows = Readonly<Record<string, Readonly<Record<string, Row>>>>

const files = parse(readPackageFileSync('test/mutants/mutants.yaml')) as Rows

export const mutants: readonly Mutant[] = Object.entries(files).flatMap(([file, rows]) =>
  Object.entries(rows).map(([guarantee, { killedBy, replace = '', search }]) => {
    return { file, guarantee, search, replace, killedBy: killedBy.split(' ') }
  }),
)
