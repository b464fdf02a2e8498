import { createHash } from 'node:crypto'
import { constants } from 'node:os'
import { basename, extname, resolve } from 'node:path'

import { isUrl, shortPlace } from '../addresses.js'
import { sendOverHttp } from '../client/send-over-http.js'
import { formatProblems } from '../documents/problem.js'
import { describeFailure, errorMessage } from '../error-message.js'
import * as node from '../node-process.js'
import { type DoubleOptions, doubleOptions } from '../options.js'
import { defaultSpec } from '../package-files.js'
import { describeShare } from '../sandbox/coverage.js'
import { type ExitCode, exitCodes } from './exit-codes.js'
import { findAdminToken } from './flag-files.js'
import { UsageError } from './flags.js'
import { forkDouble } from './fork-double.js'
import { checkValue, findGivenSpec, type ParsedArguments } from './parse-arguments.js'
import { packageManagerExit } from './process-tree.js'
import { readyJson, readyText } from './ready-message.js'
import { checkReportFile, writeReportFile } from './report/report-file.js'
import type { RunReport, VariedUnit } from './report/run-report.js'
import { describeEvidence, formatRunReport, RunReporter, showInGitHub } from './report/run-report.js'
import { createLineWriter, formatRequest, loadWithProgress, logFormats } from './terminal.js'

/** The default of `--state`: a file for each contract, so that none finds the state of another. @param spec - Default: that of the package. */
function defaultStateFile(spec: string | undefined): string {
  const isRemote = spec !== undefined && isUrl(spec)
  const path = isRemote ? spec : resolve(spec ?? defaultSpec)
  if (path === defaultSpec) return '.insights-double/state.json'
  const named = isRemote && URL.canParse(path) ? new URL(path).pathname : path
  const name = basename(named, extname(named)).replaceAll(/[^\w.-]/gu, '-') || 'contract'
  return `.insights-double/${name}-${createHash('sha256').update(path).digest('hex').slice(0, 8)}.json`
}

const stopSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT']

/** The time in which a repeated signal counts as the same Ctrl-C, milliseconds. The terminal and npm both send it. */
const sameSignalMs = 500

export type ServedDouble = Awaited<ReturnType<typeof serveDouble>>

/** Runs a double until a stop signal, or until the package manager that started it ends. */
export async function runServe(parsed: ParsedArguments): Promise<void> {
  // Watch npm from the start: it may end before the double is ready.
  const orphaned = packageManagerExit()
  let double: Pick<ServedDouble, 'stop'> | undefined
  let stoppedBy: { readonly signal: NodeJS.Signals | undefined; readonly at: number } | undefined
  const stop = (signal?: NodeJS.Signals): void => {
    stoppedBy = { signal, at: performance.now() }
    double?.stop().then(node.setExitCode, (error: unknown) => {
      node.printError(`${errorMessage(error)}\n`)
      node.setExitCode(exitCodes.failure)
    })
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!double) node.exitNow(exitCodes.signalBase + constants.signals[signal])
    else if (!stoppedBy) stop(signal)
    else if (signal !== stoppedBy.signal || performance.now() - stoppedBy.at > sameSignalMs)
      node.exitNow(exitCodes.forced)
  }
  // The kernel drops signals to process 1, as in a container, that have no listener. Other processes end by them during the start.
  if (node.ownPid === 1) node.onSignals(stopSignals, onSignal)
  // In a process of its own, because handlers may not end, and then only another process can stop it. With a debugger, they run in this one.
  if (parsed.isGiven('handlers') && !node.isDebugged()) {
    const forked = forkDouble(1)
    void forked.ended.then(node.setExitCode)
    // It has printed the reason why it could not start.
    if ((await forked.ready) === undefined) return
    double = forked
  } else double = await serveDouble(parsed)
  if (node.ownPid !== 1) node.onSignals(stopSignals, onSignal)
  void orphaned.then(() => stoppedBy ?? stop())
}

/** Of `run`, on a free port and in memory. */
export async function serveDouble(parsed: ParsedArguments) {
  const isVaried = parsed.isGiven('vary') || parsed.isGiven('vary-only')
  const log = logFormats.find((format) => format === parsed.valueOf('log')) ?? (isVaried ? 'silent' : 'pretty')
  await checkReportFile(parsed)
  const lines = createLineWriter(node.print)
  const reporter = new RunReporter()
  let isCounted = true
  const options = await readOptions(parsed)
  // Load the validators only when the usage is valid: a usage error must not wait for them.
  node.limitHeapGrowth()
  const { startInThisThread } = await import('../double/start-in-this-thread.js')
  // The code of verify takes long to load.
  const evidenceOf = parsed.isGiven('evidence')
    ? await (await import('./evidence-folder.js')).readEvidenceOf(parsed)
    : undefined
  const double = await loadWithProgress(options.spec ?? defaultSpec, (onProgress) =>
    startInThisThread({
      ...options,
      evidenceOf,
      onExchange: (recorded, isControl, test) => {
        if (!isControl && isCounted) reporter.add(recorded, test)
        // The pretty log shows the requests of the app, not those of its tests to the control plane.
        const isHidden = isControl && log === 'pretty' && recorded.common.verdict === 'ok'
        if (log !== 'silent' && !isHidden) lines.write(formatRequest(recorded.summary, log))
      },
      onFailure: (id, error) => node.printError(`${id}  ${describeFailure(error)}\n`),
      onReload: (file, problem, undone, effect) => {
        const path = shortPlace(file)
        if (problem) node.printError(`${problem.message}\n${path} ${effect}\n`)
        else if (log === 'json') lines.write(JSON.stringify({ event: 'reload', file: path, undone }))
        else if (log === 'pretty') lines.write(`${path} ${effect}`)
      },
      isSpecArgument: !parsed.isSpecByFlag,
      // `run` fails, so that no build is green by an old contract.
      isStaleAllowed: parsed.command !== 'run',
      onProgress,
    }),
  )
  if (log !== 'silent')
    node.print(
      log === 'json' ? readyJson(double, options) : readyText(double, { ...options, spec: parsed.options.spec }),
    )
  else for (const line of formatProblems(double.lockProblems)) node.printError(`${line}\n`)
  // A page has the sandboxes that can still be read, so it is made before they end.
  let page: ReturnType<typeof sendOverHttp> | undefined
  const makePage = (): void => {
    const request = { method: 'GET', url: `${double.url}/__admin/report`, adminToken: options.adminToken }
    if (extname(parsed.valueOf('report') ?? '') === '.html') page ??= sendOverHttp(request)
  }
  return {
    url: double.url,
    /** Ends the part of a run that the report is about. */
    endBaseline: (): void => {
      isCounted = false
      makePage()
    },
    /** Stops the double and writes the report. */
    stop: async (variations?: readonly VariedUnit[]): Promise<ExitCode> => {
      makePage()
      const html = (await page)?.text
      await double.stop()
      lines.flush()
      const report = reporter.report(double.contract.operations, variations)
      await writeReportFile(parsed, (file) => html ?? formatRunReport(file, report))
      if (html !== undefined) node.printError(`report  ${parsed.valueOf('report') ?? ''}\n`)
      for (const line of describeEvidence(report.evidence)) node.printError(`${line}\n`)
      await showInGitHub(report, double.contract)
      return judgeReport(parsed, report)
    },
  }
}

function judgeReport({ integerOf, isGiven, valueOf }: ParsedArguments, { covered, violating }: RunReport): ExitCode {
  if (isGiven('fail-on-violation') && violating > 0) {
    const where = valueOf('log') === 'silent' ? '' : 'The log lists them, and '
    node.printError(`There were violations of the contract. ${where}--report writes them to a file.\n`)
    return exitCodes.violations
  }
  const minPercent = integerOf('min-coverage')
  if (minPercent !== undefined && covered.percent < minPercent) {
    const what = `${describeShare(covered)}, less than --min-coverage ${minPercent}`
    node.printError(`${what}. --report writes the coverage to a file.\n`)
    return exitCodes.coverage
  }
  return exitCodes.success
}

async function readOptions(parsed: ParsedArguments): Promise<DoubleOptions> {
  const { command, isGiven, options } = parsed
  const isRun = command === 'run'
  const usualPort = node.environmentVariable('PORT') ?? '4010'
  if (options.port === undefined && !isRun) checkValue('PORT', usualPort, doubleOptions.port)
  const port = options.port ?? (isRun ? 0 : Number(usualPort))
  if (isGiven('memory') && isGiven('state'))
    throw new UsageError('--memory and --state exclude each other. Give one of them.')
  const spec = await findGivenSpec(parsed)
  const state = options.state ?? (isRun ? undefined : defaultStateFile(spec))
  const adminToken = await findAdminToken(parsed)
  return { ...options, port, spec, adminToken, state: isGiven('memory') ? undefined : state }
}
