import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { FixtureDocument } from 'insights-double'

import { parseArguments } from '#src/cli/parse-arguments.js'
import { runPull } from '#src/cli/pull.js'
import { createFixtureText } from '#src/pull/create-fixture-text.js'
import { planPull, type PulledState } from '#src/pull/pull.js'
import { mergeOrders } from '#src/pull/pulled-records.js'
import { createServiceClient } from '#src/pull/service-client.js'
import { loadService } from '#src/resources/load-service.js'

import { asList, asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, run } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { readSpec, temporaryFolder, writeTemporary } from './helpers/files.js'
import { idsSeenBy } from './helpers/http.js'
import { seededRandom, shuffled } from './helpers/seeded-random.js'
import { listing } from './verify/deviations.js'
import { serveInsights, someInsights, type Switches, tokens } from './verify/insights-service.js'
import { callers, pull, spec } from './verify/run-verify.js'

async function pulledFrom(t: ExecutionContext, switches: Switches, insights = someInsights()): Promise<PulledState> {
  const service = await serveInsights(t, insights, switches)
  const pulled = await pull(service.url)
  // A service may close a connection that is reused, so each request opens its own.
  t.true(service.log.every(({ headers, method }) => method === 'GET' && headers.connection === 'close'))
  return pulled
}

const insightsOf = ({ document }: PulledState): readonly Record<string, unknown>[] =>
  asList(document['insights']).map(asObject)

test('a pulled fixture has the records in an order that agrees with each listing, and takes the access from the listings', async (t) => {
  const pulled = await pulledFrom(t, {})
  const expected = someInsights().map(({ access, id }) => [id, access.length === 2 ? undefined : access])
  t.deepEqual(pluck(insightsOf(pulled), 'id', '$access'), expected)
  t.deepEqual(pulled.notes, [])
  t.deepEqual(pulled.document['$callers'], { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } })
  t.deepEqual([pulled.cut, pulled.leftOut, pulled.dropped], [[], [], []])
})

const seenIn = (insights: ReturnType<typeof someInsights>, caller: string): readonly string[] =>
  insights.flatMap(({ access, id }) => (access.includes(caller) ? [id] : []))

test('each caller of a pulled fixture gets the order of the service, if one order agrees with all listings; else pull says so', async (t) => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = seededRandom(seed)
    const access = (): string[] => ['ada', 'grace'].filter(() => random() < 0.6)
    const insights = shuffled(someInsights(), random).map((insight) => ({ ...insight, access: access() }))
    const { document, notes } = await pulledFrom(t, {}, insights)
    t.deepEqual(notes, [])
    const double = await serve(t, { fixture: document as FixtureDocument })
    for (const caller of ['ada', 'grace'])
      t.deepEqual(await idsSeenBy(double, caller), seenIn(insights, caller), `seed ${seed}`)
  }
  const change = listing((records, _, { caller }) => {
    if (caller === 'grace') records.reverse()
  })
  const contradictory = await pulledFrom(t, { change })
  const note = 'No order of insights agrees with every listing, and the pulled one not with /insights as grace.'
  t.deepEqual(contradictory.notes, [note])
  const ofAda = insightsOf(contradictory).filter(({ $access }) => !Array.isArray($access) || $access.includes('ada'))
  t.deepEqual(pluck(ofAda, 'id'), seenIn(someInsights(), 'ada'))
})

test('the merged order agrees with each list if one order does, and else with the first', (t) => {
  const items = Array.from({ length: 40 }, (_, index) => String(index))
  for (let seed = 1; seed <= 200; seed++) {
    const random = seededRandom(seed)
    const whole = shuffled(items, random)
    const lists = Array.from({ length: 1 + (seed % 5) }, () => whole.filter(() => random() < 0.3))
    const { contradicted, order } = mergeOrders(lists)
    t.deepEqual(contradicted, [], `seed ${seed}`)
    const keeps = (merged: readonly string[], list: readonly string[]): boolean =>
      merged.filter((item) => list.includes(item)).join() === list.join()
    for (const list of lists) t.true(keeps(order, list), `seed ${seed}`)
    t.is(new Set(order).size, new Set(lists.flat()).size)
    const contradicting = lists.map((list) => shuffled(list, random))
    const other = mergeOrders(contradicting)
    for (const [index, list] of contradicting.entries())
      t.is(keeps(other.order, list), !other.contradicted.includes(index))
    t.false(other.contradicted.includes(0), `seed ${seed}`)
  }
  // An insertion of each list into the ones before would put b first.
  t.deepEqual(mergeOrders([['a'], ['b'], ['a', 'b']]).order, ['a', 'b'])
})

test('pull leaves out records that break the contract, and properties that it does not have or whose values it refuses', async (t) => {
  const pulled = await pulledFrom(t, {
    show: (insight) => {
      if (insight['id'] === 'in-1') return { ...insight, content: 7 }
      if (insight['id'] === 'in-3') return { ...insight, createdAt: 'yesterday' }
      if (insight['id'] === 'in-2') return { content: 'no id' }
      return { ...insight, score: 7 }
    },
  })
  t.is(insightsOf(pulled).length, 10)
  t.deepEqual(pulled.dropped, ['insights.createdAt', 'insights.score'])
  t.deepEqual(pluck(pulled.leftOut, 'id', 'reason'), [
    ['"in-1"', 'content must be string'],
    [undefined, 'it has no id'],
  ])
})

test('pull writes an incomplete listing only with --partial, and then without access', async (t) => {
  const { resources } = await loadService(spec)
  const pulled = await pulledFrom(t, { defaultLimit: 5 })
  t.is(insightsOf(pulled).length, 12)
  const why = /^\/insights as ada seems to be cut: without limit it has 5 records, with the largest 11\.$/u
  t.regex(pulled.cut[0] ?? '', why)
  t.is(createFixtureText(pulled, resources, false).text, undefined)
  const { text = '' } = createFixtureText(pulled, resources, true)
  t.is(asList(asObject(JSON.parse(text))['insights']).length, 12)
  t.false(text.includes('$access'))
})

test('pull fails if a response is JSON but not a listing', async (t) => {
  const service = await serveInsights(t, someInsights(), {
    instead: () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: { a: 1 } }),
  })
  await t.throwsAsync(pull(service.url), { name: 'RunError', message: /JSON that is not a list of insights/u })
  t.is(service.log.length, 1)
})

test('a token is sent only to the service, and no output contains it', async (t) => {
  const service = await serveInsights(t, someInsights(), {
    show: (insight, { headers }) => ({ ...insight, title: `you sent ${headers.authorization ?? ''}` }),
  })
  const pulled = JSON.stringify(await pull(service.url))
  for (const { name } of callers) t.true(pulled.includes(`${name}-token`))
  const { document } = JSON.parse(pulled) as PulledState
  for (const token of Object.values(tokens)) t.false(JSON.stringify(document).includes(token))
  const secrets = [tokens['ada'] ?? '']
  t.throws(() => createServiceClient({ url: 'http://api.example', secrets }), { message: /https/u })
  t.notThrows(() => createServiceClient({ url: 'http://api.example', secrets, allowPlainHttp: true }))
  t.throws(() => createServiceClient({ url: 'ftp://api.example' }), { message: /base URL/u })
  t.throws(() => createServiceClient({ url: 'https://ada:secret@api.example' }), { message: /--caller/u })
})

test('a token is sent where its security scheme requires it', async (t) => {
  const schemes = {
    digest: { type: 'http', scheme: 'Digest' },
    basic: { type: 'http', scheme: 'basic' },
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    query: { type: 'apiKey', in: 'query', name: 'key' },
    cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
    secondCookie: { type: 'apiKey', in: 'cookie', name: 'user' },
    login: { type: 'openIdConnect', openIdConnectUrl: 'https://login.example/' },
  }
  const own = JSON.parse(JSON.stringify(await readSpec())) as Record<string, unknown>
  const components = { ...asObject(own['components']), securitySchemes: schemes }
  // An operation may require several credentials at once.
  const requirements = [...Object.keys(schemes).map((name) => [name]), ['cookie', 'secondCookie', 'key']]
  for (const required of requirements) {
    const name = required.join('-')
    const security = [Object.fromEntries(required.map((scheme) => [scheme, []]))]
    const file = await writeTemporary(t, `${name}.json`, { ...own, components, security })
    const token = name === 'basic' ? 'ada:ada-secret' : 'ada-secret'
    const fixture = { $callers: { ada: { token } }, insights: [{ content: 'x' }] }
    const double = await serve(t, { spec: file, fixture })
    t.is(insightsOf(await pull(double.url, file, [{ name: 'ada', token, variable: 'ADA_TOKEN' }])).length, 1, name)
  }
})

test('pull sends the first example of a required parameter, which may be a reference', async (t) => {
  const own = asObject(JSON.parse(JSON.stringify(await readSpec())))
  const components = { ...asObject(own['components']), examples: { usual: { value: 'spring' } } }
  const schema = { type: 'string', example: 'autumn' }
  const examples = { a: { $ref: '#/components/examples/usual' } }
  const season = { name: 'season', in: 'query', required: true, schema, examples, 'x-double': 'ignore' }
  const paths = asObject(own['paths'])
  const item = asObject(paths['/insights'])
  // The header parameter of the same name has another example.
  const parameters = [{ name: 'season', in: 'header', schema, example: 'winter' }, season]
  const changed = { ...item, get: { ...asObject(item['get']), parameters } }
  const whole = { ...own, components, paths: { ...paths, '/insights': changed } }
  const file = await writeTemporary(t, 'seasons.json', whole)
  const ada = { name: 'ada', token: 'ada-token', variable: 'ADA_TOKEN' }
  t.deepEqual(planPull({ callers: [ada], service: await loadService(file) }), ['GET /insights?season=spring as ada'])
})

test('pull writes a fixture that a double serves, and replaces a file only with --force', async (t) => {
  const service = await serveInsights(t)
  const out = join(await temporaryFolder(t), 'real.json')
  const env = { ADA_TOKEN: tokens['ada'] ?? '', GRACE_TOKEN: tokens['grace'] ?? '' }
  const asBoth = ['--caller', 'ada=env:ADA_TOKEN', '--caller', 'grace=env:GRACE_TOKEN']
  const words = ['pull', service.url, ...asBoth, '--pace', '1000']
  const pulled = await exits(t, 0, [...words, '--out', out], { env })
  t.is(pulled.stdout, '')
  t.regex(pulled.stderr, /\/insights as ada: 11 records, 2 requests\n/u)
  const double = await serve(t, { fixture: out })
  t.deepEqual((await double.state())['insights'], asObject(JSON.parse(await readFile(out, 'utf8')))['insights'])
  const refused = await run(t, [...words, '--out', out], { env })
  t.deepEqual([refused.code, refused.stdout], [2, ''])
  t.regex(refused.stderr, /^--out: .*real\.json exists\. Use --force to replace it\.\n$/u)
})

test('invalid arguments are refused with one sentence, and nothing is sent', async (t) => {
  const { url, log } = await serveInsights(t)
  const toPlainHttp = ['pull', 'http://api.example', '--caller', 'ada=env:PATH']
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['pull'], /^pull needs the URL of the service/u],
    [['pull', url], /^The contract needs a credential/u],
    [['pull', url, '--caller', 'ada=env:NOT_SET'], /^--caller: the environment variable NOT_SET is not set\.$/u],
    [['pull', url, '--caller', 'ada=my-secret'], /^--caller must be a name and .* such as ada=env:ADA_TOKEN\.$/u],
    [['pull', url, '--header', 'x-key: my-secret'], /^--header must be a name and an environment variable/u],
    [['pull', 'nowhere', '--caller', 'ada=env:PATH'], /^The URL of the service must be a base URL/u],
    [toPlainHttp, /^Tokens are sent only over https or to this machine/u],
    [['pull', url, '--caller', 'ada=env:PATH', '--caller', 'ada=env:HOME'], /^--caller gives ada twice/u],
    [['pull', url, '--pace', '0'], /^--pace must be an integer from 1 to 10000/u],
    [['pull', url, '--pase', '5'], /did you mean --pace/u],
  ]
  for (const [line, message] of cases) {
    const error = await t.throwsAsync(async () => runPull(parseArguments(line)), { message })
    t.false(error.message.includes('my-secret') || error.message.includes('\n'))
  }
  t.is(log.length, 0)
})
