/** Writes JUnit XML in the form of Apache Ant, whose published schema is the strictest. */
import { safeXml } from '../../safe-text.js'

/** A test case. */
export interface TestCase {
  readonly name: string
  readonly className: string
  readonly seconds: number
  /** The reason why it is skipped. */
  readonly skipped?: string
  readonly failure?: { readonly message: string; readonly type: string; readonly text: string }
}

/** Test cases with a name. */
export interface TestSuite {
  readonly name: string
  readonly cases: readonly TestCase[]
}

/** Writes suites. @param startedAt - RFC 3339. */
export function formatJunitXml(startedAt: string, suites: readonly TestSuite[]): string {
  const formatted = suites.map(({ cases, name }, id) => formatSuite(id, name, startedAt, cases))
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...formatted, '</testsuites>', ''].join('\n')
}

function formatSuite(id: number, name: string, startedAt: string, cases: readonly TestCase[]): string {
  const count = (key: 'failure' | 'skipped'): number => cases.filter((testCase) => testCase[key] !== undefined).length
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0)
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
    '    <system-out/>',
    '    <system-err/>',
    '  </testsuite>',
  ].join('\n')
}

function formatCase({ className, failure, name, seconds, skipped }: TestCase): string {
  const opening = `    <testcase${formatAttributes({ name, classname: className, time: seconds.toFixed(3) })}`
  if (failure) {
    const { message, text, type } = failure
    return `${opening}><failure${formatAttributes({ message, type })}>${safeXml(text)}</failure></testcase>`
  }
  if (skipped !== undefined) return `${opening}><skipped${formatAttributes({ message: skipped })}/></testcase>`
  return `${opening}/>`
}

const formatAttributes = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${safeXml(String(value)).replaceAll(/\s+/gu, ' ')}"`)
    .join('')
