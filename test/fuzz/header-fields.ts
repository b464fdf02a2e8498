/** Valid and invalid header fields, alone and combined. None of them is refused by Node's parser. */
import fc from 'fast-check'

import { joined, mostly, repeated, texts, weighted, words } from './arbitraries.js'
import { sandboxNames } from './request-targets.js'

const controls = '\u0080\u009b\u00a0\u00e9\u00ff'
const garbage = texts(`| |,|;|;;;|"|\t|a b|foo|{}|\\|%00|x${controls}|é|=;=`)
const token = words('ada-token grace-token alan-token nobody constructor __proto__ toString * root =')

/** A valid value, or garbage. */
const orGarbage = (barred: string): fc.Arbitrary<string> => fc.oneof(texts(barred), garbage)

const authorization = weighted(
  [10, joined('Bearer ', repeated('t', 512, 513, 5000))],
  [36, fc.oneof(texts(`Bearer|Bearer |Basic YTpi|Bearer a, Bearer b|Bearer\ta|Bearer ${controls}`), token, garbage)],
  [54, joined(texts('Bearer|bearer|BEARER|Bearer  '), ' ', token)],
)
const preferred = fc.oneof(
  { weight: 2, arbitrary: words('code=200 code=204 code=400 code=401 code=404 example=two example=none') },
  words('code=999 code=302 code= code example= example=__proto__ dynamic=true dynamic=1 wait=5'),
  words('delay-ms=0 delay-ms=2 delay-ms=5 delay-ms=-1 delay-ms=1e0 delay-ms="3" delay-ms=99999999'),
  garbage,
)
const preference = fc
  .tuple(fc.array(preferred, { minLength: 1, maxLength: 2 }), texts(', |;|,'))
  .map(([parts, separator]) => parts.join(separator))

const values = new Map<string, fc.Arbitrary<string>>([
  ['Authorization', authorization],
  ['Content-Type', orGarbage('application/json|application/json, text/html|a/b; charset|*/*|application/+json')],
  ['Accept', orGarbage('*/*|application/json|text/html;q=0.9, */*;q=0|application/xml|a/b;q=x')],
  ['Prefer', preference],
  ['Origin', orGarbage('http://app.example|null|http://127.0.0.1|*|file://')],
  ['Access-Control-Request-Method', orGarbage('DELETE|PATCH|constructor')],
  ['Access-Control-Request-Headers', orGarbage('authorization|x, y, z')],
  ['Access-Control-Request-Private-Network', texts('true|false|')],
  ['Insights-Sandbox', orGarbage(`${sandboxNames.join('|')}|none|root|ROOT|__proto__|one, two`)],
  ['Cookie', orGarbage('session=s3cr3t|__proto__=x')],
  ['Expect', orGarbage('100-continue|100-Continue|200-ok|100-continue, x')],
  ['Upgrade', texts('websocket|h2c|TLS/1.0|')],
  ['HTTP2-Settings', texts('AAMAAABkAAQAAP__')],
  ['If-None-Match', orGarbage('*|"x"')],
  ['Range', orGarbage('bytes=0-1|bytes=-')],
  ['X-HTTP-Method-Override', texts('DELETE')],
  ['X-Forwarded-For', orGarbage('::1')],
  ['TE', texts('trailers')],
  ['User-Agent', joined('fuzz', garbage)],
  ['constructor', garbage],
  ['__proto__', texts('x')],
  ['X-Long', repeated('x', 1, 100, 4000)],
])
const field = fc
  .constantFrom(...values)
  .chain(([name, value]) => joined(fc.constantFrom(name, name, name.toLowerCase(), name.toUpperCase()), ': ', value))

/** Fields, some of them twice, with other values. */
const several = fc.array(field, { maxLength: 5 })
const none = fc.constant<string[]>([])
const one = (text: fc.Arbitrary<string>): fc.Arbitrary<string[]> => text.map((line) => [line])

const oddHost = orGarbage('127.0.0.1:1|[::1]|[::1]:80|evil.example|localhost:x|a b|localhost, localhost|@|.|')
const host = weighted(
  [80, 'Host: localhost'],
  [2, 'Host: localhost\r\nHost: other.example'],
  [18, joined('Host: ', fc.oneof(oddHost, words('LOCALHOST x.localhost')))],
)

/** The fields of a request for the service. The first one is the host. */
export const serviceFields: fc.Arbitrary<string[]> = fc
  .tuple(
    one(host),
    several,
    mostly(70, one(joined('Authorization: Bearer ', words('ada-token grace-token alan-token'))), none),
    mostly(1, fc.constant(Array.from({ length: 900 }, (_, index) => `X-${index}: ${index}`)), none),
  )
  .map((all) => all.flat())

/** The fields of a control request. */
export const controlFields: fc.Arbitrary<string[]> = fc
  .tuple(
    mostly(70, one(texts('Host: localhost')), one(host)),
    mostly(20, one(joined('Origin: ', words('http://localhost http://evil.example null'))), none),
    mostly(20, one(joined('Insights-Sandbox: ', words('one two none'))), none),
    mostly(20, one(joined('Authorization: ', authorization)), none),
  )
  .map((all) => all.flat())
