/** Requests to a contract with all six roles, with bodies from valid to absurd ones. */
import fc from 'fast-check'

import { plantsFixture, rooms } from '../helpers/many-plants.js'
import { changes, happens, joined, mostly, repeated, texts, weighted, words } from './arbitraries.js'
import type { FuzzRequest } from './requests.js'

const ids = 'plant-1 plant-2 plant-3 plant-4 plant-5 plant-6 plant-40 never-was a-b constructor toString 0'
const oddIds = '__proto__ %00 %2f .. a%20b %E0%A4%A {id} a.b %F0%9F%8C%B1'
const name = words('id name room thirsty heightCm about createdAt extra')
const oddName = texts('__proto__|constructor|toString|hasOwnProperty|$access|$parents|$x||\u0000|é')
const room = fc.constantFrom(...rooms)

/** The text of the fixture for these requests. */
const present = ids.split(' ').slice(0, 6)
export const roleFixture = plantsFixture(
  present.map((id, index) => ({ id, name: `Plant ${index}`, room: rooms[index], heightCm: index })),
)

const pair = fc.oneof(
  joined('limit=', texts('1|2|100|0|101|x|')),
  joined('page=', words('1 2 99 0 2147483647')),
  joined('room=', fc.oneof(room, texts('|%00|__proto__'))),
  joined('thirsty=', texts('true|false|1|')),
  texts('nobody=knows'),
)
const queries = fc.array(pair, { maxLength: 3 }).map((all) => (all.length === 0 ? '' : `?${all.join('&')}`))

/** An object as text, so that it may have a property twice, and the property `__proto__`. */
const object = (names: fc.Arbitrary<string>): fc.Arbitrary<string> => {
  const property = joined(names.map(quoted), ':', value)
  const all = fc.tuple(fc.array(property, { maxLength: 5 }), fc.boolean())
  return all.map(([properties, isNamed]) => `{${[...(isNamed ? ['"name":"a"'] : []), ...properties].join(',')}}`)
}
const quoted = (text: string): string => JSON.stringify(text)

const value = fc.oneof(
  words('null true "" "plant-1" "hall" -1 0 -0 1.5 1e400 1e-400 10001 9007199254740993 {} [] ["ada"] "\\u0000"'),
  words('{"__proto__":{"x":1}} {"a":{"b":null}} "2026-01-12T09:30:00Z" "2026-02-30T09:30:00Z" "é🌱"'),
  fc.constant(JSON.stringify('x'.repeat(201))),
)
const named = fc.nat(1000).map((number) => `Plant ${number}`)
const plant = { id: words(ids), name: named, room, heightCm: fc.nat(10_000) }
const valid = fc.record(plant, { requiredKeys: ['name', 'heightCm'] }).map((each) => JSON.stringify(each))
const deep = fc
  .tuple(fc.constantFrom(10, 99, 200, 5000, 100_000), fc.constantFrom(['[', ']'], ['{"a":', '}']), happens(90))
  .map(([depth, [open = '', close = ''], isClosed]) => {
    const end = isClosed ? close.repeat(depth) : ''
    return `{"name":"a","extra":${open.repeat(depth)}1${end}}`
  })
const many = fc
  .constantFrom(10, 3000)
  .map((count) => `{"name":"a",${Array.from({ length: count }, (_, index) => `"p${index}":${index}`).join(',')}}`)

const json = weighted(
  [10, valid],
  [6, object(name)],
  [3, object(fc.oneof(name, oddName))],
  [1, texts('null|1|"x"|[]|true|{}|[{}]| |\ufeff{}|{"name":"\\ud800"}')],
  [1, deep],
  [1, joined('{"name":"a","about":"', repeated('x', 1000, 100_000, 1_100_000), '"}')],
  [1, joined('{"name":"a",', repeated('"x":1,', 1, 2, 1000), '"name":"b"}')],
  [1, many],
)
/** Some bodies are cut, or changed as latin1, so that the added bytes may be invalid UTF-8. */
const anyBody = fc
  .tuple(json, fc.nat(), changes(texts('"|{|}|,|:|\\|\u0000|\n|\u00ff|\ufeff|1e999|//|\\u0000')), fc.nat(19))
  .map(([text, at, change, kind]) => {
    if (kind > 1) return Buffer.from(text)
    return kind === 1 ? Buffer.from(text).subarray(0, at % (text.length + 1)) : Buffer.from(change(text), 'latin1')
  })

const line = fc
  .record({
    sandbox: weighted([1, '/sandboxes/one'], [1, '/sandboxes/two'], [18, '']),
    item: joined('/plants/', mostly(90, words(ids), words(oddIds))),
    list: joined('/plants', queries),
    role: words('list read remove create create replace update update'),
  })
  .map(({ item, list, role, sandbox }) => {
    if (role === 'list') return ['GET', sandbox + list] as const
    if (role === 'create') return ['POST', `${sandbox}/plants`] as const
    const methods = { read: 'GET', remove: 'DELETE', replace: 'PUT', update: 'PATCH' }
    return [methods[role as keyof typeof methods], sandbox + item] as const
  })
const oddType = texts('application/json|application/xml|text/plain|application/x-www-form-urlencoded||json')
const kind = weighted(
  [85, 'right'],
  [3, 'none'],
  [2, 'right; charset=utf-8'],
  [2, 'right; charset=utf-16'],
  [1, 'multipart/form-data; boundary=x'],
  [7, oddType],
)

/** Requests to an operation of any role. */
export const roleRequests: fc.Arbitrary<FuzzRequest> = fc
  .record({
    line,
    kind,
    body: anyBody,
    isAuthorized: happens(97),
    isAda: happens(98),
    isOdd: happens(3),
    isChunked: happens(10),
  })
  .map(({ line: [method, target], ...given }) => {
    const fields = ['Host: localhost']
    if (given.isAuthorized) fields.push(`Authorization: Bearer ${given.isAda ? 'ada-token' : 'nobody'}`)
    const isBodiless = (method === 'GET' || method === 'DELETE') && !given.isOdd
    if (isBodiless) return write(method, target, fields, Buffer.alloc(0), false)
    const right = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    if (given.kind !== 'none') fields.push(`Content-Type: ${given.kind.replace('right', right)}`)
    return write(method, target, fields, given.body, given.isChunked)
  })

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
