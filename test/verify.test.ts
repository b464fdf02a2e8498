import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'

import { formatVerifyReport, toTerminal } from '#src/cli/report/verify-report.js'
import type { RealCaller } from '#src/pull/pull.js'
import { writeOverlay } from '#src/verify/write-overlay.js'

import { run } from './helpers/cli.js'
import { serve, temporaryFolder, writeTemporary } from './helpers/double.js'
import { readJunit } from './helpers/junit.js'
import { packageFolder } from './helpers/scripts.js'
import type { ProxiedResponse } from './verify/changing-proxy.js'
import { serveProxy } from './verify/changing-proxy.js'
import { listing } from './verify/deviation.js'
import { deviations } from './verify/deviations.js'
import { findFaults } from './verify/find-faults.js'
import type { InsightsService, Switches } from './verify/insights-service.js'
import { errorAnswer, serveInsights, someInsights, tokens } from './verify/insights-service.js'
import { noiseNames, withNoise } from './verify/noise.js'
import type { Verified, Verifying } from './verify/verification.js'
import { verify } from './verify/verification.js'

/** Verifies, and asserts what holds for every run: no token in the report, a valid JUnit report. The service asserts that it is only read. */
async function verifyAndCheck(
  t: ExecutionContext,
  service: InsightsService,
  options: Verifying = {},
): Promise<Verified> {
  service.mayChange = options.may !== undefined
  const verified = await verify(service.url, options)
  const text = JSON.stringify(verified)
  for (const token of Object.values(tokens)) t.false(text.includes(token))
  const { report } = verified
  t.deepEqual(
    (await readJunit(formatVerifyReport('report.xml', report))).map(({ name }) => name),
    report.probes.map(({ name }) => name),
  )
  return verified
}

const differing = ({ report }: Verified): readonly string[] =>
  report.probes.filter(({ outcome }) => outcome === 'differs').map(({ name }) => name)

const mayDelete = ['deleteInsight=in-1,in-4,in-8']

test('a faithful service differs in nothing, and every assumption that can be tested is supported', async (t) => {
  const service = await serveInsights(t)
  const reading = await verifyAndCheck(t, service)
  t.deepEqual(differing(reading), [])
  service.reset(someInsights())
  const { report } = await verifyAndCheck(t, service, { may: mayDelete })
  t.deepEqual(differing({ report, edits: [] }), [])
  t.deepEqual(
    report.assumptions
      .filter(({ outcome }) => outcome !== 'supported')
      .map(({ outcome, text }) => [outcome, text.slice(0, 45)]),
    [
      ['open', 'The document gives no order. Insights are in '],
      ['open', 'The document does not say how a token is obta'],
      ['open', 'The document does not give the response to a '],
    ],
  )
  t.is(service.insights.length, 9)
})

test('each deviation is found, by a probe that names it, at the line of the spec', async (t) => {
  t.true(deviations.length >= 40)
  const service = await serveInsights(t)
  for (const deviation of deviations) {
    service.reset(someInsights(), deviation.switches)
    // The whole runs are in `npm run test:verify`.
    const only = deviation.probe.endsWith(':stable-order') ? 'listInsights:list-as-ada' : deviation.probe
    const verified = await verifyAndCheck(t, service, { only, ...(deviation.needsDelete ? { may: mayDelete } : {}) })
    t.deepEqual(await findFaults(verified, deviation), [])
  }
})

test('the records that differ are marked in both responses', async (t) => {
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
    const [difference] = report.probes.flatMap(({ differences }) => differences)
    const markedIn = (lines: readonly string[] = []): string =>
      lines[lines.findIndex((line) => line.includes('<-- differs')) + 1]?.trim() ?? ''
    t.is(markedIn(difference?.double), `"id": "${inDouble}",`)
    t.is(markedIn(difference?.service), `"id": "${inService}",`)
  }
})

test('a difference that needs an earlier request of its probe shows both', async (t) => {
  const service = await serveInsights(t, someInsights(), { secondStatus: 410 })
  const { report } = await verifyAndCheck(t, service, { may: mayDelete, only: 'deleteInsight:removes-1' })
  const [difference] = report.probes.flatMap(({ differences }) => differences)
  t.deepEqual(difference?.before, [difference?.request])
  t.is(toTerminal(report).match(/curl -i -X DELETE/gu)?.length, 2)
})

test('noise is named and is no difference, and a deviation next to it is found', async (t) => {
  const service = await serveInsights(t, someInsights(), withNoise({}))
  const verified = await verifyAndCheck(t, service)
  t.deepEqual(differing(verified), [])
  for (const name of noiseNames)
    t.true(
      verified.report.notes.some((note) => note.startsWith(`listInsights: ${name} changes between equal reads`)),
      name,
    )
  service.reset(someInsights(), withNoise({ minimum: 0 }))
  t.deepEqual(differing(await verifyAndCheck(t, service)), ['listInsights:limit-below-minimum'])
})

test('records that come or go meanwhile are no difference', async (t) => {
  const service = await serveInsights(t, someInsights(), {
    instead: ({ count, insights }) => {
      if (count === 20) insights.push({ id: 'new', content: 'New.', access: ['ada', 'grace'] })
      return undefined
    },
  })
  const verified = await verifyAndCheck(t, service)
  t.deepEqual(differing(verified), [])
  t.true(verified.report.notes.some((note) => note.startsWith('insights gained or lost records during the run')))
})

test('an unfriendly response is a difference or could not be checked, and no token goes elsewhere', async (t) => {
  const elsewhere = await serveInsights(t)
  const service = await serveInsights(t)
  const bad = (query: URLSearchParams): boolean => query.get('limit') === '2'
  let failures = 0
  const cases: readonly Switches[] = [
    {
      change: listing(
        (_, answer, { query }) => void (bad(query) && (answer.body = '[{"id":"\\u0001]]>\ud800\u0007"}]')),
      ),
    },
    // Once only: asked again, it answers.
    { instead: ({ query }) => (bad(query) && (failures += 1) === 1 ? errorAnswer(500, 'Oops.') : undefined) },
    {
      instead: ({ query }) =>
        bad(query) ? { status: 302, headers: { location: `${elsewhere.url}/insights` }, body: undefined } : undefined,
    },
    {
      instead: ({ query }) =>
        bad(query) ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<form>' } : undefined,
    },
    {
      instead: ({ query }) =>
        bad(query) ? { status: 200, headers: { 'content-type': 'application/json' }, body: '[{"id":' } : undefined,
    },
    {
      write: (response, { query }) =>
        bad(query) &&
        Boolean(response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(70 * 2 ** 20))),
    },
  ]
  for (const switches of cases) {
    service.reset(someInsights(), switches)
    const { report } = await verifyAndCheck(t, service, { only: 'listInsights:limit-is-2' })
    t.is(report.probes.filter(({ outcome }) => outcome === 'agrees').length, 0)
  }
  t.is(elsewhere.log.length, 0)
})

/** A contract whose double verifies itself. */
interface Own {
  /** The name of a file of `test/specs`. Undefined: the contract of Insights. */
  readonly name?: string
  readonly records?: Readonly<Record<string, readonly object[]>>
  readonly tokens: readonly string[]
  readonly may?: readonly string[]
  /** An operation that gets a fault, and a probe that finds it. */
  readonly faulty: string
  readonly probe: string
}

test('the double agrees with itself, for every kind of operation, and a fault is found', async (t) => {
  const both = ['ada-token', 'grace-token']
  const plants = [
    { id: 'p1', name: 'Monstera', room: 'hall' },
    { id: 'p2', name: 'Pothos', $access: ['grace'] },
    { id: 'p3', name: 'Fern' },
  ]
  const orders = ['rake', 'spade', 'hoe'].map((item, index) => ({ id: `o-${index}`, item, state: 'open' }))
  const shelves = [1, 2].map((id) => ({ id, name: `Shelf ${id}` }))
  const books = ['a', 'b', 'c'].map((id) => ({ id, title: `Book ${id}`, $parents: { shelfId: id === 'c' ? 2 : 1 } }))
  const cases: readonly Own[] = [
    { tokens: both, faulty: 'deleteInsight', probe: 'deleteInsight:unknown-id' },
    {
      name: 'plants',
      records: { plants },
      tokens: both,
      may: ['createPlant', 'replacePlant=p2', 'updatePlant=p1', 'removePlant=p1'],
      faulty: 'readPlant',
      probe: 'readPlant:known-id',
    },
    { name: 'shop', records: { orders }, tokens: both, faulty: 'readOrder', probe: 'readOrder:known-id' },
    { name: 'shelves', records: { shelves, books }, tokens: [], faulty: 'readBook', probe: 'readBook:known-id' },
    {
      name: 'credentials',
      records: { notes: [{ id: 'n-1', text: 'Water the fern.' }] },
      tokens: ['ada:ada-token'],
      faulty: 'deleteNote',
      probe: 'deleteNote:unknown-id',
    },
  ]
  for (const { faulty, may, name, probe, records, tokens: own } of cases) {
    const callers = own.map((token, index): RealCaller => ({
      name: ['ada', 'grace'][index] ?? '',
      token,
      variable: 'TOKEN',
    }))
    const $callers = Object.fromEntries(callers.map((each) => [each.name, { token: each.token }]))
    const spec = name === undefined ? {} : { spec: join(packageFolder, `test/specs/${name}.yaml`) }
    const fixture = records ? { fixture: { ...(own.length > 0 ? { $callers } : {}), ...records } } : {}
    const double = await serve(t, { ...spec, ...fixture })
    const reading = await verify(double.url, { ...spec, callers })
    t.deepEqual(differing(reading), [], name)
    t.true(
      reading.report.probes.some(({ outcome }) => outcome === 'agrees'),
      name,
    )
    const { entries } = await double.requests()
    t.true(entries.length > 10 && entries.every(({ method }) => /^(?:GET|HEAD|OPTIONS)$/u.test(method)), name)
    if (may) t.deepEqual(differing(await verify(double.url, { ...spec, callers, may })), [], name)
    await double.addFault({ operation: faulty, times: 100, status: 503 })
    const permitted = probe.startsWith('delete') ? { may: [faulty] } : {}
    t.deepEqual(differing(await verify(double.url, { ...spec, ...permitted, callers, only: probe })), [probe])
  }
})

test('deviations of what creates, changes and removes are found, and what the run created is removed', async (t) => {
  const spec = join(packageFolder, 'test/specs/plants.yaml')
  const body = (response: ProxiedResponse, change: (record: Record<string, unknown>) => void): void => {
    const record = JSON.parse(response.text) as Record<string, unknown>
    change(record)
    response.text = JSON.stringify(record)
  }
  const cases: readonly (readonly [probe: string, what: RegExp, (answer: ProxiedResponse, method: string) => void])[] =
    [
      [
        'creates',
        /^the service answers 200, the double 201$/u,
        (answer) => void (answer.status === 201 && (answer.status = 200)),
      ],
      ['creates', /^the service sends the header location: none/u, (answer) => delete answer.headers['location']],
      [
        'creates',
        /required property 'name'/u,
        (answer) => void (answer.status === 201 && body(answer, (record) => delete record['name'])),
      ],
      [
        'creates',
        /^name is "other" in the service/u,
        (answer, method) =>
          void (method === 'PUT' && answer.status === 200 && body(answer, (record) => (record['name'] = 'other'))),
      ],
      [
        'creates',
        /^the service answers 204, the double 200$/u,
        (answer, method) => void (method === 'PATCH' && answer.status === 200 && (answer.status = 204)),
      ],
      [
        'creates',
        /^the service answers 204, the double 404$/u,
        (answer, method) => void (method === 'DELETE' && answer.status === 404 && (answer.status = 204)),
      ],
      [
        'malformed-json',
        /^the service answers 422, the double 400$/u,
        (answer, method) => void (method === 'POST' && answer.status === 400 && (answer.status = 422)),
      ],
    ]
  const callers = [{ name: 'ada', token: 'ada-token', variable: 'TOKEN' }]
  const fixture = { $callers: { ada: { token: 'ada-token' } }, plants: [{ id: 'p1', name: 'Monstera' }] }
  const may = ['createPlant', 'removePlant', 'updatePlant', 'replacePlant']
  const double = await serve(t, { spec, fixture })
  for (const [name, what, change] of cases) {
    const url = await serveProxy(t, double.url, change)
    const { report } = await verify(url, { spec, callers, may, only: `createPlant:${name}` })
    const found = report.probes.flatMap(({ differences }) => differences.map((each) => each.what))
    t.true(
      found.some((each) => what.test(each)),
      `${String(what)}: ${found.join('\n')}`,
    )
    t.deepEqual((await double.state())['plants'], fixture.plants)
  }
  const left: readonly (readonly [method: string, status: number, note: RegExp])[] = [
    ['DELETE', 500, /^The record \S+ of plants, which this run created, was not removed: the service answers 500\.$/u],
    ['POST', 0, /^createPlant got no response, so a record of plants may be left behind\.$/u],
  ]
  for (const [unsafe, status, note] of left) {
    const url = await serveProxy(
      t,
      double.url,
      (answer, method) => void (method === unsafe && (answer.status = status)),
    )
    const { report } = await verify(url, { spec, callers, may, only: 'createPlant:creates' })
    t.true(
      report.notes.some((each) => note.test(each)),
      report.notes.join('\n'),
    )
  }
})

test('an overlay of the edits leaves no difference that it can express', async (t) => {
  const service = await serveInsights(t)
  const folder = await temporaryFolder(t)
  const applied = deviations.filter(({ isApplied }) => isApplied)
  t.true(applied.length >= 8)
  for (const [index, { name, needsDelete, probe, switches }] of applied.entries()) {
    const options: Verifying = { only: probe, ...(needsDelete ? { may: mayDelete } : {}) }
    service.reset(someInsights(), switches)
    const { edits, report } = await verifyAndCheck(t, service, options)
    t.true(edits.length > 0, name)
    for (const { text } of edits) t.regex(text, / at .*insights\.yaml:\d+$/u)
    t.true(report.probes.some(({ differences }) => differences.some(({ edit }) => edit !== undefined)))
    const overlay = join(folder, `${index}.yaml`)
    await writeFile(
      overlay,
      writeOverlay(
        overlay,
        name,
        edits.flatMap(({ actions }) => actions),
      ),
    )
    service.reset(someInsights(), switches)
    // Without a bound or a pattern, there is no probe beyond it.
    const [operation] = probe.split(':')
    const only = /(?:negative|above-maximum|malformed-id-1)$/u.test(probe) ? operation : probe
    const again = await verifyAndCheck(t, service, { ...options, only, overlay })
    t.false(differing(again).includes(probe), name)
    const texts = new Set(edits.map(({ text }) => text))
    t.false(
      again.edits.some(({ text }) => texts.has(text)),
      name,
    )
  }
})

test('the command reports in every format, writes the overlay, and exits with 1 for a difference', async (t) => {
  const service = await serveInsights(t, someInsights(), { minimum: 0 })
  const folder = await temporaryFolder(t)
  const env = { ADA_TOKEN: tokens['ada'] ?? '', GATEWAY_KEY: 'Real-Key-Of-The-Gateway-3d' }
  const words = ['verify', service.url, '--caller', 'ada=env:ADA_TOKEN', '--header', 'x-key: env:GATEWAY_KEY']
  words.push('--pace', '10000')
  for (const extension of ['json', 'md', 'xml']) {
    const file = join(folder, `report.${extension}`)
    const overlay = join(folder, `overlay-${extension}.yaml`)
    const only = ['--only', 'listInsights:limit-below-minimum']
    const { code, stderr, stdout } = await run(t, [...words, ...only, '--report', file, '--apply', overlay], { env })
    t.is(code, 1, stderr)
    const sent = '-H "x-key: $GATEWAY_KEY" -H "authorization: Bearer $ADA_TOKEN"'
    t.true(stdout.includes(`curl -i ${sent} '${service.url}/insights?limit=0'`), stdout)
    t.true(service.log.every(({ headers }) => headers['x-key'] === env.GATEWAY_KEY))
    t.regex(stdout, /double:\n {4}400 {3}<-- differs/u)
    t.regex(stdout, /edit: `minimum: 1` → `0` at .*insights\.yaml:\d+\n/u)
    const text = await readFile(file, 'utf8')
    for (const each of [text, stdout, stderr]) for (const secret of Object.values(env)) t.false(each.includes(secret))
    t.true(text.includes('listInsights:limit-below-minimum'))
    t.regex(await readFile(overlay, 'utf8'), /minimum: 0/u)
    if (extension !== 'xml') continue
    const [testCase] = await readJunit(text)
    t.is(testCase?.result, 'failed')
    t.regex(testCase?.message ?? '', /^the service answers 200, the double 400 \(.*insights\.yaml:\d+\)$/u)
  }
  const both = join(folder, 'both.yaml')
  const again = ['--overlay', join(folder, 'overlay-md.yaml'), '--apply', both]
  service.reset(someInsights(), { minimum: 0, deletedStatus: 200 })
  service.mayChange = true
  const may = ['--may', 'deleteInsight=in-1', '--only', 'deleteInsight:removes-1']
  const second = await run(t, [...words, ...again, ...may], { env })
  t.is(second.code, 1, second.stderr)
  t.regex(await readFile(both, 'utf8'), /minimum: 0[^]*\['204'\]/u)
  service.reset(someInsights())
  service.mayChange = false
  const agreed = await run(t, [...words, '--only', 'listInsights:limit-below-minimum'], { env })
  t.is(agreed.code, 0, agreed.stdout)
  service.reset(someInsights())
  const plan = await run(t, [...words, '--plan'], { env })
  t.is(service.log.length, 0)
  t.regex(plan.stdout, /^ {2}GET \/insights\?limit=0$/mu)
})

test('probes beyond --max-requests could not be checked, and an equal difference is described once', async (t) => {
  const service = await serveInsights(t, someInsights(), { show: (insight) => ({ ...insight, score: 7 }) })
  const { report } = await verifyAndCheck(t, service, { maxRequests: 10 })
  t.is(report.probes.at(-1)?.reason, 'it is beyond the limit of 10 requests (--max-requests)')
  // Two callers, two requests for each listing, three times; ten probes, and those that differ once more.
  t.true(report.requests <= 12 + 10 + 10, String(report.requests))
  const [first, ...others] = report.probes.flatMap(({ differences }) => differences)
  t.is(first?.sameAs, undefined)
  t.true(others.length > 0 && others.every(({ sameAs }) => sameAs === 'listInsights:list-as-ada'))
  const lines = toTerminal(report).split('\n')
  t.is(lines.filter((line) => line.includes('curl ')).length, 1)
  t.is(lines.filter((line) => line.endsWith(', as in listInsights:list-as-ada')).length, others.length)
})

test('bad input is refused with one sentence', async (t) => {
  const service = await serveInsights(t)
  const caller = ['--caller', 'ada=env:ADA_TOKEN', '--pace', '10000']
  const env = { ADA_TOKEN: tokens['ada'] ?? '' }
  const nothing = await writeTemporary(
    t,
    'nothing.yaml',
    'openapi: 3.1.0\ninfo: { title: None, version: 1.0.0 }\npaths: { /x: { post: { responses: { "204": { description: Done. } } } } }\n',
  )
  const plants = join(packageFolder, 'test/specs/plants.yaml')
  const cases: readonly (readonly [words: readonly string[], message: RegExp, sends?: true])[] = [
    [['verify'], /^verify needs the URL of the service/u],
    [['verify', service.url], /^The contract needs a credential/u],
    [['verify', service.url, ...caller, '--may', 'deleteInsigth'], /^--may: .* did you mean deleteInsight\?/u],
    [
      ['verify', service.url, ...caller, '--may', 'deleteInsight=no-such-id'],
      /^--may: no listing of insights has the id "no-such-id"/mu,
      true,
    ],
    [['verify', service.url, ...caller, '--only', 'listInsigths'], /^--only: .* did you mean listInsights\?/mu, true],
    [['verify', service.url, ...caller, '--report', 'report.html'], /^--report must name a/u],
    [
      ['verify', service.url, '--caller', 'ada=env:NOT_SET'],
      /^--caller: the environment variable NOT_SET is not set\.$/mu,
    ],
    [['verify', service.url, ...caller, '--apply', nothing], /^--apply: .* exists\. Use --force to replace it\.$/mu],
    [
      ['verify', service.url, ...caller, '--spec', plants, '--may', 'createPlant'],
      /^--may: createPlant creates records, and they have to be removed again; add --may removePlant\.$/mu,
    ],
    [['verify', service.url, '--spec', nothing], /nothing to verify/u],
    [['verify', 'http://127.0.0.1:1', ...caller], /refuses connections/u],
  ]
  for (const [words, message, sends] of cases) {
    service.reset(someInsights())
    const { code, stderr } = await run(t, words, { env })
    t.is(code, 2, words.join(' '))
    t.regex(stderr, message)
    t.is(service.log.length > 0, sends === true, words.join(' '))
    t.true(service.log.every(({ method, url }) => method === 'GET' && url.startsWith('/insights')))
  }
})
