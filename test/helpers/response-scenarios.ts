/** For each response example of the specs, the requests to a double that produce it. */
import { join } from 'node:path'

import type { ExecutionContext } from 'ava'
import type { DoubleHandle, DoubleOptions } from 'insights-double'

import { startInThisThread } from '#src/double/start-in-this-thread.js'

import { asObject } from './as-object-or-list.js'
import { control, controlText, serve } from './double.js'
import { openEventStream } from './event-stream.js'
import { readPackageFile, temporaryFolder, writeFiles } from './files.js'
import { as, ask, get, raw, type Reply, wire } from './http.js'
import type { Example } from './read-spec-examples.js'
import { serveOnWatchedDisk } from './watched-disk.js'

type Scenario = (t: ExecutionContext, example: Example) => Promise<Reply>

/** Sends requests to a double. The last one is that of the example. */
const sending =
  (send: (double: DoubleHandle, example: Example) => Promise<Reply>, options: DoubleOptions = {}): Scenario =>
  async (t, example) =>
    send(await serve(t, options), example)

const asking = (method: string, path: string, body?: unknown): Scenario =>
  sending((double) => control(double, method, path, body))

/** Prepares a double, and sends a request to its control plane. */
const after = (
  prepare: (double: DoubleHandle, example: Example) => Promise<unknown>,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  options: DoubleOptions = {},
): Scenario =>
  sending(async (double, example) => {
    await prepare(double, example)
    return control(double, method, path, body)
  }, options)

const repeat = async (count: number, send: () => Promise<unknown>): Promise<void> => {
  for (let sent = 0; sent < count; sent++) await send()
}

const remove = (double: DoubleHandle): Promise<Reply> => ask(double, 'DELETE', '/insights/monstera-watering', as('ada'))

/** Gets a request in another format. */
const copied = (path: string, format: string): Scenario =>
  sending(async (double) => {
    const { headers } = await get(double, path, as('ada'))
    return control(double, 'GET', `/requests/${headers['x-request-id'] ?? ''}?as=${format}`)
  })

/** Sends a request with only those header fields that the examples of the journal show. */
const plain = (double: DoubleHandle, line: string, caller = 'ada'): Promise<Reply> =>
  raw(double, `${line} HTTP/1.1\r\nHost: 127.0.0.1:4010\r\nAuthorization: Bearer ${caller}-token\r\n\r\n`)

/** Gets the journal entry of a request. */
const journalled =
  (line: string, caller?: string): Scenario =>
  async (t) => {
    const double = await serve(t)
    const { headers } = await plain(double, line, caller)
    return control(double, 'GET', `/requests/${headers['x-request-id'] ?? ''}`)
  }

/** Creates a folder of fixtures, one of which is invalid. */
async function fixturesFolder(t: ExecutionContext): Promise<string> {
  const folder = join(await temporaryFolder(t), 'fixtures')
  const mine = `{
  "$callers": { "ada": { "token": "ada-token" }, "grace": { "token": "grace-token" } },
  "insights": [{ "content": "For a typo", "$access": ["gracy"] }]
}
`
  const [own, empty] = [await readPackageFile('fixtures/default.json'), await readPackageFile('fixtures/empty.json')]
  await writeFiles(folder, { 'default.json': own, 'empty.json': empty, 'mine.json': mine })
  return folder
}

const onFullDisk =
  (send: (double: DoubleHandle) => Promise<Reply>): Scenario =>
  async (t) => {
    const double = await serveOnWatchedDisk(t)
    double.fail('write', 'ENOSPC')
    return send(double)
  }

/** Removes a fault from a double that cannot remove any. No request of a client can cause an internal error. */
const failing: Scenario = async (t) => {
  const double = await startInThisThread()
  t.teardown(() => double.stop())
  double.root.faults.remove = () => {
    throw new TypeError('broken for this test')
  }
  const { text } = await control(double, 'POST', '/faults', { status: 500 })
  return control(double, 'DELETE', `/faults/${String(asObject(JSON.parse(text))['id'])}`)
}

const wrongMatch = { operation: 'listInsights', match: { parameters: { limt: 1 } } }
const $callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }
const monstera = {
  id: 'monstera-watering',
  content: 'One in four Monstera reviews mentions yellow leaves.',
  tag: 'care',
  title: 'Monsteras are watered too often',
  source: 'Customer reviews, week 2',
  createdAt: '2026-01-12T09:30:00Z',
  $access: ['ada', 'grace'],
}

const monsteraPath = '/record?collection=insights&key=monstera-watering'

/** Sends a request about the record of the examples. @param records - The records of the state. */
const askingRecord =
  (method: string, path: string, body?: unknown, records: readonly unknown[] = [monstera]): Scenario =>
  async (t) => {
    const double = await serve(t)
    await control(double, 'PUT', '/state', { $callers, insights: records })
    return control(double, method, path, body)
  }

/** Replaces the state with the records of an example, and lists them. */
const listing: Scenario = sending(async (double, { value }) => {
  await control(double, 'PUT', '/state', { $callers: { ada: { token: 'ada-token' } }, insights: value })
  return get(double, '/insights', as('ada'))
})

const eventText: Scenario = sending(async (double) => {
  const { parts, reply } = await openEventStream(double)
  await plain(double, 'DELETE /insights/monstera-watering')
  let text = ''
  for await (const part of parts) {
    text += part
    if (/data: .*\n\n/u.test(text)) break
  }
  return { status: reply.status, headers: Object.fromEntries(reply.headers), text }
})

const removeRecord = (double: DoubleHandle): Promise<Reply> => control(double, 'DELETE', monsteraPath)
const removePlainly = (double: DoubleHandle): Promise<Reply> => plain(double, 'DELETE /insights/monstera-watering')
const createSandbox = (double: DoubleHandle): Promise<unknown> => double.sandbox({ name: 'checkout-tests' })
const unauthorized: Scenario = sending((double) => control({ url: double.url }, 'GET', '/state'), {
  adminToken: 'secret',
})

const asJson = { 'content-type': 'application/json' }
const jsonFields: readonly string[] = ['Content-Type: application/json']

export const scenarios: Readonly<Record<string, Scenario>> = {
  'control getHealth 200': asking('GET', '/health'),
  'control getState 200': after((double, { value }) => control(double, 'PUT', '/state', value), ['GET', '/state']),
  'control setState 400 fixture': asking('PUT', '/state', {
    $callers,
    insights: [{ content: 'Only for gracy', $access: ['gracy'] }],
  }),
  'control setState 400 body': asking('PUT', '/state', { insights: {} }),
  'control setState 408': sending((double) =>
    raw(double, wire('PUT /__admin/state', [...jsonFields, 'Content-Length: 2'])),
  ),
  'control setState 413 bytes': async (t) => {
    const length = `Content-Length: ${256 * 1024 * 1024 + 1}`
    return raw(await serve(t), wire('PUT /__admin/state', [...jsonFields, length]))
  },
  'control setState 413 values': sending((double) =>
    controlText(double, 'PUT', '/state', `[${'0,'.repeat(5_000_000)}0]`, asJson),
  ),
  'control getStateDiff 200 deleted': after(remove, ['GET', '/state/diff']),
  'control getStateDiff 200 same': asking('GET', '/state/diff'),
  'control reset 200': asking('POST', '/reset', { fixture: 'empty' }),
  'control reset 400 body': asking('POST', '/reset', { fixtur: 'empty' }),
  'control reset 400 fixture': async (t) =>
    control(await serve(t, { fixtures: await fixturesFolder(t) }), 'POST', '/reset', { fixture: 'mine' }),
  'control reset 404': asking('POST', '/reset', { fixture: 'emtpy' }),
  'control listFixtures 200': async (t) =>
    control(await serve(t, { fixtures: await fixturesFolder(t) }), 'GET', '/fixtures'),
  'control saveFixture 403': asking('PUT', '/fixtures/checkout'),
  'control getCollections 200': asking('GET', '/collections'),
  'control getSuggestedOverlay 200': asking('GET', '/overlay'),
  'control listCallers 200': asking('GET', '/callers'),
  'control listRecords 200': asking('GET', '/records?collection=insights&q=monstera&caller=ada&limit=1&cutAt=40'),
  'control listRecords 400': asking('GET', '/records?collection=insight'),
  'control getRecordTemplate 200': asking('GET', '/record-template?collection=insights'),
  'control getRecordTemplate 400': asking('GET', '/record-template?collection=insight'),
  'control getRecord 200': askingRecord('GET', monsteraPath),
  'control getRecord 400': asking('GET', '/record?collection=insight&key=1'),
  'control getRecord 404': asking('GET', '/record?collection=insights&key=monstera'),
  'control addRecord 201': askingRecord('POST', '/records?collection=insights', monstera, []),
  'control addRecord 400': askingRecord('POST', '/records?collection=insights', { content: 1 }, []),
  'control addRecord 409': askingRecord('POST', '/records?collection=insights', monstera),
  'control replaceRecord 200': askingRecord('PUT', monsteraPath, monstera),
  'control replaceRecord 400 invalid': askingRecord('PUT', monsteraPath, { ...monstera, content: 1 }),
  'control replaceRecord 400 renamed': askingRecord('PUT', monsteraPath, { ...monstera, id: 'monstera' }),
  'control replaceRecord 404': askingRecord('PUT', monsteraPath.replace('-watering', ''), monstera),
  'control replaceRecord 409': askingRecord('PUT', `${monsteraPath}&version=0`, monstera),
  'control changeRecords 404': asking('POST', '/record-changes?collection=insights', { remove: ['monstera'] }),
  'control listUndoable 200': after(removeRecord, ['GET', '/undo']),
  'control undo 200': after(removeRecord, ['POST', '/undo']),
  'control undo 409': after(
    async (double) => {
      await control(double, 'PUT', monsteraPath, { id: 'monstera-watering', content: 'changed' })
      await remove(double)
    },
    ['POST', '/undo'],
  ),
  'control removeRecord 200': askingRecord('DELETE', monsteraPath),
  'control removeRecord 400': asking('DELETE', '/record?collection=insight&key=1'),
  'control removeRecord 404': asking('DELETE', '/record?collection=insights&key=monstera'),
  'control removeRecord 409': asking('DELETE', `${monsteraPath}&version=0`),
  'control listRequests 200 one': after(removePlainly, ['GET', '/requests']),
  'control listRequests 200 none': asking('GET', '/requests?atLeast=1'),
  'control listRequests 400 value': asking('GET', '/requests?withinMs=2s'),
  'control listRequests 400 filter': asking('GET', '/requests?calller=ada'),
  'control listRequests 400 caller': asking('GET', '/requests?caller=gracy'),
  'control listRequestLines 200': after(removePlainly, ['GET', '/request-lines']),
  'control listRequestLines 400': asking('GET', '/request-lines?limit=all'),
  'control getRequest 200 text/plain curl': copied('/insights?limit=abc', 'curl'),
  'control getRequest 409': copied('/nothing', 'fault'),
  'control getRequest 200 application/json refused': journalled('GET /insights?limit=abc'),
  'control getRequest 200 application/json hidden': journalled('DELETE /insights/pothos-cutting-bundle', 'grace'),
  'control getRequest 400': asking('GET', '/requests/%ff'),
  'control getRequest 404': asking('GET', '/requests/3f9a1c-zz'),
  'control listFaults 200 one': after(
    async (double) => {
      await double.addFault({ operation: 'listInsights', times: 3, delayMs: 80 })
      await get(double, '/insights', as('ada'))
    },
    ['GET', '/faults'],
  ),
  'control listFaults 200 none': asking('GET', '/faults'),
  'control addFault 201': asking('POST', '/faults', { operation: 'listInsights', skip: 1, status: 500 }),
  'control addFault 400 operation': asking('POST', '/faults', { operation: 'listInsight', status: 500 }),
  'control addFault 400 nothing': asking('POST', '/faults', {}),
  'control addFault 400 both': asking('POST', '/faults', { status: 500, disconnect: true }),
  'control addFault 400 parameter': asking('POST', '/faults', { ...wrongMatch, status: 500 }),
  'control addFault 400 header': asking('POST', '/faults', { headers: { 'content-length': '1' } }),
  'control addFault 400 body': asking('POST', '/faults', { delayMs: 60_001 }),
  'control removeFault 404': asking('DELETE', '/faults/fault-7'),
  'control listVariations 200 one': sending(async (double) => {
    await double.setVariations(['order listInsights 200'])
    await repeat(2, () => get(double, '/insights', as('ada')))
    const reply = await control(double, 'GET', '/variations')
    return { ...reply, text: reply.text.replaceAll(/(?<="file":")[^"]*(?=spec)/gu, '') }
  }),
  'control listVariations 200 none': asking('GET', '/variations'),
  'control setVariations 400': asking('PUT', '/variations', ['order listInsight 200']),
  'control getCoverage 200': after(
    async (double) => {
      await double.addFault({ status: 503 })
      await repeat(15, () => get(double, '/insights', as('ada')))
    },
    ['GET', '/coverage'],
  ),
  'control listSandboxes 200 one': after(
    async (double) => {
      await control(double, 'POST', '/sandboxes', { name: 'checkout-tests', fixture: 'many' })
      await repeat(7, () => get(double, '/insights', { ...as('ada'), 'insights-sandbox': 'checkout-tests' }))
    },
    ['GET', '/sandboxes'],
  ),
  'control listSandboxes 200 none': asking('GET', '/sandboxes'),
  'control listSandboxes 404': async (t) =>
    control(await (await serve(t)).sandbox({ name: 'checkout-tests' }), 'GET', '/sandboxes'),
  'control createSandbox 201': asking('POST', '/sandboxes', { name: 'checkout-tests', fixture: 'many' }),
  'control createSandbox 400': asking('POST', '/sandboxes', { name: 'checkout tests' }),
  'control createSandbox 404': asking('POST', '/sandboxes', { fixture: 'emtpy' }),
  'control createSandbox 409': after(createSandbox, ['POST', '/sandboxes', { name: 'checkout-tests' }]),
  'control createSandbox 429': after((double) => repeat(10, () => double.sandbox()), ['POST', '/sandboxes'], {
    maxSandboxes: 10,
  }),
  'control dropSandbox 400': asking('DELETE', '/sandboxes/checkout%20tests'),
  'control dropSandbox 404': asking('DELETE', '/sandboxes/checkout-test'),
  'control setSandboxResult 404': asking('PUT', '/sandboxes/checkout-test/result', { outcome: 'passed' }),
  'control streamEvents 200': eventText,
  'control streamEvents 503': sending(async (double) => {
    const streams = await Promise.all(Array.from({ length: 100 }, () => openEventStream(double)))
    const reply = await control(double, 'GET', '/events')
    await Promise.all(streams.map(async ({ parts }) => parts.return?.()))
    return reply
  }),
  'control getConsole 200': asking('GET', '/'),
  'control getReport 200': asking('GET', '/report'),
  'control getReport 200 header content-disposition': asking('GET', '/report'),
  'control getDocs 200': asking('GET', '/docs'),
  'control getSummary 200': asking('GET', '/llms.txt'),
  'control getSpec 200 application/yaml': asking('GET', '/spec'),
  'control getSpec 200 application/json': asking('GET', '/spec?format=json'),
  'control getSpec 400': asking('GET', '/spec?contract=admin'),
  'control getAsset 200 text/css': asking('GET', '/assets/console.css'),
  'control getAsset 200 text/javascript': asking('GET', '/assets/console.js'),
  'control getAsset 200 image/svg+xml': asking('GET', '/assets/icon.svg'),
  'control getAsset 404': asking('GET', '/assets/consol.css'),
  'control BadRequest': sending((double) => controlText(double, 'DELETE', '/requests', '{}', asJson)),
  'control Unauthorized': unauthorized,
  'control Unauthorized header WWW-Authenticate': unauthorized,
  'control Forbidden host': sending((double) =>
    raw(double, 'GET /__admin/state HTTP/1.1\r\nHost: insights.example\r\n\r\n'),
  ),
  'control Forbidden origin': sending((double) =>
    control(double, 'GET', '/state', undefined, { origin: 'https://app.example' }),
  ),
  'control TooSlow': sending((double) =>
    raw(double, wire('POST /__admin/reset', [...jsonFields, 'Content-Length: 2'])),
  ),
  'control TooLarge': sending((double) =>
    controlText(double, 'POST', '/reset', `"${'x'.repeat(1024 * 1024)}"`, asJson),
  ),
  'control UnsupportedMediaType': sending((double) =>
    controlText(double, 'PUT', '/state', '{}', { 'content-type': 'text/plain' }),
  ),
  'control Failed internal': failing,
  'control Failed unsaved': onFullDisk((double) => control(double, 'POST', '/reset')),
  'insights listInsights 200 two': listing,
  'insights listInsights 200 none': listing,
  'insights deleteInsight 404': sending(remove, { fixture: 'empty' }),
  'insights BadRequest': sending((double) => get(double, '/insights?limit=abc', as('ada'))),
  'insights Unauthorized': sending((double) => get(double, '/insights')),
  'insights Unauthorized header WWW-Authenticate': sending((double) => get(double, '/insights')),
  'insights Failed': onFullDisk(remove),
}
