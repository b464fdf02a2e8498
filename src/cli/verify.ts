import { isDeepStrictEqual } from 'node:util'

import { readOverlay } from '../contract/overlay/read-overlay.js'
import { listOf, objectOf } from '../documents/object.js'
import { findStats, isSameFile } from '../documents/paths.js'
import { ProblemsError } from '../documents/problem.js'
import { readSource, type Source } from '../documents/source.js'
import { print, printError, setExitCode } from '../node-process.js'
import type { ServiceClient } from '../pull/service-client.js'
import { safeLine } from '../safe-text.js'
import { createReportAndEdits, type VerifyReport, withOutcome } from '../verify/create-report.js'
import { type NewOverlayAction, writeOverlay } from '../verify/edits.js'
import { planVerification, verifyService } from '../verify/verify.js'
import { type ExitCode, exitCodes } from './exit-codes.js'
import { checkOutputFile, writeOutputFile } from './flag-files.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { readRealServiceFlags } from './pull.js'
import { checkReportFile, writeReportFile } from './report/report-file.js'
import { formatVerifyReport, toTerminal } from './report/verify-report.js'

export async function runVerify(parsed: ParsedArguments): Promise<void> {
  const { integerOf, isGiven, valueOf, valuesOf } = parsed
  await checkReportFile(parsed)
  await checkOverlayFile(parsed)
  const { callers, client, headerVariables, service } = await readRealServiceFlags(parsed)
  const only = valueOf('only')
  const options = { service, overlay: valueOf('overlay'), client, callers, may: valuesOf('may'), only }
  if (isGiven('plan')) {
    for (const { name, skipped, steps, title } of planVerification(options)) {
      print(`${name}: ${title}${skipped === undefined ? '' : ` (not sent: ${skipped})`}\n`)
      for (const { method, target } of steps) print(`  ${method} ${target}\n`)
    }
    return print('Probes that need a record are made after the listings are read.\n')
  }
  const say = (line: string): void => printError(`${safeLine(client.redact(line))}\n`)
  const verification = await verifyService({ ...options, maxRequests: integerOf('max-requests'), onProgress: say })
  const { edits, report } = createReportAndEdits(verification, { callers, headers: headerVariables }, client.redact)
  print(toTerminal(report))
  await writeReportFile(parsed, (file) => formatVerifyReport(file, report))
  if (isGiven('apply')) {
    const actions = edits.flatMap((edit) => edit.actions)
    const title = `Edits that make the double agree with ${report.service}`
    if (actions.length === 0) say('--apply writes nothing: no edit of the contract would remove a difference.')
    else if (!(await applyEdits(parsed, title, actions))) say('--apply writes nothing: the overlay has these edits.')
    for (const { differences, name } of report.probes)
      for (const { noEdit, sameAs, what } of differences)
        if (noEdit !== undefined && sameAs === undefined) say(`Not in the overlay: ${name}: ${what}, and ${noEdit}.`)
  }
  setExitCode(exitCodeOf(report, client))
}

function exitCodeOf(report: VerifyReport, client: ServiceClient): ExitCode {
  if (withOutcome(report, 'differs').length > 0) return exitCodes.problems
  const isCut = client.isEnded && client.limitReached !== undefined
  return withOutcome(report, 'agrees').length > 0 && !isCut ? exitCodes.success : exitCodes.failure
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
 *
 * @returns False: the overlay has them already.
 */
async function applyEdits(
  parsed: ParsedArguments,
  title: string,
  edits: readonly NewOverlayAction[],
): Promise<boolean> {
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
