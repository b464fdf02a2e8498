import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { run, serveByCommand } from './helpers/cli.js'
import { changedSpec, control, excuse, serve } from './helpers/double.js'
import { followAsText } from './helpers/event-stream.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { as, assertError, get, raw, type Reply, wire } from './helpers/http.js'
import { until } from './helpers/until.js'

interface PasswordPlace {
  readonly title: string
  /** The request line without the version. */
  readonly line: (password: string) => string
  readonly fields: (password: string) => readonly string[]
  readonly body?: (password: string) => Uint8Array
}

type Text = (password: string) => string

const none = (): readonly string[] => []

/** A place in the request line. */
const inLine = (line: Text): PasswordPlace => ({ title: line('PASSWORD'), line, fields: none })

/** A place in a header field. */
const inField = (field: Text): PasswordPlace => ({
  title: field('PASSWORD'),
  line: () => 'GET /doors',
  fields: (password) => [field(password)],
})

/** A place in a body. @param type - Empty: the request has no Content-Type. */
const inBody = (type: string, text: Text | ((password: string) => Uint8Array), path = '/doors'): PasswordPlace => {
  const body = (password: string): Uint8Array => {
    const made = text(password)
    return typeof made === 'string' ? Buffer.from(made) : made
  }
  const title = `${path} ${type} ${Buffer.from(body('PASSWORD')).toString()}`
  return { title, line: () => `POST ${path}`, fields: () => (type === '' ? [] : [`Content-Type: ${type}`]), body }
}

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const multipart = 'multipart/form-data; boundary=b'
const xml = 'application/xml'
const disposition = 'Content-Disposition: form-data; name="opener"'
const note = 'Content-Disposition: form-data; name="note"'

/** A multipart form with one part. */
const part = (head: string, value: string, end = '\r\n--b--\r\n'): string => `--b\r\n${head}\r\n\r\n${value}${end}`

const escaped = (text: string): string =>
  Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const percent = (text: string): string => Array.from(text, (c) => `%${c.charCodeAt(0).toString(16)}`).join('')

/** The bodies with a password in a place that the contract documents. A service can return most of them. */
const passwordBodies: readonly PasswordPlace[] = [
  inBody(json, (p) => `{"openers": ["a", "${p}"]}`),
  inBody(json, (p) => `{"choice": "${p}"}`),
  inBody(json, (p) => `"${p}"`),
  inBody(json, (p) => `{"opener": {"${p}": 1}}`),
  inBody(json, (p) => `{"byName": {"x": "${p}"}}`),
  inBody(json, (p) => `{"opener": {"value": ["${p}"]}}`),
  inBody(json, (p) => `{"opener": "${p}", "opener": ""}`),
  inBody(json, (p) => `{"a": {"opener": "${p}"}, "a": 1}`),
  inBody(json, (p) => `{"op\\u0065ner": "${escaped(p)}"}`),
  inBody(json, (p) => `{'opener': '${p}'}`),
  inBody(json, (p) => `{opener: ${p}}`),
  inBody(json, (p) => `{"opener" /* pin */ : "${p}"}`),
  inBody(json, (p) => `// {\n{"opener": // }\n"${p}"}`),
  inBody(json, (p) => `{"opener": "${p}`),
  inBody(json, (p) => `{"name": "opener", "value": "${p}",}`),
  inBody(json, (p) => JSON.stringify({ note: JSON.stringify({ opener: p }) })),
  inBody(json, (p) => JSON.stringify({ note: JSON.stringify({ a: JSON.stringify({ opener: p }) }) })),
  inBody(json, (p) => JSON.stringify({ note: `a=1&opener=${p}` })),
  inBody(json, (p) => JSON.stringify({ note: `<door><opener><![CDATA[${p}]]></opener></door>` })),
  inBody(json, (p) => JSON.stringify({ note: `{opener: '${p}'}` })),
  inBody(json, (p) => `\uFEFF{"opener": "${p}"}`),
  inBody(json, (p) => Buffer.from(`{"opener": "${p}"}`, 'utf16le')),
  inBody(json, (p) => `{"long": "${'x'.repeat(17_000)}", "opener": "${p}"}`),
  inBody(json, (p) => `{"long": "${'x'.repeat(16_350)}", "opener": "${p}"}`),
  inBody('text/plain', (p) => `{"opener": "${p}"}`),
  inBody('text/plain', (p) => `the opener is ${p}`),
  inBody('', (p) => `opener=${p}`),
  inBody('', (p) => `{"opener": "${p}"}`),
  inBody('text/csv', (p) => `opener,a\r\n${p},1\r\n`),
  inBody('application/octet-stream', (p) => Buffer.from([0xff, 0, ...Buffer.from(`opener${p}`)])),
  inBody(form, (p) => `openers=a&openers=${p}`),
  inBody(form, (p) => `a=1;opener=${p}`),
  inBody(form, (p) => `op%65ner=${percent(p)}`),
  inBody(form, (p) => `{a=1&opener=${p}`),
  inBody(form, (p) => `--a=1&opener=${p}`),
  inBody(form, (p) => `{"opener":"${p}"}`),
  inBody(form, (p) => `note=${encodeURIComponent(JSON.stringify({ opener: p }))}`),
  inBody(form, (p) => `opener\n=${p}`),
  inBody(form, (p) => part(disposition, p)),
  inBody(form, (p) => p),
  inBody(multipart, (p) => part(disposition, p)),
  inBody(multipart, (p) => part(disposition, `--${p}`)),
  inBody(multipart, (p) => part(disposition, `a\r\n--\r\n${p}`)),
  inBody(multipart, (p) => part('Content-Disposition: form-data; name ="opener"', p)),
  inBody(multipart, (p) => part("Content-Disposition: form-data; name*=UTF-8''opener", p)),
  inBody(multipart, (p) => part('Content-Disposition: form-data; name=opener', p)),
  inBody(multipart, (p) => part('Content-Disposition: form-data;\r\n name="opener"', p)),
  inBody(multipart, (p) => part(`${disposition}; filename="a.txt"\r\nContent-Type: text/plain`, p)),
  inBody(multipart, (p) => part(`Content-Type: text/plain\r\n${disposition}`, p)),
  inBody(multipart, (p) => part(`${note}\r\nContent-Type: application/json`, `{"opener":"${p}"}`)),
  inBody(multipart, (p) => part(`${note}\r\nContent-Type: application/json`, `{"opener"/**/:"${p}"}`)),
  inBody(multipart, (p) => part(`${note}\r\nContent-Type: text/xml`, `<a opener="${p}"/>`)),
  inBody(multipart, (p) => part(note, `{"opener":"${p}"}`)),
  inBody(multipart, (p) => part(disposition, p).replaceAll('\r\n', '\n')),
  inBody(multipart, (p) => part(disposition, p, '')),
  inBody('multipart/form-data', (p) => part(disposition, p)),
  inBody('multipart/form-data; boundary=other', (p) => part(disposition, p)),
  inBody('multipart/mixed; boundary=b', (p) => part(disposition, p)),
  inBody(xml, (p) => `<door><opener>${p}</opener></door>`),
  inBody(xml, (p) => `<door><opener><![CDATA[${p}]]></opener></door>`),
  inBody(xml, (p) => `<door opener="${p}"/>`),
  inBody(xml, (p) => `<door><opener><!-- --><value>${p}</value></opener></door>`),
  inBody(xml, (p) => `<d:door xmlns:d="x"><d:opener>&#x20;${p}</d:opener></d:door>`),
  inBody(xml, (p) => `<!DOCTYPE a [<!ENTITY e "${p}">]><door><opener>&e;</opener></door>`),
  inBody(json, (p) => `"${p}"`, '/pin'),
  inBody('text/plain', (p) => p, '/pin'),
  inBody(json, (p) => `{"front": ["${p}"]}`, '/pins'),
]

/** All places in a request. */
const passwordPlaces: readonly PasswordPlace[] = [
  ...passwordBodies,
  inLine((p) => `GET /doors?marks=a,${p}`),
  inLine((p) => `GET /doors?marks[]=${p}`),
  inLine((p) => `GET /doors?deep[knock]=${p}`),
  inLine((p) => `GET /doors?deep%5Bknock%5D=${p}`),
  inLine((p) => `GET /doors?json=${encodeURIComponent(JSON.stringify({ knock: p }))}`),
  inLine((p) => `GET /doors?note=${encodeURIComponent(JSON.stringify({ knock: p }))}`),
  inLine((p) => `GET /doors?access%5Ftoken=${p}&limit=1`),
  inLine((p) => `GET /doors?a=1&ACCESS_TOKEN=${p}`),
  inLine((p) => `GET /doors?a=1;access_token=${p}`),
  inLine((p) => `GET /nowhere?access_token=${p}`),
  inLine((p) => `GET /sandboxes/gone/doors?access_token=${p}`),
  inLine((p) => `GET http://localhost/doors?Access_Token=${p}`),
  inLine((p) => `GET /doors;access_token=${p}`),
  inLine((p) => `GET /doors#access_token=${p}`),
  inLine((p) => `GET /doors?access_token=a;b#${p}`),
  inLine((p) => `GET /nowhere;access_token=${p}?a`),
  inLine((p) => `POST /doors/${p}/front`),
  inLine((p) => `POST /v1/doors/${p}/front`),
  inLine((p) => `GET /doors/${p}/front`),
  inLine((p) => `POST /invitations/${p}`),
  inLine((p) => `POST /invitations/${p}/`),
  inLine((p) => `POST //invitations/${p}`),
  inLine((p) => `POST /invitations//${p}`),
  inLine((p) => `POST /INVITATIONS/${p}`),
  inLine((p) => `POST /%69nvitations/${p}`),
  inLine((p) => `POST /invitations%2F${p}`),
  inLine((p) => `POST /invitations%252f${p}`),
  inLine((p) => `POST /invitations/${p}/more`),
  inLine((p) => `POST /v2/invitations/${p}`),
  inLine((p) => `POST http://localhost/invitations/${p}/x`),
  inLine((p) => `POST /invitations/${percent(p)}/more`),
  inLine((p) => `POST /invitations/"${p}/more`),
  inLine((p) => `DELETE /v1/invitations/${p}`),
  inField((p) => `X-Marks: a,${p}`),
  inField((p) => `Authentication: ${p}`),
  inField((p) => `Authorization: ${p}`),
  inField((p) => `Authorization: Bearer ${p}`),
  inField((p) => `Authorization: Basic ${p}`),
  inField((p) => `Proxy-Authorization: Bearer ${p}`),
  inField((p) => `Cookie: session=${p}`),
  inField((p) => `Ocp-Apim-Subscription-Key: ${p}`),
  inField((p) => `Referer: http://app.example/#access_token=${p}&a=1`),
  inField((p) => `Referer: http://app.example/a;access_token=${p}`),
  inField((p) => `Referer: http://app.example/invitations/${p}?a=1`),
  inField((p) => `X-Login: {"opener": "${p}"}`),
]

test('parameters with a secret name or with format: password are redacted, even if their values are short', async (t) => {
  const digits = { type: 'string', pattern: '^[0-9]+$' }
  const spec = await changedSpec(t, (document) => {
    for (const [name, schema] of Object.entries({ pin: { ...digits, format: 'password' }, session: digits }))
      document.addIn(['paths', '/insights', 'get', 'parameters'], { name, in: 'query', description: name, schema })
  })
  const double = await serve(t, { spec })
  for (const name of ['pin', 'session']) {
    const reply = await get(double, `/insights?${name}=qzx`, as('ada'))
    assertError(t, reply, 400, `Query parameter ${name} must match ^[0-9]+$, got [redacted].`)
    t.false(JSON.stringify([reply.headers, reply.text]).includes('qzx'))
    const { entries } = await double.requests()
    t.is(entries.at(-1)?.url, `/insights?${name}=[redacted]`)
    t.false(JSON.stringify(entries).includes('qzx'))
  }
})

test('an error shows its client the part of a path that is secret by its name only; the journal does not', async (t) => {
  const spec = await changedSpec(t, (document) => {
    const pin = { type: 'string', pattern: '^[0-9]+$' }
    for (const [name, schema] of Object.entries({ session: pin, pin: { ...pin, format: 'password' } })) {
      const parameters = [{ name, in: 'path', required: true, schema }]
      const responses = { 200: { description: '-' }, 400: { $ref: '#/components/responses/BadRequest' } }
      document.setIn(['paths', `/${name}s/{${name}}`], { get: { operationId: name, parameters, responses } })
    }
  })
  const double = await serve(t, { spec })
  for (const sent of ['qzx', 'qzx-and-more-of-it', 'q%7Az'])
    for (const name of ['session', 'pin']) {
      const reply = await get(double, `/${name}s/${sent}`, as('ada'))
      const shown = name === 'pin' ? '[redacted]' : JSON.stringify(decodeURIComponent(sent))
      t.is(reply.status, 400)
      t.true(reply.text.includes(JSON.stringify(`must match ^[0-9]+$, got ${shown}.`).slice(1, -1)), reply.text)
      const { entries } = await double.requests()
      t.is(entries.at(-1)?.url, `/${name}s/[redacted]`)
      t.regex(entries.at(-1)?.violations[0]?.message ?? '', /got \[redacted\]\.$/u)
      t.notRegex(JSON.stringify(entries), /qzx|q%7Az/u)
    }
})

const spec = join(packageFolder, 'test/specs/passwords.yaml')

/** The passwords: short ones, which only their place reveals, and long ones, which are searched in every text. */
const kinds: readonly (readonly [title: string, fill: (index: number) => string])[] = [
  ['short', (index) => `Zq${index}`],
  ['long', (index) => `Zq${index}-Pass-w0rd.${index}x`],
]

/** A text in a message, with its header fields, as it is sent. */
const messageOf = ({ body, fields, line }: PasswordPlace, password: string): Buffer => {
  const bytes = body?.(password) ?? Buffer.alloc(0)
  const length = body ? [`Content-Length: ${bytes.length}`] : []
  const head = wire(line(password), [...fields(password), 'Connection: close', ...length])
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Lists the places whose password is in a text, plain or encoded. Another digit may not follow it: `Zq1` is the start of `Zq10`. */
function shownIn(text: string, places: readonly PasswordPlace[], fill: (index: number) => string): readonly string[] {
  const fromHex = (_: string, hex?: string, unicode = hex): string =>
    String.fromCharCode(Number.parseInt(unicode ?? '', 16))
  const decoded = text.replaceAll(/%(?:25)*([\da-f]{2})|\\+u([\da-f]{4})/giu, fromHex)
  const everything = `${text}\n${decoded}`.replaceAll('\0', '')
  const isShown = (password: string): boolean =>
    new RegExp(`${password.replaceAll('.', '[.]')}(?!\\d)`, 'iu').test(everything)
  return places.flatMap(({ title }, index) => (isShown(fill(index)) ? [title.slice(0, 200)] : []))
}

for (const [kind, fill] of kinds) {
  test(`a ${kind} password in any place that the contract describes is in no response, entry, event, copy and command`, async (t) => {
    t.true(passwordPlaces.length >= 100)
    const double = await serve(t, { spec, fixture: {} })
    excuse(double, 'not every refusal is documented')
    const events = await followAsText(t, double)
    const replies: Reply[] = []
    for (const [index, place] of passwordPlaces.entries())
      replies.push(await raw(double, messageOf(place, fill(index))))
    const { entries } = await double.requests()
    t.is(entries.length, passwordPlaces.length)
    const paths = entries.flatMap(({ id }) => ['curl', 'fetch', 'fault'].map((as_) => `/requests/${id}?as=${as_}`))
    const copies = await Promise.all(paths.map(async (path) => (await control(double, 'GET', path)).text))
    t.true(await until(() => (events().match(/^data:/gmu) ?? []).length >= entries.length))
    const printed = await run(t, ['requests', '--url', double.url])
    const outputs = {
      responses: JSON.stringify(replies),
      'sl-violations': replies.map(({ headers }) => headers['sl-violations'] ?? '').join('\n'),
      journal: JSON.stringify(entries),
      copies: copies.join('\n'),
      events: events(),
      coverage: (await control(double, 'GET', '/coverage')).text,
      'the command requests': printed.stdout + printed.stderr,
    }
    // A name alone does not make a part of a path a credential, so the client's own error shows what it sent.
    const own = new Set(['POST /invitations/PASSWORD'])
    const toClient = new Set(['responses', 'sl-violations'])
    for (const [output, text] of Object.entries(outputs)) {
      const shown = shownIn(text, passwordPlaces, fill)
      t.deepEqual(toClient.has(output) ? shown.filter((title) => !own.has(title)) : shown, [], output)
    }
  })

  test(`a ${kind} password in any place that the contract describes is in no log and no report`, async (t) => {
    for (const [extension, format] of Object.entries({ md: 'pretty', json: 'json', xml: 'json' })) {
      const report = join(await temporaryFolder(t), `report.${extension}`)
      const fixture = await writeTemporary(t, 'fixture.json', '{}')
      const words = ['--memory', '--spec', spec, '--fixture', fixture, '--log', format, '--report', report]
      const double = await serveByCommand(t, words, { env: { GITHUB_ACTIONS: 'true' } })
      excuse(double, 'not every refusal is documented')
      for (const [index, place] of passwordPlaces.entries()) await raw(double, messageOf(place, fill(index)))
      const { stderr, stdout } = await double.end()
      t.regex(stderr, /^::error /mu)
      for (const text of [stdout, stderr, await readFile(report, 'utf8')])
        t.deepEqual(shownIn(text, passwordPlaces, fill), [], format)
    }
  })

  test(`a ${kind} password in the body of a response is in no entry and no copy`, async (t) => {
    const double = await serve(t, { spec, fixture: {} })
    excuse(double, 'the faults break the contract')
    const ofDoors = passwordBodies.filter(({ line }) => line('') === 'POST /doors')
    const places = ofDoors.filter(({ body }) => isUtf8(Buffer.from(body?.('a') ?? '')))
    for (const [index, { body, fields }] of places.entries()) {
      const [field = 'Content-Type: text/plain'] = fields('')
      const text = Buffer.from(body?.(fill(index)) ?? '').toString()
      const headers = { 'content-type': field.slice(14) }
      await double.addFault({ operation: 'openDoor', status: 200, body: text, headers })
      await raw(double, wire('POST /doors', ['Connection: close']))
    }
    const { entries } = await double.requests()
    t.is(entries.length, places.length)
    const copies = await Promise.all(entries.map(({ id }) => control(double, 'GET', `/requests/${id}?as=fault`)))
    t.deepEqual(shownIn(JSON.stringify(entries), places, fill), [])
    t.deepEqual(shownIn(copies.map(({ text }) => text).join('\n'), places, fill), [])
  })
}

test('what is no secret stays readable next to a password', async (t) => {
  const double = await serve(t, { spec, fixture: {} })
  excuse(double, 'not every refusal is documented')
  for (const path of ['/invitations/abc', '/v1/invitations/abc', '/doors/abc/abc'])
    await raw(double, wire(`POST ${path}`, ['Connection: close']))
  const lines = ['Content-Type: application/json', 'Content-Length: 2', 'Connection: close']
  await raw(double, wire('POST /pins', lines, '{}'))
  const urls = (await double.requests()).entries.slice(-4).map(({ url }) => url)
  t.deepEqual(urls, ['/invitations/[redacted]', '/v1/invitations/[redacted]', '/doors/[redacted]/[redacted]', '/pins'])
  t.is((await double.requests()).entries.at(-1)?.responseBody, '[redacted]')
})
