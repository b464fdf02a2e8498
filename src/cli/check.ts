/** `insights-double check`: says everything that is wrong with a spec and with fixtures, without a server. */
import type { Contract } from '../contract/contract.js'
import { isFolder } from '../documents/folder.js'
import type { Problem } from '../documents/problem.js'
import { formatProblem, namingFlag, ProblemsError } from '../documents/problem.js'
import { readSource } from '../documents/source.js'
import { insightRules, loadServiceContract } from '../insights/service-contract.js'
import { defaultFixtures, defaultSpec } from '../options.js'
import { print, setExitCode } from '../process.js'
import { listFixtures, readState } from '../state/fixtures.js'
import { exitCodes } from './exit-codes.js'
import { UsageError } from './flags.js'
import type { Invocation } from './invocation.js'
import { withoutControls } from './log.js'

/** Checks the files that are named, or the spec and all fixtures. */
export async function check({ operands, valueOf }: Invocation): Promise<void> {
  const spec = valueOf('spec') ?? defaultSpec
  const fixtures = valueOf('fixtures') ?? defaultFixtures
  if (!isFolder(fixtures)) throw new UsageError(`--fixtures must name a folder that is there, got "${fixtures}".`)
  const files = operands.length > 0 ? operands : [spec, ...(await listFixtures(fixtures)).values()]
  const problems: Problem[] = []
  let contract: Contract | undefined
  for (const file of files) {
    try {
      const source = await readSource(file)
      if (looksLikeSpec(source.value)) {
        const read = await loadServiceContract(file)
        print(`${file}  ok  ${read.operations.length} operations\n`)
      } else {
        contract ??= await loadServiceContract(spec)
        const { callers, insights } = readState(source, insightRules(contract))
        print(`${file}  ok  ${insights.length} insights, ${callers.length} callers\n`)
      }
    } catch (error) {
      const named = namingFlag(error, spec, '--spec')
      if (!(named instanceof ProblemsError)) throw error
      problems.push(...named.problems)
    }
  }
  const distinct = [...new Set(problems.map(formatProblem))]
  for (const problem of distinct) print(`${withoutControls(problem)}\n`)
  if (distinct.length === 0) return
  print(`${distinct.length} problem${distinct.length === 1 ? '' : 's'}\n`)
  setExitCode(exitCodes.wrong)
}

/** A spec says which paths there are; a fixture never does. */
function looksLikeSpec(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && ['openapi', 'swagger', 'paths', 'info'].some((key) => key in value)
  )
}
