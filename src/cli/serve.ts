/** `insights-double serve`: starts, says so, serves, stops. */
import { existsSync } from 'node:fs'
import { dirname, relative } from 'node:path'

import { formatProblems } from '../documents/problem.js'
import type { Double } from '../double.js'
import { createDouble } from '../double.js'
import type { DoubleOptions } from '../options.js'
import { defaultFixture } from '../options.js'
import { environmentVariable, exitNow, onStopSignal, print, printError, setExitCode } from '../process.js'
import { reasonOf } from '../reason.js'
import { exitCodes } from './exit-codes.js'
import type { Invocation } from './flags.js'
import { integer, UsageError } from './flags.js'
import type { LogFormat } from './log.js'
import { createLineWriter, formatEntry, logFormats, withoutControls } from './log.js'
import { Reporter, reportExtensions, writeReport } from './report.js'

/** Where the state is kept. */
const defaultState = '.insights-double/state.json'

/** The port to listen on. */
const defaultPort = 4010

/** Serves until a signal comes. */
export async function serve(invocation: Invocation): Promise<void> {
  const log = logFormat(invocation)
  const reportFile = checkedReportFile(invocation)
  const lines = createLineWriter(print)
  const reporter = new Reporter()
  const options = doubleOptions(invocation)
  const double = await createDouble({
    ...options,
    onExchange: (entry, isControl) => {
      if (!isControl) reporter.add(entry)
      // People want to see what their app asks, not what their tests ask about it.
      const isAside = isControl && log === 'pretty' && entry.verdict === 'ok'
      if (log !== 'silent' && !isAside) lines.write(formatEntry(entry, log))
    },
    onFailure: (id, error) =>
      printError(`${id}  ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
    onReload: (file, problem) => {
      const shown = relative('', file)
      if (problem) printError(`${problem.message}\n${shown} was not taken over; the last good one stays.\n`)
      else lines.write(`${shown} was taken over.`)
    },
  })
  print(log === 'json' ? readyJson(double, options) : readyText(double, options))

  let isStopping = false
  onStopSignal(() => {
    if (isStopping) exitNow(exitCodes.forced)
    isStopping = true
    const finish = async (): Promise<void> => {
      await double.stop()
      lines.flush()
      if (reportFile !== undefined) await writeReport(reportFile, reporter.report(double.contract.operations))
      const failed = invocation.isGiven('fail-on-violation') && reporter.isViolated
      if (failed) printError('The contract was broken; see the log, or write a report with --report.\n')
      setExitCode(failed ? exitCodes.violations : exitCodes.done)
    }
    finish().catch((error: unknown) => {
      printError(`${reasonOf(error)}\n`)
      setExitCode(exitCodes.unusable)
    })
  })
}

function doubleOptions(invocation: Invocation): DoubleOptions {
  const { integerOf, isGiven, valueOf, valuesOf } = invocation
  if (isGiven('memory') && isGiven('state'))
    throw new UsageError('--memory keeps no file, so --state has none to name. Give one of them.')
  const port = integerOf('port', 0, 65_535) ?? integer('PORT', environmentVariable('PORT'), 0, 65_535) ?? defaultPort
  return {
    port,
    host: valueOf('host'),
    fixture: valueOf('fixture'),
    fixtures: valueOf('fixtures'),
    state: isGiven('memory') ? undefined : (valueOf('state') ?? defaultState),
    fresh: isGiven('fresh'),
    spec: valueOf('spec'),
    strict: isGiven('strict'),
    delayMs: integerOf('delay', 0, 60_000),
    watch: isGiven('watch'),
    adminToken: valueOf('admin-token'),
    allowedHosts: valuesOf('allowed-host'),
    adminOrigins: valuesOf('admin-origin'),
    maxSandboxes: integerOf('max-sandboxes', 1, 1_000_000),
    sandboxIdleMs: integerOf('sandbox-idle', 1, Number.MAX_SAFE_INTEGER),
  }
}

function logFormat(invocation: Invocation): LogFormat {
  const value = invocation.valueOf('log') ?? 'pretty'
  const format = logFormats.find((known) => known === value)
  if (!format) throw new UsageError(`--log must be one of ${logFormats.join(', ')}, got "${value}".`)
  return format
}

function checkedReportFile(invocation: Invocation): string | undefined {
  const file = invocation.valueOf('report')
  if (file === undefined) return undefined
  if (!reportExtensions.some((extension) => file.endsWith(extension))) {
    throw new UsageError(`--report must name a file that ends in ${reportExtensions.join(' or ')}, got "${file}".`)
  }
  if (!existsSync(dirname(file)))
    throw new UsageError(`--report must name a file in a folder that is there, got "${file}".`)
  return file
}

function readyText(double: Double, { fixture = defaultFixture, state }: DoubleOptions): string {
  const { callers, insights } = double.root.store.saved
  const [caller] = callers
  const token = caller?.token === '*' ? 'any-token' : (caller?.token ?? 'none')
  const many = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
  const holds = `${many(insights.length, 'insight')}, ${many(callers.length, 'caller')}`
  const kept = double.continued ? `${state ?? ''} (continued: ${holds}; --fresh begins anew)` : (state ?? 'in memory')
  const mocked =
    double.mocked.length > 0
      ? [`  mocked   ${double.mocked.join(', ')} (no handler; answered from the spec's examples)`]
      : []
  return [
    `Insights double ready at ${double.url}`,
    `  fixture  ${fixture}${double.continued ? '' : ` (${holds})`}`,
    `  state    ${kept}`,
    `  token    ${token} (${caller?.name ?? 'nobody'})`,
    ...mocked,
    ...notEnforced(double),
    `  try      curl -H "Authorization: Bearer ${token}" ${double.url}/insights`,
    '',
  ]
    .map(withoutControls)
    .join('\n')
}

/** How many of the findings about the contract the start shows. */
const maxShown = 10

function notEnforced({ contract: { diagnostics } }: Double): string[] {
  if (diagnostics.length === 0) return []
  const left = diagnostics.length - maxShown
  return [
    `  not enforced in the contract (--strict refuses it):`,
    ...formatProblems(diagnostics)
      .slice(0, maxShown)
      .map((line) => `    ${line}`),
    ...(left > 0 ? [`    and ${left} more; insights-double check shows all`] : []),
  ]
}

function readyJson(double: Double, { fixture = defaultFixture, state }: DoubleOptions): string {
  const { contract, mocked, continued, url } = double
  const unenforced = formatProblems(contract.diagnostics)
  return `${JSON.stringify({ event: 'ready', url, fixture, state: state ?? null, continued, mocked, notEnforced: unenforced })}\n`
}
