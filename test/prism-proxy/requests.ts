/** Requests to the service: examples, and generated ones. */
import fc from 'fast-check'

import { joined, mostly, texts, weighted, words } from '../fuzz/arbitraries.js'
import { as } from '../helpers/http.js'
import type { Call } from './findings.js'

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
export const limits = ['', '?limit=1', '?limit=2', '?limit=7', '?limit=12', '?limit=100', '?limit=2147483647']

const odd = texts('0|-1|abc||1.5|0x10|1e3|%205|007|2147483648')
const limit = fc.oneof(fc.integer({ min: 0, max: 3_000_000_000 }).map(String), odd)
const listing = fc.record({
  method: fc.constant('GET'),
  path: weighted(
    [1, '/insights'],
    [2, joined('/insights?limit=', limit)],
    [1, joined('/insights?limit=', limit, '&limit=1')],
    [1, joined('/insights?sort=', limit)],
  ),
})
const removal = (ids: readonly string[]): fc.Arbitrary<Omit<Call, 'headers'>> => {
  const others = texts(`never-was|a%20b|${'x'.repeat(128)}|${'x'.repeat(129)}|%C3%A4|~.-_`)
  const id = fc.oneof(fc.constantFrom(...ids), others)
  const bare = fc.record({ method: fc.constant('DELETE'), path: joined('/insights/', id) })
  return mostly<Omit<Call, 'headers'>>(
    90,
    bare,
    bare.map((call) => ({ ...call, body: '{"a":1}' })),
  )
}
const bearer = joined(words('Bearer Bearer Bearer bearer'), ' ', words('ada ada grace alan nobody'), '-token')
const credential = weighted([5, bearer], [1, 'Basic YTpi'], [1, ''])

/** Requests, some of them invalid. @param ids - The ids of existing insights. */
export const calls = (ids: readonly string[]): fc.Arbitrary<Call> =>
  fc.tuple(fc.oneof(listing, removal(ids)), credential).map(([call, authorization]) => {
    // A body only with DELETE: Prism's proxy cannot forward that of a GET.
    const type = 'body' in call ? { 'content-type': 'application/json' } : {}
    return { ...call, headers: { ...(authorization === '' ? {} : { authorization }), ...type } }
  })
