import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

import test from 'ava'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { exits, run, serveByProcess } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { integer, listOf, object, ref, text } from './resources/plants-contract.js'
import { contract } from './resources/rules-contract.js'

const spec = join(packageFolder, 'test', 'specs', 'shop.yaml')
const packageEntry = pathToFileURL(join(packageFolder, 'bundle', 'index.js')).href
const fixture = { $callers: { ada: { token: 'ada-token' } }, orders: [] }

test('what a handler throws after it has returned is logged with its name, and the double goes on serving', async (t) => {
  const acts: Readonly<Record<string, string>> = {
    timer: 'setTimeout(() => { throw new Error("late timer") })',
    rejection: 'Promise.reject(new Error("late rejection"))',
    'async function': '(async () => { await null; throw new Error("late async") })()',
    microtask: 'queueMicrotask(() => { throw new Error("late microtask") })',
    value: 'process.nextTick(() => { throw "late value" })',
  }
  const revoked =
    'const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); Promise.reject(proxy); setInterval(() => {}, 1000)'
  const entries = Object.entries({ ...acts, 'revoked proxy': revoked })
  const code = `const acts = { ${entries.map(([name, act]) => `"${name}": () => { ${act} }`).join(', ')} }
    export default { 'GET /weather': ({ headers }) => { acts[headers['x-act']](); return { body: { sky: 'blue' } } } }`
  const file = await writeTemporary(t, 'h.mjs', code)
  const fixtureFile = await writeTemporary(t, 'shop.json', fixture)
  // In a process of its own, because AVA counts what is thrown here.
  const started = await serveByProcess(t, ['--spec', spec, '--handlers', file, '--memory', '--fixture', fixtureFile])
  for (const name of Object.keys(acts)) {
    t.is((await fetch(`${started.url}/weather`, { headers: { 'x-act': name } })).status, 200)
    const [, word] = /late (\w+)/u.exec(acts[name] ?? '') ?? []
    const told = `The handler of GET /weather in ${file}:\\d failed after it had returned: .*late ${word}`
    await started.printed(new RegExp(told, 'u'), 'stderr')
  }
  t.is((await fetch(`${started.url}/weather`, { headers: { 'x-act': 'revoked proxy' } })).status, 200)
  t.is((await fetch(`${started.url}/__admin/health`)).status, 200)
  // The timer of a handler does not keep the process.
  t.is((await started.end('SIGTERM')).code, 0)
})

test('with a debugger attached, a handler has no time limit', async (t) => {
  const folder = await temporaryFolder(t)
  const handler = `export const listInsights = ({ next }) => { for (const end = Date.now() + 300; Date.now() < end;); return next() }`
  await writeFile(join(folder, 'h.mjs'), handler)
  const script = `import { startDouble } from ${JSON.stringify(packageEntry)}
const double = await startDouble({ handlers: 'h.mjs', handlerTimeoutMs: 20 })
const { status } = await fetch(double.url + '/insights', { headers: { authorization: 'Bearer ada-token' } })
console.log(status)
await double.stop()`
  const statusWith = async (...flags: readonly string[]): Promise<string> => {
    const words = [...flags, '--input-type=module', '--eval', script]
    return (await promisify(execFile)(process.execPath, words, { cwd: folder })).stdout
  }
  t.is(await statusWith(), '500\n')
  t.is(await statusWith('--inspect=127.0.0.1:0'), '200\n')
})

test('a handler gets all headers but credentials in lower case, and the base URL of its sandbox', async (t) => {
  const code =
    'export default { "GET /weather": ({ headers, baseUrl }) => ({ headers: { location: `${baseUrl}/weather` }, body: { sky: JSON.stringify(headers) } }) }'
  const double = await serve(t, { spec, handlers: await writeTemporary(t, 'h.mjs', code), fixture })
  const sandbox = await double.sandbox()
  const headers = { 'X-Trace': 'one', authorization: 'Bearer ada-token', cookie: 'session=1', 'X-Api-Key': 'key' }
  for (const base of [double.url, sandbox.url]) {
    const reply = await fetch(`${base}/weather`, { headers })
    t.is(reply.headers.get('location'), `${base}/weather`)
    const { sky } = (await reply.json()) as { readonly sky: string }
    const got = JSON.parse(sky) as Readonly<Record<string, string>>
    t.is(got['x-trace'], 'one')
    t.false('authorization' in got || 'cookie' in got || 'x-api-key' in got, sky)
  }
})

test('files and binary bodies reach handlers as bytes, and a handler can send bytes', async (t) => {
  const binary = { ...text, format: 'binary' }
  const form = object({ title: text, photo: binary, more: listOf(binary), marks: listOf(object({ size: integer })) })
  const bytes = { 'application/octet-stream': { schema: binary } }
  const operation = (operationId: string, requestBody: object, content: object): object => ({
    operationId,
    requestBody: { content: requestBody },
    responses: { 200: { description: 'Done', content } },
  })
  const anyJson = { 'application/json': { schema: { type: 'object' } } }
  const paths = {
    '/forms': { post: operation('sendForm', { 'multipart/form-data': { schema: form } }, anyJson) },
    '/copies': { post: operation('copyBytes', bytes, bytes) },
    '/echoes': { post: operation('echoBytes', bytes, bytes) },
    '/texts': { post: operation('sendXml', { 'application/xml': { schema: { type: 'string' } } }, anyJson) },
  }
  const files = await writeContract(t, paths, { openapi: '3.0.3' })
  const code = `const shown = (file) => [file.name, file.type, file.bytes.constructor.name, [...file.bytes]]
    export const sendForm = ({ body: { title, photo, more, marks } }) => ({ body: { title, marks, photo: shown(photo), more: more.map(shown) } })
    export const copyBytes = ({ body }) => ({ body: Uint8Array.from(body, (byte) => 255 - byte) })
    export const echoBytes = ({ body }) => ({ body })
    export const sendXml = ({ body }) => ({ body: { body } })`
  const double = await serve(t, { spec: files, handlers: await writeTemporary(t, 'h.mjs', code), fixture: {} })
  const data = new FormData()
  data.set('title', 'Fern')
  data.set('photo', new Blob([new Uint8Array([0, 255, 128])], { type: 'image/png' }), 'fern.png')
  const more = ['a.txt', 'b.txt']
  for (const name of more)
    data.append(name === 'a.txt' ? 'more' : 'more[]', new Blob([name], { type: 'text/plain' }), name)
  data.set('marks[0][size]', '4')
  data.set(`marks${'[0]'.repeat(20_000)}`, 'deep')
  t.deepEqual(await (await fetch(`${double.url}/forms`, { method: 'POST', body: data })).json(), {
    title: 'Fern',
    marks: [{ size: 4 }],
    photo: ['fern.png', 'image/png', 'Uint8Array', [0, 255, 128]],
    more: more.map((name) => [name, 'text/plain', 'Uint8Array', [...Buffer.from(name)]]),
  })
  const post = (path: string, type: string, body: Uint8Array<ArrayBuffer> | string): Promise<Response> =>
    fetch(double.url + path, { method: 'POST', headers: { 'content-type': type }, body })
  const copied = await post('/copies', 'application/octet-stream', new Uint8Array([0, 1, 200]))
  t.is(copied.headers.get('content-type'), 'application/octet-stream')
  t.deepEqual([...new Uint8Array(await copied.arrayBuffer())], [255, 254, 55])
  const echoed = await post('/echoes', 'application/octet-stream', new Uint8Array([0, 1, 200]))
  t.deepEqual([...new Uint8Array(await echoed.arrayBuffer())], [0, 1, 200])
  t.deepEqual(await (await post('/texts', 'application/xml', '<ä/>')).json(), { body: '<ä/>' })
  t.is((await double.requests({ verdict: 'violation' })).matched, 0)
})

/** A contract whose create has properties that only the server can know. The listing has no example of them. */
const ticketsSpec = (create: object = {}): object => {
  const made = { ...integer, readOnly: true }
  const sent = { subject: text, lines: listOf(object({ name: text }, 'name')) }
  const lines = listOf(object({ name: text, articleId: made }, 'name', 'articleId'))
  const all = { ...sent, id: text, number: made, author: made, lines }
  const whole = object(sent, 'subject', 'lines')
  const operations = {
    'GET /tickets': { response: listOf(ref('Ticket')), with: { operationId: 'listTickets' } },
    'POST /tickets': { request: whole, status: 201, with: { operationId: 'openTicket', ...create } },
    'DELETE /tickets/{id}': { status: 204, with: { operationId: 'closeTicket' } },
  }
  return contract(operations, { Ticket: object(all, ...Object.keys(all)) })
}

test('a handler for a create, or x-double: mocked on it, leaves the rest of its collection stateful', async (t) => {
  const plain = await writeTemporary(t, 'tickets.json', ticketsSpec())
  const mocked = await writeTemporary(t, 'tickets.json', ticketsSpec({ 'x-double': 'mocked' }))
  const code = `export const openTicket = ({ state, body }) => {
    const lines = body.lines.map((line, articleId) => ({ ...line, articleId }))
    return { status: 201, state: { ...state, tickets: [...state.tickets, { ...body, lines, number: 7, author: 1 }] } }
  }`
  const own = await writeTemporary(t, 'h.mjs', code)
  const tickets = await writeTemporary(t, 'fixture.json', '{ "tickets": [] }')
  const explained = await run(t, ['explain', '--spec', plain])
  t.regex(explained.stdout, /openTicket: number, author/u, 'a value fills what a client cannot send')
  for (const [file, flags, role] of [
    [plain, ['--handlers', own], 'handler'],
    [mocked, [], 'mocked'],
  ] as const) {
    const { stdout } = await run(t, ['explain', '--spec', file, ...flags])
    t.deepEqual(stdout.match(/(?<=^\w+ +\w+ \/\S+ +)\w+/gmu), ['list', role, 'remove'], stdout)
    await exits(t, 0, ['check', file, tickets, '--spec', file, ...flags])
    const schema = await run(t, ['schema', '--spec', file, ...flags])
    t.true(schema.stdout.includes('"tickets"'), schema.stderr)
  }
  const double = await serve(t, { spec: plain, handlers: own, fixture: { tickets: [] } })
  const opened = await sendJson(double, 'POST', '/tickets', { subject: 'Leak', lines: [{ name: 'pot' }] })
  t.is(opened.status, 201, opened.text)
  const [ticket] = asList(json(await get(double, '/tickets'))).map(asObject)
  t.deepEqual(ticket, { ...ticket, subject: 'Leak', number: 7, author: 1, lines: [{ name: 'pot', articleId: 0 }] })
  t.is((await sendJson(double, 'DELETE', `/tickets/${String(ticket?.['id'])}`, undefined)).status, 204)
  t.deepEqual(json(await get(double, '/tickets')), [])
})
