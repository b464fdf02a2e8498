/** Requests to the service: examples, and generated ones. */
import type { Random } from '../helpers/seeded-random.js'
import type { Call } from './send-request.js'

/** The credential of a caller of the shipped fixtures. */
export const as = (caller: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${caller}-token` })

/** Valid requests, and one request for each reason for which an operation refuses requests. */
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
