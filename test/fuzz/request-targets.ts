/** Methods and request targets, from valid to absurd ones. */
import { METHODS } from 'node:http'

import fc from 'fast-check'

import { joined, mostly, texts, weighted, words } from './arbitraries.js'

/** The sandboxes of a fuzzed double, without the root. */
export const sandboxNames = ['one', 'two'] as const

/** A method and a target. */
export interface Line {
  readonly method: string
  readonly target: string
}

const id = words('monstera-watering orchid-ice-cubes insight-1 never-was a constructor __proto__ toString . .. ~ _ - 0')
const oddity = fc.oneof(
  words('% %0 %00 %0a %0d%0aX:%201 %1b%5b31m %2f %2F.. %2e%2e%2f %252f %25 %3f %23 %E0%A4%A %ff %C0%80 %ED%A0%80'),
  words('%F0%9F%8C%B1 %e2%80%a8 %c2%9b31m %7f a,b a;b a=b a&b a+b a:b a@b {id} $ ! * ( ) [ ] | ^ ` " < > \\'),
)
/** Every visible character of ASCII except for the question mark. */
const visible = fc.integer({ min: 33, max: 126 }).map((code) => String.fromCodePoint(code).replace('?', '!'))
const length = (least: number, most: number, unit: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.string({ unit, minLength: least, maxLength: most, size: 'max' })

const oddPath = fc.oneof(
  words('/ /insights /INSIGHTS /insights/ //insights /insights// /./insights /../insights /insights/../insights'),
  words('/insights;v=1 /insights.json /constructor /__proto__ /sandboxes /sandboxes/ /sandboxes/one /favicon.ico'),
  words('/__admins'),
)
const longId = fc.constantFrom(127, 128, 129, 2000, 9000).chain((size) => length(size, size, words('a b % 2 f')))
const path = weighted(
  [3, '/insights'],
  [2, joined('/insights/', id)],
  [2, joined('/insights/', id, oddity)],
  [1, oddPath],
  [1, joined('/', length(1, 30, visible))],
  [1, joined('/insights/', longId)],
)
const limit = fc.oneof(
  words('1 2 5 100 2147483647 2147483648 99999999999999999999 0 -0 -1 +5 007 1.0 1e3 0x10 Infinity NaN null true abc'),
  texts('%31|%205|5%20|5%00|%D9%A5|1_000|1,000|[]|{}|constructor|__proto__|'),
)
const name = fc.oneof(
  words('limit LIMIT Limit limit[] limit[0] limit%5B%5D __proto__ __proto__[x] constructor limt access_token'),
  oddity,
)
const parameter = mostly(70, fc.constant('limit'), name)
const pair = weighted([10, parameter], [81, joined(parameter, '=', limit)], [9, joined(parameter, '=', oddity)])
const many = fc.array(pair, { minLength: 5, maxLength: 200, size: 'max' })
const pairs = mostly(95, fc.array(pair, { minLength: 1, maxLength: 4 }), many)
const manyPairs = fc.tuple(pairs, words('& & & && ; ?')).map(([all, separator]) => `?${all.join(separator)}`)
const query = weighted([1, ''], [1, manyPairs])

/** A target as it is, below a sandbox, or in the absolute form, or a text that is not a target. */
const within = (target: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  weighted(
    [67, target],
    [30, joined('/sandboxes/', fc.constantFrom(...sandboxNames), target)],
    [10, joined('/sandboxes/', fc.oneof(oddity, id, texts('root||%6fne')), target)],
    [10, joined(words('http://localhost HTTP://127.0.0.1:4010 https://[::1]:1'), target)],
    [2, words('* http://[/ http:///x ftp://a/insights ?limit=1 insights # localhost:80 http://a@b/x')],
    [1, joined(target, '#top')],
  )

const anyMethod = fc.constantFrom(...METHODS.filter((known) => known !== 'CONNECT'))

/** A request line for the service, valid or with any error. */
export const serviceLine: fc.Arbitrary<Line> = fc.record({
  method: mostly(75, words('GET GET GET DELETE DELETE HEAD OPTIONS'), anyMethod),
  target: within(joined(path, query)),
})

const page = fc.oneof(
  words('health state state/diff fixtures requests requests?status=404 requests?verdict=violation coverage faults'),
  words('requests?atLeast=1&withinMs=3 requests?status=x requests?caller=__proto__ requests/none requests/%E0%A4%A'),
  words('sandboxes docs spec spec?format=json spec?contract=control assets/console.js assets/none'),
  texts('assets/..%2findex.html|nowhere|state/|health/|HEALTH|%68ealth|requests/__proto__|assets/%00|../insights|'),
)

/** A request line for the control plane that changes nothing, and whose response ends. */
export const controlLine: fc.Arbitrary<Line> = fc.record({
  method: words('GET GET GET HEAD OPTIONS PATCH TRACE MKCOL'),
  target: within(weighted([5, '/__admin'], [95, joined('/__admin/', page)])),
})
