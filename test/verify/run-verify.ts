/** Runs `verify` and `pull` in this process, as the commands do. */
import { join } from 'node:path'

import { type PulledState, pullState, type RealCaller } from '#src/pull/pull.js'
import { createServiceClient } from '#src/pull/service-client.js'
import { loadService } from '#src/resources/load-service.js'
import { createReportAndEdits, type VerifyReport } from '#src/verify/create-report.js'
import type { Edit } from '#src/verify/edit.js'
import { readEvidence } from '#src/verify/evidence.js'
import { tryEdits } from '#src/verify/replay.js'
import { recordEvidence, verifyEvidence, type VerifyOptions, verifyService } from '#src/verify/verify.js'

import { packageFolder, readPackageFile } from '../helpers/files.js'
import type { Deviation } from './deviations.js'
import { type Switches, tokens } from './insights-service.js'

/** The contract of the package. */
export const spec = join(packageFolder, 'spec/insights.yaml')

/** The callers of the service. */
export const callers: readonly RealCaller[] = Object.entries(tokens).map(([name, token]) => ({
  name,
  token,
  variable: `${name.toUpperCase()}_TOKEN`,
}))

export interface Verifying extends Partial<Pick<VerifyOptions, 'callers' | 'may' | 'maxRequests' | 'nonce' | 'only'>> {
  /** Default: the spec of the package. */
  readonly spec?: string
  readonly overlay?: string
  /** Time for each response, milliseconds. Default 60000. */
  readonly timeoutMs?: number
}

/** The report of a run, and the edits that it proposes. */
export interface Verified {
  readonly report: VerifyReport
  readonly edits: readonly Edit[]
}

/** Verifies the service at a URL, as ada and grace unless other callers are given. @param limit - Tries the edits until this limit, as a clause. */
export async function verify(
  url: string,
  { limit, overlay, spec: file = spec, timeoutMs = 60_000, ...options }: Verifying & { readonly limit?: string } = {},
): Promise<Verified> {
  const service = await loadService(file, { overlay })
  const as = options.callers ?? callers
  const client = createServiceClient({ url, secrets: as.map(({ token }) => token), timeoutMs })
  const verification = await verifyService({ ...options, service, client, callers: as })
  const proposed = createReportAndEdits(verification, { callers: as, headers: new Map() }, client.redact)
  if (limit === undefined) return proposed
  const say = (): void => {}
  const { good } = await tryEdits(verification, proposed.edits, say, () => limit)
  return { ...proposed, edits: good }
}

/** Verifies, records and replays. @returns The errors of the replay: probes that end in another way. */
export async function findReplayErrors(url: string, may: readonly string[] | undefined): Promise<readonly string[]> {
  const service = await loadService(spec)
  const tokensOf = new Map(callers.map(({ name, token }) => [name, token]))
  const client = createServiceClient({ url, secrets: [...tokensOf.values()], timeoutMs: 60_000 })
  const live = await verifyService({ service, client, callers, may: may ?? [] })
  const files = await recordEvidence(live, service, true)
  for (const [name, text] of files)
    for (const token of tokensOf.values()) if (text.includes(token)) return [`${name} has a token`]
  const replayed = await verifyEvidence(readEvidence(files, 'evidence', service), service)
  const outcomes = new Map(replayed.results.map(({ outcome, probe }) => [probe.name, outcome]))
  return live.results.flatMap(({ outcome, probe: { name } }) => {
    const again = outcomes.get(name) ?? outcome
    return again === outcome ? [] : [`${name} ${outcome}, in the replay ${again}`]
  })
}

/** Returns the names of the probes that differ. */
export const differing = ({ report }: Verified): readonly string[] =>
  report.probes.filter(({ outcome }) => outcome === 'differs').map(({ name }) => name)

const specLines = readPackageFile('spec/insights.yaml').then((text) => text.split('\n'))

/** Returns the errors of a report about a deviation. Empty: the report finds the deviation. */
export async function findReportErrors(
  { report }: Verified,
  { line, name, probe, refutes }: Deviation,
): Promise<readonly string[]> {
  const lines = await specLines
  const faults: string[] = []
  const found = report.probes.find((each) => each.name === probe)
  const shown = JSON.stringify(found?.differences ?? report.probes.filter(({ outcome }) => outcome === 'differs'))
  if (found?.outcome !== 'differs') return [`${name}: ${probe} does not find it: ${shown}`]
  const at = found.differences.map(({ where }) => lines[Number(where.split(':').at(-1)) - 1] ?? '')
  if (!at.some((text) => text.includes(line))) faults.push(`${name}: not at ${line}, but ${at.join()}: ${shown}`)
  const refuted = report.assumptions.filter(({ outcome }) => outcome === 'refuted').map(({ text }) => text)
  const isRefuted = refutes === undefined ? refuted.length === 0 : refuted.some((text) => text.startsWith(refutes))
  if (!isRefuted) faults.push(`${name}: refutes ${refuted.join()}`)
  for (const { double, request, service } of report.differences.filter(({ places }) => places.includes(probe))) {
    if (!request.startsWith('curl -i ')) faults.push(`${name}: no request`)
    if (![...double, ...service].some((text) => text.includes('<-- differs'))) faults.push(`${name}: nothing is marked`)
  }
  return faults
}

/** Adds changing values to switches: a random property, a clock and a counter in each insight, and a random property in each error. */
export function addChangingValues(switches: Switches): Switches {
  let count = 0
  return {
    ...switches,
    show: (insight, asked) => {
      count += 1
      const changing = { etag: Math.random(), servedAt: performance.now(), views: count }
      return { ...(switches.show?.(insight, asked) ?? insight), ...changing }
    },
    change: (answer, asked) => {
      switches.change?.(answer, asked)
      const { body, status } = answer
      if (status >= 400 && typeof body === 'object') Object.assign(body ?? {}, { requestId: Math.random() })
    },
  }
}

/** The names of these values in a report. */
export const changingValueNames = ['[].etag', '[].servedAt', '[].views', 'requestId']

export async function pull(url: string, file = spec, as: readonly RealCaller[] = callers): Promise<PulledState> {
  const service = await loadService(file)
  const client = createServiceClient({ url, secrets: as.map(({ token }) => token), timeoutMs: 60_000 })
  return pullState({ service, client, callers: as })
}
