/** `insights-double check`: says everything that is wrong with a spec and with fixtures, without a server. */
import type { Contract } from '../contract/contract.js'
import type { Problem } from '../documents/problem.js'
import { formatProblems, ProblemsError, addFlagToHints } from '../documents/problem.js'
import { readSource } from '../documents/source.js'
import { insightRules, loadServiceContract } from '../insights/service-contract.js'
import { print, setExitCode } from '../node-process.js'
import { defaultFixtures, defaultSpec } from '../options.js'
import { listFixtures, parseFixture } from '../state/fixtures.js'
import { checkFolder } from './check-paths.js'
import { exitCodes } from './exit-codes.js'
import type { ParsedArguments } from './parse-arguments.js'
import { escapeControlCharacters } from './request-log.js'

/** Checks the files that are named, or the spec and all fixtures. */
export async function runCheck({ isGiven, positionals, valueOf }: ParsedArguments): Promise<void> {
  const spec = valueOf('spec') ?? defaultSpec
  const fixtures = valueOf('fixtures') ?? defaultFixtures
  await checkFolder('fixtures', fixtures)
  const files = positionals.length > 0 ? positionals : [spec, ...(await listFixtures(fixtures)).values()]
  const problems: Problem[] = []
  const diagnostics: Problem[] = []
  let contract: Contract | undefined
  for (const file of files) {
    try {
      const source = await readSource(file)
      if (looksLikeSpec(source.value)) {
        const read = await loadServiceContract(file)
        diagnostics.push(...read.diagnostics)
        if (isGiven('strict') && read.diagnostics.length > 0) continue
        print(`${file}  ok  ${read.operations.length} operations\n`)
      } else {
        contract ??= await loadServiceContract(spec).catch((error: unknown) => {
          throw addFlagToHints('--spec', error)
        })
        const { callers, insights } = parseFixture(source, insightRules(contract))
        print(`${file}  ok  ${insights.length} insights, ${callers.length} callers\n`)
      }
    } catch (error) {
      const named = file === valueOf('spec') ? addFlagToHints('--spec', error) : error
      if (!(named instanceof ProblemsError)) throw named
      problems.push(...named.problems)
    }
  }
  const notEnforced = [...new Set(formatProblems(diagnostics))]
  for (const line of notEnforced) print(`${escapeControlCharacters(line)}\n`)
  if (notEnforced.length > 0) print(`${notEnforced.length} not enforced\n`)
  const distinct = [...new Set(formatProblems(problems))]
  for (const problem of distinct) print(`${escapeControlCharacters(problem)}\n`)
  if (distinct.length === 0) {
    if (isGiven('strict') && notEnforced.length > 0) setExitCode(exitCodes.wrong)
    return
  }
  print(`${distinct.length} problem${distinct.length === 1 ? '' : 's'}\n`)
  setExitCode(exitCodes.wrong)
}

/** A spec says which paths there are; a fixture never does. */
function looksLikeSpec(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && ['openapi', 'swagger', 'paths', 'info'].some((key) => key in value)
  )
}
