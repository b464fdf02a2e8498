import { isUrl } from '../addresses.js'
import { isObject } from '../documents/object.js'
import { toPointer } from '../documents/pointer.js'
import { addFlagToHints, formatProblem, formatProblems, type Problem, ProblemsError } from '../documents/problem.js'
import { readSource } from '../documents/source.js'
import { plural } from '../error-message.js'
import { print, setExitCode } from '../node-process.js'
import { once } from '../once.js'
import { defaultFixtures, defaultSpec } from '../package-files.js'
import { withUnanswerable } from '../resources/find-unanswerable.js'
import { countRecords } from '../resources/records/state.js'
import { findLockProblems } from '../resources/role-lock.js'
import { safeJson } from '../safe-text.js'
import { findSpec, isContract } from '../spec/find-spec.js'
import { findFixtureFiles, parseFixture } from '../state/fixtures.js'
import { exitCodes } from './exit-codes.js'
import { checkFolder } from './flag-files.js'
import { UsageError } from './flags.js'
import { loadByFlags } from './load-spec.js'
import { findGivenSpec, nameSpecFlag, type ParsedArguments } from './parse-arguments.js'
import { formatCounts, loadWithProgress } from './terminal.js'

/** A file to check. It has no source if it is a contract from a URL, or cannot be read, which `error` describes. */
type CheckedFile = Awaited<ReturnType<typeof open>>

/** A file without problems: a contract with its number of operations, or a fixture with its numbers of records and callers. */
type ValidFile =
  | { readonly file: string; readonly operations: number }
  | { readonly file: string; readonly collections: Readonly<Record<string, number>>; readonly callers: number }

/** Checks the given files. Default: the spec and all fixtures; of a spec that is given without a folder of fixtures, the spec alone. */
export async function runCheck(parsed: ParsedArguments): Promise<void> {
  const { isGiven, options, positionals } = parsed
  const given = isGiven('spec')
  const problems: Problem[] = []
  const collect = (error: unknown): undefined => {
    if (!(error instanceof ProblemsError)) throw error
    problems.push(...error.problems)
  }
  // The fixtures of the package fit the contract of the package.
  const fixtures = options.fixtures ?? (given ? undefined : defaultFixtures)
  if (fixtures !== undefined) await checkFolder('fixtures', fixtures)
  const found = fixtures === undefined ? [] : (await findFixtureFiles(fixtures)).values()
  const byFlag = await findGivenSpec(parsed).catch(collect)
  if (given && byFlag === undefined) return report(parsed, [], problems, [])
  const files = await Promise.all((positionals.length > 0 ? positionals : [byFlag ?? defaultSpec, ...found]).map(open))
  const isSpec = ({ file, source }: CheckedFile): boolean => isUrl(file) || looksLikeContract(source?.value)
  const spec = chooseSpec(files.filter(isSpec), files, byFlag)
  // Also if it fails: a target of an overlay may take seconds.
  const loadOnce = once(() => loadByFlags(parsed, spec).catch(nameSpecFlag(parsed)))
  const valid: ValidFile[] = []
  const diagnostics: Problem[] = []
  for (const each of files) {
    const { error, file, source } = each
    try {
      if (error !== undefined) throw error
      if (isSpec(each)) {
        const { changed, contract } = await loadWithProgress(file, async (onProgress) => {
          const service = await loadByFlags(parsed, file, { onProgress })
          const whole = await withUnanswerable(service, { isWhole: true, onProgress })
          return { contract: whole, changed: await findLockProblems(service, options.lockFile) }
        })
        diagnostics.push(...contract.diagnostics)
        problems.push(...changed)
        if (changed.length > 0 || (isGiven('strict') && contract.diagnostics.length > 0)) continue
        valid.push({ file, operations: contract.operations.length })
      } else if (source) {
        const { resources } = await loadOnce()
        const state = parseFixture(source, resources)
        valid.push({ file, collections: countRecords(state), callers: state.callers.length })
      }
    } catch (failure) {
      collect(file === byFlag ? addFlagToHints('--spec', failure) : failure)
    }
  }
  report(parsed, valid, problems, diagnostics)
}

async function open(place: string) {
  try {
    const file = await findSpec(place)
    return isUrl(file) ? { file } : { file, source: await readSource(file) }
  } catch (error) {
    return { file: place, error }
  }
}

/** Finds the contract of the fixtures: that of the flag, else the only one of the files, else that of the package. @throws {UsageError} */
function chooseSpec(specs: readonly CheckedFile[], files: readonly CheckedFile[], byFlag: string | undefined): string {
  const fixture = files.find((each) => each.source && !specs.includes(each))
  if (byFlag === undefined && specs.length > 1 && fixture)
    throw new UsageError(
      `check needs one contract for the fixture ${fixture.file}, got ${specs.map(({ file }) => file).join(', ')}; name one of them with --spec.`,
    )
  return byFlag ?? specs[0]?.file ?? defaultSpec
}

/** A contract may lack its first keyword. A fixture may have a collection of either of the other names. */
const looksLikeContract = (value: unknown): boolean =>
  isContract(value) || (isObject(value) && 'paths' in value && 'info' in value)

function report(
  { isGiven }: ParsedArguments,
  valid: readonly ValidFile[],
  problems: readonly Problem[],
  diagnostics: readonly Problem[],
): void {
  if (isGiven('json')) {
    print(`${safeJson({ files: valid, problems: toJson(problems), notEnforced: toJson(diagnostics) }, 2)}\n`)
  } else {
    const notEnforced = [...new Set(formatProblems(diagnostics))]
    const wrong = [...new Set(formatProblems(problems))]
    const lines = [...valid.map((one) => `${one.file}  ok  ${countsOf(one)}`), ...notEnforced]
    if (notEnforced.length > 0) lines.push(`${notEnforced.length} not enforced`)
    if (wrong.length > 0) lines.push(...wrong, plural(wrong.length, 'problem'))
    for (const line of lines) print(`${line}\n`)
  }
  if (problems.length > 0 || (isGiven('strict') && diagnostics.length > 0)) setExitCode(exitCodes.problems)
}

const countsOf = (one: ValidFile): string =>
  'operations' in one ? `${one.operations} operations` : formatCounts(one.collections, one.callers)

/** Each problem once: one of the contract may be found for each fixture. */
const toJson = (problems: readonly Problem[]): readonly object[] =>
  [...new Map(problems.map((problem) => [formatProblem(problem), problem])).values()].map(
    ({ file, hint, path, position: { column, line } = { column: null, line: null }, what }) => {
      return { file, line, column, path: path ? toPointer(path) : null, what, hint }
    },
  )
