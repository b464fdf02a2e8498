import { readFile } from 'node:fs/promises'

import test from 'ava'
import { type FixtureDocument, ProblemsError } from 'insights-double'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { run } from './helpers/cli.js'
import { listenToReloads, startHere } from './helpers/double-in-thread.js'
import { control, everything, serve } from './helpers/double.js'
import { replaceFile, writeTemporary } from './helpers/files.js'
import { as, assertError, del, get, json } from './helpers/http.js'
import { plantCallers, plantsSpec, servePlants, writePlantsSpec } from './helpers/plants-spec.js'
import { placesIn } from './helpers/refusals.js'
import { validateWith } from './helpers/validate-responses.js'
import { plantSchema } from './resources/plants-contract.js'

const callers = '"$callers": { "ada": { "token": "ada-token" } }'

/** Fixtures that are refused: title, text with a `▸` at each place, and what follows the place. */
const refused: Readonly<Record<string, readonly [text: string, ...problems: readonly string[]]>> = {
  'an unknown collection': [`{ ${callers},\n  ▸"plant": [] }`, '#/plant  there is no collection "plant"  use plants'],
  'an unknown key of the double': [
    `{ ${callers},\n  ▸"$caller": {} }`,
    '#/$caller  key "$caller" is not known  did you mean $callers?',
  ],
  'keys of the double without $': [
    `{ ▸"callers": {},\n  ▸"description": "x" }`,
    '#/callers  key "callers" is not known  did you mean $callers?',
    '#/description  key "description" is not known  did you mean $description?',
  ],
  'an unknown key of a record that begins with $': [
    `{ ${callers},\n  "plants": [{ "name": "x", ▸"$acces": ["ada"] }] }`,
    '#/plants/0/$acces  key "$acces" is not known  did you mean $access?',
  ],
  'two records with one id': [
    `{ ${callers},\n  "plants": [{ "id": "fern", "name": "x" },\n    { "id": ▸"fern", "name": "y" }] }`,
    '#/plants/1/id  id "fern" is already the id of record 1  give each record another id',
  ],
  'an id of the wrong type': [
    `{ ${callers},\n  "plants": [{ "id": ▸5, "name": "x" }] }`,
    '#/plants/0/id  id must be string  correct the value',
  ],
  'an id that its pattern does not allow': [
    `{ ${callers},\n  "plants": [{ "id": ▸"a b", "name": "x" }] }`,
    '#/plants/0/id  id must match pattern "^[a-z0-9-]{1,40}$"  correct the value',
  ],
  'parents in a collection that has none': [
    `{ ${callers},\n  "plants": [{ "name": "x", ▸"$parents": { "garden": "1" } }] }`,
    '#/plants/0/$parents  the records of plants have no $parents  leave $parents out',
  ],
  'a collection that is an object': [
    `{ ${callers}, "plants": ▸{} }`,
    '#/plants  plants must be an array  list its records; [] is none',
  ],
}

for (const [title, [text, ...expected]] of Object.entries(refused))
  test(`a fixture with ${title} is refused by the start, PUT state, reset and new sandboxes, and nothing changes`, async (t) => {
    const plain = text.replaceAll('▸', '')
    const fixture = await writeTemporary(t, 'mine.json', plain)
    const spec = await writePlantsSpec(t)
    const error = await t.throwsAsync(startHere({ spec, fixture }), { instanceOf: ProblemsError })
    const places = placesIn(text).map(({ column, line }) => `${fixture}:${line}:${column}`)
    const lines = expected.map((problem, index) => `${places[index]}  ${problem}`)
    t.deepEqual(error?.message.split('\n').toSorted(), lines.toSorted())

    const double = await servePlants(t, [{ id: 'moss', name: 'Moss' }])
    const before = await everything(double)
    const document = JSON.parse(plain) as FixtureDocument
    for (const [method, path, body] of [
      ['PUT', '/state', document],
      ['POST', '/reset', { fixture: document }],
      ['POST', '/sandboxes', { fixture: document }],
    ] as const) {
      const reply = await control(double, method, path, body)
      assertError(t, reply, 400)
      for (const problem of expected) {
        const [pointer = '', what = ''] = problem.split('  ')
        const says = String(asObject(json(reply))['message'])
        t.true(says.includes(what) || says.includes(pointer.slice(2).replaceAll('/', '.')), `${what} in ${says}`)
      }
    }
    t.deepEqual(await everything(double), before)
    t.is(asList(json(await get(double, '/plants', as('ada')))).length, 1)
  })

test('a state file of another contract is refused with every problem, and does not change', async (t) => {
  const text = `{\n  ${callers},\n  "$seed": { "fixture": "default", "sha256": "0" },\n  ▸"insights": [\n    { "content": "x" }\n  ],\n  "plants": [\n    ▸{ "content": "x" }\n  ]\n}\n`
  const state = await writeTemporary(t, 'state.json', text.replaceAll('▸', ''))
  const fixture = await writeTemporary(t, 'default.json', { $callers: plantCallers })
  const spec = await writePlantsSpec(t)
  const words = ['--port', '0', '--spec', spec, '--state', state, '--fixture', fixture]
  const { code, stderr, stdout } = await run(t, words)
  t.deepEqual({ code, stdout }, { code: 2, stdout: '' })
  const [collection, record] = placesIn(text).map(({ column, line }) => `${state}:${line}:${column}`)
  const hint = 'or start from the fixture with --fresh'
  t.deepEqual(stderr.trimEnd().split('\n'), [
    `${collection}  #/insights  there is no collection "insights"  use plants, ${hint}`,
    `${record}  #/plants/0  must have required property 'name'  correct the value, ${hint}`,
  ])
  t.is(await readFile(state, 'utf8'), text.replaceAll('▸', ''))
})

test('with --watch, a changed spec that the state does not match is refused, and the old contract stays until they match', async (t) => {
  const spec = await writePlantsSpec(t)
  const { onReload, reload } = listenToReloads()
  const fern = { id: 'fern', name: 'Fern' }
  const plants = [fern, { id: 'moss', name: 'Moss', height: 3 }]
  const double = await serve(t, { spec, fixture: { $callers: plantCallers, plants }, watch: true, onReload })
  // The file changes before the double loads it.
  validateWith(double, await writePlantsSpec(t))
  const { properties } = plantSchema
  const height = { type: 'integer', maximum: 2 }
  const stricter = { ...plantSchema, properties: { ...(properties as object), height } }
  const before = await everything(double)
  await replaceFile(spec, JSON.stringify(plantsSpec({ schema: stricter })))
  const { problem } = await reload()
  const what = 'the current state does not match the changed contract: height must be <= 2'
  t.is(problem?.message, `${spec}  #/plants/1/height  ${what}  correct the value, or reset first`)
  t.deepEqual(await everything(double), before)
  t.is((await get(double, '/plants/moss', as('ada'))).status, 200)
  t.is((await del(double, '/plants/moss', as('ada'))).status, 204)

  await replaceFile(spec, `${JSON.stringify(plantsSpec({ schema: stricter }))}\n`)
  t.is((await reload()).problem, undefined)
  t.deepEqual((await double.state())['plants'], plants.slice(0, 1))
  const { message } = asObject(json(await control(double, 'PUT', '/state', { $callers: plantCallers, plants })))
  t.regex(String(message), /height must be <= 2/u)
})
