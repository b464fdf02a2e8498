import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { pluck } from './helpers/as-object-or-list.js'
import { exits, serveByCommand } from './helpers/cli.js'
import { excuse, serve } from './helpers/double.js'
import { packageFolder, writeTemporary } from './helpers/files.js'
import { json, raw, type Reply, violationsOf, wire } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'

const spec = join(packageFolder, 'test/specs/credentials.yaml')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

const tokens = {
  key: 'ada-key-1',
  query: 'ada pass/1',
  cookie: 'ada-visit',
  basic: 'ada:long:password',
  digest: 'username="ada"',
  oauth: 'ada-token',
  openid: 'ada-openid',
}
const $callers = { ada: { tokens }, grace: { token: 'grace:everywhere' }, guest: { tokens: { key: '*' } } }
const own = Object.keys($callers).map((name) => ({ text: `Of ${name}.`, $access: [name] }))
const fixture = { $callers, notes: [{ text: 'Of all.' }, ...own] }

const ada = 'X-Service: ada-key-1'
const bearer = 'Bearer'
const apiKey = 'ApiKey in="header", name="X-Service"'
const pass = 'ApiKey in="query", name="pass"'
const visit = 'ApiKey in="cookie", name="visit"'
const basic = 'Basic realm="service", charset="UTF-8"'

const noKey = 'No credential. Send the header X-Service: <API_KEY>.'
const malformed = (what: string): string => `Malformed credential. Send the ${what}, once.`
const inBasic = 'header Authorization: Basic <user:password in Base64>'
const unknownToken = 'No caller has this bearer token. Use one that the fixture lists under $callers.'
const unknown = 'No caller has this credential. Use one that the fixture lists under $callers.'
const mixed = 'No caller has all these credentials. Send those of one caller that the fixture lists under $callers.'

/** An accepted request, and what it gets: the note of its caller, or the status. */
const accepted: readonly (readonly [title: string, line: string, lines: readonly string[], sees: number | string])[] = [
  ['an API key in a header', 'GET /notes', [ada], 'Of ada.'],
  ['the name of the header in another case', 'GET /notes', ['x-service: grace:everywhere'], 'Of grace.'],
  ['any key that no other caller has', 'GET /notes', ['X-Service: anything else'], 'Of guest.'],
  ['an API key in the query', 'GET /by-query?pass=ada+pass%2F1', [], 204],
  ['an API key in a cookie', 'GET /by-cookie', ['Cookie: theme=dark; visit=ada-visit'], 204],
  ['a cookie in quotes, percent-encoded', 'GET /by-cookie', ['Cookie: visit="grace%3Aeverywhere"'], 204],
  ['user and password', 'GET /by-basic', [`Authorization: Basic ${base64('ada:long:password')}`], 204],
  ['the scheme in another case', 'GET /by-basic', [`Authorization: bASIC ${base64('grace:everywhere')}`], 204],
  ['another HTTP scheme', 'GET /by-digest', ['Authorization: Digest username="ada"'], 204],
  ['OpenID Connect', 'GET /by-openid', ['Authorization: Bearer ada-openid'], 204],
  ['OAuth 2, with any scopes', 'DELETE /notes/note-1', ['Authorization: Bearer ada-token'], 204],
  ['a certificate, which is not checked', 'GET /by-certificate', [], 204],
  ['the first alternative', 'GET /either', [ada], 204],
  ['the second alternative', 'GET /either', [`Authorization: Basic ${base64('ada:long:password')}`], 204],
  ['both alternatives of one caller', 'GET /either', [ada, `Authorization: Basic ${base64('ada:long:password')}`], 204],
  ['a combination', 'GET /both?pass=ada+pass%2F1', [ada], 204],
  ['a combination of one token', 'GET /both?pass=grace:everywhere', ['X-Service: grace:everywhere'], 204],
  ['an optional credential', 'GET /optional', [ada], 204],
  ['no credential where it is optional', 'GET /optional', [], 204],
  ['no credential where none is needed', 'GET /open', [], 204],
]

/** A refused request, the message, and the challenge. */
const refused: readonly (readonly [line: string, lines: readonly string[], message: string, challenge: string])[] = [
  ['GET /notes', [], noKey, apiKey],
  ['GET /notes?X-Service=ada-key-1', [], noKey, apiKey],
  ['GET /notes', ['Authorization: Bearer ada-key-1'], noKey, apiKey],
  ['GET /notes', ['X-Service:'], malformed('header X-Service: <API_KEY>'), apiKey],
  ['GET /notes', [ada, ada], malformed('header X-Service: <API_KEY>'), apiKey],
  ['GET /by-query', [], 'No credential. Send the query parameter pass=<API_KEY>.', pass],
  ['GET /by-query?pass=nobody', [], unknown, pass],
  ['GET /by-query?pass=ada-key-1', [], unknown, pass],
  ['GET /by-query?pass=a&pass=a', [], malformed('query parameter pass=<API_KEY>'), pass],
  ['GET /by-cookie', ['Cookie: visi=t'], 'No credential. Send the cookie visit=<API_KEY>.', visit],
  ['GET /by-basic', ['Authorization: Basic ada'], malformed(inBasic), basic],
  ['GET /by-basic', [`Authorization: Basic ${base64('ada:password')}`], unknown, basic],
  ['GET /by-basic', [`Authorization: Basic ${base64('ada')}`], malformed(inBasic), basic],
  ['GET /by-digest', ['Authorization: Digest'], malformed('header Authorization: Digest <CREDENTIALS>'), 'Digest'],
  ['DELETE /notes/note-2', [], 'No bearer token. Send the header Authorization: Bearer <ACCESS_TOKEN>.', bearer],
  ['DELETE /notes/note-2', ['Authorization: Bearer ada-openid'], unknownToken, 'Bearer error="invalid_token"'],
  ['GET /either', [], `${noKey.slice(0, -1)}, or the ${inBasic}.`, `${apiKey}, ${basic}`],
  ['GET /either', [ada, `Authorization: Basic ${base64('grace:everywhere')}`], mixed, `${apiKey}, ${basic}`],
  ['GET /both', [ada], `${noKey.slice(0, -1)} and the query parameter pass=<API_KEY>.`, `${apiKey}, ${pass}`],
  ['GET /both?pass=grace:everywhere', [ada], mixed, `${apiKey}, ${pass}`],
  ['GET /optional', ['X-Service:'], malformed('header X-Service: <API_KEY>'), apiKey],
]

const send = (double: { url: string }, line: string, lines: readonly string[]): Promise<Reply> =>
  raw(double, wire(line, [...lines, 'Connection: close']))

async function serveNotes(t: ExecutionContext) {
  const double = await serve(t, { spec, fixture })
  excuse(double, 'refused credentials are not documented')
  return double
}

test('every kind of credential identifies its caller', async (t) => {
  const double = await serveNotes(t)
  for (const [title, line, lines, sees] of accepted) {
    const reply = await send(double, line, lines)
    t.is(reply.status, typeof sees === 'number' ? sees : 200, `${title}: ${reply.text}`)
    if (typeof sees === 'string')
      t.deepEqual(pluck(json(reply) as { text: string }[], 'text'), ['Of all.', sees], title)
    // The security scheme documents the credential in the query.
    t.deepEqual(pluck(violationsOf(reply), 'message'), [], title)
  }
  t.is((await double.requests()).entries.filter(({ caller }) => caller === 'ada').length, 12)
})

test('every other credential is refused with a message and a challenge', async (t) => {
  const double = await serveNotes(t)
  for (const [line, lines, message, challenge] of refused) {
    const reply = await send(double, line, lines)
    t.is(reply.status, 401, `${line} ${lines.join()}`)
    const { detail } = json(reply) as { detail: string }
    t.is(detail.replace('; a bearer token consists of letters, digits and -._~+/', ''), message)
    t.is(reply.headers['www-authenticate'], challenge)
    t.true(violationsOf(reply).every(({ severity }) => severity === 'Warning'))
  }
  const { entries } = await double.requests()
  t.deepEqual(entries.at(-1)?.violations[0]?.location, ['request', 'headers', 'x-service'])
  t.deepEqual(entries[5]?.violations[0]?.location, ['request', 'query', 'pass'])
})

test('only the caller that creates a note has access to it', async (t) => {
  const double = await serveNotes(t)
  const body = JSON.stringify({ text: 'New.' })
  const lines = [ada, 'Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close']
  t.is((await raw(double, wire('POST /notes', lines, body))).status, 201)
  t.deepEqual((await double.state())['notes']?.at(-1), { id: 'note-5', text: 'New.', $access: ['ada'] })
})

/** Tokens that their scheme cannot transmit. */
const unfit: readonly (readonly [caller: object, problem: RegExp])[] = [
  [{ tokens: { basic: 'no-colon' } }, /must match \^\[\^:\]\*:\.\*\$, or be "\*"\s+write user:password/u],
  [{ tokens: { oauth: 'two words' } }, /use letters, digits/u],
  [{ tokens: { keey: 'x' } }, /security scheme "keey" is not known\s+use key, query/u],
  [{ tokens: {} }, /a token for each security scheme/u],
]
test('a token that its scheme cannot transmit is a problem of the fixture', async (t) => {
  const files = await Promise.all(
    unfit.map(([caller], index) => writeTemporary(t, `unfit-${index}.json`, { $callers: { ada: caller }, notes: [] })),
  )
  const { stdout } = await exits(t, 1, ['check', '--spec', spec, ...files])
  for (const [, problem] of unfit) t.regex(stdout, problem)
})

test('the start message shows the tokens, and a curl command that sends them', async (t) => {
  const file = await writeTemporary(t, 'notes.json', fixture)
  const double = await serveByCommand(t, ['--memory', '--spec', spec, '--fixture', file])
  const { stdout } = await double.end()
  t.true(stdout.includes(`token    ada-key-1 as header X-Service, ada pass/1 as query parameter pass,`), stdout)
  t.true(stdout.includes(`try      curl -H "X-Service: ada-key-1" ${double.url}/notes\n`), stdout)
  t.regex(stdout, /security scheme "certificate" is a client certificate, which is not checked/u)
})

test('an API key in Authorization may follow a scheme; the text of its scheme, or its name, tells which', async (t) => {
  for (const [name, description, sent, expected] of [
    ['key', 'Send the word `Token` followed by a space and the key.', 'Token k1', 200],
    ['key', 'Send the word `Token` followed by a space and the key.', 'k1', 401],
    ['key', 'The header must have this format:\n\n    Token xxxxxx.yyyyyy', 'k1', 401],
    ['key', 'The key, prefixed with `Token token=<KEY>`.', 'Token token=k1', 200],
    ['BearerAuth', '', 'Bearer k1', 200],
    ['key', 'Example: "Authorization: Bearer {token}"', 'bearer k1', 200],
    ['key', '', 'k1', 200],
    ['key', '', 'Any k1', 200],
    ['key', '', 'Any k2', 401],
  ] as const) {
    const paths = { '/notes': { get: { responses: { 200: { description: 'All.' } } } } }
    const securitySchemes = { [name]: { type: 'apiKey', in: 'header', name: 'Authorization', description } }
    const keys = await writeContract(t, paths, { security: [{ [name]: [] }], components: { securitySchemes } })
    const double = await serve(t, { spec: keys, fixture: { $callers: { ada: { token: 'k1' } } } })
    excuse(double, 'no error is documented')
    const reply = await raw(double, wire('GET /notes', [`Authorization: ${sent}`, 'Connection: close']))
    t.is(reply.status, expected, `${name} ${description} ${sent}`)
  }
})
