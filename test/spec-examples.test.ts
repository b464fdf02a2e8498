import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { control } from './helpers/control.js'
import { serve } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, ask, get, type Reply } from './helpers/http.js'
import { normalized, partsOf, readExamples, type RequestExamples } from './helpers/read-spec-examples.js'
import { scenarios } from './helpers/response-scenarios.js'

const specs = { control: readExamples('control.yaml'), insights: readExamples('insights.yaml') }

/** Examples that are a part of the text of the response. */
const excerpts: ReadonlySet<string> = new Set(
  [
    'getConsole 200',
    'getReport 200',
    'getDocs 200',
    'getSummary 200',
    'getSpec 200 application/yaml',
    'getAsset 200 text/css',
    'getAsset 200 text/javascript',
    'getAsset 200 image/svg+xml',
  ].map((key) => `control ${key}`),
)

/** Examples whose values are a part of the values of the response. */
const partial: ReadonlySet<string> = new Set(
  [
    'getSpec 200 application/json',
    'getCoverage 200',
    'listVariations 200 one',
    'listRequests 200 one',
    'getRequest 200 application/json refused',
    'getRequest 200 application/json hidden',
  ].map((key) => `control ${key}`),
)

for (const [spec, { responses }] of Object.entries(specs))
  for (const example of responses) {
    const key = `${spec} ${example.key}`
    test(`a double sends the response example ${key}`, async (t) => {
      const scenario = scenarios[key]
      if (!scenario) {
        t.fail(`there is no scenario for the example ${key}`)
        return
      }
      const { headers, status, text } = await scenario(t, example)
      const [, documented] = / (\d{3})\b/u.exec(key) ?? []
      if (documented !== undefined) t.is(status, Number(documented), text)
      const [, header] = / header (.*)$/u.exec(key) ?? []
      const sent = header === undefined ? parsed(headers, text) : headers[header.toLowerCase()]
      const [given, wanted] = [normalized(sent), normalized(example.value)]
      if (excerpts.has(key)) t.true(String(given).includes(String(wanted).trimEnd()), String(given).slice(0, 500))
      else if (!partial.has(key)) t.deepEqual(given, wanted)
      else if (Array.isArray(wanted)) for (const item of wanted) t.true(partsOf(given).includes(JSON.stringify(item)))
      else t.like(asObject(given), asObject(wanted))
    })
  }

const parsed = (headers: Reply['headers'], text: string): unknown =>
  headers['content-type']?.startsWith('application/json') ? JSON.parse(text) : text

test('every scenario belongs to an example', (t) => {
  const keys = Object.entries(specs).flatMap(([spec, { responses }]) => responses.map(({ key }) => `${spec} ${key}`))
  t.deepEqual(Object.keys(scenarios).toSorted(), keys.toSorted())
})

/** Prepares the state that the examples of the parameters need. @returns Values that replace those that a double generates. */
const before: Readonly<Record<string, (double: DoubleHandle) => Promise<Readonly<Record<string, string>>>>> = {
  listRequests: async (double) => {
    await ask(double, 'DELETE', '/insights/monstera-watering', as('ada'))
    return {}
  },
  addRecord: async (double) => {
    await control(double, 'PUT', '/state', { $callers: { ada: { token: 'a' }, grace: { token: 'g' } } })
    return {}
  },
  replaceRecord: withMonstera,
  removeRecord: withMonstera,
  getRequest: async (double) => ({ id: (await get(double, '/insights')).headers['x-request-id'] ?? '' }),
  removeFault: async (double) => {
    await double.addFault({ status: 400 })
    return {}
  },
  dropSandbox: withSandbox,
  setSandboxResult: withSandbox,
  undo: async (double) => {
    await double.setState({ $callers: { ada: { token: 'a' } } })
    return {}
  },
}

async function withSandbox(double: DoubleHandle): Promise<Readonly<Record<string, string>>> {
  await double.sandbox({ name: 'checkout-tests' })
  return {}
}

/** Replaces the state with the record of the examples. */
async function withMonstera(double: DoubleHandle): Promise<Readonly<Record<string, string>>> {
  const record: unknown = specs.control.requests.find(({ operation }) => operation === 'addRecord')?.bodies[0]?.value
  const $callers = { ada: { token: 'a' }, grace: { token: 'g' } }
  await control(double, 'PUT', '/state', { $callers, insights: [record] })
  return {}
}

/** Sends a request with the examples of its parameters. */
async function sendExamples(double: DoubleHandle, request: RequestExamples, body?: unknown): Promise<Response> {
  const made = (await before[request.operation]?.(double)) ?? {}
  const values = new Map(request.parameters.map(({ name, value }) => [name, made[name] ?? String(value)]))
  const query = new URLSearchParams()
  const headers: Record<string, string> = request.path.startsWith('/__admin') ? {} : { ...as('ada') }
  for (const { in: place, name } of request.parameters) {
    if (place === 'query') query.set(name, values.get(name) ?? '')
    if (place === 'header') headers[name] = values.get(name) ?? ''
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const path = request.path.replaceAll(/\{(.*?)\}/gu, (_, name: string) => encodeURIComponent(values.get(name) ?? ''))
  return fetch(`${double.url}${path}?${query.toString()}`, {
    method: request.method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

/** The options of the double, where an operation needs some. */
const optionsFor = async (t: ExecutionContext, { operation }: RequestExamples): Promise<DoubleOptions> =>
  operation === 'saveFixture' ? { fixtures: await temporaryFolder(t), fixture: empty, fixturesWritable: true } : {}

const empty = { $callers: { ada: { token: 'ada-token' } }, insights: [] }

for (const [spec, { requests }] of Object.entries(specs))
  for (const request of requests) {
    const examples = request.bodies.map(({ key, value }) => ({ title: key, body: value }))
    if (request.parameters.length > 0)
      examples.push({ title: `${request.operation} parameters`, body: request.bodies[0]?.value })
    for (const { body, title } of examples)
      test(`a double accepts the request example ${spec} ${title}`, async (t) => {
        const response = await sendExamples(await serve(t, await optionsFor(t, request)), request, body)
        await response.body?.cancel()
        t.true(response.ok, String(response.status))
        t.is(response.headers.get('sl-violations'), null)
      })
  }

for (const [spec, { count, requests, responses, schemas }] of Object.entries(specs)) {
  test(`every schema example of ${spec} is part of a tested example`, (t) => {
    const compared = new Set(
      [...responses, ...requests.flatMap(({ bodies, parameters }) => [...bodies, ...parameters])].flatMap(({ value }) =>
        partsOf(value),
      ),
    )
    for (const { key, value } of schemas) t.true(compared.has(JSON.stringify(value)), key)
  })

  test(`every example of ${spec} is tested`, (t) => {
    const asked = requests.flatMap(({ bodies, parameters }) => [...bodies, ...parameters])
    t.is(asked.length + responses.length + schemas.length, count)
  })
}
