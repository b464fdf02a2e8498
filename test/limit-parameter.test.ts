import test from 'ava'

import { pluck } from './helpers/as-object-or-list.js'
import { serve, testOnDouble } from './helpers/double.js'
import { readFixture, visibleIn } from './helpers/files.js'
import { as, assertError, get, json, rawAs, violationsOf } from './helpers/http.js'

const rule = 'Query parameter limit must be an integer from 1 to 2147483647'

/** A query, and the value in the message. */
const refused: readonly (readonly [query: string, got: string])[] = [
  ['limit=0', '"0"'],
  ['limit=-0', '"-0"'],
  ['limit=-1', '"-1"'],
  ['limit=2147483648', '"2147483648"'],
  ['limit=99999999999999999999', '"99999999999999999999"'],
  ['limit=abc', '"abc"'],
  ['limit=', '""'],
  ['limit', '""'],
  ['limit=&other=1', '""'],
  ['limit=%205', '" 5"'],
  ['limit=5%20', '"5 "'],
  ['limit=+5', '" 5"'],
  ['limit=%2B5', '"+5"'],
  ['limit=5%0A', String.raw`"5\n"`],
  ['limit=%095', String.raw`"\t5"`],
  ['limit=5%00', String.raw`"5\u0000"`],
  ['limit=007', '"007"'],
  ['limit=00', '"00"'],
  ['limit=1.0', '"1.0"'],
  ['limit=1.5', '"1.5"'],
  ['limit=5.', '"5."'],
  ['limit=.5', '".5"'],
  ['limit=0x10', '"0x10"'],
  ['limit=0b1', '"0b1"'],
  ['limit=0o7', '"0o7"'],
  ['limit=1e3', '"1e3"'],
  ['limit=1_000', '"1_000"'],
  ['limit=1,2', '"1,2"'],
  ['limit=%225%22', String.raw`"\"5\""`],
  ['limit=%D9%A5', '"٥"'],
  ['limit=%EF%BC%95', '"５"'],
  ['limit=%F0%9F%8C%B1', '"\u{1F331}"'],
  ['limit=NaN', '"NaN"'],
  ['limit=Infinity', '"Infinity"'],
  ['limit=null', '"null"'],
  ['limit=true', '"true"'],
  ['limit=[1]', '"[1]"'],
  ['limit=5%', '"5%"'],
  ['limit=abc&LIMIT=5', '"abc"'],
  ['LIMIT=5&limit=abc', '"abc"'],
  ['%6Cimit=abc', '"abc"'],
  [`limit=${'9'.repeat(101)}`, `"${'9'.repeat(100)}…"`],
]
for (const [query, got] of refused)
  testOnDouble(`?${query.slice(0, 40)} is refused`, async (t, double) => {
    const reply = await rawAs(double, 'ada', `GET /insights?${query}`)
    assertError(t, reply, 400, `${rule}, got ${got}.`)
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
  ['limit[]=1', Number.POSITIVE_INFINITY, 1],
  ['limit%5B%5D=1', Number.POSITIVE_INFINITY, 1],
  ['limit[0]=1', Number.POSITIVE_INFINITY, 1],
  ['limit.=1', Number.POSITIVE_INFINITY, 1],
  ['LIMIT=1', Number.POSITIVE_INFINITY, 1],
  ['Limit=abc', Number.POSITIVE_INFINITY, 1],
  ['limit%20=1', Number.POSITIVE_INFINITY, 1],
  ['limit;=1', Number.POSITIVE_INFINITY, 1],
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

testOnDouble('a refused limit is reported in sl-violations, with its place', async (t, double) => {
  const [violation, ...others] = violationsOf(await get(double, '/insights?limit=abc', as('ada')))
  t.deepEqual(others, [])
  t.deepEqual(violation?.['location'], ['request', 'query', 'limit'])
  t.is(violation?.['severity'], 'Error')
  t.is(violation?.['message'], `${rule}, got "abc".`)
})

test('each of several equal requests gets the same refusal, with a violation for each parameter', async (t) => {
  const double = await serve(t)
  for (let time = 0; time < 3; time++) {
    const reply = await get(double, '/insights?limit=0&x=1', as('ada'))
    assertError(t, reply, 400, `${rule}, got "0".`)
    t.is(violationsOf(reply).length, 2)
  }
})
