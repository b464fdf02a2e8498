/** Valid and invalid header fields, alone and combined. None of them is refused by Node's parser. */
import type { RandomChoices } from './random-choices.js'
import { sandboxNames } from './request-targets.js'

const controls = '\u0080\u009b\u00a0\u00e9\u00ff'
const tokens = [
  'ada-token',
  'grace-token',
  'alan-token',
  'nobody',
  'constructor',
  '__proto__',
  'toString',
  '*',
  'root',
  '=',
]
const garbage = [
  '',
  ' ',
  ',',
  ';',
  ';;;',
  '"',
  '\t',
  'a b',
  'foo',
  '{}',
  '\\',
  '%00',
  `x${controls}`,
  'é'.normalize('NFC'),
  '=;=',
]

type Field = (chance: RandomChoices) => string

const fields: Readonly<Record<string, Field>> = {
  Authorization: (chance) => authorization(chance),
  'Content-Type': (chance) =>
    chance.pick([
      ...garbage,
      'application/json',
      'application/json, text/html',
      'a/b; charset',
      '*/*',
      'application/+json',
    ]),
  Accept: (chance) =>
    chance.pick([...garbage, '*/*', 'application/json', 'text/html;q=0.9, */*;q=0', 'application/xml', 'a/b;q=x']),
  Prefer: (chance) => preference(chance),
  Origin: (chance) => chance.pick([...garbage, 'http://app.example', 'null', 'http://127.0.0.1', '*', 'file://']),
  'Access-Control-Request-Method': (chance) => chance.pick([...garbage, 'DELETE', 'PATCH', 'constructor']),
  'Access-Control-Request-Headers': (chance) => chance.pick([...garbage, 'authorization', 'x, y, z']),
  'Access-Control-Request-Private-Network': (chance) => chance.pick(['true', 'false', '']),
  'Insights-Sandbox': (chance: RandomChoices) =>
    chance.pick([...sandboxNames, ...garbage, 'none', 'root', 'ROOT', '__proto__', 'one, two']),
  Cookie: (chance) => chance.pick([...garbage, 'session=s3cr3t', '__proto__=x']),
  Expect: (chance) => chance.pick([...garbage, '100-continue', '100-Continue', '200-ok', '100-continue, x']),
  Upgrade: (chance) => chance.pick(['websocket', 'h2c', 'TLS/1.0', '']),
  'HTTP2-Settings': () => 'AAMAAABkAAQAAP__',
  'If-None-Match': (chance) => chance.pick(['*', '"x"', ...garbage]),
  Range: (chance) => chance.pick(['bytes=0-1', 'bytes=-', ...garbage]),
  'X-HTTP-Method-Override': () => 'DELETE',
  'X-Forwarded-For': (chance) => chance.pick(['::1', ...garbage]),
  TE: () => 'trailers',
  'User-Agent': (chance) => `fuzz${chance.pick(garbage)}`,
  constructor: (chance: RandomChoices) => chance.pick(garbage),
  'X-Long': (chance) => 'x'.repeat(chance.pick([1, 100, 4000])),
}

/** The fields of a request for the service. */
export function serviceFields(chance: RandomChoices): string[] {
  const names = [...Object.keys(fields), '__proto__']
  const several = Array.from({ length: chance.below(5) }, () => chance.pick(names))
  const found = several.flatMap((name) => {
    const times = chance.happens(0.1) ? 2 : 1
    return Array.from(
      { length: times },
      () => `${casing(chance, name)}: ${Object.hasOwn(fields, name) ? fields[name]?.(chance) : 'x'}`,
    )
  })
  if (chance.happens(0.7)) found.push(`Authorization: Bearer ${chance.pick(tokens.slice(0, 3))}`)
  if (chance.happens(0.01)) found.push(...Array.from({ length: 900 }, (_, index) => `X-${index}: ${index}`))
  return [host(chance), ...found]
}

/** The fields of a control request. */
export function controlFields(chance: RandomChoices): string[] {
  const found = chance.happens(0.2)
    ? [`Origin: ${chance.pick(['http://localhost', 'http://evil.example', 'null'])}`]
    : []
  if (chance.happens(0.2)) found.push(`Insights-Sandbox: ${chance.pick([...sandboxNames, 'none'])}`)
  if (chance.happens(0.2)) found.push(`Authorization: ${authorization(chance)}`)
  return [chance.happens(0.7) ? 'Host: localhost' : host(chance), ...found]
}

function host(chance: RandomChoices): string {
  if (chance.happens(0.8)) return 'Host: localhost'
  const odd = [
    '127.0.0.1:1',
    '[::1]',
    '[::1]:80',
    'evil.example',
    'localhost:x',
    'a b',
    'localhost, localhost',
    '@',
    '.',
    '',
  ]
  return chance.happens(0.1)
    ? 'Host: localhost\r\nHost: other.example'
    : `Host: ${chance.pick([...odd, 'LOCALHOST', 'x.localhost', ...garbage])}`
}

function authorization(chance: RandomChoices): string {
  const token = chance.pick(tokens)
  const odd = [
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'Bearer a, Bearer b',
    'Bearer\ta',
    `Bearer ${controls}`,
    token,
    ...garbage,
  ]
  if (chance.happens(0.1)) return `Bearer ${'t'.repeat(chance.pick([512, 513, 5000]))}`
  return chance.happens(0.4) ? chance.pick(odd) : `${chance.pick(['Bearer', 'bearer', 'BEARER', 'Bearer  '])} ${token}`
}

function preference(chance: RandomChoices): string {
  const good = ['code=200', 'code=204', 'code=400', 'code=401', 'code=404', 'example=two', 'example=none']
  const odd = [
    'code=999',
    'code=302',
    'code=',
    'code',
    'example=',
    'example=__proto__',
    'dynamic=true',
    'dynamic=1',
    'wait=5',
  ]
  const late = [`delay-ms=${chance.below(6)}`, 'delay-ms=-1', 'delay-ms=1e0', 'delay-ms="3"', 'delay-ms=99999999']
  const parts = Array.from({ length: 1 + chance.below(2) }, () =>
    chance.pick([...good, ...good, ...odd, ...late, ...garbage]),
  )
  return parts.join(chance.pick([', ', ';', ',']))
}

const casing = (chance: RandomChoices, name: string): string =>
  chance.pick([name, name, name.toLowerCase(), name.toUpperCase()])
