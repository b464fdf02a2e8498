import test from 'ava'

import { asObject, pluck } from './helpers/as-object-or-list.js'
import { run } from './helpers/cli.js'
import { control, serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { body, errorSchema, listOf, object, ref, text } from './resources/plants-contract.js'
import { contract } from './resources/rules-contract.js'

/** Patterns that take exponential time for a text, and that text. */
const slow: readonly (readonly [pattern: string, text: string])[] = [
  ['^(a+)+$', `${'a'.repeat(50)}!`],
  ['^(a|a)*$', `${'a'.repeat(50)}!`],
  ['^([a-z]+[0-9]?)*$', `${'a'.repeat(50)}!`],
  ['^(.*)*$', `${'a'.repeat(50)}\n`],
  ['^v(?:a{1,5}){20,}$', `v${'a'.repeat(400)}!`],
  ['^([a-z0-9]+(-[a-z0-9]+)*){1,100}$', `${'a'.repeat(50)}!`],
]

/** Patterns with similar parts that take no such time. */
const fast: readonly string[] = [
  '^(\\d{2}-?)+$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==)?$',
  '^(\\S(.*\\S)?)?$',
  '^(a|b)+$',
  '^\\d{5}(-\\d{4})?$',
  '^P(\\d+Y)?(\\d+M)?$',
]

/** Creates a contract of things with a code of a pattern, in one line for each pattern. */
function contractOf(patterns: readonly string[]): string {
  const properties = Object.fromEntries(patterns.map((pattern, index) => [`code${index}`, { ...text, pattern }]))
  const thing = ref('Thing')
  const operations = {
    'GET /things': { response: listOf(thing) },
    'POST /things': { request: thing, with: { responses: { 201: body(thing), 400: body(errorSchema) } } },
    'GET /things/{id}': { response: thing },
  }
  const schemas = { Thing: object({ id: text, ...properties }, 'id') }
  return JSON.stringify({ ...contract(operations, schemas), openapi: '3.0.3' }, null, 1)
}

test('check names each pattern that takes exponential time, with its line, and no other', async (t) => {
  const written = contractOf([...slow.map(([pattern]) => pattern), ...fast])
  const { stdout } = await run(t, ['check', '--spec', await writeTemporary(t, 'things.json', written)])
  const named = [...stdout.matchAll(/things\.json:(\d+):\d+ .* pattern (\S+) takes exponential time/gu)]
  t.deepEqual(pluck(named, 2), pluck(slow, 0))
  const lines = written.split('\n')
  for (const [, line, pattern = ''] of named) t.true(lines[Number(line) - 1]?.includes(JSON.stringify(pattern)), line)
})

test('a value for which a pattern takes exponential time is refused: in a request, a response and a fixture', async (t) => {
  const patterns = slow.map(([pattern]) => pattern)
  const spec = await writeTemporary(t, 'things.json', contractOf(patterns))
  const thing = `{ id: 'x', [state.things[0].id]: ${JSON.stringify(slow[0]?.[1])} }`
  const code = `export default { 'GET /things': ({ state }) => ({ body: [${thing}] }) }`
  const handlers = await writeTemporary(t, 'h.mjs', code)
  const double = await serve(t, { spec, fixture: { things: [{ id: 'code0' }] } })
  for (const [index, [pattern, value]] of slow.entries()) {
    const record = { id: `thing-${index}`, [`code${index}`]: value }
    // Another request is sent at the same time. It waits for no more than the limit.
    const [refused, other] = await Promise.all([sendJson(double, 'POST', '/things', record), get(double, '/things')])
    t.is(refused.status, 400, pattern)
    const said = String(asObject(json(refused))['message'])
    t.true(said.includes('cannot be validated within 100 ms, because one of the patterns'), said)
    t.true(said.includes(pattern), said)
    t.is(other.status, 200)
    const state = await control(double, 'PUT', '/state', { things: [record] })
    t.is(state.status, 400)
    t.regex(state.text, /#\/things\/0 {2}The value cannot be validated within 100 ms/u)
  }
  t.is((await sendJson(double, 'POST', '/things', { id: 'good', code0: 'aaa' })).status, 201)
  t.deepEqual((await double.state())['things'], [{ id: 'code0' }, { id: 'good', code0: 'aaa' }])
  const handled = await serve(t, { spec, handlers, fixture: { things: [{ id: 'code0' }] } })
  const broken = await fetch(`${handled.url}/things`)
  t.is(broken.status, 500)
  t.is(broken.headers.get('x-error-code'), 'reply_violation')
})
