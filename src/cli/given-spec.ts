/** The contract that the command line names: an argument, or the value of `--spec`. */
import { addFlagToHints } from '../documents/problem.js'
import type { ParsedArguments } from './parse-arguments.js'

/** Finds the file of the contract. @returns Undefined: none is given. @throws {ProblemsError} It is a folder without one contract. */
export async function findGivenSpec(parsed: ParsedArguments): Promise<string | undefined> {
  const { spec } = parsed.options
  if (spec === undefined) return undefined
  // Loaded on use, because it loads the parsers: a usage error must not wait for them.
  const { findSpec } = await import('../spec/find-spec.js')
  return findSpec(spec).catch(nameSpecFlag(parsed))
}

/** Returns a function that throws an error again, with `--spec` in its hints if the contract was given by the flag. */
export const nameSpecFlag =
  ({ isSpecByFlag }: ParsedArguments) =>
  (error: unknown): never => {
    throw isSpecByFlag ? addFlagToHints('--spec', error) : error
  }
