import { randomBytes } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { DoubleHandle } from 'insights-double'

import { formatRunReport, type RunReport } from '#src/cli/report/run-report.js'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { exits, serveByCommand } from './helpers/cli.js'
import { changedSpec, control, excuse, serve, type Served, testOnDouble } from './helpers/double.js'
import { followAsText } from './helpers/event-stream.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, raw, type Reply, wire } from './helpers/http.js'
import { finderIn, holds, type SecretPlace, secretPlaces } from './helpers/secret-places.js'
import { until } from './helpers/until.js'

/** A place with its own token, so that a leak shows its place. */
interface TokenAt extends SecretPlace {
  readonly token: string
}

const withTokens = (): readonly TokenAt[] =>
  secretPlaces.map((place, index) => {
    const unique = `S3cret${index}.${randomBytes(9).toString('hex')}`
    const token = place.isName ? unique : place.isLong ? unique + 'x'.repeat(300) : `${unique}/+~==`
    return { ...place, token }
  })

async function fixtureOf(t: ExecutionContext, places: readonly TokenAt[]): Promise<string> {
  const others = places.map(({ token }, index) => [`caller-${index}`, { token }])
  const callers = { ada: { token: 'ada-token' }, ...asObject(Object.fromEntries(others)) }
  return writeTemporary(t, 'secrets.json', { $callers: callers, insights: [{ content: 'x' }] })
}

/** Sends each token from its place. @returns The responses, in the order of the places. */
async function sendAll(double: Served, places: readonly TokenAt[]): Promise<readonly Reply[]> {
  const replies: Reply[] = []
  await control(double, 'POST', '/sandboxes', { name: 'mine' })
  for (const { request, token } of places) replies.push(await raw(double, request(token)))
  return replies
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const leaks = (places: readonly TokenAt[], textOf: (index: number) => string): readonly string[] =>
  places.flatMap(({ title, token }, index) => (holds(textOf(index), token) ? [title] : []))

const leaksIn = (places: readonly TokenAt[], text: string): readonly string[] => {
  const finds = finderIn(text)
  return places.filter(({ token }) => finds(token)).map(({ title }) => title)
}

const inService = (places: readonly TokenAt[]): readonly TokenAt[] =>
  places.filter(({ isControl }) => isControl !== true)

test('a token in any place of a request is in no response, no journal entry and no event', async (t) => {
  const places = withTokens()
  t.true(places.length >= 20)
  const double = await serve(t, { fixture: await fixtureOf(t, places) })
  const events = await followAsText(t, double)
  const replies = await sendAll(double, places)
  const inReplies = leaks(places, (index) => JSON.stringify([replies[index]?.headers, replies[index]?.text]))
  t.deepEqual(inReplies, [])
  const inViolations = leaks(places, (index) => replies[index]?.headers['sl-violations'] ?? '')
  t.deepEqual(inViolations, [])
  const { entries } = await double.requests()
  t.is(entries.length, inService(places).length)
  const inJournal = leaks(inService(places), (index) => JSON.stringify(entries[index]))
  t.deepEqual(inJournal, [])
  for (const [index, entry] of entries.entries())
    if (entry.method !== '') t.regex(JSON.stringify(entry), /\[redac/u, inService(places)[index]?.title)
  for (const form of ['curl', 'fetch', 'fault']) {
    const texts = await Promise.all(entries.map(({ id }) => control(double, 'GET', `/requests/${id}?as=${form}`)))
    t.true(texts.filter(({ status }) => status === 200).length > 20, form)
    t.deepEqual(leaksIn(places, texts.map(({ text }) => text).join('\n')), [], form)
  }
  t.true(await until(() => (events().match(/^data:/gmu) ?? []).length >= entries.length))
  t.deepEqual(leaksIn(places, events()), [])
  const printed = await exits(t, 0, ['requests', '--url', double.url])
  t.true((printed.stdout.match(/\[redac/gu) ?? []).length > 20)
  t.deepEqual(leaksIn(places, printed.stdout), [])
})

for (const [format, extension] of Object.entries({ pretty: 'md', json: 'json' }))
  test(`a token in any place of a request is in no line of --log ${format}, no annotation and no .${extension} report`, async (t) => {
    const places = withTokens()
    const fixture = await fixtureOf(t, places)
    const report = join(await temporaryFolder(t), `report.${extension}`)
    const words = ['--memory', '--fixture', fixture, '--log', format, '--report', report]
    const double = await serveByCommand(t, words, { env: { GITHUB_ACTIONS: 'true' } })
    await sendAll(double, places)
    const { stderr, stdout } = await double.end()
    t.regex(stderr, /^::error /mu)
    const written = await readFile(report, 'utf8')
    const junit = extension === 'json' ? [formatRunReport('r.xml', JSON.parse(written) as RunReport)] : []
    for (const text of [stdout + stderr, written, ...junit]) {
      t.true((text.match(/\[redac/gu) ?? []).length > 20)
      t.deepEqual(leaksIn(places, text), [])
    }
  })

test('the admin token, and in a sandbox the token of a caller of the root, is redacted in every place', async (t) => {
  const adminToken = `admin-${randomBytes(9).toString('hex')}`
  const double = await serve(t, { adminToken })
  const authorization = `Bearer ${adminToken}`
  await double.setState({ $callers: { root: { token: 'token-of-root' } }, insights: [] })
  const sandbox = await double.sandbox({ fixture: 'default' })
  for (const token of [adminToken, 'token-of-root', 'ada-token']) {
    const reply = await get(sandbox, `/insights?limit=${token}`, { ...as('ada'), 'x-debug': `is ${token}` })
    t.is(reply.status, 400)
    t.false(holds(JSON.stringify([reply.headers, reply.text]), token))
    const { entries } = await sandbox.requests()
    t.false(holds(JSON.stringify(entries), token))
  }
  const refused = await get(double, `/__admin/requests/${adminToken}`, { authorization })
  const message = 'There is no request "[redacted]" in the journal. It was never recorded, was cleared, or was dropped.'
  assertError(t, refused, 404, message)
})

testOnDouble('an unknown credential is redacted in the response and in the journal', async (t, double) => {
  const token = 'nobody-has-this-one'
  const schemes = [`Bearer ${token}`, basic('ada', token)].map((value) => ['authorization', value] as const)
  const others = ['x-auth-token', 'x-functions-key', 'dpop'].map((name) => [name, token] as const)
  for (const [name, value] of [...schemes, ...others, ['sec-websocket-protocol', `bearer, ${token}`] as const]) {
    const reply = await get(double, `/nowhere/${token}?limit=${token}`, { [name]: value })
    t.is(reply.status, 404)
    t.false(holds(JSON.stringify([reply.headers, reply.text]), token))
  }
  t.false(holds(JSON.stringify(await double.requests()), token))
})

type Text = (token: string) => string

/** Credentials of other schemes than bearer: the place, and the request. */
const otherSchemes: readonly (readonly [title: string, line: Text, field: Text])[] = [
  ['an API key in a header', () => 'GET /notes', (token) => `X-Service: ${token}`],
  ['an API key in the query', (token) => `GET /by-query?pass=${token}`, () => 'X-Other: 1'],
  ['an API key in two places', (token) => `GET /by-query?pass=${token}&x=${token}`, () => 'X-Other: 1'],
  ['an API key in a cookie', () => 'GET /by-cookie', (token) => `Cookie: visit=${token}`],
  ['a password', () => 'GET /by-basic', (token) => `Authorization: ${basic('ada', token)}`],
  ['a password twice', (token) => `GET /by-basic?x=${token}`, (token) => `Authorization: ${basic('ada', token)}`],
  ['another HTTP scheme', () => 'GET /by-digest', (token) => `Authorization: Digest response="${token}"`],
]
const spec = join(packageFolder, 'test/specs/credentials.yaml')

/** Starts a double of notes. @param tokens - Those of ada, by scheme. */
async function serveNotes(t: ExecutionContext, tokens: Readonly<Record<string, string>>): Promise<DoubleHandle> {
  const double = await serve(t, { spec, fixture: { $callers: { ada: { tokens } }, notes: [] } })
  excuse(double, 'refused credentials are not documented')
  return double
}

test('known and unknown credentials of every security scheme are redacted', async (t) => {
  const secret = 'S3cret-of-any'
  const known = { key: secret, query: secret, cookie: secret, basic: `ada:${secret}`, digest: `response="${secret}"` }
  for (const tokens of [known, { key: 'another-one' }]) {
    const double = await serveNotes(t, tokens)
    for (const [title, line, field] of otherSchemes) {
      const fields = [field(secret), `Referer: http://app.example/${secret}`, 'Connection: close']
      const reply = await raw(double, wire(line(secret), fields))
      t.is(reply.status === 401, tokens !== known, title)
      t.false(holds(JSON.stringify([reply.headers, reply.text]), secret), title)
    }
    const { entries } = await double.requests()
    t.is(entries.length, otherSchemes.length)
    const shown = otherSchemes.filter((_, index) => holds(JSON.stringify(entries[index]), secret))
    t.deepEqual(pluck(shown, 0), [])
  }
})

test('a token with a space is redacted in a form, which has a plus for the space', async (t) => {
  const double = await serveNotes(t, { key: 'two words=1' })
  await raw(double, wire('GET /notes', ['X-Debug: a=1&x=two+words%3D1', 'Connection: close']))
  t.is((await double.requests()).entries[0]?.requestHeaders['x-debug'], 'a=1&x=[redacted]')
})

test('a credential beyond ASCII is redacted in UTF-8 and in Latin-1, raw and percent-encoded', async (t) => {
  const token = 'schlüssel-für-ada'
  for (const tokens of [{ basic: `ada:${token}` }, { key: 'another-one' }]) {
    const double = await serveNotes(t, tokens)
    const credential = Buffer.from(`Authorization: ${basic('ada', token)}`)
    for (const encoding of ['utf8', 'latin1'] as const) {
      const debug = Buffer.from(`X-Debug: is ${token}`, encoding)
      const target = Buffer.from(token, encoding).toString('hex').replaceAll(/../gu, '%$&')
      const parts = [`GET /nowhere/${target} HTTP/1.1`, 'Host: x', credential, debug, 'Connection: close', '', '']
      const reply = await raw(double, Buffer.concat(parts.flatMap((part) => [Buffer.from(part), Buffer.from('\r\n')])))
      const shown = JSON.stringify([reply, await double.requests()])
      for (const part of ['schl', 'ssel-f', 'r-ada']) t.false(shown.includes(part), `${part} of ${encoding}: ${shown}`)
    }
    const bearer = Buffer.from(
      `GET /by-basic HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nReferer: http://x/${token}\r\nConnection: close\r\n\r\n`,
    )
    t.notRegex(JSON.stringify([await raw(double, bearer), await double.requests()]), /schl|ssel-f|r-ada/u)
  }
})

test('Preference-Applied contains no secret', async (t) => {
  const changed = await changedSpec(t, (document) => {
    const content = ['paths', '/insights', 'get', 'responses', '200', 'content', 'application/json']
    document.deleteIn([...content, 'example'])
    document.setIn([...content, 'examples'], { 'ada-token': { summary: 'None', value: [] } })
  })
  const double = await serve(t, { spec: changed })
  const reply = await get(double, '/insights', { ...as('ada'), prefer: 'example=ada-token' })
  t.like(reply, { status: 200, headers: { 'preference-applied': 'example=[redacted]' } })
  t.false(holds(JSON.stringify(await double.requests()), 'ada-token'))
})

testOnDouble('text that is not a secret is redacted only in the place of a credential', async (t, double) => {
  const referer = 'http://app.example/?page=2'
  const fields = { ...as('ada'), 'user-agent': 'ada-toke', cookie: 'path=/insights', referer }
  await get(double, '/insights?limit=1&author=ada', fields)
  const [entry] = (await double.requests()).entries
  t.is(entry?.url, '/insights?limit=1&author=ada')
  t.like(entry?.requestHeaders, { 'user-agent': 'ada-toke', cookie: '[redacted]', referer })
})

test('log lines about failures contain no token', async (t) => {
  const folder = join(await temporaryFolder(t), 'ada-token-of-old')
  const failures: string[] = []
  const double = await serve(t, {
    state: join(folder, 'state.json'),
    onFailure: (_, error) => failures.push(error instanceof Error ? (error.stack ?? '') : String(error)),
  })
  await rename(folder, `${folder}-away`)
  const reply = await del(double, '/insights/monstera-watering', as('ada'))
  assertError(t, reply, 500)
  await rename(`${folder}-away`, folder)
  t.is(failures.length, 1)
  t.regex(failures[0] ?? '', /\[redacted\]/u)
  t.false(holds(failures[0] + reply.text, 'ada-token'))
})

/** Fixture files with an error inside a token. */
const wrongFixtures: Readonly<Record<string, string>> = {
  'twice.json':
    '{"$callers":{"a":{"token":"S3cret-token"},"b":{"token":"S3cret-token"}},"insights":[{"content":"x","$access":["S3cret-token"]}]}',
  'key.json': '{"$callers":{"a":{"token":"S3cret-token","S3cret-token":1}},"insights":[]}',
  'bare.json': '{"$callers":{"a":"S3cret-token"},"insights":[{"S3cret-token":1}]}',
  'open.json': '{"$callers":{"a":{"token":"S3cret-token}},"insights":[]}',
  'tag.yaml': '$callers: {a: {token: !S3cret-token x, more: 1}}',
  'alias.yaml': '$callers: {a: {token: *S3cret-token}}',
  'quote.yaml': 'callers:\n  a:\n    token: "x" S3cret-token\n',
  'flow.yaml': '$callers: {a: {token: S3cret-token]}}',
}
for (const [name, text] of Object.entries(wrongFixtures))
  test(`the message about ${name} does not contain the token`, async (t) => {
    const { stderr, stdout } = await exits(t, 1, ['check', await writeTemporary(t, name, text)])
    t.regex(stdout, /problem/u)
    t.false(holds(stdout + stderr, 'S3cret-token'))
  })

test('the message about an invalid --admin-token does not contain it', async (t) => {
  const withHost = ['--admin-token=S3cret token', '--host', '0.0.0.0']
  for (const flags of [['--admin-token', 'S3cret token'], withHost]) {
    const { stderr, stdout } = await exits(t, 2, ['--memory', '--port', '0', ...flags])
    t.regex(stderr, /admin token/u)
    t.false(holds(stdout + stderr, 'S3cret token'))
  }
})
