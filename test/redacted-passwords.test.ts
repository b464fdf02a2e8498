import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test from 'ava'

import { run, serveByCommand } from './helpers/cli.js'
import { control } from './helpers/control.js'
import { changedSpec, serve } from './helpers/double.js'
import { followAsText } from './helpers/event-stream.js'
import type { Reply } from './helpers/http.js'
import { as, assertError, get, raw, wire } from './helpers/http.js'
import { packageFolder } from './helpers/package-folder.js'
import type { PasswordPlace } from './helpers/password-places.js'
import { passwordBodies, passwordPlaces } from './helpers/password-places.js'
import { temporaryFolder, writeTemporary } from './helpers/temporary-files.js'
import { until } from './helpers/until.js'
import { excuse } from './helpers/validate-responses.js'

test('parameters with a secret name or with format: password are redacted, even if their values are short', async (t) => {
  const spec = await changedSpec(t, (document) => {
    const of = (name: string, schema: object): object => ({ name, in: 'query', description: name, schema })
    document.addIn(
      ['paths', '/insights', 'get', 'parameters'],
      of('pin', { type: 'string', format: 'password', pattern: '^[0-9]+$' }),
    )
    document.addIn(['paths', '/insights', 'get', 'parameters'], of('session', { type: 'string', pattern: '^[0-9]+$' }))
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
  return Buffer.concat([
    Buffer.from(wire(line(password), [...fields(password), 'Connection: close', ...length])),
    bytes,
  ])
}

/** Lists the places whose password is in a text, plain or encoded. Another digit may not follow it: `Zq1` is the start of `Zq10`. */
function shownIn(text: string, places: readonly PasswordPlace[], fill: (index: number) => string): readonly string[] {
  const fromHex = (_: string, percent?: string, unicode = percent): string =>
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
    const copies = await Promise.all(
      ['curl', 'fetch', 'fault'].flatMap((form) =>
        entries.map(async ({ id }) => (await control(double, 'GET', `/requests/${id}?as=${form}`)).text),
      ),
    )
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
    for (const [output, text] of Object.entries(outputs)) t.deepEqual(shownIn(text, passwordPlaces, fill), [], output)
  })

  test(`a ${kind} password in any place that the contract describes is in no log and no report`, async (t) => {
    for (const [format, extension] of [
      ['pretty', 'md'],
      ['json', 'json'],
      ['json', 'xml'],
    ] as const) {
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
    const places = passwordBodies.filter(
      ({ body, line }) => line('') === 'POST /doors' && isUtf8(Buffer.from(body?.('a') ?? '')),
    )
    for (const [index, { body, fields }] of places.entries()) {
      const [field = 'Content-Type: text/plain'] = fields('')
      const text = Buffer.from(body?.(fill(index)) ?? '').toString()
      await double.addFault({
        operation: 'openDoor',
        status: 200,
        body: text,
        headers: { 'content-type': field.slice(14) },
      })
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
  await raw(
    double,
    wire('POST /pins', ['Content-Type: application/json', 'Content-Length: 2', 'Connection: close'], '{}'),
  )
  const urls = (await double.requests()).entries.slice(-4).map(({ url }) => url)
  t.deepEqual(urls, ['/invitations/[redacted]', '/v1/invitations/[redacted]', '/doors/[redacted]/[redacted]', '/pins'])
  t.is((await double.requests()).entries.at(-1)?.responseBody, '[redacted]')
})
