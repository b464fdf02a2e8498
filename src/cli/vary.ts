/** `run --vary`: runs a suite with variations of the responses, and prints those that it does not survive. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'

import { createHandle, type DoubleHandle } from '../client/handle.js'
import { sendOverHttp } from '../client/send-over-http.js'
import { plural } from '../error-message.js'
import { suggest } from '../nearest-name.js'
import { commandLineArguments, isErrorTerminal, isWindows, ownPid, print, replaceErrorLine } from '../node-process.js'
import { firstExtraRound, unitKind, kinds, unitPlace, roundOf } from '../vary/kinds.js'
import { confirmations, type Finding, search, type SearchStage } from '../vary/search.js'
import { type CommandEnd, type ExitCode, exitCodes } from './exit-codes.js'
import { findAdminToken, refusePath } from './flag-files.js'
import { limitDefaults, UsageError } from './flags.js'
import type { ForkedDouble } from './fork-double.js'
import type { ParsedArguments } from './parse-arguments.js'
import type { VariedUnit } from './report/run-report.js'

/** The surroundings of a command whose output is read, not shown. */
export interface SuiteSurroundings {
  readonly variables: Readonly<Record<string, string>>
  readonly isForShell: boolean
  readonly onOutput: (chunk: Buffer) => void
}

export interface Suite {
  readonly url: string
  readonly double: ForkedDouble
  /** Starts the command of `run`. @param rerun - Another command, for a shell. */
  readonly start: (
    surroundings: SuiteSurroundings,
    rerun?: string,
  ) => { ended: Promise<CommandEnd>; stop(): Promise<void> }
  readonly isInterrupted: () => boolean
}

export interface VaryResult {
  /** 0: that of the double counts. */
  readonly code: ExitCode
  readonly variations?: readonly VariedUnit[]
}

type SeenUnit = Awaited<ReturnType<DoubleHandle['variations']>>[number]
type SeenUnits = ReadonlyMap<string, SeenUnit>

/** The end of the output of a suite, and the first lines that say what failed. A suite may print any amount. */
class SuiteOutput {
  tail = ''
  readonly #failed: string[] = []

  add(text: string): void {
    this.tail = (this.tail + text).slice(-65_536)
    const says = /(?:^|\s)(?:not ok|✖|✗|✘|×|●|FAIL(?:ED)?|--- FAIL:|\w*Error)(?:[\s:]|$)/u
    if (this.#failed.length < 3) this.#failed.push(...text.split('\n').filter((line) => says.test(line)))
  }

  failedLines(): readonly string[] {
    const lines = this.#failed.length > 0 ? this.#failed.slice(0, 3) : this.tail.trimEnd().split('\n').slice(-3)
    return lines.map((line) => `  > ${line.trim().slice(0, 200)}`)
  }
}

const seconds = (ms: number): string => `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`

/** Reads the values of a flag: units, kinds, and `@file` with one of them in each line. @throws {UsageError} The file cannot be read. */
async function readFilters(parsed: ParsedArguments, flag: 'vary-only' | 'vary-except'): Promise<readonly string[]> {
  const read = parsed.valuesOf(flag).map(async (value) => {
    if (!value.startsWith('@')) return value
    const text = await readFile(value.slice(1), 'utf8').catch(refusePath(flag, 'file that can be read', value))
    const lines = text.split('\n').map((line) => line.trim())
    return lines.filter((line) => line !== '' && !line.startsWith('#'))
  })
  return (await Promise.all(read)).flat()
}

export async function varySuite(parsed: ParsedArguments, suite: Suite): Promise<VaryResult> {
  const { double, isInterrupted, start, url } = suite
  const startedAt = performance.now()
  const [only, except] = [await readFilters(parsed, 'vary-only'), await readFilters(parsed, 'vary-except')]
  const maxRuns = parsed.integerOf('max-runs') ?? limitDefaults.runs
  const endsAt = startedAt + (parsed.integerOf('max-minutes') ?? limitDefaults.minutes) * 60_000
  const adminToken = await findAdminToken(parsed)
  const handle = createHandle(url, { adminToken, send: sendOverHttp })
  for (const filter of [...only, ...except].filter((each) => !Object.hasOwn(kinds, each))) {
    if (!filter.includes(' '))
      throw new UsageError(`There is no variation "${filter}"; ${suggest(filter, Object.keys(kinds))}`)
    await handle.setVariations([filter])
  }
  const state = await handle.state()
  const { fixture } = await handle.reset()
  const reports = await listenForReports()
  const outputs = new Map<string, SuiteOutput>()
  let limitMs = endsAt - startedAt
  let failedFiles = ''
  let runs = 0

  const runSuite = async (units: readonly string[], stage: SearchStage): Promise<{ code: ExitCode; ms: number }> => {
    for (const { name } of await handle.sandboxes())
      await sendOverHttp({ method: 'DELETE', url: `${url}/__admin/sandboxes/${name}`, adminToken })
    await handle.reset(...(fixture === null ? [] : [fixture]))
    await handle.setState(state)
    await handle.setVariations(units)
    reports.failedFiles.clear()
    const output = new SuiteOutput()
    outputs.set(units.join(), output)
    const before = performance.now()
    const rerun = stage === 'narrow' && failedFiles !== '' ? parsed.valueOf('vary-rerun') : undefined
    const variables = { INSIGHTS_DOUBLE_VARY: JSON.stringify({ units, socket: reports.path }) }
    const onOutput = (chunk: Buffer): void => output.add(stripVTControlCharacters(String(chunk)))
    const surroundings = { variables, onOutput, isForShell: rerun !== undefined }
    const command = start(surroundings, rerun?.split('{files}').join(failedFiles))
    const timer = setTimeout(() => void command.stop(), Math.min(limitMs, endsAt - before))
    const unexpected = { code: exitCodes.failure, message: 'The double ended unexpectedly.' }
    const { code, message = '' } = await Promise.race([command.ended, double.ended.then(() => unexpected)])
    clearTimeout(timer)
    // What it has started may still run.
    await command.stop()
    output.add(message)
    if (stage === 'round') failedFiles = [...reports.failedFiles].map((file) => JSON.stringify(file)).join(' ')
    return { code, ms: performance.now() - before }
  }

  try {
    const baseline = [await runSuite([], 'round')]
    const isStarted = baseline.every(({ code }) => code < exitCodes.notExecutable)
    if (isStarted && baseline[0]?.code) baseline.push(await runSuite([], 'round'), await runSuite([], 'round'))
    const failed = baseline.filter(({ code }) => code !== exitCodes.success)
    const [{ code, ms } = { code: 0, ms: 0 }] = failed.length > 0 ? failed : baseline
    if (code !== exitCodes.success) print(`${outputs.get('')?.tail ?? ''}\n`)
    if (failed.length === baseline.length) return { code }
    if (failed.length > 0) return fail(`the baseline is flaky, ${failed.length} of ${baseline.length}`)
    double.send({ isBaselineOver: true })
    limitMs = 5 * ms + 10_000
    const seen: SeenUnits = new Map([...(await handle.variations()), ...reports.seen].map((each) => [each.unit, each]))
    if (seen.size === 0) return fail('no request reached the double: does the suite start its own? is it cached?')
    const least = parsed.valueOf('vary') === 'all' || only.length > 0 ? Infinity : firstExtraRound
    const isIn = (list: readonly string[], unit: string): boolean =>
      list.includes(unit) || list.includes(unitKind(unit))
    const isTried = (unit: string): boolean => (only.length === 0 || isIn(only, unit)) && !isIn(except, unit)
    const units = [...seen.keys()].filter((unit) => roundOf(unit) < least && isTried(unit))
    const count = plural(units.length, 'variation')
    print(`vary  baseline passes in ${seconds(ms)}; ${count} for what your tests received\n`)
    const run = async (subset: readonly string[], stage: SearchStage): Promise<boolean | undefined> => {
      if (isInterrupted() || runs >= maxRuns || performance.now() >= endsAt) return undefined
      runs++
      const isPassed = (await runSuite(subset, stage)).code === exitCodes.success
      if (isInterrupted()) return undefined
      const line = `vary  ${runs} of at most ${maxRuns} runs: ${describe(subset)} ${isPassed ? 'passes' : 'fails'}`
      if (isErrorTerminal()) replaceErrorLine(line)
      else print(`${line}\n`)
      return isPassed
    }
    const { comparesWholeBodies, findings, isIncomplete, passed } = await search({ units, run })
    if (isErrorTerminal()) replaceErrorLine('')
    const notes = findings.filter(({ isOfRecord }) => isOfRecord).length
    const took = `${plural(runs, 'run')}, ${seconds(performance.now() - startedAt)}`
    print(`vary  ${plural(findings.length - notes, 'finding')}, ${plural(notes, 'note')}, ${took}\n`)
    const texts = new Map(
      findings.flatMap((finding) => {
        const text = describeFinding(finding, seen, outputs.get(finding.units.join())?.failedLines() ?? [])
        print(`\n${text}\n`)
        return finding.units.map((unit) => [unit, { text, outcome: finding.isOfRecord ? 'note' : 'fails' } as const])
      }),
    )
    if (comparesWholeBodies)
      print('\nTests compare whole bodies: every further and every missing property fails them.\n')
    if (isIncomplete) print('\nThe search is incomplete: a limit is reached, or equal runs give different results.\n')
    const variations = units.map((unit): VariedUnit => {
      const { file = '', line = 1 } = seen.get(unit) ?? {}
      return { unit, outcome: passed.has(unit) ? 'passes' : 'not reached', text: '', ...texts.get(unit), file, line }
    })
    const otherwise = isIncomplete ? exitCodes.failure : exitCodes.success
    return { variations, code: findings.length > notes || comparesWholeBodies ? exitCodes.variations : otherwise }
  } finally {
    reports.close()
  }
}

function fail(reason: string): VaryResult {
  print(`vary  ${reason}\n`)
  return { code: exitCodes.failure }
}

function describe(units: readonly string[]): string {
  const names = [...new Set(units.map(unitKind))]
  const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ', …' : '')
  return units.length > 1 ? `${shown} (${units.length})` : (units[0] ?? 'nothing')
}

function commandLine(): string {
  const words = commandLineArguments().slice(1)
  const own = /^--(?:vary(?:-only|-except|-rerun)?|max-runs|max-minutes)(?:=.*)?$/u
  const hasValue = (word = ''): boolean => own.test(word) && word !== '--vary' && !word.includes('=')
  const isKept = (word: string, at: number): boolean => !own.test(word) && !hasValue(words[at - 1])
  return words.filter((word, at) => at >= words.indexOf('--') || isKept(word, at)).join(' ')
}

function describeFinding(finding: Finding, seen: SeenUnits, failed: readonly string[]): string {
  const { failedWithout, isOfRecord, units } = finding
  const effects = units.map((unit) => {
    const place = unitPlace(unit).replace(/^(.*) (\d{3})$/u, 'the $2 of $1')
    return `${place} ${kinds[unitKind(unit)]?.effect ?? ''}`
  })
  const promises = units.map((unit) => {
    const { file = '', isAssumption, line = 1 } = seen.get(unit) ?? {}
    return `  no ${kinds[unitKind(unit)]?.promise ?? ''} is promised: ${file}:${line}${isAssumption ? ' (x-assumption)' : ''}`
  })
  const quoted = units.map((unit) => `'${unit}'`)
  const [accept = ''] = units.flatMap((unit) => kinds[unitKind(unit)]?.accept || [])
  return [
    `${isOfRecord ? 'Note: tests' : 'Tests'} fail if ${effects.join(', and ')}`,
    ...(isOfRecord ? ['  only in some records, so probably a test asserts the text of the fixture'] : []),
    ...promises,
    `  failed ${confirmations} of ${confirmations}, without it ${failedWithout} of 3`,
    ...failed,
    `  again   insights-double run --vary-only ${quoted.join(' --vary-only ')} ${commandLine()}`,
    `  keep    sandbox({ vary: [${quoted.join(', ')}] })`,
    `  accept  ${accept === '' ? '' : `${accept} in an overlay, or `}--vary-except ${quoted.join(' --vary-except ')}`,
  ].join('\n')
}

async function listenForReports() {
  const name = `insights-double-${ownPid}-${randomBytes(4).toString('hex')}`
  const path = isWindows ? `\\\\.\\pipe\\${name}` : join(tmpdir(), `${name}.sock`)
  const seen: SeenUnit[] = []
  const failedFiles = new Set<string>()
  const server = createServer((socket) => {
    createInterface(socket.on('error', () => {}).unref()).on('line', (line) => {
      const report = JSON.parse(line) as SeenUnit | { readonly failedFile: string }
      if ('unit' in report) seen.push(report)
      else failedFiles.add(report.failedFile)
    })
  })
  await new Promise<void>((resolve) => void server.unref().listen(path, resolve))
  return { path, seen, failedFiles, close: () => void server.close() }
}
