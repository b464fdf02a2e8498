/** `insights-double serve`: starts, says so, serves, stops. */
import { relative } from 'node:path'

import type { Contract } from '../contract/contract.js'
import { formatProblems } from '../documents/problem.js'
import type { Double } from '../double.js'
import { errorMessage } from '../error-message.js'
import { environmentVariable, exitNow, onStopSignal, print, printError, setExitCode } from '../node-process.js'
import type { DoubleOptions } from '../options.js'
import { doubleOptions } from '../options.js'
import { notActedOn } from '../resources/explain.js'
import type { Caller } from '../resources/records/state.js'
import { countRecords } from '../resources/records/state.js'
import { anyToken, tokensOf } from '../state/callers.js'
import { checkOutputFile } from './check-paths.js'
import { exitCodes } from './exit-codes.js'
import { UsageError } from './flags.js'
import { packageManagerExit } from './package-manager.js'
import type { ParsedArguments } from './parse-arguments.js'
import { checkValue } from './parse-arguments.js'
import { countsText, createLineWriter, formatRequest, logFormats, escapeControlCharacters } from './request-log.js'
import { RunReporter, reportExtensions, writeReport } from './run-report.js'

/** Where the state is kept. */
const defaultState = '.insights-double/state.json'

/** The port to listen on. */
const defaultPort = 4010

/** A signal that comes again within this time is the same Ctrl-C, milliseconds: a terminal sends it to the double, and so does npm. */
const sameSignalMs = 500

/** Serves until a signal comes, or the package manager that started the double ends. */
export async function runServe(invocation: ParsedArguments): Promise<void> {
  // From the beginning: npm may be gone before the double is ready.
  const orphaned = packageManagerExit()
  const log = logFormats.find((known) => known === invocation.valueOf('log')) ?? 'pretty'
  const reportFile = await checkedReportFile(invocation)
  const lines = createLineWriter(print)
  const reporter = new RunReporter()
  const options = optionsOf(invocation)
  // Loaded once the usage is known to be right: a mistake in it should not wait for a validator.
  const { createDouble } = await import('../double.js')
  const double = await createDouble({
    ...options,
    onExchange: (entry, isControl, isExpected) => {
      if (!isControl) reporter.add(entry, isExpected)
      // People want to see what their app asks, not what their tests ask about it.
      const isAside = isControl && log === 'pretty' && entry.verdict === 'ok'
      if (log !== 'silent' && !isAside) lines.write(formatRequest(entry, log))
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

  let stoppedBy: { readonly signal: NodeJS.Signals | undefined; readonly at: number } | undefined
  const stop = (signal?: NodeJS.Signals): void => {
    stoppedBy = { signal, at: performance.now() }
    const finish = async (): Promise<void> => {
      await double.stop()
      lines.flush()
      if (reportFile !== undefined) {
        await writeReport(reportFile, reporter.report(double.contract.operations)).catch((error: unknown) => {
          throw new UsageError(`--report: ${reportFile} could not be written: ${errorMessage(error)}`)
        })
      }
      const failed = invocation.isGiven('fail-on-violation') && reporter.hasViolations
      if (failed) printError('The contract was broken; see the log, or write a report with --report.\n')
      setExitCode(failed ? exitCodes.violations : exitCodes.done)
    }
    finish().catch((error: unknown) => {
      printError(`${errorMessage(error)}\n`)
      setExitCode(exitCodes.unusable)
    })
  }
  onStopSignal((signal) => {
    if (!stoppedBy) stop(signal)
    else if (signal !== stoppedBy.signal || performance.now() - stoppedBy.at > sameSignalMs) exitNow(exitCodes.forced)
  })
  void orphaned.then(() => stoppedBy ?? stop())
}

function optionsOf(invocation: ParsedArguments): DoubleOptions {
  const { integerOf, isGiven, valueOf, valuesOf } = invocation
  if (isGiven('memory') && isGiven('state'))
    throw new UsageError('--memory keeps no file, so --state has none to name. Give one of them.')
  const port = integerOf('port') ?? portFromEnvironment() ?? defaultPort
  return {
    port,
    host: valueOf('host'),
    fixture: valueOf('fixture'),
    fixtures: valueOf('fixtures'),
    state: isGiven('memory') ? undefined : (valueOf('state') ?? defaultState),
    fresh: isGiven('fresh'),
    spec: valueOf('spec'),
    strict: isGiven('strict'),
    delayMs: integerOf('delay'),
    watch: isGiven('watch'),
    adminToken: valueOf('admin-token'),
    allowedHosts: valuesOf('allowed-host'),
    adminOrigins: valuesOf('admin-origin'),
    maxSandboxes: integerOf('max-sandboxes'),
    sandboxIdleMs: integerOf('sandbox-idle'),
  }
}

function portFromEnvironment(): number | undefined {
  const value = environmentVariable('PORT')
  if (value !== undefined) checkValue('PORT', value, doubleOptions.port)
  return value === undefined ? undefined : Number(value)
}

async function checkedReportFile(invocation: ParsedArguments): Promise<string | undefined> {
  const file = invocation.valueOf('report')
  if (file === undefined) return undefined
  if (!reportExtensions.some((extension) => file.endsWith(extension))) {
    throw new UsageError(`--report must name a file that ends in ${reportExtensions.join(' or ')}, got "${file}".`)
  }
  await checkOutputFile('report', file)
  return file
}

function readyText(double: Double, { fixture = doubleOptions.fixture.default, state }: DoubleOptions): string {
  const { contract, continued, explanation, root, stateNote } = double
  const { committed } = root.store
  const [caller] = committed.callers
  const token = caller && tokenFor(caller)
  const holds = countsText(countRecords(committed), committed.callers.length)
  const kept = continued ? `${state ?? ''} (continued: ${holds}; --fresh begins anew)` : (state ?? 'in memory')
  const stateful = explanation.operations.filter(({ role }) => role !== 'mocked').map(({ operation }) => operation)
  const mocked = explanation.operations.filter(({ role }) => role === 'mocked').map(({ operation }) => operation)
  const unused = notActedOn(explanation.operations)
  const name = typeof fixture === 'string' ? fixture : 'inline'
  return [
    `Insights double ready at ${double.url}`,
    `  fixture  ${name}${continued ? '' : ` (${holds})`}`,
    `  state    ${kept}`,
    ...(stateNote === undefined ? [] : [`           ${stateNote}`]),
    ...(caller && token !== undefined ? [`  token    ${token} (${caller.name})`] : []),
    ...(stateful.length > 0 ? [`  stateful ${stateful.join(', ')}`] : []),
    ...(mocked.length > 0 ? [`  mocked   ${mocked.join(', ')} (insights-double explain says why)`] : []),
    ...(unused.length > 0 ? [`  ignored  ${unused.join('; ')} (validated, but not acted on)`] : []),
    ...notEnforced(contract),
    `  try      ${exampleRequest(double, token)}`,
    '',
  ]
    .map(escapeControlCharacters)
    .join('\n')
}

const tokenFor = (caller: Caller): string => {
  const [token = ''] = tokensOf(caller)
  return token === anyToken ? 'any-token' : token
}

/** A request to try: a listing if there is one. */
function exampleRequest({ explanation, contract, url }: Double, token: string | undefined): string {
  const { operations } = explanation
  const found = operations.find(({ role }) => role === 'list') ?? operations.find(({ method }) => method === 'GET')
  const isSecured = contract.operations.some(({ id, secured }) => id === found?.operation && secured)
  const credential = isSecured && token !== undefined ? `-H "Authorization: Bearer ${token}" ` : ''
  return `curl ${credential}${url}${found?.path ?? '/'}`
}

/** How many of the findings about the contract the start shows. */
const maxShown = 10

function notEnforced({ diagnostics }: Contract): string[] {
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

function readyJson(double: Double, { fixture = doubleOptions.fixture.default, state }: DoubleOptions): string {
  const { contract, continued, explanation, stateNote, url } = double
  const { operations } = explanation
  const ready = {
    event: 'ready',
    url,
    fixture: typeof fixture === 'string' ? fixture : null,
    state: state ?? null,
    continued,
    ...(stateNote === undefined ? {} : { note: stateNote }),
    stateful: operations.filter(({ role }) => role !== 'mocked').map(({ operation }) => operation),
    mocked: operations.filter(({ role }) => role === 'mocked').map(({ operation }) => operation),
    notActedOn: notActedOn(operations),
    notEnforced: formatProblems(contract.diagnostics),
  }
  return `${JSON.stringify(ready)}\n`
}
