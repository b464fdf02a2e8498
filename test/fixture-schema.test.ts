import { Ajv } from 'ajv'
import test from 'ava'
import { parse } from 'yaml'

import { asList, asObject, type JsonObject } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { readPackageFile, readSpec, writeTemporary } from './helpers/files.js'
import { fixtures, unmarked } from './helpers/refusals.js'

/** Checks the part of RFC 3339 that these fixtures need. It does not use the tested code. */
function isDateTime(text: string): boolean {
  const match = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/u.exec(text)
  const day = new Date(`${match?.[1] ?? ''}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(match?.[1] ?? '?')
}

const schemaCheck = readPackageFile('spec/fixture.schema.json').then((text) => {
  const ajv = new Ajv({ strict: true, allErrors: true, formats: { 'date-time': isDateTime } })
  return ajv.compile(asObject(JSON.parse(text)))
})

/** Fixtures that are refused although they are JSON. */
const refusedFixtures = fixtures.refused.flatMap(({ marked, title }) => {
  const text = unmarked(marked)
  try {
    JSON.parse(text)
    return title.startsWith('a repeated') ? [] : [{ title, text }]
  } catch {
    return []
  }
})

const callers = { ada: { token: 'ada-token' }, guest: { token: '*' } }
const withInsight = (insight: unknown): unknown => ({ $callers: callers, insights: [insight] })
const withCallers = (some: unknown): unknown => ({ $callers: some, insights: [] })
const content = 'Ferns.'

const good: Readonly<Record<string, unknown>> = {
  'no insights': { $callers: callers, insights: [] },
  'a schema and a description': { $schema: '../spec/a.json', $description: '', $callers: callers, insights: [] },
  'an insight with only content': withInsight({ content: '' }),
  'an insight with every field': withInsight({
    id: 'a.B_c~d-9',
    content,
    tag: '',
    title: '\u{1F331}',
    source: 'x',
    createdAt: '2024-02-29T23:59:59.123+14:00',
    $access: ['ada', 'guest'],
  }),
  'access for nobody': withInsight({ content, $access: [] }),
  'an id of 128 characters': withInsight({ id: 'x'.repeat(128), content }),
  'a token of all kinds of characters': withCallers({ ada: { token: 'aZ09-._~+/==' } }),
  'a token of 512 characters': withCallers({ ada: { token: 'x'.repeat(512) } }),
  'a caller name of 64 characters': withCallers({ ['a'.repeat(64)]: { token: 'x' } }),
  'a caller named constructor': withCallers({ constructor: { token: 'x' } }),
}

/** Rules that JSON Schema cannot express, by the title of a refused fixture. */
const beyond = /that two (?:callers|insights) have$|gets from its position$|^access of an unknown caller/u

for (const { title, text } of refusedFixtures)
  test(`the fixture schema ${beyond.test(title) ? 'accepts, and only the double refuses,' : 'refuses'} ${title}`, async (t) => {
    t.is((await schemaCheck)(JSON.parse(text)), beyond.test(title), title)
  })

for (const [title, document] of Object.entries(good))
  test(`the double and the fixture schema accept a fixture with ${title}`, async (t) => {
    const check = await schemaCheck
    t.true(check(document), JSON.stringify(check.errors))
    await t.notThrowsAsync(serve(t, { fixture: await writeTemporary(t, 'mine.json', JSON.stringify(document)) }))
  })

for (const file of ['default.json', 'empty.json', 'many.json', 'edge-cases.yaml'])
  test(`${file} follows the fixture schema`, async (t) => {
    const check = await schemaCheck
    t.true(check(parse(await readPackageFile(`fixtures/${file}`))), JSON.stringify(check.errors))
  })

test('the insight of the fixture schema has the properties and rules of the contract, and $access', async (t) => {
  const schemas = asObject(asObject((await readSpec())['components'])['schemas'])
  const contract = asObject(schemas['Insight'])
  const schema = asObject(JSON.parse(await readPackageFile('spec/fixture.schema.json')))
  const list = asObject(asObject(schema['properties'])['insights'])
  const { properties, required } = asObject(list['items'])
  const fields = asObject(contract['properties'])
  t.deepEqual(Object.keys(asObject(properties)).toSorted(), [...Object.keys(fields), '$access'].toSorted())
  // A fixture may omit values that the service creates.
  const owned = Object.keys(fields).filter((name) => asObject(fields[name])['readOnly'] === true)
  t.deepEqual(owned, ['id'])
  t.deepEqual([...owned, ...asList(required)], contract['required'])
  for (const [name, field] of Object.entries(fields)) {
    const { $ref, ...own } = asObject(field)
    const target = asObject($ref === undefined ? {} : schemas[($ref as string).replace('#/components/schemas/', '')])
    const rulesOf = ({ format, pattern, type }: JsonObject): JsonObject => ({ format, pattern, type })
    t.deepEqual(rulesOf(asObject(asObject(properties)[name])), rulesOf({ ...target, ...own }), name)
  }
})
