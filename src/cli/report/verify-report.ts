import { groupBy } from '../../documents/object.js'
import { listNames } from '../../error-message.js'
import { markdownBlock, markdownCell, markdownCode, safeLine, safeMarkdown } from '../../safe-text.js'
import type { ReportedDifference, ReportedProbe, VerifyReport } from '../../verify/create-report.js'
import { withOutcome } from '../../verify/create-report.js'
import { formatReport, markdownTable, type TestCase } from './report-file.js'

/** Formats a report in the format of a file's extension. In JUnit, it has a case for each probe. */
export const formatVerifyReport = (file: string, report: VerifyReport): string =>
  formatReport(file, report, toMarkdown, ({ probes, service }) => [
    { name: `verify ${service}`, cases: probes.map(toTestCase) },
  ])

export function toTerminal(report: VerifyReport): string {
  const { assumptions, differences, notes, requests, service } = report
  const unchecked = withOutcome(report, 'could not check')
  const counts = (['agrees', 'differs', 'could not check'] as const).map(
    (outcome) => `${outcome} ${withOutcome(report, outcome).length}`,
  )
  const lines = [
    ...differences.flatMap((difference) => [
      `differs  ${difference.what} (${difference.where})`,
      ...differenceLines(difference).map((line) => `  ${line}`),
    ]),
    ...namesBy(unchecked, ({ reason = '' }) => reason).map(
      ([reason, names]) => `could not check, because ${reason}: ${listNames(names, 8)}`,
    ),
    ...assumptions.map(({ outcome, probes, text, where }) => {
      const [sentence = ''] = /^.*?\.(?=\s|$)/su.exec(text) ?? [text]
      return `assumption ${outcome}  ${sentence} (${where})${probes.length === 0 ? '' : ` by ${listNames(probes, 3)}`}`
    }),
    ...notes.map((note) => `note  ${note}`),
    ...verdictLines(report),
    `${service}: ${counts.join(', ')}; ${requests} requests.`,
  ]
  return `${lines.map(safeLine).join('\n')}\n`
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

const namesBy = (probes: readonly ReportedProbe[], keyOf: (probe: ReportedProbe) => string) =>
  Array.from(groupBy(probes, keyOf), ([key, group]) => [key, group.map(({ name }) => name)] as const)

function differenceLines({ before, edit, noEdit, places, request, ...shown }: ReportedDifference): readonly string[] {
  // What differs names the status of the double.
  const both = shown.double.length === 1 ? (['service'] as const) : (['double', 'service'] as const)
  const sides = both.flatMap((side) => shown[side].map((line, index) => `${index === 0 ? `${side}: ` : '  '}${line}`))
  const place = places.length === 1 ? `by ${places[0] ?? ''}` : `at ${places.length} places: ${listNames(places, 8)}`
  return [place, ...before, request, ...sides, edit === undefined ? `no edit: ${noEdit ?? ''}` : `edit: ${edit}`]
}

/** The most operations whose agreeing probes are named. A report in JSON names all. */
const maxAgreeing = 10

/** Shows what the terminal shows, with a heading for each difference, and a table of the assumptions. */
function toMarkdown(report: VerifyReport): string {
  const { assumptions, differences, notes, requests, service, spec } = report
  const rows = assumptions.map(({ outcome, text, where }) => {
    return [markdownCell(where), outcome, safeMarkdown(text.replaceAll(/\s+/gu, ' '))]
  })
  const agreeing = namesBy(withOutcome(report, 'agrees'), ({ operation = 'service' }) => operation)
  const others = agreeing.slice(maxAgreeing)
  const rest = `${others.flatMap(([, names]) => names).length} probes of ${others.length} other operations`
  const unchecked = namesBy(withOutcome(report, 'could not check'), ({ reason = '' }) => reason)
  const items = (texts: readonly string[]): string =>
    texts.length === 0 ? 'Nothing.' : texts.map((text) => `- ${text}`).join('\n')
  const codes = (names: readonly string[]): string => names.map(markdownCode).join(', ')
  const blocks = [
    `# ${safeMarkdown(`${service} and the double of ${spec}`)}`,
    items([`${requests} requests were sent.`, ...verdictLines(report)].map(safeMarkdown)),
    '## Differs',
    ...(differences.length === 0 ? [items([])] : []),
    ...differences.flatMap((difference) => [
      `### ${safeMarkdown(difference.what)} (${markdownCode(difference.where)})`,
      markdownBlock('text', differenceLines(difference)).join('\n'),
    ]),
    '## Could not check',
    items(unchecked.map(([reason, names]) => `Because ${safeMarkdown(reason)}: ${codes(names)}`)),
    '## Agrees',
    items([...agreeing.slice(0, maxAgreeing).map(([, names]) => codes(names)), ...(others.length > 0 ? [rest] : [])]),
    ...(rows.length === 0
      ? []
      : ['## Assumptions', markdownTable(['Where', 'Outcome', 'Assumption'], rows).join('\n')]),
    ...(notes.length === 0 ? [] : ['## Notes', items(notes.map(safeMarkdown))]),
  ]
  return `${blocks.join('\n\n')}\n`
}

function toTestCase({ differences, name, operation, outcome, reason = '' }: ReportedProbe): TestCase {
  const testCase = { name, className: operation ?? 'service' }
  if (outcome === 'could not check') return { ...testCase, skipped: reason }
  if (outcome === 'agrees') return testCase
  const found = differences.map(({ what, where }) => `${what} (${where})`)
  return { ...testCase, failure: { message: found.join('; '), type: outcome, text: found.join('\n') } }
}
