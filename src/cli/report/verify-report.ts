import { groupBy } from '../../documents/object.js'
import { listNames } from '../../error-message.js'
import { markdownBlock, safeLine } from '../../safe-text.js'
import type { ReportedDifference, ReportedProbe, VerifyReport } from '../../verify/create-report.js'
import { withOutcome } from '../../verify/create-report.js'
import { formatReport, type TestCase } from './report-file.js'

/** Formats a report in the format of a file's extension. In JUnit, it has a case for each probe. */
export const formatVerifyReport = (file: string, report: VerifyReport): string =>
  formatReport(file, report, toMarkdown, ({ probes, service }) => [
    { name: `verify ${service}`, cases: probes.map(toTestCase) },
  ])

export const toTerminal = (report: VerifyReport): string => `${terminalLines(report).map(safeLine).join('\n')}\n`

function terminalLines(report: VerifyReport): readonly string[] {
  const { assumptions, differences, notes, requests, service } = report
  const unchecked = withOutcome(report, 'could not check')
  const counts = (['agrees', 'differs', 'could not check'] as const).map(
    (outcome) => `${outcome} ${withOutcome(report, outcome).length}`,
  )
  return [
    ...differences.flatMap((difference) => [
      `differs  ${difference.what} (${difference.where})`,
      ...differenceLines(difference).map((line) => `  ${line}`),
    ]),
    ...Array.from(
      groupBy(unchecked, ({ reason = '' }) => reason),
      ([reason, probes]) => {
        const names = probes.map(({ name }) => name)
        return `could not check, because ${reason}: ${listNames(names, 8)}`
      },
    ),
    ...assumptions.map(({ outcome, probes, text, where }) => {
      const [sentence = ''] = /^.*?\.(?=\s|$)/su.exec(text) ?? [text]
      return `assumption ${outcome}  ${sentence} (${where})${probes.length === 0 ? '' : ` by ${listNames(probes, 3)}`}`
    }),
    ...notes.map((note) => `note  ${note}`),
    ...verdictLines(report),
    `${service}: ${counts.join(', ')}; ${requests} requests.`,
  ]
}

const verdictLines = ({ expected, operations }: VerifyReport): readonly string[] => [
  ...operations.flatMap(({ operation, verdict }) => {
    if (!expected.includes(operation)) return []
    const remark = 'is expected to differ, which fails nothing'
    return [`${operation} ${verdict === 'verified' ? 'agrees, so that it is expected to differ can go' : remark}`]
  }),
  ...(['verified', 'differs', 'unseen'] as const).flatMap((verdict) => {
    const names = operations.filter((each) => each.verdict === verdict).map(({ operation }) => operation)
    return names.length === 0 ? [] : [`${verdict} operations: ${names.join(', ')}`]
  }),
]

function differenceLines({ before, edit, places, request, ...shown }: ReportedDifference): readonly string[] {
  // What differs names the status of the double.
  const both = shown.double.length === 1 ? (['service'] as const) : (['double', 'service'] as const)
  const sides = both.flatMap((side) => shown[side].map((line, index) => `${index === 0 ? `${side}: ` : '  '}${line}`))
  const place = places.length === 1 ? `by ${places[0] ?? ''}` : `at ${places.length} places: ${listNames(places, 8)}`
  return [place, ...before, request, ...sides, edit === undefined ? 'no edit' : `edit: ${edit}`]
}

/** Shows what the terminal shows. A report in JSON also names the probes that agree. */
const toMarkdown = (report: VerifyReport): string =>
  ['# A service and its double', '', ...markdownBlock('text', terminalLines(report)), ''].join('\n')

function toTestCase({ differences, name, operation, outcome, reason = '' }: ReportedProbe): TestCase {
  const testCase = { name, className: operation ?? 'service' }
  if (outcome === 'could not check') return { ...testCase, skipped: reason }
  if (outcome === 'agrees') return testCase
  const found = differences.map(({ what, where }) => `${what} (${where})`)
  return { ...testCase, failure: { message: found.join('; '), type: outcome, text: found.join('\n') } }
}
