/** The contract that the command line names: an argument, or the value of `--spec`. */
import { ProblemsError } from '../documents/problem.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Finds the file of the contract. @returns Undefined: none is given. @throws {ProblemsError} It is a folder without one contract. */
export async function findGivenSpec(parsed: SpecArguments): Promise<string | undefined> {
  const spec = parsed.valueOf('spec')
  if (spec === undefined) return undefined
  // Loaded on use, because it loads the parsers: a usage error must not wait for them.
  const { findSpec } = await import('../spec/find-spec.js')
  return findSpec(spec).catch(nameSpecFlag(parsed, spec))
}

export type SpecArguments = Pick<ParsedArguments, 'isSpecByFlag' | 'valueOf'>

/** Returns a function that throws an error again, with `--spec` in the hint for a contract that cannot be read, if it was given by the flag. */
export const nameSpecFlag =
  ({ isSpecByFlag }: SpecArguments, spec: string | undefined) =>
  (error: unknown): never => {
    if (!isSpecByFlag || !(error instanceof ProblemsError)) throw error
    throw new ProblemsError(
      error.problems.map((problem) =>
        problem.file !== spec || problem.position
          ? problem
          : { ...problem, hint: `${problem.hint}, or name another file with --spec` },
      ),
    )
  }
