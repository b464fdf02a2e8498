/** Requests to a contract with all six roles, with bodies from valid to absurd ones. */
import { plantsFixture, rooms } from '../helpers/many-plants.js'
import type { RandomChoices } from './random-choices.js'
import type { FuzzRequest } from './requests.js'

const ids = 'plant-1 plant-2 plant-3 plant-4 plant-5 plant-6 plant-40 never-was a-b constructor toString 0'.split(' ')
const oddIds = '__proto__ %00 %2f .. a%20b %E0%A4%A {id} a.b %F0%9F%8C%B1'.split(' ')
const names = 'id name room thirsty heightCm about createdAt extra'.split(' ')
const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '$access',
  '$parents',
  '$x',
  '',
  '\u0000',
  'é',
]

/** The text of the fixture for these requests. */
export const roleFixture = plantsFixture(
  ids.slice(0, 6).map((id, index) => ({ id, name: `Plant ${index}`, room: rooms[index], heightCm: index })),
)

/** Creates a request to an operation of any role. */
export function makeRoleRequest(chance: RandomChoices): FuzzRequest {
  const sandbox = chance.happens(0.1) ? `/sandboxes/${chance.pick(['one', 'two'])}` : ''
  const item = `/plants/${chance.happens(0.9) ? chance.pick(ids) : chance.pick(oddIds)}`
  const [method, path] = chance.pick([
    ['GET', `/plants${query(chance)}`],
    ['GET', item],
    ['DELETE', item],
    ['POST', '/plants'],
    ['POST', '/plants'],
    ['PUT', item],
    ['PATCH', item],
    ['PATCH', item],
  ] as const)
  const fields = ['Host: localhost']
  if (chance.happens(0.97)) fields.push(`Authorization: Bearer ${chance.happens(0.98) ? 'ada-token' : 'nobody'}`)
  const target = `${sandbox}${path}`
  const isBodiless = method === 'GET' || method === 'DELETE'
  if (isBodiless && chance.happens(0.97)) return write(method, target, fields, Buffer.alloc(0), false)
  fields.push(...contentType(chance, method))
  return write(method, target, fields, bodyOf(chance), chance.happens(0.1))
}

function query(chance: RandomChoices): string {
  const pairs = Array.from({ length: chance.below(4) }, () =>
    chance.pick([
      `limit=${chance.pick(['1', '2', '100', '0', '101', 'x', ''])}`,
      `page=${chance.pick(['1', '2', '99', '0', '2147483647'])}`,
      `room=${chance.pick([...rooms, '', '%00', '__proto__'])}`,
      `thirsty=${chance.pick(['true', 'false', '1', ''])}`,
      'nobody=knows',
    ]),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function contentType(chance: RandomChoices, method: string): readonly string[] {
  const right = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
  if (chance.happens(0.85)) return [`Content-Type: ${right}`]
  const odd = [
    `${right}; charset=utf-8`,
    `${right}; charset=utf-16`,
    'application/json',
    'application/xml',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
    'json',
  ]
  return chance.happens(0.2) ? [] : [`Content-Type: ${chance.pick(odd)}`]
}

/** Creates a body. */
function bodyOf(chance: RandomChoices): Buffer {
  const text = jsonOf(chance)
  const kind = chance.below(20)
  if (kind > 1) return Buffer.from(text)
  if (kind === 1) return Buffer.from(text).subarray(0, chance.below(text.length + 1))
  const at = chance.below(text.length + 1)
  const added = chance.pick([
    '"',
    '{',
    '}',
    ',',
    ':',
    '\\',
    '\u0000',
    '\n',
    '\u00ff',
    '\ufeff',
    '1e999',
    '//',
    '\\u0000',
  ])
  // As latin1, so that the added bytes may be invalid UTF-8.
  return Buffer.from(text.slice(0, at) + added + text.slice(at + chance.below(3)), 'latin1')
}

function jsonOf(chance: RandomChoices): string {
  const kind = chance.below(24)
  if (kind < 10) return valid(chance)
  if (kind < 16) return object(chance, names)
  if (kind < 19) return object(chance, [...names, ...oddNames])
  if (kind === 19)
    return chance.pick(['null', '1', '"x"', '[]', 'true', '{}', '[{}]', ' ', '\ufeff{}', '{"name":"\\ud800"}'])
  if (kind === 20) return deep(chance)
  if (kind === 21) return `{"name":"a","about":"${'x'.repeat(chance.pick([1000, 100_000, 1_100_000]))}"}`
  if (kind === 22) return `{"name":"a",${'"x":1,'.repeat(chance.pick([1, 2, 1000]))}"name":"b"}`
  return `{"name":"a",${Array.from({ length: chance.pick([10, 3000]) }, (_, index) => `"p${index}":${index}`).join(',')}}`
}

function valid(chance: RandomChoices): string {
  const id = chance.happens(0.3) ? { id: chance.pick(ids) } : {}
  const room = chance.happens(0.5) ? { room: chance.pick(rooms) } : {}
  return JSON.stringify({ ...id, name: `Plant ${chance.below(1000)}`, ...room, heightCm: chance.below(10_000) })
}

/** Creates an object as text, so that it may have a property twice, and the property `__proto__`. */
function object(chance: RandomChoices, from: readonly string[]): string {
  const properties = Array.from(
    { length: chance.below(6) },
    () => `${JSON.stringify(chance.pick(from))}:${value(chance)}`,
  )
  return `{${['"name":"a"', ...properties].slice(chance.below(2)).join(',')}}`
}

const smallValues = ['null', 'true', '""', '"plant-1"', '"hall"', '-1', '0', '-0', '1.5', '1e400', '1e-400', '10001']
const oddValues = ['9007199254740993', '{}', '[]', '["ada"]', '{"__proto__":{"x":1}}', '{"a":{"b":null}}', '"\\u0000"']
const textValues = ['"2026-01-12T09:30:00Z"', '"2026-02-30T09:30:00Z"', '"é🌱"', JSON.stringify('x'.repeat(201))]
const values = [...smallValues, ...oddValues, ...textValues]

const value = (chance: RandomChoices): string => chance.pick(values)

function deep(chance: RandomChoices): string {
  const depth = chance.pick([10, 99, 200, 5000, 100_000])
  const [open, close] = chance.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const)
  return `{"name":"a","extra":${open.repeat(depth)}1${close.repeat(chance.happens(0.9) ? depth : 0)}}`
}

function write(
  method: string,
  target: string,
  fields: readonly string[],
  body: Buffer,
  isChunked: boolean,
): FuzzRequest {
  const length = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
  const head = Buffer.from(`${[`${method} ${target} HTTP/1.1`, ...fields, length].join('\r\n')}\r\n\r\n`, 'latin1')
  const chunk = (part: Buffer): readonly Buffer[] =>
    part.length === 0 ? [] : [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]
  const middle = Math.floor(body.length / 2)
  const chunks = [...chunk(body.subarray(0, middle)), ...chunk(body.subarray(middle)), Buffer.from('0\r\n\r\n')]
  const bytes = Buffer.concat([head, ...(isChunked ? chunks : [body])])
  // The double does not read a body that is too large to its end.
  return { bytes, method, target, isControl: false, fate: body.length > 1000 ? 'either' : 'kept' }
}
