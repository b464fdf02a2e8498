import { Ajv } from 'ajv'
import test from 'ava'
import { ProblemsError } from 'insights-double'

import { loadContract } from '#src/contract/load-contract.js'
import { markerValue, refusesMarker, uncompiled, withMarkerRefused } from '#src/contract/prism/compile-schemas.js'
import type { JsonObject } from '#src/documents/object.js'
import { loadService } from '#src/resources/load-service.js'

import { exits, run } from './helpers/cli.js'
import { excuse, serve, startDouble } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { get, json, type Reply, sendJson, violationsOf } from './helpers/http.js'
import { body, errorSchema, integer, type Json, listOf, object, ref, text } from './resources/plants-contract.js'

const response = (schema: Json): object => ({ responses: { 200: body(schema) } })
const specOf = (paths: Record<string, unknown>, schemas = {}): string =>
  JSON.stringify({ openapi: '3.1.0', info: { title: 'Large', version: '1' }, paths, components: { schemas } })

/** Operations with a valid response, and one without. */
const paths = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`/x${index}`, { get: response(integer) }]))
const impossible = { ...integer, minimum: 2, maximum: 1 }
const large = specOf({ ...paths, '/y': { get: { operationId: 'y', ...response(impossible) } } })

test('the responses of a large contract are checked at the first request, by check and by --strict', async (t) => {
  const spec = await writeTemporary(t, 'large.json', large)
  const double = await serve(t, { spec, fixture: {} })
  const countCompiled = async (): Promise<number> => (await double.health()).compiledValidators
  t.is(await countCompiled(), 0)
  t.is((await get(double, '/x249')).status, 200)
  t.true((await countCompiled()) > 0)
  excuse(double, 'a success that breaks the contract is a 500')
  const unknown = await get(double, '/y/z')
  t.regex(unknown.text, /There is no path \\"\/y\/z\\". The contract has \/y, \/x0, .*\/x18, 231 more\./u)
  const failed = await get(double, '/y')
  t.is(failed.status, 500)
  t.regex(failed.text, /No example fits the 200 of y, and none can be generated/u)
  t.regex((await run(t, ['check', spec])).stdout, /large\.json:1:\d+ .*operation y can only be answered with 500/u)
  const starting = startDouble({ spec, fixture: {}, strict: true })
  const error = await t.throwsAsync(starting, { instanceOf: ProblemsError })
  const kinds = error?.problems.map(({ what }) => what.split(':')[0])
  t.deepEqual(kinds, ['operation y can only be answered with 500'])
})

test('an operation with a handler needs no example', async (t) => {
  const spec = await writeTemporary(t, 'spec.json', specOf({ '/y': { get: response(impossible) } }))
  const handlers = await writeTemporary(t, 'handlers.js', "export default { 'GET /y': () => ({ status: 503 }) }\n")
  await exits(t, 0, ['check', spec, '--handlers', handlers, '--strict'])
  t.is((await run(t, ['check', spec, '--strict'])).code, 1)
})

test('loading a contract reports its progress', async (t) => {
  const works: string[] = []
  await loadService(await writeTemporary(t, 'spec.json', large), { onProgress: (work) => works.push(work) })
  t.deepEqual(works, ['reading it', 'checking it', 'reading its operations', 'finding the collections'])
})

test('schemas that are too deep are refused', async (t) => {
  const levels = Array.from({ length: 20_000 }, (_, index) => [
    `Level${index}`,
    object({ inner: index < 19_999 ? ref(`Level${index + 1}`) : text }),
  ])
  const deep = specOf({ '/x': { get: response(ref('Level0')) } }, Object.fromEntries(levels))
  const refused = loadContract(await writeTemporary(t, 'deep.json', deep))
  await t.throwsAsync(refused, { name: 'ProblemsError', message: /deep\.json.*its schemas are nested too deep/u })
})

test('a schema that does not compile is found, because it accepts every value', (t) => {
  const passes = (schema: JsonObject): boolean =>
    new Ajv({ strict: false }).validate(withMarkerRefused(schema), markerValue)
  t.false(passes({}))
  t.false(passes({ not: { type: 'integer' } }))
  t.false(refusesMarker(() => []))
  t.true(refusesMarker(() => [uncompiled('response')]))
})

/** Schemas that each contain the next one three times. As a tree, the first has 88,573 schemas. */
const depth = 10
const repeating = Object.fromEntries(
  Array.from({ length: depth }, (_, index) => {
    const next = ref(`Level${index + 1}`)
    const inner = index + 1 < depth ? { left: next, right: next, both: listOf(next) } : {}
    return [`Level${index}`, { allOf: [object({ name: text }, 'name'), object({ ...inner, count: integer })] }]
  }),
)

test('repeated parts of a large schema are validated at every depth', async (t) => {
  const post = {
    requestBody: { ...body(ref('Level0')), required: true },
    responses: { 204: { description: 'X.' }, 400: body(errorSchema) },
  }
  const spec = await writeTemporary(t, 'spec.json', specOf({ '/levels': { post } }, repeating))
  const double = await serve(t, { spec, fixture: {} })
  const send = (sent: unknown): Promise<Reply> => sendJson(double, 'POST', '/levels', sent)
  const inner = (own: object): unknown => ({ name: 'a', left: { name: 'b', both: [{ name: 'c', right: own }] } })
  t.is((await send(inner({ name: 'd', count: 1 }))).status, 204)
  const refused = await send(inner({ count: 'one' }))
  t.is(refused.status, 400)
  const { message } = violationsOf(refused)[0] ?? {}
  t.regex(String(message), /left\.both\.0\.right/u)
})

/** Schemas that all contain each other, with very many paths through them. */
const names = Array.from({ length: 20 }, (_, index) => `Node${index}`)
const others = Object.fromEntries(names.map((name) => [name, ref(name)]))
const node = object({ label: text, ...others, children: listOf({ anyOf: names.map(ref) }) }, 'label')
const schemas = Object.fromEntries(names.map((name) => [name, { ...node, additionalProperties: false }]))
const responses = { 200: body(ref('Node0')), 400: body(errorSchema) }
const post = { operationId: 'checkNode', requestBody: { ...body(ref('Node0')), required: true }, responses }

test('schemas that all contain each other are validated at every depth', async (t) => {
  const file = await writeTemporary(t, 'nodes.json', specOf({ '/nodes': { post } }, schemas))
  const double = await serve(t, { spec: file, fixture: {} })
  const send = (sent: unknown): Promise<Reply> => sendJson(double, 'POST', '/nodes', sent)
  const valid = await send({ label: 'a', Node3: { label: 'b', children: [{ label: 'c', Node0: { label: 'd' } }] } })
  t.is(valid.status, 200)
  t.is(typeof (json(valid) as { label: unknown }).label, 'string')
  const deep = await send({ label: 'a', Node3: { label: 'b', Node7: { label: 'c', Node0: { label: 5 } } } })
  t.is(deep.status, 400)
  t.regex(deep.text, /Node3\.Node7\.Node0\.label must be string/u)
  t.is((await send({ label: 'a', Node3: { label: 'b', Node7: { other: 1 } } })).status, 400)
})
