/** `insights-double serve`: starts a double, and stops it on a signal. */
import { createHash } from 'node:crypto'
import { basename, extname, relative, resolve } from 'node:path'

import type { Contract } from '../contract/contract.js'
import { doubleName } from '../contract/contract.js'
import { formatProblems } from '../documents/problem.js'
import type { Double } from '../double/start-in-this-thread.js'
import { describeFailure, errorMessage } from '../error-message.js'
import {
  environmentVariable,
  exitNow,
  isDebugged,
  onTermOrIntSignal,
  print,
  printError,
  setExitCode,
} from '../node-process.js'
import type { DoubleOptions } from '../options.js'
import { doubleOptions } from '../options.js'
import { defaultSpec } from '../package-files.js'
import { ineffectiveParameters } from '../resources/explain.js'
import type { ResourcesSummary } from '../resources/explanation.js'
import { countRecords } from '../resources/records/state.js'
import { safeLine } from '../safe-text.js'
import { describeShare } from '../sandbox/coverage.js'
import { checkOutputFile } from './check-flag-paths.js'
import type { ExitCode } from './exit-codes.js'
import { exitCodes } from './exit-codes.js'
import { curlCommand, formatTokens } from './first-curl-command.js'
import { UsageError } from './flags.js'
import { forkDouble } from './fork-double.js'
import type { ParsedArguments } from './parse-arguments.js'
import { checkValue } from './parse-arguments.js'
import type { RunReport } from './report/run-report.js'
import { RunReporter } from './report/run-report.js'
import type { SpecLines } from './report/show-in-github.js'
import { showInGitHub } from './report/show-in-github.js'
import { reportExtensions, writeReport } from './report/write-report.js'
import { formatCounts, createLineWriter, formatRequest, logFormats } from './request-log.js'
import { showLoadProgress } from './show-load-progress.js'
import { packageManagerExit } from './wait-for-package-manager-end.js'

/**
 * Returns the default of `--state`: a file for each contract, so that no contract finds the state of another.
 *
 * @param spec - The path of the contract. Undefined: that of the package.
 */
function defaultStateFile(spec: string | undefined): string {
  const path = resolve(spec ?? defaultSpec)
  if (path === defaultSpec) return '.insights-double/state.json'
  const name = basename(path, extname(path)).replaceAll(/[^\w.-]/gu, '-')
  return `.insights-double/${name}-${createHash('sha256').update(path).digest('hex').slice(0, 8)}.json`
}

/** The default of `--port`. */
const defaultPort = 4010

/** The time in which a repeated signal counts as the same Ctrl-C, milliseconds. The terminal and npm both send it. */
const sameSignalMs = 500

/** A double that a command serves. */
export interface ServedDouble {
  readonly url: string
  /** Stops the double and writes the report. @returns The exit code. */
  stop(): Promise<ExitCode>
}

/** The defaults of a command. */
interface ServeDefaults {
  readonly port: number
  readonly state: string | undefined
}

/** Runs a double until a stop signal, or until the package manager that started it ends. */
export async function runServe(parsed: ParsedArguments): Promise<void> {
  // Watch npm from the start: it may end before the double is ready.
  const orphaned = packageManagerExit()
  const isForked = parsed.isGiven('handlers') && !isDebugged()
  const double = isForked ? await forkReadyDouble() : await serveDouble(parsed, serveDefaults(parsed))
  if (!double) return
  let stoppedBy: { readonly signal: NodeJS.Signals | undefined; readonly at: number } | undefined
  const stop = (signal?: NodeJS.Signals): void => {
    stoppedBy = { signal, at: performance.now() }
    double.stop().then(setExitCode, (error: unknown) => {
      printError(`${errorMessage(error)}\n`)
      setExitCode(exitCodes.failure)
    })
  }
  onTermOrIntSignal((signal) => {
    if (!stoppedBy) stop(signal)
    else if (signal !== stoppedBy.signal || performance.now() - stoppedBy.at > sameSignalMs) exitNow(exitCodes.forced)
  })
  void orphaned.then(() => stoppedBy ?? stop())
}

/** Returns the defaults of `serve`. */
export const serveDefaults = (parsed: ParsedArguments): ServeDefaults => ({
  port: portFromEnvironment() ?? defaultPort,
  state: defaultStateFile(parsed.valueOf('spec')),
})

/**
 * Starts a double with handlers in a process of its own. Handlers may not end, and then only another process can stop the double. With a
 * debugger attached, handlers run in the process that is debugged.
 *
 * @returns Undefined if it could not start. It has printed the reason.
 */
async function forkReadyDouble(): Promise<Pick<ServedDouble, 'stop'> | undefined> {
  const double = forkDouble(1)
  void double.ended.then(setExitCode)
  return (await double.ready) === undefined ? undefined : double
}

/** Starts a double, prints that it is ready, and logs its requests. */
export async function serveDouble(parsed: ParsedArguments, defaults: ServeDefaults): Promise<ServedDouble> {
  const log = logFormats.find((format) => format === parsed.valueOf('log')) ?? 'pretty'
  const reportFile = await validateReportFile(parsed)
  const lines = createLineWriter(print)
  const reporter = new RunReporter()
  const options = optionsOf(parsed, defaults)
  // Load the validators only when the usage is valid: a usage error must not wait for them.
  const { startInThisThread } = await import('../double/start-in-this-thread.js')
  const progress = showLoadProgress(options.spec ?? defaultSpec)
  const double = await startInThisThread({
    ...options,
    onProgress: progress.onProgress,
    onExchange: (entry, isControl, isExpected) => {
      if (!isControl) reporter.add(entry, isExpected)
      // The pretty log shows the requests of the app, not those of its tests to the control plane.
      const isHidden = isControl && log === 'pretty' && entry.verdict === 'ok'
      if (log !== 'silent' && !isHidden) lines.write(formatRequest(entry, log))
    },
    onFailure: (id, error) => printError(`${id}  ${describeFailure(error)}\n`),
    onReload: (file, problem, undone, effect) => {
      const path = relative('', file)
      if (problem) printError(`${problem.message}\n${path} ${effect}\n`)
      else if (log === 'json') lines.write(JSON.stringify({ event: 'reload', file: path, undone }))
      else if (log === 'pretty') lines.write(`${path} ${effect}`)
    },
  }).finally(progress.end)
  if (log !== 'silent') print(log === 'json' ? readyJson(double, options) : readyText(double, options))
  return {
    url: double.url,
    stop: async () => {
      await double.stop()
      lines.flush()
      const report = reporter.report(double.contract.operations)
      if (reportFile !== undefined) {
        await writeReport(reportFile, report).catch((error: unknown) => {
          throw new UsageError(`--report: ${reportFile} could not be written: ${errorMessage(error)}`)
        })
      }
      await showInGitHub(report, () => specLines(double))
      return judgeReport(parsed, report)
    },
  }
}

/** Compares a report with the flags, and prints the difference. @returns The exit code. */
function judgeReport({ integerOf, isGiven, valueOf }: ParsedArguments, { covered, violating }: RunReport): ExitCode {
  if (isGiven('fail-on-violation') && violating > 0) {
    const where = valueOf('log') === 'silent' ? '' : 'The log lists them, and '
    printError(`There were violations of the contract. ${where}--report writes them to a file.\n`)
    return exitCodes.violations
  }
  const minPercent = integerOf('min-coverage')
  if (minPercent !== undefined && covered.percent < minPercent) {
    printError(
      `${describeShare(covered)}, less than --min-coverage ${minPercent}. --report writes the coverage to a file.\n`,
    )
    return exitCodes.coverage
  }
  return exitCodes.success
}

const specLines = ({ contract, explain }: Double): SpecLines => ({
  file: contract.file,
  // The lines of the overlay are not lines of this file.
  lines: new Map(
    explain().operations.flatMap(({ file, line, operation }) => (file === undefined ? [[operation, line]] : [])),
  ),
})

function optionsOf(parsed: ParsedArguments, defaults: ServeDefaults): DoubleOptions {
  const { integerOf, isGiven, valueOf, valuesOf } = parsed
  if (isGiven('memory') && isGiven('state'))
    throw new UsageError('--memory and --state exclude each other. Give one of them.')
  return {
    port: integerOf('port') ?? defaults.port,
    host: valueOf('host'),
    fixture: valueOf('fixture'),
    fixtures: valueOf('fixtures'),
    state: isGiven('memory') ? undefined : (valueOf('state') ?? defaults.state),
    fresh: isGiven('fresh'),
    spec: valueOf('spec'),
    overlay: valueOf('overlay'),
    handlers: valueOf('handlers'),
    handlerTimeoutMs: integerOf('handler-timeout'),
    strict: isGiven('strict'),
    now: valueOf('now'),
    delayMs: integerOf('delay'),
    watch: isGiven('watch'),
    adminToken: valueOf('admin-token'),
    allowedHosts: valuesOf('allowed-host'),
    adminOrigins: valuesOf('admin-origin'),
    journalEntries: integerOf('journal-entries'),
    journalBytes: integerOf('journal-bytes'),
    maxSandboxes: integerOf('max-sandboxes'),
    sandboxIdleMs: integerOf('sandbox-idle'),
  }
}

function portFromEnvironment(): number | undefined {
  const value = environmentVariable('PORT')
  if (value !== undefined) checkValue('PORT', value, doubleOptions.port)
  return value === undefined ? undefined : Number(value)
}

async function validateReportFile(parsed: ParsedArguments): Promise<string | undefined> {
  const file = parsed.valueOf('report')
  if (file === undefined) return undefined
  if (!reportExtensions.some((extension) => file.endsWith(extension))) {
    throw new UsageError(`--report must name a file that ends in ${reportExtensions.join(' or ')}, got "${file}".`)
  }
  await checkOutputFile(parsed, 'report')
  return file
}

/** The names of operations: with a handler of the user, mocked, and all others. */
function operationsByKind({
  operations,
}: ResourcesSummary): Readonly<Record<'handled' | 'mocked' | 'stateful', string[]>> {
  const names = (isMeant: (role: string) => boolean): string[] =>
    operations.filter(({ role }) => isMeant(role)).map(({ operation }) => operation)
  return {
    handled: names((role) => role === 'handler'),
    mocked: names((role) => role === 'mocked'),
    stateful: names((role) => role !== 'handler' && role !== 'mocked'),
  }
}

/** The initial fixture: as the user named it, or its name. Null: the double has started without one. */
const fixtureOf = ({ root }: Double, { fixture }: DoubleOptions): string | null =>
  typeof fixture === 'string' ? fixture : root.fixture.name

function readyText(double: Double, options: DoubleOptions): string {
  const { state } = options
  const fixture = fixtureOf(double, options)
  const { contract, continued, root, stateNote, summary } = double
  const { committed } = root.store
  const [caller] = committed.callers
  const counts = formatCounts(countRecords(committed), committed.callers.length)
  const stateText = continued
    ? `${state ?? ''} (continued: ${counts}; --fresh starts ${fixture === null ? 'with an empty state' : 'from the fixture'})`
    : (state ?? 'in memory')
  const { handled, mocked, stateful } = operationsByKind(summary)
  const withoutEffect = ineffectiveParameters(summary.operations)
  return [
    `${doubleName(contract)} ready at ${double.url}`,
    `  fixture  ${fixture ?? 'none; --fixture names one'}${continued ? '' : ` (${counts})`}`,
    `  state    ${stateText}`,
    ...(stateNote === undefined ? [] : [`           ${stateNote}`]),
    ...(caller ? [`  token    ${formatTokens(caller)} (${caller.name})`] : []),
    ...(stateful.length > 0 ? [`  stateful ${stateful.join(', ')}`] : []),
    ...(handled.length > 0 ? [`  handlers ${handled.join(', ')}`] : []),
    ...(mocked.length > 0 ? [`  mocked   ${mocked.join(', ')} (insights-double explain says why)`] : []),
    ...(withoutEffect.length > 0 ? [`  ignored  ${withoutEffect.join('; ')} (validated, but not acted on)`] : []),
    ...formatDiagnostics(contract),
    `  try      ${curlCommand(summary, double.url, caller)}`,
    '',
  ]
    .map(safeLine)
    .join('\n')
}

/** The most diagnostics of the contract that are printed at the start. */
const maxShown = 10

function formatDiagnostics({ diagnostics }: Contract): string[] {
  if (diagnostics.length === 0) return []
  const hidden = diagnostics.length - maxShown
  return [
    `  not enforced in the contract (--strict refuses it):`,
    // A position in a large contract takes long to find, so only those that are shown are found.
    ...formatProblems(diagnostics.slice(0, maxShown)).map((line) => `    ${line}`),
    ...(hidden > 0 ? [`    and ${hidden} more; insights-double check shows all`] : []),
  ]
}

function readyJson(double: Double, options: DoubleOptions): string {
  const { contract, continued, stateNote, summary, url } = double
  const { operations } = summary
  const { handled, mocked, stateful } = operationsByKind(summary)
  const ready = {
    event: 'ready',
    url,
    fixture: fixtureOf(double, options),
    state: options.state ?? null,
    continued,
    ...(stateNote === undefined ? {} : { note: stateNote }),
    stateful,
    ...(handled.length > 0 ? { handlers: handled } : {}),
    mocked,
    notActedOn: ineffectiveParameters(operations),
    notEnforced: formatProblems(contract.diagnostics),
  }
  return `${JSON.stringify(ready)}\n`
}
