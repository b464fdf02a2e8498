/** `insights-double verify`: compares the double with a real service. */
import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'

import { isObject } from '../documents/object.js'
import { readSource } from '../documents/source.js'
import { errorMessage } from '../error-message.js'
import { print, printError, setExitCode } from '../node-process.js'
import { safeLine } from '../safe-text.js'
import { createReportAndEdits, withOutcome } from '../verify/create-report.js'
import type { VerifyReport } from '../verify/create-report.js'
import { planVerification, verifyService } from '../verify/verify.js'
import { writeOverlay } from '../verify/write-overlay.js'
import { checkOutputFile, checkOutputFileIsNew } from './check-flag-paths.js'
import type { ExitCode } from './exit-codes.js'
import { exitCodes } from './exit-codes.js'
import type { FlagName } from './flags.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { readRealServiceFlags } from './real-service-flags.js'
import { formatVerifyReport, toTerminal, verifyReportExtensions } from './report/verify-report-formats.js'

/** Verifies a service, prints the report, and writes it and the edits to files. */
export async function runVerify(parsed: ParsedArguments): Promise<void> {
  const { integerOf, isGiven, valueOf, valuesOf } = parsed
  await checkFiles(parsed)
  const { callers, client, headerVariables, service } = await readRealServiceFlags(parsed)
  const only = valueOf('only')
  const options = { service, overlay: valueOf('overlay'), client, callers, may: valuesOf('may'), only }
  if (isGiven('plan')) {
    for (const { name, skipped, steps, title } of planVerification(options)) {
      print(`${name}: ${title}${skipped === undefined ? '' : ` (not sent: ${skipped})`}\n`)
      for (const { method, target } of steps) print(`  ${method} ${target}\n`)
    }
    print('Probes that need a record are made after the listings are read.\n')
    return
  }
  const say = (line: string): void => printError(`${safeLine(client.redact(line))}\n`)
  const verification = await verifyService({ ...options, maxRequests: integerOf('max-requests'), onProgress: say })
  const { edits, report } = createReportAndEdits(verification, { callers, headers: headerVariables }, client.redact)
  print(toTerminal(report))
  const reportFile = valueOf('report')
  if (reportFile !== undefined) await write('report', reportFile, formatVerifyReport(reportFile, report))
  const overlay = valueOf('apply')
  if (overlay !== undefined) {
    const actions = edits.flatMap((edit) => edit.actions)
    // The edits are for the contract after the given overlay, so the actions of that overlay come first.
    const given = await actionsOf(valueOf('overlay'))
    if (actions.length === 0) say('--apply writes nothing: no edit of the contract would remove a difference.')
    else
      await write(
        'apply',
        overlay,
        writeOverlay(overlay, `Edits that make the double agree with ${report.service}`, [...given, ...actions]),
      )
    for (const { differences, name } of report.probes)
      for (const { noEdit, sameAs, what } of differences)
        if (noEdit !== undefined && sameAs === undefined) say(`Not in the overlay: ${name}: ${what}, and ${noEdit}.`)
  }
  setExitCode(exitCodeOf(report))
}

async function actionsOf(overlay: string | undefined): Promise<readonly unknown[]> {
  const value = overlay === undefined ? undefined : (await readSource(overlay)).value
  const actions = isObject(value) ? value['actions'] : undefined
  return Array.isArray(actions) ? (actions as unknown[]) : []
}

async function checkFiles(parsed: ParsedArguments): Promise<void> {
  const report = parsed.valueOf('report')
  if (report !== undefined) {
    if (!verifyReportExtensions.includes(extname(report)))
      throw new UsageError(`--report must name a ${verifyReportExtensions.join(', ')} file, got "${report}".`)
    await checkOutputFile('report', report)
  }
  const overlay = parsed.valueOf('apply')
  if (overlay !== undefined && !/\.(?:json|ya?ml)$/u.test(overlay))
    throw new UsageError(`--apply must name a .yaml, .yml or .json file, got "${overlay}".`)
  await checkOutputFileIsNew(parsed, 'apply')
}

async function write(flag: FlagName, file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: unknown) => {
    throw new UsageError(`--${flag}: ${file} could not be written: ${errorMessage(error)}`)
  })
}

function exitCodeOf(report: VerifyReport): ExitCode {
  if (withOutcome(report, 'differs').length > 0) return exitCodes.problems
  return withOutcome(report, 'agrees').length > 0 ? exitCodes.success : exitCodes.failure
}
