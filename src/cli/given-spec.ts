/** The contract that the command line names: an argument, or the value of `--spec`. */
import { addFlagToHints } from '../documents/problem.js'
import type { DoubleOptions } from '../options.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Finds the file of the contract. @returns Undefined: none is given. @throws {ProblemsError} It is a folder without one contract. */
export async function findGivenSpec(parsed: SpecArguments): Promise<string | undefined> {
  const spec = parsed.valueOf('spec')
  if (spec === undefined) return undefined
  // Loaded on use, because it loads the parsers: a usage error must not wait for them.
  const { findSpec } = await import('../spec/find-spec.js')
  return findSpec(spec).catch(nameSpecFlag(parsed))
}

export type SpecArguments = Pick<ParsedArguments, 'isSpecByFlag' | 'valueOf' | 'valuesOf'>

/** Reads the flags that say how the contract is read. */
export const readSpecFlags = ({
  valueOf,
  valuesOf,
}: SpecArguments): Pick<DoubleOptions, 'specHeaders' | 'specRoot'> => ({
  specHeaders: valuesOf('spec-header'),
  specRoot: valueOf('spec-root'),
})

/** Returns a function that throws an error again, with `--spec` in its hints if the contract was given by the flag. */
export const nameSpecFlag =
  ({ isSpecByFlag }: SpecArguments) =>
  (error: unknown): never => {
    throw isSpecByFlag ? addFlagToHints('--spec', error) : error
  }
