import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import test from 'ava'
import type { DoubleHandle, DoubleOptions } from 'insights-double'
import { parse } from 'yaml'

import { lintSpec } from '#src/contract/lint/lint-spec.js'
import { loadContract } from '#src/contract/load-contract.js'
import { readSource } from '#src/documents/source.js'
import { controlSpec } from '#src/package-files.js'

import { asObject } from './helpers/as-object-or-list.js'
import { control, controlText, whileStreamsAreOpen } from './helpers/control.js'
import { serve } from './helpers/double.js'
import type { Reply } from './helpers/http.js'
import { as, assertError, get, json, raw, wire } from './helpers/http.js'
import { readPackageFileSync } from './helpers/read-repository-file.js'
import { temporaryFolder } from './helpers/temporary-files.js'

/** A request. If its path depends on the double, `path` sends the requests that must come first and returns the path. */
interface Call {
  readonly line: string
  readonly path?: (double: DoubleHandle) => Promise<string>
  readonly body?: unknown
}

/** A request for each operation. */
const served: Readonly<Record<string, Call>> = {
  getHealth: { line: 'GET /health' },
  getState: { line: 'GET /state' },
  setState: { line: 'PUT /state', body: { $callers: { eve: { token: '*' } }, insights: [] } },
  getStateDiff: { line: 'GET /state/diff?limit=1&cutAt=9' },
  reset: { line: 'POST /reset', body: { fixture: 'empty' } },
  listFixtures: { line: 'GET /fixtures' },
  getCollections: { line: 'GET /collections' },
  listCallers: { line: 'GET /callers' },
  listRecords: {
    line: 'GET /records?collection=insights&q=a&caller=ada&sort=title&order=desc&offset=0&limit=1&cutAt=9',
  },
  getRecordTemplate: { line: 'GET /record-template?collection=insights' },
  getRecord: { line: 'GET /record?collection=insights&key=monstera-watering' },
  addRecord: { line: 'POST /records?collection=insights', body: { content: 'x' } },
  replaceRecord: {
    line: 'PUT /record?collection=insights&key=monstera-watering',
    body: { id: 'monstera-watering', content: 'x' },
  },
  removeRecord: { line: 'DELETE /record?collection=insights&key=monstera-watering' },
  listRequests: { line: 'GET /requests?operation=listInsights&status=200&caller=ada&verdict=ok&atLeast=0&withinMs=0' },
  listRequestLines: {
    line: 'GET /request-lines?operation=listInsights&caller=ada&verdict=ok&status=200&q=a&after=none&limit=1',
  },
  clearRequests: { line: 'DELETE /requests' },
  getRequest: {
    line: 'GET /requests/none',
    path: async (double) => `/requests/${(await get(double, '/insights')).headers['x-request-id'] ?? ''}`,
  },
  listFaults: { line: 'GET /faults' },
  addFault: { line: 'POST /faults', body: { delayMs: 1 } },
  clearFaults: { line: 'DELETE /faults' },
  removeFault: {
    line: 'DELETE /faults/none',
    path: async (double) => `/faults/${(await double.addFault({ status: 400 })).id}`,
  },
  getCoverage: { line: 'GET /coverage' },
  listSandboxes: { line: 'GET /sandboxes' },
  createSandbox: { line: 'POST /sandboxes', body: { name: 'mine' } },
  dropSandbox: {
    line: 'DELETE /sandboxes/none',
    path: async (double) => `/sandboxes/${(await double.sandbox()).name}`,
  },
  streamEvents: { line: 'GET /events' },
  getConsole: { line: 'GET /' },
  getDocs: { line: 'GET /docs' },
  getSpec: { line: 'GET /spec' },
  getAsset: { line: 'GET /assets/console.css' },
}

/** A function that sends the request for a status. */
type Ask = (t: ExecutionContext, call: Call) => Promise<Reply>

const parts = ({ line }: Call): readonly [method: string, path: string] => {
  const [method = '', path = ''] = line.split(' ')
  return [method, path]
}
const asking =
  (change: Partial<Call>, options: DoubleOptions = {}): Ask =>
  async (t, call) => {
    const double = await serve(t, options)
    return control(double, ...parts({ ...call, ...change }), 'body' in change ? change.body : call.body)
  }
const sending =
  (body: string, type: string): Ask =>
  async (t, call) =>
    controlText(await serve(t), ...parts(call), body, { 'content-type': type })
const sendingRaw =
  (...fields: readonly string[]): Ask =>
  async (t, call) => {
    const [method, path] = parts(call)
    return raw(await serve(t), wire(`${method} /__admin${path}`, fields))
  }
const succeeding: Ask = async (t, call) => {
  const double = await serve(t)
  const [method, path] = parts(call)
  if (call.line === 'GET /events') {
    const reply = await fetch(`${double.url}/__admin/events`)
    await reply.body?.cancel()
    return { status: reply.status, headers: Object.fromEntries(reply.headers), text: '' }
  }
  return control(double, method, call.path ? await call.path(double) : path, call.body)
}
const withNowhereToSave: Ask = async (t, call) => {
  const folder = await temporaryFolder(t)
  const double = await serve(t, { state: join(folder, 'deep', 'state.json') })
  await rm(join(folder, 'deep'), { recursive: true })
  return control(double, ...parts(call), call.body)
}
const underSandbox: Ask = async (t, call) => {
  const { url } = await (await serve(t)).sandbox()
  return control({ url }, ...parts(call), call.body)
}

/** The request for each documented status. A key is a status, or an operation and a status. */
const ways: Readonly<Record<string, Ask>> = {
  '200': succeeding,
  '201': succeeding,
  '204': succeeding,
  '400': async (t, call) => {
    const [method, path] = parts(call)
    const headers = ['Connection: close', 'Content-Type: application/json', 'Content-Length: 13']
    return raw(await serve(t), wire(`${method} /__admin${path}`, headers, '{"unknown":1}'))
  },
  '401': asking({}, { adminToken: 'secret' }),
  '403': sendingRaw('Origin: https://insights.example'),
  '408': sendingRaw('Content-Type: application/json', 'Content-Length: 2'),
  '413': sending(`"${'x'.repeat(1024 * 1024)}"`, 'application/json'),
  '415': sending('{}', 'text/plain'),
  'setState 413': sendingRaw('Content-Type: application/json', `Content-Length: ${256 * 1024 * 1024 + 1}`),
  'setState 500': withNowhereToSave,
  'reset 500': withNowhereToSave,
  'reset 404': asking({ body: { fixture: 'none' } }),
  'getRequest 404': asking({}),
  'getRequest 409': async (t) => {
    const double = await serve(t)
    const { headers } = await get(double, '/nothing')
    return control(double, 'GET', `/requests/${headers['x-request-id'] ?? ''}?as=fault`)
  },
  'getRecord 404': asking({ line: 'GET /record?collection=insights&key=none' }),
  'addRecord 409': asking({ body: { id: 'monstera-watering', content: 'x' } }),
  'addRecord 500': withNowhereToSave,
  'replaceRecord 404': asking({ line: 'PUT /record?collection=insights&key=none' }),
  'replaceRecord 409': asking({ line: 'PUT /record?collection=insights&key=monstera-watering&version=0' }),
  'replaceRecord 500': withNowhereToSave,
  'removeRecord 404': asking({ line: 'DELETE /record?collection=insights&key=none' }),
  'removeRecord 409': asking({ line: 'DELETE /record?collection=insights&key=monstera-watering&version=0' }),
  'removeRecord 500': withNowhereToSave,
  'removeFault 404': asking({}),
  'dropSandbox 404': asking({}),
  'listSandboxes 404': underSandbox,
  'createSandbox 404': asking({ body: { fixture: 'none' } }),
  'createSandbox 409': asking({ body: { name: 'root' } }),
  'createSandbox 429': async (t, call) => {
    const double = await serve(t, { maxSandboxes: 1 })
    await double.sandbox()
    return control(double, ...parts(call), call.body)
  },
  'streamEvents 503': async (t, call) => {
    const double = await serve(t)
    return whileStreamsAreOpen(double, () => control(double, ...parts(call)))
  },
  'getAsset 404': asking({ line: 'GET /assets/none.css' }),
}

/** Documented statuses that no request of a client can cause. */
const unreachable = (pair: string): boolean => pair.endsWith(' 500') && ways[pair] === undefined

/** Lists the documented responses, such as `getHealth 200`, each with the media types of its body. */
function documented(): ReadonlyMap<string, readonly string[]> {
  const spec = asObject(parse(readPackageFileSync('spec/control.yaml')))
  const shared = asObject(asObject(spec['components'])['responses'])
  const operations = Object.values(asObject(spec['paths'])).flatMap((item) =>
    Object.values(asObject(item)).filter((operation) => !Array.isArray(operation)),
  )
  return new Map(
    operations.map(asObject).flatMap(({ operationId, responses }) =>
      Object.entries(asObject(responses)).map(([status, response]) => {
        const { $ref, content } = asObject(response)
        const name = typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined
        const reply = name === undefined ? content : asObject(shared[name])['content']
        return [`${String(operationId)} ${status}`, Object.keys(asObject(reply ?? {}))]
      }),
    ),
  )
}

const pairs = documented()
for (const [pair, mediaTypes] of pairs) {
  if (unreachable(pair)) continue
  const [id = '', status = ''] = pair.split(' ')
  test(`${pair} is documented, and occurs`, async (t) => {
    const call = served[id]
    const ask = ways[pair] ?? ways[status]
    if (!call || !ask) {
      t.fail(`there is no row for ${pair}`)
      return
    }
    const reply = await ask(t, call)
    t.regex(reply.headers['x-request-id'] ?? '', /./u)
    if (Number(status) >= 400) {
      assertError(t, reply, Number(status))
      return
    }
    t.is(reply.status, Number(status), reply.text)
    const type = reply.headers['content-type']?.replace(/;.*$/u, '')
    if (mediaTypes.length === 0) t.deepEqual([type, reply.text], [undefined, ''])
    else t.true(mediaTypes.includes(type ?? ''), type)
    if (type === 'application/json') t.notThrows(() => json(reply))
  })
}

test('every row is about a documented operation or status', (t) => {
  const operations = [...pairs.keys()].map((pair) => pair.split(' ')[0] ?? '')
  t.deepEqual(Object.keys(served).toSorted(), [...new Set(operations)].toSorted())
  for (const way of Object.keys(ways))
    t.true([...pairs.keys()].some((pair) => pair === way || pair.endsWith(` ${way}`)))
})

test('the control plane needs no credential of a caller, and ignores an unknown credential', async (t) => {
  const double = await serve(t)
  t.is((await control(double, 'GET', '/health')).status, 200)
  t.is((await control(double, 'GET', '/health', undefined, as('nobody'))).status, 200)
})

test('the contract of the control plane has no problem and no diagnostic, is not rewritten, and can be loaded', async (t) => {
  const source = await readSource(controlSpec.file)
  t.deepEqual(lintSpec(source), { problems: [], diagnostics: [], document: source.value })
  await t.notThrowsAsync(loadContract(controlSpec.file))
})

test('the contract of the control plane is loaded from JSON without descriptions, and has the text and the positions of the YAML', async (t) => {
  const yaml = await readSource(controlSpec.file)
  const { document, locate, text } = await loadContract(controlSpec.file, { verifiedValue: controlSpec.valueFile })
  const withoutDescriptions: unknown = JSON.parse(JSON.stringify(yaml.value), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? '' : value,
  )
  t.deepEqual<unknown, unknown>(document, withoutDescriptions, 'npm run build writes the JSON again')
  t.is(text, yaml.text)
  const path = ['paths', '/__admin/health', 'get', 'operationId']
  t.deepEqual(locate(path, 'key'), yaml.locate(path, 'key'))
})
