import { connect } from 'node:net'

import { describedEvidence, errorMessage } from '../error-message.js'
import type { DoubleHandle, DoubleOptions, FixtureDocument, JournalEntry, SandboxHandle } from '../index.js'
import { connectDouble, DoubleError, startDouble } from '../index.js'
import { environmentVariable } from '../node-process.js'
import { safeJson, safeLine } from '../safe-text.js'

/** Gives a value to a test runner, and waits until the runner no longer needs it. */
export type Use<Value> = (value: Value) => Promise<void>

/** A fixture that each worker process creates once, in the form of `test.extend`. */
export const ofWorker = <Fixture>(fixture: Fixture): [Fixture, { scope: 'worker' }] => [fixture, { scope: 'worker' }]

/**
 * Returns the double at `INSIGHTS_DOUBLE_URL`. If that is not set, starts one that does not keep the process alive: a runner may end without a
 * teardown. `stop` ends only a double that was started here.
 */
export async function connectOrStartDouble(options: DoubleOptions): Promise<DoubleHandle> {
  const url = environmentVariable('INSIGHTS_DOUBLE_URL')
  if (url !== undefined) return connectDouble(url)
  const double = await startDouble(options)
  double.unref()
  return double
}

/** Tells `run --vary` the file of a test that has failed. */
async function reportFailure(failedFile: string | undefined): Promise<void> {
  const asked = environmentVariable('INSIGHTS_DOUBLE_VARY')
  if (asked === undefined || failedFile === undefined) return
  const { socket } = JSON.parse(asked) as { readonly socket: string }
  await new Promise((resolve) => {
    connect(socket)
      .on('close', resolve)
      .on('error', resolve)
      .end(`${JSON.stringify({ failedFile })}\n`)
  })
}

/** The fixtures and options of a worker process. */
export interface DoubleWorkerFixtures {
  /** The options of a double that is started here. Default: none. Not used with `INSIGHTS_DOUBLE_URL`. */
  doubleOptions: DoubleOptions
  /** The double at `INSIGHTS_DOUBLE_URL`, or one for each worker process. */
  double: DoubleHandle
}

/** The fixture of the double of `connectOrStartDouble`, which is stopped afterwards. Runners read the names of fixtures from its source. */
export const ownDouble = ofWorker(
  async ({ doubleOptions }: Pick<DoubleWorkerFixtures, 'doubleOptions'>, use: Use<DoubleHandle>): Promise<void> => {
    const double = await connectOrStartDouble(doubleOptions)
    await use(double)
    await double.stop()
  },
)

/** The options of a test's sandbox. A test runner sets them for a test, a group of tests or a file. */
export interface SandboxFixtureOptions {
  /** The name of a fixture, or an inline fixture. Default: the fixture of the double. */
  fixture: string | FixtureDocument | undefined
  /** Fixed time for the dates that the double fills in, such as `2026-01-05T09:30:00Z`. Default: the clock runs. */
  now: string | undefined
  /** True if the callers of the sandbox get unique tokens, for apps that are rendered on a server. Default false. */
  uniqueTokens: boolean
  /** True if the test breaks the contract on purpose. Default false. */
  expectViolations: boolean
}

/** The values that the fixture of a sandbox gets from a runner. */
export type SandboxNeeds = SandboxFixtureOptions & Pick<DoubleWorkerFixtures, 'double'>

interface SandboxReport {
  /** Each request with its status, caller and verdict, and its violations and warnings. If there is none: what to set. */
  readonly requests: string
  /** The changes of the state, as JSON. */
  readonly diff: string
  /** Each unexpected violation, one line each. Empty: none. */
  readonly violations: string
}

/** The most characters of a title that a sandbox takes. */
const maxTitleLength = 300

/**
 * Gives a sandbox to a test, and drops it afterwards.
 * @param test - `title`: with those of its groups.
 * @param show - Shows the report of a test that has failed, or whose client broke the contract.
 * @throws The test has not failed, although its client broke the contract.
 */
export async function useSandbox(
  double: DoubleHandle,
  test: SandboxFixtureOptions & Readonly<Record<'file' | 'title', string | undefined>>,
  use: Use<SandboxHandle>,
  hasFailed: () => boolean,
  show: (report: SandboxReport) => unknown,
): Promise<void> {
  const { expectViolations, file, fixture, now, title, uniqueTokens } = test
  const sandbox = await double.sandbox({
    expectViolations,
    uniqueTokens,
    ...(title === undefined ? {} : { title: title.slice(0, maxTitleLength) }),
    ...(fixture === undefined ? {} : { fixture }),
    ...(now === undefined ? {} : { now }),
  })
  await use(sandbox)
  const failed = hasFailed()
  if (failed) await reportFailure(file)
  await sandbox.setResult({ outcome: failed ? 'failed' : 'passed' }).catch(() => {})
  const report = await dropTestSandbox(sandbox, { expectViolations, hasFailed: failed })
  if (!report) return
  await show(report)
  const hint = 'The client broke the contract. Set expectViolations if the test does so on purpose.'
  if (!failed) throw new Error(`${report.violations}\n${hint}`)
}

/** Drops the sandbox of a test that has ended. @returns Undefined: nothing has failed or broken the contract, or the test has dropped it. */
export async function dropTestSandbox(
  sandbox: SandboxHandle,
  { expectViolations, hasFailed }: { readonly expectViolations: boolean; readonly hasFailed: boolean },
): Promise<SandboxReport | undefined> {
  try {
    const { entries: recorded } = await sandbox.requests()
    const { pathname } = new URL(sandbox.url)
    const entries = recorded.map((entry) =>
      entry.url.startsWith(pathname) ? { ...entry, url: entry.url.slice(pathname.length) } : entry,
    )
    const violations = expectViolations ? '' : entries.flatMap(formatViolations).join('\n')
    if (!hasFailed && violations === '') return undefined
    // The message of a wait for a request says what arrived elsewhere, and what to set.
    const none = () => sandbox.waitForRequests({ withinMs: 0 }).then(() => 'none', errorMessage)
    const requests = entries.length > 0 ? entries.map(formatEntry).join('\n') : await none()
    return { requests, diff: safeJson((await sandbox.diff()).collections, 2), violations }
  } catch (error) {
    if (error instanceof DoubleError) return undefined
    throw error
  } finally {
    await sandbox.stop()
  }
}

export function formatSandboxReport({ diff, requests, violations }: SandboxReport): string {
  const section = (title: string, text: string): string =>
    `Insights double, ${title}:\n${(text === '' ? 'none' : text).replaceAll(/^/gmu, '  ')}\n`
  return [section('requests', requests), section('changes', diff), section('violations', violations)].join('')
}

function formatEntry(entry: JournalEntry): string {
  const { evidence, caller, method, status, url, verdict, violations } = entry
  const rests = evidence === undefined ? '' : `  ${describedEvidence[evidence]}`
  const findings = violations.map(
    ({ message, severity }) => `\n  ${severity === 'Error' ? 'violation' : 'warning'}: ${safeLine(message)}`,
  )
  return `${safeLine(`${method} ${url}`)}  ${status ?? 'no response'}  ${caller ?? 'no caller'}  ${verdict}${rests}${findings.join('')}`
}

const formatViolations = ({ method, status, url, violations }: JournalEntry): string[] =>
  violations
    .filter(({ severity }) => severity === 'Error')
    .map(({ message }) => safeLine(`${method} ${url} (${status ?? 'no response'}): ${message}`))
