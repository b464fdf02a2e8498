import { join } from 'node:path'

import test from 'ava'

import { changedSpec, serve } from './helpers/double.js'
import { as, assertError, get, raw, wire } from './helpers/http.js'
import { packageFolder } from './helpers/package-folder.js'
import { holds } from './helpers/secret-places.js'
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

/** The places of passwords in `passwords.yaml`: the request line, a header field and a body. */
const passwordPlaces: readonly (readonly [line: (password: string) => string, field?: string, body?: string])[] = [
  [(password) => `GET /doors?marks=a,${password}`],
  [(password) => `GET /doors?marks[]=${password}`],
  [(password) => `GET /doors?deep[knock]=${password}`],
  [(password) => `GET /doors?deep%5Bknock%5D=${password}`],
  [(password) => `GET /doors?json=${encodeURIComponent(JSON.stringify({ knock: password }))}`],
  [() => 'GET /doors', 'X-Marks: a,PASSWORD'],
  [() => 'GET /doors', 'Authentication: PASSWORD'],
  [() => 'GET /doors', 'Ocp-Apim-Subscription-Key: PASSWORD'],
  [(password) => `POST /doors/${password}/front`],
  [(password) => `POST /v1/doors/${password}/front`],
  [(password) => `GET /doors/${password}/front`],
  [(password) => `POST /invitations/${password}`],
  [(password) => `DELETE /v1/invitations/${password}`],
  [() => 'POST /pin', 'Content-Type: application/json', '"PASSWORD"'],
  [() => 'POST /pin', 'Content-Type: text/plain', 'PASSWORD'],
  [() => 'POST /pins', 'Content-Type: application/json', '{"front": ["PASSWORD"]}'],
  [() => 'POST /doors', 'Content-Type: application/json', '{"openers": ["a", "PASSWORD"]}'],
  [() => 'POST /doors', 'Content-Type: application/json', '{"choice": "PASSWORD"}'],
  [() => 'POST /doors', 'Content-Type: application/json', '{"byName": {"x": "PASSWORD"}}'],
  [() => 'POST /doors', 'Content-Type: application/json', "{'opener': 'PASSWORD'}"],
  [() => 'POST /doors', 'Content-Type: application/json', '{opener: PASSWORD}'],
  [() => 'POST /doors', 'Content-Type: application/x-www-form-urlencoded', 'openers=a&openers=PASSWORD'],
  [() => 'POST /doors', 'X-Other: 1', 'opener=PASSWORD'],
  [
    () => 'POST /doors',
    'Content-Type: multipart/form-data; boundary=b',
    '--b\nContent-Disposition: form-data; name="opener"\n\nPASSWORD\n--b--',
  ],
]

test('a password in any place that the contract describes is redacted', async (t) => {
  const double = await serve(t, { spec: join(packageFolder, 'test/specs/passwords.yaml'), fixture: {} })
  excuse(double, 'not every refusal is documented')
  const fill = (index: number): string => `Pass-w0rd${index}.x`
  for (const [index, [line, field = 'X-Other: 1', text]] of passwordPlaces.entries()) {
    const body = text?.replace('PASSWORD', fill(index))
    const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
    const fields = [field.replace('PASSWORD', fill(index)), 'Connection: close', ...length]
    const reply = await raw(double, wire(line(fill(index)), fields, body))
    t.false(holds(JSON.stringify([reply.headers, reply.text]), fill(index)), `${line('')} ${field} ${text}`)
  }
  const { entries } = await double.requests()
  t.is(entries.length, passwordPlaces.length)
  t.deepEqual(
    passwordPlaces
      .filter((_, index) => holds(JSON.stringify(entries[index]), fill(index)))
      .map((place) => String(place)),
    [],
  )
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
