/** Checks that a report finds a deviation: by its probe, at its line, with the assumption that it refutes. */
import { readPackageFile } from '../helpers/read-repository-file.js'
import type { Deviation } from './deviations.js'
import type { Verified } from './run-verify.js'

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
  for (const { double, request, service } of found.differences) {
    if (!request.startsWith('curl -i ')) faults.push(`${name}: no request`)
    if (![...double, ...service].some((text) => text.includes('<-- differs'))) faults.push(`${name}: nothing is marked`)
  }
  return faults
}
