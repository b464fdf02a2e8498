/** Writes a report of a verification: for a terminal, as Markdown, as JUnit XML and as JSON. */
import { extname } from 'node:path'

import { markdownBlock, markdownCell, markdownCode, safeJson, safeLine, safeMarkdown } from '../../safe-text.js'
import type { ReportedDifference, ReportedProbe, VerifyReport } from '../../verify/create-report.js'
import { withOutcome } from '../../verify/create-report.js'
import type { TestCase } from './junit-xml.js'
import { formatJunitXml } from './junit-xml.js'

/** The file extensions of reports. */
export const verifyReportExtensions: readonly string[] = ['.json', '.md', '.xml']

/** Writes a report in the format of a file's extension. */
export function formatVerifyReport(file: string, report: VerifyReport): string {
  const extension = extname(file)
  if (extension === '.md') return toMarkdown(report)
  return extension === '.xml' ? toJunit(report) : `${safeJson(report, 2)}\n`
}

/** Writes a report for a terminal. */
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
    ...byReason(unchecked).flatMap(([reason, names]) => [
      `could not check, because ${reason}:`,
      ...names.map((name) => `  ${name}`),
      '',
    ]),
    ...byOperation(agreeing).map(([operation, names]) => `agrees  ${operation}: ${names.join(', ')}`),
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

/** Groups the names of probes, without their operation, by operation. */
function byOperation(probes: readonly ReportedProbe[]): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>()
  for (const { name } of probes) {
    const [operation = '', ...rest] = name.split(':')
    groups.set(operation, [...(groups.get(operation) ?? []), rest.join(':')])
  }
  return [...groups]
}

/** Groups the names of probes by the reason why they could not be checked. */
function byReason(probes: readonly ReportedProbe[]): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>()
  for (const { name, reason = '' } of probes) groups.set(reason, [...(groups.get(reason) ?? []), name])
  return [...groups]
}

function differenceLines({
  before,
  double,
  edit,
  noEdit,
  request,
  sameAs,
  service,
  what,
  where,
}: ReportedDifference): readonly string[] {
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
  const list = (probes: readonly ReportedProbe[], line: (probe: ReportedProbe) => string): readonly string[] =>
    probes.length === 0 ? ['None.'] : probes.map((probe) => `- ${line(probe)}`)
  return [
    `# ${safeMarkdown(`${service} and the double of ${spec}`)}`,
    '',
    `${requests} requests were sent.`,
    '',
    '## Differs',
    '',
    ...withOutcome(report, 'differs').flatMap(({ differences, name, title }) => [
      `### ${safeMarkdown(name)}`,
      '',
      `Expected: ${safeMarkdown(title)}.`,
      '',
      ...differences.flatMap(differenceSection),
    ]),
    ...(withOutcome(report, 'differs').length === 0 ? ['Nothing.', ''] : []),
    '## Could not check',
    '',
    ...byReason(withOutcome(report, 'could not check')).flatMap(([reason, names]) => [
      `Because ${safeMarkdown(reason)}:`,
      '',
      ...names.map((name) => `- ${markdownCode(name)}`),
      '',
    ]),
    ...(withOutcome(report, 'could not check').length === 0 ? ['Nothing.', ''] : []),
    '',
    '## Agrees',
    '',
    ...list(withOutcome(report, 'agrees'), ({ name, title }) => `${markdownCode(name)}: ${safeMarkdown(title)}`),
    '',
    '## Assumptions',
    '',
    '| Where | Outcome | Assumption |',
    '| --- | --- | --- |',
    ...assumptions.map(
      ({ outcome, text, where }) =>
        `| ${markdownCell(where)} | ${outcome} | ${safeMarkdown(text.replaceAll(/\s+/gu, ' '))} |`,
    ),
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

/** A case for each probe. */
function toJunit({ probes, service, startedAt }: VerifyReport): string {
  const cases = probes.map(({ differences, name, operation, outcome, reason = '' }): TestCase => {
    const testCase = { name, className: operation ?? 'service', seconds: 0 }
    if (outcome === 'could not check') return { ...testCase, skipped: reason }
    if (outcome === 'agrees') return testCase
    const message = differences.map(({ what, where }) => `${what} (${where})`).join('; ')
    return { ...testCase, failure: { message, type: outcome, text: differences.flatMap(differenceLines).join('\n') } }
  })
  return formatJunitXml(startedAt, [{ name: `verify ${service}`, cases }])
}
