import { extname } from 'node:path'

import { safeJson, safeXml } from '../../safe-text.js'
import { checkOutputFile, writeOutputFile } from '../flag-files.js'
import { UsageError } from '../flags.js'
import type { ParsedArguments } from '../parse-arguments.js'

const extensions = ['.json', '.md', '.xml', '.html']

/** Checks the file of `--report`. @throws {UsageError} It has another extension, or cannot be written. */
export async function checkReportFile(parsed: ParsedArguments): Promise<void> {
  const file = parsed.valueOf('report')
  const known = parsed.command === 'verify' ? extensions.slice(0, 3) : extensions
  if (file !== undefined && !known.includes(extname(file)))
    throw new UsageError(`--report must name a file that ends in ${known.join(' or ')}, got "${file}".`)
  await checkOutputFile(parsed, 'report')
}

/** Writes a report to the file of `--report`, if it is given. @throws {UsageError} It could not be written. */
export async function writeReportFile(parsed: ParsedArguments, format: (file: string) => string): Promise<void> {
  const file = parsed.valueOf('report')
  if (file !== undefined) await writeOutputFile(parsed, 'report', format(file))
}

export function formatReport<Report extends { readonly startedAt: string }>(
  file: string,
  report: Report,
  toMarkdown: (report: Report) => string,
  toSuites: (report: Report) => readonly TestSuite[],
): string {
  const extension = extname(file)
  if (extension === '.md') return toMarkdown(report)
  return extension === '.xml' ? formatJunitXml(report.startedAt, toSuites(report)) : `${safeJson(report, 2)}\n`
}

/** Writes a table of Markdown. Its cells are escaped. */
export const markdownTable = (header: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`)

export interface TestCase {
  readonly name: string
  readonly className: string
  /** Default 0. */
  readonly seconds?: number
  readonly skipped?: string
  readonly failure?: { readonly message: string; readonly type: string; readonly text: string }
}

export interface TestSuite {
  readonly name: string
  readonly systemOut?: string
  readonly cases: readonly TestCase[]
}

/** Writes JUnit XML in the form of Apache Ant, whose published schema is the strictest. @param startedAt - RFC 3339. */
function formatJunitXml(startedAt: string, suites: readonly TestSuite[]): string {
  const formatted = suites.map((suite, id) => formatSuite(id, startedAt, suite))
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...formatted, '</testsuites>', ''].join('\n')
}

function formatSuite(id: number, startedAt: string, { cases, name, systemOut = '' }: TestSuite): string {
  const count = (key: 'failure' | 'skipped'): number => cases.filter((testCase) => testCase[key] !== undefined).length
  const time = cases.reduce((sum, { seconds = 0 }) => sum + seconds, 0)
  // The schema allows no time zone and no fraction of a second, and requires a host name.
  const attributes = {
    id,
    name,
    package: 'insights-double',
    hostname: 'localhost',
    timestamp: startedAt.slice(0, 19),
    tests: cases.length,
    failures: count('failure'),
    errors: 0,
    skipped: count('skipped'),
    time: time.toFixed(3),
  }
  return [
    `  <testsuite${formatAttributes(attributes)}>`,
    '    <properties/>',
    ...cases.map(formatCase),
    systemOut === '' ? '    <system-out/>' : `    <system-out>${safeXml(systemOut)}</system-out>`,
    '    <system-err/>',
    '  </testsuite>',
  ].join('\n')
}

function formatCase({ className, failure, name, seconds = 0, skipped }: TestCase): string {
  const opening = `    <testcase${formatAttributes({ name, classname: className, time: seconds.toFixed(3) })}`
  const { text, ...attributes } = failure ?? { text: '' }
  if (failure) return `${opening}><failure${formatAttributes(attributes)}>${safeXml(text)}</failure></testcase>`
  if (skipped !== undefined) return `${opening}><skipped${formatAttributes({ message: skipped })}/></testcase>`
  return `${opening}/>`
}

const formatAttributes = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${safeXml(String(value)).replaceAll(/\s+/gu, ' ')}"`)
    .join('')
