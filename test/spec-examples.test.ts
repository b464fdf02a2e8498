import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions } from 'insights-double'

import { asObject } from './helpers/as-object-or-list.js'
import { control, serve } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { as, ask, get, type Reply } from './helpers/http.js'
import { normalized, partsOf, readExamples, type RequestExamples } from './helpers/read-spec-examples.js'
import { scenarios } from './helpers/response-scenarios.js'

const specs = { control: readExamples('control.yaml'), insights: readExamples('insights.yaml') }

/** Examples that are a part of the text of the response. */
const excerpts =
  /^control get(?:(?:Console|Report|Docs|Summary) 200|Spec 200 application\/yaml|Asset 200 (?:text\/css|text\/javascript|image\/svg\+xml))$/u

/** Examples whose values are a part of the values of the response. */
const partial =
  /^control (?:getCoverage 200|list(?:Variations|Requests) 200 one|get(?:Spec 200 application\/json|Request 200 application\/json (?:refused|hidden)))$/u

for (const [spec, { responses }] of Object.entries(specs))
  for (const example of responses) {
    const key = `${spec} ${example.key}`
    test(`a double sends the response example ${key}`, async (t) => {
      const scenario = scenarios[key]
      if (!scenario) throw new Error(`there is no scenario for the example ${key}`)
      const { headers, status, text } = await scenario(t, example)
      const [, documented] = / (\d{3})\b/u.exec(key) ?? []
      if (documented !== undefined) t.is(status, Number(documented), text)
      const [, header] = / header (.*)$/u.exec(key) ?? []
      const sent = header === undefined ? parsed(headers, text) : headers[header.toLowerCase()]
      const [given, wanted] = [normalized(sent), normalized(example.value)]
      if (excerpts.test(key)) t.true(String(given).includes(String(wanted).trimEnd()), String(given).slice(0, 500))
      else if (!partial.test(key)) t.deepEqual(given, wanted)
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

const $callers = { ada: { token: 'a' }, grace: { token: 'g' } }
/** Replaces the state with the record of the examples. */
const withMonstera = (double: DoubleHandle): Promise<unknown> => {
  const record: unknown = specs.control.requests.find(({ operation }) => operation === 'addRecord')?.bodies[0]?.value
  return control(double, 'PUT', '/state', { $callers, insights: [record] })
}
const withSandbox = (double: DoubleHandle): Promise<unknown> => double.sandbox({ name: 'checkout-tests' })

/** Prepares the state that the examples of the parameters need. */
const before: Readonly<Record<string, (double: DoubleHandle) => Promise<unknown>>> = {
  listRequests: (double) => ask(double, 'DELETE', '/insights/monstera-watering', as('ada')),
  addRecord: (double) => control(double, 'PUT', '/state', { $callers }),
  replaceRecord: withMonstera,
  removeRecord: withMonstera,
  removeFault: (double) => double.addFault({ status: 400 }),
  dropSandbox: withSandbox,
  setSandboxResult: withSandbox,
  undo: (double) => double.setState({ $callers: { ada: { token: 'a' } } }),
}

/** Sends a request with the examples of its parameters. */
async function sendExamples(double: DoubleHandle, request: RequestExamples, body?: unknown): Promise<Response> {
  await before[request.operation]?.(double)
  const values = new Map(request.parameters.map(({ name, value }) => [name, String(value)]))
  // A double generates the id of a request.
  if (request.operation === 'getRequest')
    values.set('id', (await get(double, '/insights')).headers['x-request-id'] ?? '')
  const query = new URLSearchParams()
  const headers: Record<string, string> = request.path.startsWith('/__admin') ? {} : { ...as('ada') }
  for (const { in: place, name } of request.parameters) {
    if (place === 'query') query.set(name, values.get(name) ?? '')
    if (place === 'header') headers[name] = values.get(name) ?? ''
  }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const path = request.path.replaceAll(/\{(.*?)\}/gu, (_, name: string) => encodeURIComponent(values.get(name) ?? ''))
  const sent = { method: request.method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  return fetch(`${double.url}${path}?${query.toString()}`, sent)
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
  const tested = [...responses, ...requests.flatMap(({ bodies, parameters }) => [...bodies, ...parameters])]
  test(`every schema example of ${spec} is part of a tested example`, (t) => {
    const compared = new Set(tested.flatMap(({ value }) => partsOf(value)))
    for (const { key, value } of schemas) t.true(compared.has(JSON.stringify(value)), key)
  })

  test(`every example of ${spec} is tested`, (t) => {
    t.is(tested.length + schemas.length, count)
  })
}
