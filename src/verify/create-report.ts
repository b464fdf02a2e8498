/** Creates the report of a verification: one value, which each format writes. */
import { relative } from 'node:path'

import type { FoundDifference, ProbeResult } from './evaluate-probes.js'
import { isSafe } from './probe.js'
import type { Edit, EditContext } from './propose-edit.js'
import { proposeEdit } from './propose-edit.js'
import { showResponse } from './show-response.js'
import { whereOf } from './spec-places.js'
import type { SecretVariables } from './step-as-curl.js'
import { stepAsCurl } from './step-as-curl.js'
import type { Verification } from './verify.js'

/** A difference in a report. */
export interface ReportedDifference {
  readonly what: string
  /** File and line of the spec, such as `spec/orders.yaml:96`. */
  readonly where: string
  /** The request as a curl command. Tokens are environment variables. */
  readonly request: string
  /** The earlier requests of the probe that may change the service, as curl commands. */
  readonly before: readonly string[]
  /** The response of the double, in lines. */
  readonly double: readonly string[]
  /** The response of the service, in lines. */
  readonly service: readonly string[]
  /** The edit of the spec that would make the double agree. */
  readonly edit: string | undefined
  /** The reason why no edit can express the difference, as a clause. */
  readonly noEdit: string | undefined
  /** An earlier probe that showed the same difference at the same place. */
  readonly sameAs: string | undefined
}

/** A probe in a report. */
export interface ReportedProbe {
  readonly name: string
  readonly title: string
  readonly operation: string | undefined
  readonly outcome: ProbeResult['outcome']
  readonly reason: string | undefined
  /** The lines of the spec that the probe tests, with their file. */
  readonly lines: readonly string[]
  readonly differences: readonly ReportedDifference[]
}

/** An assumption in a report. */
interface ReportedAssumption {
  readonly where: string
  readonly text: string
  readonly outcome: 'refuted' | 'supported' | 'open'
  readonly probes: readonly string[]
}

/** The report of a verification. It contains no token. */
export interface VerifyReport {
  readonly service: string
  readonly spec: string
  /** RFC 3339. */
  readonly startedAt: string
  /** Number of requests to the service, listings included. */
  readonly requests: number
  readonly probes: readonly ReportedProbe[]
  readonly assumptions: readonly ReportedAssumption[]
  readonly notes: readonly string[]
}

/** Creates the report, and collects the edits, each once. */
export function createReportAndEdits(
  verification: Verification,
  variables: SecretVariables,
  redact: (text: string) => string,
): { readonly report: VerifyReport; readonly edits: readonly Edit[] } {
  const { assumptions, context, maxima, notes, requests, results, startedAt, url } = verification
  const { contract } = context
  const edits = new Map<string, Edit>()
  const shownBy = new Map<string, string>()
  const editContext: EditContext = { probes: context, results, maxima }
  const report = (difference: FoundDifference, { probe: { name: probe }, steps }: ProbeResult): ReportedDifference => {
    const { at, place, what } = difference
    const earlier = steps.slice(0, Math.max(0, steps.indexOf(at))).filter(({ step }) => !isSafe(step.method))
    const proposed = proposeEdit(difference, probe, editContext)
    if (typeof proposed !== 'string') edits.set(proposed.text, proposed)
    const where = whereOf(contract, place)
    const sameAs = shownBy.get(`${what} ${where}`)
    shownBy.set(`${what} ${where}`, sameAs ?? probe)
    return {
      what: redact(what),
      where,
      request: stepAsCurl(at.step, url, variables, redact),
      before: earlier.map(({ step }) => stepAsCurl(step, url, variables, redact)),
      double: showResponse(at.double, difference),
      service: showResponse(at.service, difference, difference.servicePath).map(redact),
      edit: typeof proposed === 'string' ? undefined : proposed.text,
      noEdit: typeof proposed === 'string' ? proposed : undefined,
      sameAs,
    }
  }
  return {
    report: {
      service: url,
      spec: relative('', contract.file),
      startedAt,
      requests,
      probes: results.map((result) => {
        const { outcome, probe, reason } = result
        const { name, operation, steps, title } = probe
        const differences = result.differences.map((difference) => report(difference, result))
        return {
          name,
          title,
          operation,
          outcome,
          reason: reason === undefined ? undefined : redact(reason),
          lines: [...new Set(steps.map(({ tests }) => whereOf(contract, tests)))],
          // Several requests of a probe may show the same difference.
          differences: differences.filter(({ sameAs }) => sameAs !== name),
        }
      }),
      assumptions: assumptions.map(({ outcome, probes, text, where }) => ({ where, text, outcome, probes })),
      notes: notes.map(redact),
    },
    edits: [...edits.values()],
  }
}

/** Returns the probes with an outcome. */
export const withOutcome = ({ probes }: VerifyReport, outcome: ReportedProbe['outcome']): readonly ReportedProbe[] =>
  probes.filter((probe) => probe.outcome === outcome)
