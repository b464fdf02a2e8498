import { isUrl } from '../addresses.js'
import { isObject } from '../documents/object.js'
import type { Problem } from '../documents/problem.js'
import { formatProblems, ProblemsError, addFlagToHints } from '../documents/problem.js'
import { readSource } from '../documents/source.js'
import { print, setExitCode } from '../node-process.js'
import { once } from '../once.js'
import { defaultFixtures, defaultSpec } from '../package-files.js'
import { withUnanswerable } from '../resources/find-unanswerable.js'
import { loadService } from '../resources/load-service.js'
import { countRecords } from '../resources/records/state.js'
import { findFixtureFiles, parseFixture } from '../state/fixtures.js'
import { exitCodes } from './exit-codes.js'
import { checkFolder } from './flag-files.js'
import type { ParsedArguments } from './parse-arguments.js'
import { formatCounts, loadWithProgress } from './terminal.js'

/** Checks the given files. Default: the spec and all fixtures; of a spec that is given without a folder of fixtures, the spec alone. */
export async function runCheck({ isGiven, positionals, valueOf, valuesOf }: ParsedArguments): Promise<void> {
  const spec = valueOf('spec') ?? defaultSpec
  const options = { handlers: valueOf('handlers'), overlay: valueOf('overlay'), specHeaders: valuesOf('spec-header') }
  // The fixtures of the package fit the contract of the package.
  const fixtures = valueOf('fixtures') ?? (isGiven('spec') ? undefined : defaultFixtures)
  if (fixtures !== undefined) await checkFolder('fixtures', fixtures)
  const found = fixtures === undefined ? [] : (await findFixtureFiles(fixtures)).values()
  const files = positionals.length > 0 ? positionals : [spec, ...found]
  const problems: Problem[] = []
  const diagnostics: Problem[] = []
  // Also if it fails: a target of an overlay may take seconds.
  const loadOnce = once(() =>
    loadService(spec, options).catch((error: unknown) => {
      throw addFlagToHints('--spec', error)
    }),
  )
  for (const file of files) {
    try {
      const source = isUrl(file) ? undefined : await readSource(file)
      if (!source || looksLikeSpec(source.value)) {
        const contract = await loadWithProgress(file, async (onProgress) =>
          withUnanswerable(await loadService(file, { ...options, onProgress }), { isWhole: true, onProgress }),
        )
        diagnostics.push(...contract.diagnostics)
        if (isGiven('strict') && contract.diagnostics.length > 0) continue
        print(`${file}  ok  ${contract.operations.length} operations\n`)
      } else {
        const { resources } = await loadOnce()
        const state = parseFixture(source, resources)
        print(`${file}  ok  ${formatCounts(countRecords(state), state.callers.length)}\n`)
      }
    } catch (error) {
      const failure = file === valueOf('spec') ? addFlagToHints('--spec', error) : error
      if (!(failure instanceof ProblemsError)) throw failure
      problems.push(...failure.problems)
    }
  }
  const notEnforced = [...new Set(formatProblems(diagnostics))]
  for (const line of notEnforced) print(`${line}\n`)
  if (notEnforced.length > 0) print(`${notEnforced.length} not enforced\n`)
  const problemLines = [...new Set(formatProblems(problems))]
  for (const line of problemLines) print(`${line}\n`)
  if (problemLines.length === 0) {
    if (isGiven('strict') && notEnforced.length > 0) setExitCode(exitCodes.problems)
    return
  }
  print(`${problemLines.length} problem${problemLines.length === 1 ? '' : 's'}\n`)
  setExitCode(exitCodes.problems)
}

/** Tells whether a document is a spec. A fixture has none of these keys. */
const looksLikeSpec = (value: unknown): boolean =>
  isObject(value) && ['openapi', 'swagger', 'paths', 'info'].some((key) => key in value)
