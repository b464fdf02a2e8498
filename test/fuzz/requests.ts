/** Requests as bytes, each with the response that a server must send. */
import fc from 'fast-check'

import { changes, happens, texts } from './arbitraries.js'
import { controlFields, serviceFields } from './header-fields.js'
import { controlLine, type Line, serviceLine } from './request-targets.js'

/**
 * The responses that a request must get: `kept` one response, and the connection stays; `either` one response, and the connection may be closed;
 * `closed` one response that says it is the last; `ended` one response and the end; `unknown` any number of responses, but an end after the client has ended.
 */
export type Fate = 'kept' | 'either' | 'closed' | 'ended' | 'unknown'

export interface FuzzRequest {
  readonly bytes: Buffer
  /** The method of the request line. Empty if it is unknown. */
  readonly method: string
  readonly target: string
  /** The control plane is not in the journal. */
  readonly isControl: boolean
  readonly fate: Fate
}

/** The part of a request after its line: fields, a body, and the effect on the connection. */
interface Rest {
  readonly fields?: readonly string[]
  readonly body?: string
  readonly fate: Fate
}

const chunked = 'Transfer-Encoding: chunked'
const rests: readonly (readonly [weight: number, rest: Rest])[] = [
  [60, { fate: 'kept' }],
  [4, { fields: ['Connection: keep-alive'], fate: 'kept' }],
  [6, { fields: ['Connection: close'], fate: 'closed' }],
  [1, { fields: ['Connection: close, keep-alive'], fate: 'either' }],
  [1, { fields: ['Connection: Upgrade'], fate: 'either' }],
  [2, { fields: ['Content-Length: 0'], fate: 'kept' }],
  [2, { fields: ['Content-Length: 2', 'Content-Type: application/json'], body: '{}', fate: 'kept' }],
  [1, { fields: ['Content-Length: 00002'], body: '{}', fate: 'either' }],
  [2, { fields: [chunked], body: '0\r\n\r\n', fate: 'kept' }],
  [2, { fields: [chunked], body: '2;x=y\r\n{}\r\n00a\r\n0123456789\r\n0\r\n\r\n', fate: 'kept' }],
  [1, { fields: ['transfer-encoding: CHUNKED', 'Trailer: X'], body: '1\r\nx\r\n0\r\nX: 1\r\n\r\n', fate: 'kept' }],
  [2, { fields: [chunked], body: 'zz\r\n', fate: 'ended' }],
  [2, { fields: [chunked], body: '2\r\n{}x\r\n', fate: 'ended' }],
  [1, { fields: [chunked], body: 'fffffffffffffffff\r\n', fate: 'ended' }],
  [1, { fields: [chunked], body: '-1\r\n', fate: 'ended' }],
  [2, { fields: [chunked], body: '5\r\nab', fate: 'unknown' }],
  [2, { fields: [chunked, 'Content-Length: 2'], body: '{}', fate: 'closed' }],
  [1, { fields: ['Content-Length: two'], fate: 'closed' }],
  [1, { fields: ['Content-Length: -1'], fate: 'closed' }],
  [1, { fields: ['Content-Length: 0x2'], body: '{}', fate: 'closed' }],
  [1, { fields: ['Content-Length: 99999999999999999999999'], fate: 'closed' }],
  [1, { fields: ['Content-Length: 2', 'Content-Length: 3'], body: '{}', fate: 'closed' }],
  [2, { fields: ['Content-Length: 5'], body: '{}', fate: 'unknown' }],
  [1, { fields: ['Content-Length: 2000000'], body: '{}', fate: 'unknown' }],
  [1, { fields: ['Content-Length: 1'], body: '{}', fate: 'unknown' }],
  [1, { fields: ['Transfer-Encoding: gzip, chunked'], body: '0\r\n\r\n', fate: 'unknown' }],
  [1, { fields: ['Transfer-Encoding: identity'], body: '{}', fate: 'unknown' }],
  [1, { fields: ['Transfer-Encoding: chunked, gzip'], body: '0\r\n\r\n', fate: 'unknown' }],
  [1, { fields: [`Transfer-Encoding: x`, chunked], body: '0\r\n\r\n', fate: 'unknown' }],
  [1, { fields: ['no colon'], fate: 'closed' }],
  [1, { fields: ['a b: c'], fate: 'closed' }],
  [1, { fields: ['X: a\u0000b'], fate: 'closed' }],
  [1, { fields: ['X: \u007f'], fate: 'closed' }],
  [1, { fields: [`X: ${'x'.repeat(20_000)}`], fate: 'closed' }],
]
const anyRest = fc.oneof(...rests.map(([weight, each]) => ({ weight, arbitrary: fc.constant(each) })))

const service = fc
  .record({ given: anyRest, line: serviceLine, fields: serviceFields, isOld: happens(2), isWithoutHost: happens(3) })
  .map(({ fields, given, isOld, isWithoutHost, line: { method, target } }): FuzzRequest => {
    const isOdd = isOddTarget(target) || fields.join().length + target.length > 12_000
    // Until the header is complete, the double does not know that the method is HEAD, and sends its error with a body.
    const isRead = given.fate === 'kept' || given.fate === 'either' || given.fields?.[0] === 'Connection: close'
    const line = { method: method === 'HEAD' && (isOdd || !isRead) ? 'GET' : method, target }
    if (isOld) return write(line, '1.0', fields, { fate: 'closed' })
    const sent = isWithoutHost ? fields.slice(1) : fields
    if (hasTwoHosts(sent) && (given.fate === 'kept' || given.fate === 'either'))
      return write(line, '1.1', sent, { ...given, fate: 'closed' })
    return write(line, '1.1', sent, isOdd && given.fate === 'kept' ? { ...given, fate: 'either' } : given)
  })

const control = fc
  .record({ line: controlLine, fields: controlFields, isLast: happens(5) })
  .map(({ fields, isLast, line: { method, target } }): FuzzRequest => {
    const isOdd = isOddTarget(target)
    const sent = isLast ? [...fields, 'Connection: close'] : fields
    const fate = isLast || hasTwoHosts(sent) ? 'closed' : isOdd ? 'either' : 'kept'
    const line = { method: method === 'HEAD' && isOdd ? 'GET' : method, target }
    // A target that is not a path does not belong to the control plane, and Node may refuse it.
    return { ...write(line, '1.1', sent, { fate }), isControl: !isOdd }
  })

/** Tells whether Node may refuse a target before it reads whether the connection is kept. */
const isOddTarget = (target: string): boolean => !/^(?:\/|https?:\/\/[a-z\d[])/iu.test(target)

/** Tells whether a request has two hosts. Such a request is ambiguous, so it is the last of its connection. */
const hasTwoHosts = (fields: readonly string[]): boolean => fields.some((field) => /^Host:.*\r\nHost:/u.test(field))

function write({ method, target }: Line, version: string, fields: readonly string[], rest: Rest): FuzzRequest {
  const lines = [`${method} ${target} HTTP/${version}`, ...fields, ...(rest.fields ?? []), '', rest.body ?? '']
  return { ...ofBytes(lines.join('\r\n'), rest.fate), method, target }
}

/** Bytes that are not HTTP from the first byte on. */
const nonsense = fc
  .oneof(
    texts('nonsense|get /insights HTTP/1.1|FETCH / HTTP/1.1|GET /insights'),
    texts('GET /insights HTTP/2.0|GET /insights HTTP/9.9'),
    texts('PRI * HTTP/2.0\r\n\r\nSM|\u0016\u0003\u0001\u0002\u0000|GET /\u00e9 HTTP/1.1| GET / HTTP/1.1|{}'),
    texts('CONNECT localhost:1 HTTP/1.1\r\nHost: localhost|GET /insights http/1.1'),
  )
  .map((text) => ofBytes(`${text}\r\n\r\n`, 'closed'))

/** A request of which some bytes are changed, removed, repeated or added. */
const mutated = fc
  .tuple(service, changes(texts('\u0000|\r|\n|\r\n|\r\n\r\n| |:|%|\u00ff|\u001b|/|\u0080|A|0')))
  .map(([{ bytes, method }, change]) => {
    const text = bytes.toString('latin1')
    // The change may affect the method, and the method decides whether the response has a body.
    return ofBytes(change(method === 'HEAD' ? `GET${text.slice(4)}` : text), 'unknown')
  })

const ofBytes = (text: string, fate: Fate): FuzzRequest => ({
  bytes: Buffer.from(text, 'latin1'),
  method: '',
  target: '',
  isControl: false,
  fate,
})

/** Requests: one in six is to the control plane, one in eight has invalid HTTP. */
export const rawRequests: fc.Arbitrary<FuzzRequest> = fc.oneof(
  { weight: 24, arbitrary: control },
  { weight: 6, arbitrary: nonsense },
  { weight: 14, arbitrary: mutated },
  { weight: 100, arbitrary: service },
)
