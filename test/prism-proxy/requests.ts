/** Makes requests up, and sends them and others through the proxy. */
import { request } from 'node:http'

import type { Random } from '../helpers/seeded-random.js'

/** A request. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** The response. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly contentType: string
  /** The violations in the header `sl-violations`. */
  readonly violations: readonly { readonly location: readonly string[]; readonly message: string }[]
}

/** The credential of a caller of the shipped fixtures. */
export const as = (caller: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${caller}-token` })

/** Sends a request exactly as it is, and reads the whole response. */
export function send(base: string, { body, headers, method, path }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const asked = request(`${base}${path}`, { method, headers: { ...headers, ...length }, agent: false }, (reply) => {
      const chunks: Buffer[] = []
      reply.on('data', (chunk: Buffer) => chunks.push(chunk))
      reply.once('error', reject)
      reply.once('end', () => {
        const listed = reply.headers['sl-violations']
        resolve({
          status: reply.statusCode ?? 0,
          text: Buffer.concat(chunks).toString(),
          contentType: reply.headers['content-type'] ?? '',
          violations: typeof listed === 'string' ? violationsIn(listed) : [],
        })
      })
    })
    asked.once('error', reject)
    asked.end(body)
  })
}

/** Reads the violations. Prism writes a text before a long list that it cuts; only responses have so many violations. */
function violationsIn(header: string): Answer['violations'] {
  if (header.startsWith('[')) return JSON.parse(header) as Answer['violations']
  return [{ location: ['response'], message: header }]
}

/** One valid request, and one for each reason for which an operation refuses requests. */
export const examples: readonly Call[] = [
  { method: 'GET', path: '/insights', headers: as('ada') },
  { method: 'GET', path: '/insights?limit=2', headers: as('ada') },
  { method: 'GET', path: '/insights?limit=0', headers: as('ada') },
  { method: 'GET', path: '/insights?limit=abc', headers: as('ada') },
  { method: 'GET', path: '/insights?limt=5', headers: as('ada') },
  { method: 'GET', path: '/insights', headers: {} },
  { method: 'GET', path: '/insights', headers: as('nobody') },
  { method: 'DELETE', path: '/insights/monstera-watering', headers: as('ada') },
  { method: 'DELETE', path: '/insights/monstera-watering', headers: as('ada') },
  { method: 'DELETE', path: '/insights/spider-mites-fiddle-leaf-figs', headers: as('ada') },
  { method: 'DELETE', path: '/insights/never-was', headers: as('ada') },
  { method: 'DELETE', path: '/insights/a%20b', headers: as('ada') },
  { method: 'DELETE', path: '/insights/orchid-ice-cubes', headers: {} },
  { method: 'DELETE', path: '/insights/orchid-ice-cubes', headers: as('nobody') },
]

/** Values of `limit`, most of them valid. */
export const limits = [
  '',
  '?limit=1',
  '?limit=2',
  '?limit=7',
  '?limit=12',
  '?limit=100',
  '?limit=1000',
  '?limit=2147483647',
]

const pick = <T>(random: Random, items: readonly [T, ...T[]]): T =>
  items[Math.floor(random() * items.length)] ?? items[0]

/** Generates a request, sometimes an invalid one. @param ids - The ids of existing insights. */
export function makeUp(random: Random, ids: readonly string[]): Call {
  const caller = pick(random, ['ada', 'ada', 'grace', 'alan', 'nobody'])
  const headers = pick<Readonly<Record<string, string>>>(random, [
    as(caller),
    as(caller),
    as(caller),
    as(caller),
    {},
    { authorization: 'Basic YTpi' },
    { authorization: `bearer ${caller}-token` },
  ])
  if (random() < 0.5) {
    const number = String(Math.floor(random() ** 4 * 3_000_000_000))
    const value = pick(random, [
      number,
      number,
      number,
      '0',
      '-1',
      'abc',
      '',
      '1.5',
      '0x10',
      '1e3',
      '%205',
      '007',
      '2147483648',
    ])
    const query = pick(random, ['', `?limit=${value}`, `?limit=${value}`, `?limit=${value}&limit=1`, `?sort=${value}`])
    return { method: 'GET', path: `/insights${query}`, headers }
  }
  const known = ids[Math.floor(random() * ids.length)] ?? 'none'
  const id = pick(random, [
    known,
    known,
    known,
    'never-was',
    'a%20b',
    'x'.repeat(128),
    'x'.repeat(129),
    '%C3%A4',
    '~.-_',
  ])
  const call: Call = { method: 'DELETE', path: `/insights/${id}`, headers }
  // Not with GET: Prism's proxy cannot forward its body.
  if (random() < 0.9) return call
  return { ...call, headers: { ...headers, 'content-type': 'application/json' }, body: '{"a":1}' }
}
