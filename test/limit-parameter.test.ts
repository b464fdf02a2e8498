import test from 'ava'

import { pluck } from './helpers/as-object-or-list.js'
import { serve, testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn } from './helpers/files.js'
import { as, assertError, get, json, rawAs, violationsOf } from './helpers/http.js'

const rule = 'Query parameter limit must be an integer from 1 to 2147483647'

/** Values that the message shows as they are sent. */
const plain = [
  '0 -0 -1 2147483648 99999999999999999999 abc 007 00 1.0 1.5 5. .5 0x10 0b1 0o7 1e3 1_000 1,2 NaN Infinity null true',
  '[1] 5%',
].flatMap((texts) => texts.split(' '))

/** A query, and the value in the message. */
const refused: readonly (readonly [query: string, got: string])[] = [
  ...plain.map((value) => [`limit=${value}`, `"${value}"`] as const),
  ...['limit=', 'limit', 'limit=&other=1'].map((query) => [query, '""'] as const),
  ['limit=%205', '" 5"'],
  ['limit=5%20', '"5 "'],
  ['limit=+5', '" 5"'],
  ['limit=%2B5', '"+5"'],
  ['limit=5%0A', String.raw`"5\n"`],
  ['limit=%095', String.raw`"\t5"`],
  ['limit=5%00', String.raw`"5\u0000"`],
  ['limit=%225%22', String.raw`"\"5\""`],
  ['limit=%D9%A5', '"٥"'],
  ['limit=%EF%BC%95', '"５"'],
  ['limit=%F0%9F%8C%B1', '"\u{1F331}"'],
  ...['limit=abc&LIMIT=5', 'LIMIT=5&limit=abc', '%6Cimit=abc'].map((query) => [query, '"abc"'] as const),
  [`limit=${'9'.repeat(101)}`, `"${'9'.repeat(100)}…"`],
]
for (const [query, got] of refused)
  testOnDouble(`?${query.slice(0, 40)} is refused`, async (t, double) => {
    const reply = await rawAs(double, 'ada', `GET /insights?${query}`)
    const message = `${rule}, got ${got}.`
    assertError(t, reply, 400, message)
    t.like(violationsOf(reply)[0], { location: ['request', 'query', 'limit'], severity: 'Error', message })
  })

const repeated: readonly (readonly [query: string, got: string])[] = [
  ['limit=1&limit=2', '2: "1", "2"'],
  ['limit=5&limit=5', '2: "5", "5"'],
  ['limit=5&limit=', '2: "5", ""'],
  ['limit=1&other=1&limit=abc&limit', '3: "1", "abc", ""'],
  ['limit=1&%6Cimit=2', '2: "1", "2"'],
]
for (const [query, got] of repeated)
  testOnDouble(`?${query} is refused because limit is repeated`, async (t, double) => {
    const reply = await get(double, `/insights?${query}`, as('ada'))
    assertError(t, reply, 400, `Query parameter limit must be given once, got ${got}.`)
  })

/** Queries without a limit or with a valid one, and the number of warnings. */
const served: readonly (readonly [query: string, count: number, warnings: number])[] = [
  ['', Number.POSITIVE_INFINITY, 0],
  ['limit=1', 1, 0],
  ['limit=2', 2, 0],
  ['limit=%32', 2, 0],
  ['&&limit=2&', 2, 0],
  ['%6Cimit=2', 2, 0],
  ['limit=2147483647', Number.POSITIVE_INFINITY, 0],
  ...'limit[]=1 limit%5B%5D=1 limit[0]=1 limit.=1 LIMIT=1 Limit=abc limit%20=1 limit;=1'
    .split(' ')
    .map((query) => [query, Number.POSITIVE_INFINITY, 1] as const),
  ['limit=2&LIMIT=1', 2, 1],
  ['limit=2&limit[]=1&a=b', 2, 2],
]
for (const [query, count, warnings] of served)
  test(`?${query} lists ${count === Number.POSITIVE_INFINITY ? 'everything' : count}, warnings: ${warnings}`, async (t) => {
    const double = await serve(t)
    const reply = await rawAs(double, 'ada', `GET /insights?${query}`)
    t.is(reply.status, 200)
    t.deepEqual(json(reply), visibleIn(await readFixture('default.json'), 'ada').slice(0, count))
    t.is(pluck(violationsOf(reply), 'severity').join(), Array(warnings).fill('Warning').join())
  })

test('each of several equal requests gets the same refusal, with a violation for each parameter', async (t) => {
  const double = await serve(t)
  for (let time = 0; time < 3; time++) {
    const reply = await get(double, '/insights?limit=0&x=1', as('ada'))
    assertError(t, reply, 400, `${rule}, got "0".`)
    t.is(violationsOf(reply).length, 2)
  }
})
