/** Tests that a copied request of the journal gets the same response, and that a copied fault repeats the response. */
import test from 'ava'
import type { JournalEntry } from 'insights-double'

import { control, excuse, serve, testOnDouble } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, type Headers, raw, type Reply } from './helpers/http.js'
import { servePlants } from './helpers/plants-spec.js'
import { shell } from './helpers/shell.js'
import { plantSchema } from './resources/plants-contract.js'

const ada = 'Bearer ada-token'
const odd = JSON.stringify({ name: 'It\'s "$HOME" `id` \\ ${PATH} ä\n', password: 'hunter2' })

/** Requests to the plants: method, path, header fields, body. */
type Bytes = string | Uint8Array<ArrayBuffer>
const requests: readonly (readonly [method: string, path: string, headers: Headers, body?: Bytes])[] = [
  ['PUT', '/plants/plant-1', { authorization: ada, 'content-type': 'application/json' }, odd],
  ['GET', '/plants?access_token=secret-1&a=[1]{2}', { authorization: ada, 'x-odd': `it's $HOME "x"`, accept: '*/*' }],
  ['HEAD', '/plants', { authorization: ada }],
  ['GET', '/plants/none', { authorization: ada }],
  ['PUT', '/plants/plant-1', { authorization: ada, 'content-type': 'application/json' }, '{"name": 1.0}'],
  ['PUT', '/plants/plant-1', { authorization: ada, 'content-type': 'text/plain' }, '{"name": "x"}'],
  ['GET', '/plants', { authorization: 'Bearer nobody-has-it' }],
  ['PUT', '/plants/plant-1', { authorization: ada }, new TextEncoder().encode('without a type')],
  ['GET', '/plants', { authorization: ada, 'x-odd': Buffer.from('Grün ✓').toString('latin1') }],
]

/** The environment variables of the copied commands. */
const env = {
  ADA_TOKEN: 'ada-token',
  ACCESS_TOKEN: 'secret-1',
  PASSWORD: 'hunter2',
  AUTHORIZATION: 'Bearer nobody-has-it',
  // The operation documents a secret, so a body of no known type is kept as its size only.
  REDACTED: 'without a type',
}

/** Returns the parts that must be equal in a request and its repetition. */
const compared = (entry: JournalEntry): unknown => {
  const { caller, method, operation, requestBody, requestHeaders, responseBody, status, url } = entry
  return { caller, method, odd: requestHeaders['x-odd'], operation, requestBody, responseBody, status, url }
}

test('a request that is copied as curl or fetch runs in a shell or in Node, and gets the same response', async (t) => {
  const double = await servePlants(t, [{ id: 'plant-1', name: 'Aloe' }])
  for (const [method, path, headers, body] of requests) {
    const reply = await fetch(double.url + path, { method, headers, ...(body === undefined ? {} : { body }) })
    await reply.text()
  }
  const { entries } = await double.requests()
  const curls = await Promise.all(entries.map(({ id }) => double.requestAs(id, 'curl')))
  const fetches = await Promise.all(entries.map(({ id }) => double.requestAs(id, 'fetch')))
  for (const text of [...curls, ...fetches]) t.notRegex(text, /ada-token|secret-1|hunter2|nobody-has/u)
  t.regex(curls[0] ?? '', /^# ADA_TOKEN is the token of ada\.\n# PASSWORD was redacted from the request body\.\ncurl /u)
  t.regex(fetches[6] ?? '', /^\/\/ AUTHORIZATION was redacted from the header authorization\.\nconst response = /u)
  const bash = await shell(t, ['set -e', ...curls].join('\n'), { env })
  t.is(bash.code, 0, bash.stderr)
  const blocks = fetches.map((text) => `{\n${text}await response.text()\n}`)
  const script = await writeTemporary(t, 'fetch.mjs', blocks.join('\n'))
  const node = await shell(t, `node ${script}`, { env })
  t.is(node.code, 0, node.stderr)
  const repeated = (await double.requests()).entries.slice(entries.length).map(compared)
  const wanted = entries.map(compared)
  t.deepEqual(repeated.slice(0, wanted.length), wanted)
  t.deepEqual(repeated.slice(wanted.length), wanted)
})

test('a test that was copied from a sandbox sends its request to the sandbox of that test', async (t) => {
  const sandbox = await (await serve(t)).sandbox({ name: 'mine' })
  const reply = await get(sandbox, '/insights?limit=2', as('ada'))
  for (const runner of ['vitest', 'playwright'] as const) {
    const text = await sandbox.requestAs(reply.headers['x-request-id'] ?? '', runner)
    t.true(text.includes('fetch(`${sandbox.url}/insights?limit=2`'), text)
    t.true(text.includes('test("GET /insights?limit=2"'))
    const broken = (await get(sandbox, '/insights?limit=abc', as('ada'))).headers['x-request-id'] ?? ''
    t.regex(await sandbox.requestAs(broken, runner), /extend\(\{ \.\.\.doubleFixtures, expectViolations: true \}\)/u)
  }
  const removal = (): Promise<string> =>
    del(sandbox, '/insights/monstera-watering', as('ada')).then(({ headers }) => headers['x-request-id'] ?? '')
  const [first, second] = [await removal(), await removal()]
  t.notRegex(await sandbox.requestAs(first, 'vitest'), /Earlier requests/u)
  t.regex(await sandbox.requestAs(second, 'vitest'), /\/\/ Earlier requests had changed the state\./u)
  t.notRegex(await sandbox.requestAs(second, 'curl'), /Earlier requests/u)
})

test('a copied request names the parts that it cannot repeat', async (t) => {
  const { secret: _, ...properties } = plantSchema['properties'] as Record<string, unknown>
  const double = await servePlants(t, [], { schema: { ...plantSchema, properties } })
  const copied = async (line: string, bytes: string): Promise<string> => {
    const fields = `host: x\r\nauthorization: ${ada}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 3`
    const reply = await raw(double, Buffer.from(`${line} HTTP/1.1\r\n${fields}\r\n\r\n${bytes}`, 'latin1'))
    return double.requestAs(reply.headers['x-request-id'] ?? '', 'fetch')
  }
  const binary = await copied('PUT /plants/plant-1', 'a\u00ffb')
  t.regex(binary, /^\/\/ The request body is not text\. Bytes that are not UTF-8 were replaced\.$/mu)
})

test('a copied request has an environment variable of the caller in place of each kind of credential', async (t) => {
  const spec = new URL('../../test/specs/credentials.yaml', import.meta.url).pathname
  const schemes = { key: 'ada-key-1', query: 'ada-pass', cookie: 'ada-visit' }
  const tokens = { ...schemes, basic: 'ada:ada-word', digest: 'ada-digest-1' }
  const $callers = { ada: { tokens: { ...tokens, oauth: 'a-1', openid: 'a-2' } } }
  const double = await serve(t, { spec, fixture: { $callers, notes: [] } })
  const basic = `Basic ${Buffer.from(tokens.basic).toString('base64')}`
  for (const [path, headers, wanted] of [
    ['/by-query?pass=ada-pass', {}, /\?pass=\$\{ADA_TOKEN\}"/u],
    ['/by-cookie', { cookie: 'visit=ada-visit' }, /-H "cookie: visit=\$\{ADA_TOKEN\}"/u],
    ['/by-basic', { authorization: basic }, /-u "\$\{ADA_TOKEN\}"/u],
    ['/notes', { 'x-service': 'ada-key-1' }, /-H "x-service: \$\{ADA_TOKEN\}"/u],
    ['/both?pass=ada-pass', { 'x-service': 'ada-key-1' }, /\$\{ADA_KEY_TOKEN\}"(?:.|\n)*\$\{ADA_QUERY_TOKEN\}/u],
  ] as const) {
    const reply = await get(double, path, headers)
    t.true(reply.status < 300, reply.text)
    const text = await double.requestAs(reply.headers['x-request-id'] ?? '', 'curl')
    t.regex(text, wanted)
    t.notRegex(text, /ada-(?:key|pass|visit|word)/u)
  }
})

/** The parts of a response that a fault repeats. */
const parts = ({ headers, status, text }: Reply): unknown => {
  const { 'content-type': type, 'www-authenticate': challenge, 'x-error-code': code } = headers
  return { status, type, challenge, code, text }
}

testOnDouble('a fault that was copied from a response sends the response again', async (t, double) => {
  excuse(double, 'what a fault says is what is asked for')
  for (const [path, headers] of [
    ['/insights?limit=2', as('ada')],
    ['/insights?limit=abc', as('ada')],
    ['/insights', {}],
  ] as const) {
    const reply = await get(double, path, headers)
    await double.addFault(await double.requestAs(reply.headers['x-request-id'] ?? '', 'fault'))
    t.deepEqual(parts(await get(double, '/insights', headers)), parts(reply))
  }
  const cut = await double.addFault({ disconnect: true })
  await t.throwsAsync(get(double, '/insights', as('ada')))
  const [entry] = (await double.requests()).entries.slice(-1)
  t.is(entry?.fault, cut.id)
  const copied = await double.requestAs(entry?.id ?? '', 'fault')
  t.deepEqual(copied, { operation: 'listInsights', match: { caller: 'ada' }, disconnect: true })
})

test('a request that cannot be repeated is not copied, and the error has the reason; a copy names the parts that were cut', async (t) => {
  const double = await serve(t, { fixture: 'many' })
  const unknown = (await get(double, '/nothing')).headers['x-request-id'] ?? ''
  const long = (await get(double, `/insights?long=${'x'.repeat(3000)}`, as('ada'))).headers['x-request-id'] ?? ''
  const garbage = (await raw(double, 'GARBAGE\r\n\r\n')).headers['x-request-id'] ?? ''
  const refuses = async (id: string, form: string, reason: string): Promise<void> => {
    const reply = await control(double, 'GET', `/requests/${id}?as=${form}`)
    assertError(t, reply, 409, `Request "${id}" cannot be repeated: ${reason}.`)
  }
  await refuses(unknown, 'fault', 'faults affect operations, and the request matches none')
  await refuses(long, 'fault', 'the body of its response was cut after 16 KiB')
  await refuses(garbage, 'curl', 'it could not be parsed as HTTP')
  t.regex(await double.requestAs(long, 'curl'), /# The URL was cut after 2,048 characters\./u)
  t.is((await control(double, 'GET', `/requests/${unknown}?as=wget`)).status, 400)
})
