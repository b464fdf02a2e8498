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
  const { assumptions, notes, requests, service } = report
  const differing = withOutcome(report, 'differs')
  const unchecked = withOutcome(report, 'could not check')
  const agreeing = withOutcome(report, 'agrees')
  const lines = [
    ...differing.flatMap(({ differences, name, title }) => [
      `differs  ${name}: ${title}`,
      ...differences.flatMap((difference) => differenceLines(difference).map((line) => `  ${line}`)),
      '',
    ]),
    ...[...byReason(unchecked)].flatMap(([reason, names]) => [
      `could not check, because ${reason}:`,
      ...names.map((name) => `  ${name}`),
      '',
    ]),
    ...[...byOperation(agreeing)].map(([operation, names]) => `agrees  ${operation}: ${names.join(', ')}`),
    ...(agreeing.length > 0 ? [''] : []),
    ...assumptions.flatMap(({ outcome, probes, text, where }) => {
      const [sentence = ''] = /^.*?\.(?=\s|$)/su.exec(text) ?? [text]
      const by = `  by ${probes.slice(0, 3).join(', ')}${probes.length > 3 ? ', …' : ''}`
      return [`assumption ${outcome}  ${sentence} (${where})`, ...(probes.length === 0 ? [] : [by])]
    }),
    ...(assumptions.length > 0 ? [''] : []),
    ...notes.map((note) => `note  ${note}`),
    `${service}: agrees ${agreeing.length}, differs ${differing.length}, could not check ${unchecked.length}; ${requests} requests.`,
  ]
  return `${lines.map(safeLine).join('\n')}\n`
}

function group(pairs: readonly (readonly [key: string, text: string])[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const [key, text] of pairs) groups.set(key, [...(groups.get(key) ?? []), text])
  return groups
}

const byOperation = (probes: readonly ReportedProbe[]): ReturnType<typeof group> =>
  group(probes.map(({ name, operation = 'service' }) => [operation, name.slice(operation.length + 1)]))

const byReason = (probes: readonly ReportedProbe[]): ReturnType<typeof group> =>
  group(probes.map(({ name, reason = '' }) => [reason, name]))

function differenceLines(difference: ReportedDifference): readonly string[] {
  const { before, double, edit, noEdit, request, sameAs, service, what, where } = difference
  if (sameAs !== undefined) return [`${what} (${where}), as in ${sameAs}`]
  return [
    `${what} (${where})`,
    ...before,
    request,
    'double:',
    ...double.map((line) => `  ${line}`),
    'service:',
    ...service.map((line) => `  ${line}`),
    edit === undefined ? `no edit: ${noEdit ?? ''}` : `edit: ${edit}`,
  ]
}

function toMarkdown(report: VerifyReport): string {
  const { assumptions, notes, requests, service, spec } = report
  const differing = withOutcome(report, 'differs')
  const unchecked = withOutcome(report, 'could not check')
  const agreeing = withOutcome(report, 'agrees')
  const rows = assumptions.map(({ outcome, text, where }) => {
    return [markdownCell(where), outcome, safeMarkdown(text.replaceAll(/\s+/gu, ' '))]
  })
  return [
    `# ${safeMarkdown(`${service} and the double of ${spec}`)}`,
    '',
    `${requests} requests were sent.`,
    '',
    '## Differs',
    '',
    ...differing.flatMap(({ differences, name, title }) => [
      `### ${safeMarkdown(name)}`,
      '',
      `Expected: ${safeMarkdown(title)}.`,
      '',
      ...differences.flatMap(differenceSection),
    ]),
    ...(differing.length === 0 ? ['Nothing.', ''] : []),
    '## Could not check',
    '',
    ...[...byReason(unchecked)].flatMap(([reason, names]) => [
      `Because ${safeMarkdown(reason)}:`,
      '',
      ...names.map((name) => `- ${markdownCode(name)}`),
      '',
    ]),
    ...(unchecked.length === 0 ? ['Nothing.', ''] : []),
    '',
    '## Agrees',
    '',
    ...agreeing.map(({ name, title }) => `- ${markdownCode(name)}: ${safeMarkdown(title)}`),
    ...(agreeing.length === 0 ? ['None.'] : []),
    '',
    '## Assumptions',
    '',
    ...markdownTable(['Where', 'Outcome', 'Assumption'], rows),
    '',
    ...(notes.length === 0 ? [] : ['## Notes', '', ...notes.map((note) => `- ${safeMarkdown(note)}`), '']),
  ].join('\n')
}

function differenceSection(difference: ReportedDifference): readonly string[] {
  const { before, double, edit, noEdit, request, sameAs, service: theirs, what, where } = difference
  const sentence = `${safeMarkdown(`${what[0]?.toUpperCase() ?? ''}${what.slice(1)}`)} (${markdownCode(where)})`
  if (sameAs !== undefined) return [`${sentence}, as in ${markdownCode(sameAs)}.`, '']
  return [
    `${sentence}.`,
    '',
    ...markdownBlock('sh', [...before, request]),
    '',
    ...markdownBlock('text', ['double:', ...double, '', 'service:', ...theirs]),
    '',
    edit === undefined
      ? `No edit of the spec can express it: ${safeMarkdown(noEdit ?? '')}.`
      : `Edit: ${safeMarkdown(edit)}.`,
    '',
  ]
}

function toTestCase({ differences, name, operation, outcome, reason = '' }: ReportedProbe): TestCase {
  const testCase = { name, className: operation ?? 'service', seconds: 0 }
  if (outcome === 'could not check') return { ...testCase, skipped: reason }
  if (outcome === 'agrees') return testCase
  const message = differences.map(({ what, where }) => `${what} (${where})`).join('; ')
  return { ...testCase, failure: { message, type: outcome, text: differences.flatMap(differenceLines).join('\n') } }
}
