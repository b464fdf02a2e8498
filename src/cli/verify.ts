import { isDeepStrictEqual } from 'node:util'

import { isUrl } from '../addresses.js'
import { readOverlay } from '../contract/overlay.js'
import { describeOnce, type NewOverlayAction, writeOverlay } from '../contract/write-overlay.js'
import { listOf, objectOf } from '../documents/object.js'
import { findStats, isSameFile } from '../documents/paths.js'
import { ProblemsError } from '../documents/problem.js'
import { readSource, type Source } from '../documents/source.js'
import { print, printError, setExitCode } from '../node-process.js'
import type { ServiceClient } from '../pull/service-client.js'
import { safeLine } from '../safe-text.js'
import { createReportAndEdits, type VerifyReport, withOutcome } from '../verify/create-report.js'
import { errorWords } from '../verify/error-words.js'
import { compareEvidence, createEvidence, readEvidence } from '../verify/evidence.js'
import { readGivenRequests } from '../verify/given-requests.js'
import { type EditFailure, tryEdits } from '../verify/replay.js'
import { planVerification, recordEvidence, verifyEvidence, verifyService } from '../verify/verify.js'
import { checkEvidenceFolder, readEvidenceFolder, writeEvidence } from './evidence-folder.js'
import { type ExitCode, exitCodes } from './exit-codes.js'
import { checkOutputFile, readFlagFile, writeOutputFile } from './flag-files.js'
import { limitDefaults, UsageError } from './flags.js'
import { loadSpecFlag } from './load-spec.js'
import type { ParsedArguments } from './parse-arguments.js'
import { readRealServiceFlags } from './pull.js'
import { checkReportFile, writeReportFile } from './report/report-file.js'
import { formatVerifyReport, toTerminal } from './report/verify-report.js'

export async function runVerify(parsed: ParsedArguments): Promise<void> {
  const { integerOf, isGiven, options, positionals, valueOf, valuesOf } = parsed
  await checkReportFile(parsed)
  await checkOverlayFile(parsed)
  const maxAge = readMaxAge(valueOf('max-age'))
  const recorded = valueOf('record')
  if (recorded !== undefined) await checkEvidenceFolder(recorded)
  const folder = valueOf('evidence')
  const [first = ''] = positionals
  const isOffline = folder !== undefined && !isUrl(first)
  const traffic = valueOf('from')
  if (traffic !== undefined && isOffline)
    throw new UsageError('--from needs the URL of the service that it is compared with.')
  const from = traffic === undefined ? undefined : await readGivenRequests(traffic, await readFlagFile('from', traffic))
  const real = isOffline ? undefined : await readRealServiceFlags(parsed)
  // Without a URL, the first argument is the contract.
  const spec = first === '' ? options.spec : first
  const service = real?.service ?? (await loadSpecFlag({ ...parsed, options: { ...options, spec } }))
  const evidence = folder === undefined ? undefined : await readEvidenceFolder(folder, service)
  const { callers = [], headerVariables = new Map<string, string>(), otherValues, values } = real ?? {}
  const probes = { service, callers, may: valuesOf('may'), only: valueOf('only'), values, otherValues, from }
  if (isGiven('plan')) {
    for (const { name, skipped, steps } of planVerification(probes)) {
      print(`${name}${skipped === undefined ? '' : ` (not sent: ${skipped})`}\n`)
      for (const { method, target } of steps) print(`  ${method} ${target}\n`)
    }
    return print('Probes that need a record are made after the listings are read.\n')
  }
  const redact = real?.client.redact ?? ((text: string): string => text)
  const say = (line: string): void => printError(`${safeLine(redact(line))}\n`)
  const { handlers } = options
  const verification = real
    ? await verifyService({
        ...probes,
        handlers,
        client: real.client,
        maxRequests: integerOf('max-requests'),
        onProgress: say,
        ...(recorded === undefined && !evidence ? {} : { nonce: fixedNonce }),
      })
    : evidence && (await verifyEvidence(evidence, service, handlers))
  if (!verification) return
  const expected = valuesOf('expect-drift')
  const { edits, report } = createReportAndEdits(verification, { callers, headers: headerVariables }, redact, expected)
  print(toTerminal(report))
  await writeReportFile(parsed, (file) => formatVerifyReport(file, report))
  if (evidence && folder !== undefined) {
    for (const name of evidence.unknown)
      say(`${folder}: the contract has no operation ${name}, so its probes say little.`)
    const days = Math.floor((Date.now() - Date.parse(evidence.recordedAt)) / 86_400_000)
    if (days > maxAge) say(`${folder} was recorded ${days} days ago, which is more than --max-age. Record it again.`)
    const now = real && createEvidence(verification, service, !isGiven('unsanitised'))
    for (const line of now ? compareEvidence(evidence, readEvidence(now, folder, service)) : []) say(line)
  }
  if (isGiven('apply')) {
    // The trials send nothing to the service. They may take as long as the run.
    const trialMs = integerOf('max-time') ?? limitDefaults.ms
    const endsAt = performance.now() + trialMs
    const limit = `the trials took ${trialMs / 1000} s (--max-time)`
    const { failures, good } = await tryEdits(verification, edits, say, () =>
      performance.now() < endsAt ? undefined : limit,
    )
    for (const edit of edits.filter((each) => !good.includes(each)))
      say(`Not in the overlay: ${edit.text}: ${reasonOf(failures.get(edit))}.`)
    const actions = describeOnce([...good.flatMap((edit) => edit.actions), ...errorWords(verification, good)])
    const title = `Edits that make the double agree with ${report.service}`
    if (actions.length === 0) say('--apply writes nothing: no edit of the contract would remove a difference.')
    else if (!(await applyEdits(parsed, title, actions))) say('--apply writes nothing: the overlay has these edits.')
    for (const { edit, places, what } of report.differences)
      if (edit === undefined) say(`Not in the overlay: ${places[0] ?? ''}: ${what}.`)
  }
  if (recorded !== undefined) {
    await writeEvidence(recorded, await recordEvidence(verification, service, !isGiven('unsanitised')))
    say(`Recorded in ${recorded}.`)
  }
  setExitCode(exitCodeOf(report, real?.client))
}

/** Tells why an edit is not in the overlay, as a clause. @param failure - Undefined: it was not tried. */
function reasonOf(failure: EditFailure | undefined): string {
  if (failure === undefined) return 'it was not tried'
  if (failure === 'idle') return 'with it, the difference stays'
  if (failure === 'invalid') return 'with it, the contract is not valid, or the state of the service does not fit it'
  return `with it, another difference appears: ${failure.probe}: ${failure.what}`
}

/** A part of made-up ids that is the same in each recording. */
const fixedNonce = '7e57da7a'

function readMaxAge(text: string | undefined): number {
  if (text === undefined) return Infinity
  const [, days] = /^(\d{1,5})d$/u.exec(text) ?? []
  if (days === undefined) throw new UsageError(`--max-age must be a number of days, such as 30d, got "${text}".`)
  return Number(days)
}

function exitCodeOf(report: VerifyReport, client: ServiceClient | undefined): ExitCode {
  const differing = withOutcome(report, 'differs').filter(({ operation = '' }) => !report.expected.includes(operation))
  if (differing.length > 0) return exitCodes.problems
  const isCut = client?.isEnded === true && client.limitReached !== undefined
  const isSeen = withOutcome(report, 'agrees').length + withOutcome(report, 'differs').length > 0
  return isSeen && !isCut ? exitCodes.success : exitCodes.failure
}

/** Checks the file of `--apply`. @throws {UsageError} It cannot be written, or is not an overlay and `--force` is not given. */
async function checkOverlayFile(parsed: ParsedArguments): Promise<void> {
  const file = await checkOutputFile(parsed, 'apply')
  if (file === undefined) return
  if (!/\.(?:json|ya?ml)$/u.test(file))
    throw new UsageError(`--apply must name a .yaml, .yml or .json file, got "${file}".`)
  await readExisting(file, parsed.isGiven('force'))
}

/** Reads the overlay in a file. @param isReplaced - True if another file is replaced. @returns Undefined: there is none. */
async function readExisting(file: string, isReplaced: boolean): Promise<Source | undefined> {
  if (!(await findStats(file))) return undefined
  try {
    const source = await readSource(file)
    readOverlay(source)
    return source
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error
    if (isReplaced) return undefined
    const why = error.problems[0]?.what ?? ''
    throw new UsageError(`--apply: ${file} exists, and only an overlay is extended: ${why}. Use --force to replace it.`)
  }
}

/**
 * Writes edits to the file of `--apply`: adds them to the overlay that is there, else to a copy of that of `--overlay`, else to a new one. The
 * edits are for the contract after `--overlay`, so its actions come before them.
 * @returns False: the overlay has them already.
 */
async function applyEdits(parsed: ParsedArguments, title: string, edits: readonly NewOverlayAction[]) {
  const { isGiven, valueOf } = parsed
  const file = valueOf('apply') ?? ''
  const overlay = valueOf('overlay')
  const given = overlay === undefined ? undefined : await readSource(overlay)
  const existing = await readExisting(file, isGiven('force'))
  const isGivenOne = overlay !== undefined && (await isSameFile(file, overlay))
  const isOther = existing !== undefined && !isGivenOne
  // The actions of --overlay were applied, so an equal edit is needed again. It is not known when another overlay was applied.
  const isNew = (one: unknown): boolean => !actionsIn(existing).some((other) => isDeepStrictEqual(one, other))
  const added = isOther ? [...actionsIn(given), ...edits].filter(isNew) : edits
  if (added.length === 0) return false
  await writeOutputFile(parsed, 'apply', writeOverlay(file, title, added, existing ?? given))
  return true
}

const actionsIn = (source: Source | undefined): readonly unknown[] => listOf(objectOf(source?.value)['actions'])
