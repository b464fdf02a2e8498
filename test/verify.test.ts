import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { formatVerifyReport, toTerminal } from '#src/cli/report/verify-report.js'
import { writeOverlay } from '#src/contract/write-overlay.js'

import { pluck } from './helpers/as-object-or-list.js'
import { temporaryFolder } from './helpers/files.js'
import { readJunit } from './helpers/read-junit.js'
import { listing, deviations } from './verify/deviations.js'
import type { InsightsService, Switches } from './verify/insights-service.js'
import { errorAnswer, gainsRecord, serveInsights, someInsights, tokens } from './verify/insights-service.js'
import { changingValueNames, addChangingValues, findReportErrors, differing, verify } from './verify/run-verify.js'
import type { Verified, Verifying } from './verify/run-verify.js'

/** Runs a verification, and asserts the rules of every run: no token in the report, a valid JUnit report. The service asserts that it is only read. */
async function verifyAndCheck(t: ExecutionContext, service: InsightsService, options: Verifying = {}) {
  service.mayChange = options.may !== undefined
  const verified = await verify(service.url, options)
  const text = JSON.stringify(verified)
  for (const token of Object.values(tokens)) t.false(text.includes(token))
  const { report } = verified
  const names = pluck(await readJunit(formatVerifyReport('report.xml', report)), 'name')
  t.deepEqual(names, pluck(report.probes, 'name'))
  return verified
}

test('a report in Markdown has at most 40 lines for a service that agrees, however many operations it has', async (t) => {
  const { report } = await verify((await serveInsights(t)).url)
  const probes = Array.from({ length: 60 }, (_, at) => {
    const operation = `operation${at}`
    const agreeing = report.probes.filter(({ outcome }) => outcome === 'agrees').slice(0, 1)
    return agreeing.map((probe) => ({ ...probe, name: `${operation}:list`, operation }))
  })
  const text = formatVerifyReport('report.md', { ...report, assumptions: [], probes: probes.flat() })
  t.true(text.split('\n').length <= 40, text)
})

const mayDelete = ['deleteInsight=in-1,in-4,in-8']
const permissionFor = (probe: string): Verifying => (probe.startsWith('deleteInsight:') ? { may: mayDelete } : {})

test('a faithful service has no difference, and supports every assumption that can be tested', async (t) => {
  const service = await serveInsights(t)
  t.deepEqual(differing(await verifyAndCheck(t, service)), [])
  service.reset(someInsights())
  const { report } = await verifyAndCheck(t, service, { may: mayDelete })
  t.deepEqual(differing({ report, edits: [] }), [])
  const others = report.assumptions.filter(({ outcome }) => outcome !== 'supported')
  const told = others.map(({ outcome, text }) => `${outcome}: ${text.slice(0, 45)}`)
  t.deepEqual(told, [
    'open: The document gives no order. Insights are in ',
    'open: The document does not say how a token is obta',
    'open: The document does not give the response to a ',
  ])
  t.is(service.insights.length, 9)
})

const anyProbe = /:/u
const listing200 = /^listInsights:/u
/** Each assumption of the spec by its start, and the probes that can support or refute it. Undefined: none can. */
const subjects: readonly (readonly [start: string, probes: RegExp | undefined])[] = [
  ['The document does not give the order of checks', /:order-/u],
  [
    'The document does not say how the service handles an undocumented',
    /^listInsights:(?:undocumented-|limit-in-upper)/u,
  ],
  ['The document gives no bounds', /^listInsights:limit-(?!in-upper-case|is-)/u],
  ['The document does not say what happens if limit is omitted', /^listInsights:list-as-/u],
  // Each listing shows the order, and each error its number.
  ['The document gives no order', listing200],
  ['The document does not say what happens to an insight that several', /^deleteInsight:removes-1$/u],
  ['The document says that a success response has no body', /^deleteInsight:removes-/u],
  ['The document gives no status. The double sends 404', /^deleteInsight:(?:removes-|unknown-id)/u],
  ['The document does not say how a token is obtained', undefined],
  // A listing shows ids, too.
  ['The document gives neither the name nor the type nor the format', /^deleteInsight:malformed-id-|^listInsights:/u],
  ['The document does not list the error numbers', anyProbe],
  ['The document says that GET and DELETE have no request body', /:unexpected-body$/u],
  ['The document does not give the response to a missing', /:credential-(?!unknown|in-lower-case)/u],
  ['The document does not give the response to an unknown token', /:credential-(?:unknown|in-lower-case)$/u],
  ['The document does not give the response to a failure', undefined],
]

/** Returns the pairs of an assumption and a probe of another subject that supports or refutes it. */
const foreignTo = ({ report }: Verified): readonly string[] =>
  report.assumptions.flatMap(({ probes, text }) => {
    const [, own] = subjects.find(([start]) => text.startsWith(start)) ?? []
    return probes.filter((name) => !own?.test(name)).map((name) => `${name}: ${text}`)
  })

test('each assumption is supported by all probes of its own subject, and by no other', async (t) => {
  const service = await serveInsights(t)
  const verified = await verifyAndCheck(t, service, { may: mayDelete })
  const { assumptions, probes } = verified.report
  const order = assumptions.map(({ text }) => subjects.findIndex(([start]) => text.startsWith(start)))
  t.deepEqual(order, [...subjects.keys()])
  t.deepEqual(foreignTo(verified), [])
  const named = probes.map(({ name }) => name)
  for (const [index, [start, own]] of subjects.entries())
    if (own && own !== anyProbe && !own.test('listInsights:head'))
      t.deepEqual(assumptions[index]?.probes.toSorted(), named.filter((name) => own.test(name)).toSorted(), start)
})

test('each deviation is found by its probe, with the line of the spec', async (t) => {
  t.true(deviations.length >= 40)
  const service = await serveInsights(t)
  for (const deviation of deviations) {
    service.reset(someInsights(), deviation.switches)
    // `npm run test:verify` runs all probes for each deviation.
    const only = deviation.probe.endsWith(':stable-order') ? 'listInsights:list-as-ada' : deviation.probe
    const verified = await verifyAndCheck(t, service, { only, ...permissionFor(deviation.probe) })
    t.deepEqual(await findReportErrors(verified, deviation), [])
    t.deepEqual(foreignTo(verified), [])
  }
})

test('a difference of one subject refutes no assumption of another', async (t) => {
  // Everything about the methods of a path deviates, and a listing that is cut shows its cap to the probes of other subjects too.
  const service = await serveInsights(t, someInsights(), {
    instead: ({ method }) => (method === 'HEAD' || method === 'OPTIONS' ? errorAnswer(418, 'No.') : undefined),
    defaultLimit: 5,
  })
  const verified = await verifyAndCheck(t, service)
  t.deepEqual(differing(verified).slice(-2), ['listInsights:head', 'listInsights:options'])
  t.deepEqual(foreignTo(verified), [])
  const refuted = verified.report.assumptions.filter(({ outcome }) => outcome === 'refuted')
  t.deepEqual(pluck(refuted, 'probes'), [['listInsights:list-as-ada', 'listInsights:list-as-grace']])
})

test('the report marks the records that differ in both responses', async (t) => {
  const cases: readonly (readonly [(ids: string[]) => void, double: string, service: string])[] = [
    [(ids) => ids.splice(1, 1, 'in-5'), 'in-2', 'in-5'],
    [(ids) => ids.splice(0, 2, 'in-2', 'in-1'), 'in-1', 'in-2'],
  ]
  const service = await serveInsights(t)
  for (const [change, inDouble, inService] of cases) {
    const switches: Switches = {
      change: listing((records, answer, { insights, query }) => {
        if (query.get('limit') !== '2') return
        const ids = records.map(({ id }) => String(id))
        change(ids)
        answer.body = ids.map((id) => ({ ...insights.find((each) => each.id === id), access: undefined }))
      }),
    }
    service.reset(someInsights(), switches)
    const { report } = await verifyAndCheck(t, service, { only: 'listInsights:limit-is-2' })
    const [difference] = report.differences
    const markedIn = (lines: readonly string[] = []): string => lines.find((line) => line.includes('<-- differs')) ?? ''
    t.regex(markedIn(difference?.double), new RegExp(`^\\d: \\{"id":"${inDouble}",`, 'u'))
    t.regex(markedIn(difference?.service), new RegExp(`^\\d: \\{"id":"${inService}",`, 'u'))
  }
})

test('the report shows an earlier request of a probe if the difference depends on it', async (t) => {
  const service = await serveInsights(t, someInsights(), { secondStatus: 410 })
  const { report } = await verifyAndCheck(t, service, { may: mayDelete, only: 'deleteInsight:removes-1' })
  const [difference] = report.differences
  t.deepEqual(difference?.before, [difference?.request])
  t.is(toTerminal(report).match(/curl -i -X DELETE/gu)?.length, 2)
})

test('values that change between equal reads are reported and are not a difference, and a deviation of the same service is found', async (t) => {
  const service = await serveInsights(t, someInsights(), addChangingValues({}))
  const verified = await verifyAndCheck(t, service)
  t.deepEqual(differing(verified), [])
  for (const name of changingValueNames) {
    const start = new RegExp(
      `^[^:]*\\blistInsights\\b[^:]*: ${name.replaceAll(/[[\].]/gu, '\\$&')} changes between equal reads`,
      'u',
    )
    const told = verified.report.notes.find((note) => start.test(note))
    t.not(told, undefined, name)
  }
  service.reset(someInsights(), addChangingValues({ minimum: 0 }))
  t.deepEqual(differing(await verifyAndCheck(t, service)), ['listInsights:limit-below-minimum'])
})

test('records that are added or removed during the run are not a difference', async (t) => {
  const service = await serveInsights(t, someInsights(), gainsRecord)
  const verified = await verifyAndCheck(t, service)
  t.deepEqual(differing(verified), [])
  t.true(verified.report.notes.some((note) => note.startsWith('insights gained or lost records during the run')))
})

test('a probe with a malformed or failed response does not agree, and tokens are sent only to the service', async (t) => {
  const elsewhere = await serveInsights(t)
  const service = await serveInsights(t)
  const bad = (query: URLSearchParams): boolean => query.get('limit') === '2'
  let failures = 0
  const sending = (status: number, headers: Record<string, string>, body: unknown): Switches => ({
    instead: ({ query }) => (bad(query) ? { status, headers, body } : undefined),
  })
  const json = { 'content-type': 'application/json' }
  const odd = '[{"id":"\\u0001]]>\ud800\u0007"}]'
  const cases: readonly Switches[] = [
    { change: listing((_, answer, { query }) => void (bad(query) && (answer.body = odd))) },
    // Only the first request fails. Its repetition gets a response.
    { instead: ({ query }) => (bad(query) && (failures += 1) === 1 ? errorAnswer(500, 'Oops.') : undefined) },
    sending(302, { location: `${elsewhere.url}/insights` }, undefined),
    sending(200, { 'content-type': 'text/html' }, '<form>'),
    sending(200, json, '[{"id":'),
    {
      write: (response, { query }) =>
        bad(query) && Boolean(response.writeHead(200, json).end(' '.repeat(70 * 2 ** 20))),
    },
  ]
  for (const switches of cases) {
    service.reset(someInsights(), switches)
    const { report } = await verifyAndCheck(t, service, { only: 'listInsights:limit-is-2' })
    t.is(report.probes.filter(({ outcome }) => outcome === 'agrees').length, 0)
  }
  t.is(elsewhere.log.length, 0)
})

test('a difference with an edit does not occur again after the edit is applied', async (t) => {
  const service = await serveInsights(t)
  const folder = await temporaryFolder(t)
  const applied = deviations.filter(({ isApplied }) => isApplied)
  t.true(applied.length >= 8)
  service.reset(someInsights(), applied[0]?.switches)
  t.deepEqual((await verify(service.url, { limit: 'the time is over' })).edits, [])
  for (const [index, { name, probe, switches }] of applied.entries()) {
    const options: Verifying = { only: probe, ...permissionFor(probe) }
    service.reset(someInsights(), switches)
    const { edits, report } = await verifyAndCheck(t, service, options)
    t.true(edits.length > 0, name)
    for (const { text } of edits) t.regex(text, / at .*insights\.yaml:\d+$/u)
    const hasEdit = report.differences.some(({ edit }) => edit !== undefined)
    t.true(hasEdit, name)
    const overlay = join(folder, `${index}.yaml`)
    const actions = edits.flatMap((edit) => edit.actions)
    await writeFile(overlay, writeOverlay(overlay, name, actions))
    service.reset(someInsights(), switches)
    // An edit may remove the bound or the pattern that this probe tests. Then the spec has no such probe.
    const [operation] = probe.split(':')
    const only = /(?:negative|above-maximum|malformed-id-1)$/u.test(probe) ? operation : probe
    const again = await verifyAndCheck(t, service, { ...options, only, overlay })
    t.false(differing(again).includes(probe), name)
    const repeated = again.edits.filter(({ text }) => pluck(edits, 'text').includes(text))
    t.deepEqual(repeated, [], name)
  }
})

test('probes beyond --max-requests are not checked, and equal differences are described once', async (t) => {
  const service = await serveInsights(t, someInsights(), { show: (insight) => ({ ...insight, score: 7 }) })
  const { report } = await verifyAndCheck(t, service, { maxRequests: 10 })
  t.is(report.probes.at(-1)?.reason, 'it is beyond the limit of 10 requests (--max-requests)')
  // The listings take 12 requests: two callers, two requests each, three times. Each of ten probes may be repeated once.
  t.true(report.requests <= 12 + 10 + 10, String(report.requests))
  t.is(report.differences.length, 1)
  t.deepEqual(report.differences[0]?.places, differing({ report, edits: [] }))
  const lines = toTerminal(report).split('\n')
  t.is(lines.filter((line) => line.includes('curl ')).length, 1)
})
