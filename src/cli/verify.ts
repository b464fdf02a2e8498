/** `insights-double verify`: compares the double with a real service. */
import { extname } from 'node:path'

import { print, printError, setExitCode } from '../node-process.js'
import type { ServiceClient } from '../pull/service-client.js'
import { safeLine } from '../safe-text.js'
import { createReportAndEdits, withOutcome } from '../verify/create-report.js'
import type { VerifyReport } from '../verify/create-report.js'
import { planVerification, verifyService } from '../verify/verify.js'
import { applyEdits, checkOverlayFile } from './apply-edits.js'
import { checkOutputFile } from './check-flag-paths.js'
import type { ExitCode } from './exit-codes.js'
import { exitCodes } from './exit-codes.js'
import { UsageError } from './flags.js'
import type { ParsedArguments } from './parse-arguments.js'
import { readRealServiceFlags } from './real-service-flags.js'
import { formatVerifyReport, toTerminal, verifyReportExtensions } from './report/verify-report-formats.js'
import { writeOutputFile } from './write-output-file.js'

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
  if (reportFile !== undefined) await writeOutputFile(parsed, 'report', formatVerifyReport(reportFile, report))
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

async function checkFiles(parsed: ParsedArguments): Promise<void> {
  const report = parsed.valueOf('report')
  if (report !== undefined && !verifyReportExtensions.includes(extname(report)))
    throw new UsageError(`--report must name a ${verifyReportExtensions.join(', ')} file, got "${report}".`)
  await checkOutputFile(parsed, 'report')
  await checkOverlayFile(parsed)
}

function exitCodeOf(report: VerifyReport, client: ServiceClient): ExitCode {
  if (withOutcome(report, 'differs').length > 0) return exitCodes.problems
  const isCut = client.isEnded && client.limitReached() !== undefined
  return withOutcome(report, 'agrees').length > 0 && !isCut ? exitCodes.success : exitCodes.failure
}
