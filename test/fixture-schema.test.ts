import { Ajv } from 'ajv'
import test from 'ava'
import { ProblemsError } from 'insights-double'
import { parse } from 'yaml'

import type { JsonObject } from './helpers/as-object-or-list.js'
import { asList, asObject } from './helpers/as-object-or-list.js'
import { startDouble } from './helpers/double.js'
import { readPackageFile, readSpec } from './helpers/read-repository-file.js'
import { writeTemporary } from './helpers/temporary-files.js'

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

const callers = { ada: { token: 'ada-token' }, guest: { token: '*' } }
const withInsight = (insight: unknown): unknown => ({ $callers: callers, insights: [insight] })
const withCallers = (some: unknown): unknown => ({ $callers: some, insights: [] })
const content = 'Ferns.'

const good: Readonly<Record<string, unknown>> = {
  'no insights': { $callers: callers, insights: [] },
  'a schema and a description': {
    $schema: '../spec/fixture.schema.json',
    $description: '',
    $callers: callers,
    insights: [],
  },
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

const bad: Readonly<Record<string, unknown>> = {
  'null in place of the object': null,
  'a list in place of the object': [1],
  'a number in place of the object': 42,
  'no keys': {},
  'no callers': { insights: [] },
  'the key callers in place of $callers': { callers, insights: [] },
  'an unknown key': { $callers: callers, insights: [], note: 1 },
  'a schema that is a number': { $schema: 1, $callers: callers, insights: [] },
  'a description that is null': { $description: null, $callers: callers, insights: [] },
  'an empty object of callers': withCallers({}),
  'callers that are a list': withCallers([]),
  'a caller that is a word': withCallers({ ada: 'ada-token' }),
  'a caller without a token': withCallers({ ada: {} }),
  'a caller with an unknown key': withCallers({ ada: { token: 'x', role: 'y' } }),
  'a caller without a name': withCallers({ '': { token: 'x' } }),
  'a caller name with a space': withCallers({ 'a b': { token: 'x' } }),
  'a caller name of 65 characters': withCallers({ ['a'.repeat(65)]: { token: 'x' } }),
  'a token that is a number': withCallers({ ada: { token: 1 } }),
  'an empty token': withCallers({ ada: { token: '' } }),
  'a token with a space': withCallers({ ada: { token: 'a b' } }),
  'a token with = in the middle': withCallers({ ada: { token: 'a=b' } }),
  'a token of two stars': withCallers({ ada: { token: '**' } }),
  'a token that ends in a line feed': withCallers({ ada: { token: 'a\n' } }),
  'a token of 513 characters': withCallers({ ada: { token: 'x'.repeat(513) } }),
  'insights that are an object': { $callers: callers, insights: {} },
  'an insight that is a word': withInsight('x'),
  'an insight without content': withInsight({ title: 'x' }),
  'an insight with an unknown key': withInsight({ content, color: 'green' }),
  'content that is null': withInsight({ content: null }),
  'a title that is a number': withInsight({ content, title: 1 }),
  'a tag that is a list': withInsight({ content, tag: [] }),
  'a source that is false': withInsight({ content, source: false }),
  'an id that is null': withInsight({ content, id: null }),
  'an empty id': withInsight({ content, id: '' }),
  'an id with a slash': withInsight({ content, id: 'a/b' }),
  'an id of 129 characters': withInsight({ content, id: 'x'.repeat(129) }),
  'a time with a space': withInsight({ content, createdAt: '2026-01-05 09:30:00Z' }),
  'a time without a zone': withInsight({ content, createdAt: '2026-01-05T09:30:00' }),
  'a time on 30 February': withInsight({ content, createdAt: '2026-02-30T09:30:00Z' }),
  'a time that is a number': withInsight({ content, createdAt: 0 }),
  'access that is a word': withInsight({ content, $access: 'ada' }),
  'access that is null': withInsight({ content, $access: null }),
  'access that contains a number': withInsight({ content, $access: [1] }),
  'access of one caller twice': withInsight({ content, $access: ['ada', 'ada'] }),
}

/** Fixtures that break rules which JSON Schema cannot express. */
const beyond: Readonly<Record<string, unknown>> = {
  'the same id twice': {
    $callers: callers,
    insights: [
      { id: 'x', content },
      { id: 'x', content },
    ],
  },
  'an id that another insight gets from its position': {
    $callers: callers,
    insights: [{ id: 'insight-2', content }, { content }],
  },
  'the same token twice': withCallers({ ada: { token: 'x' }, grace: { token: 'x' } }),
  'access of an unknown caller': withInsight({ content, $access: ['eve'] }),
}

const verdicts = [
  ...Object.entries(good).map((entry) => [...entry, true, true] as const),
  ...Object.entries(bad).map((entry) => [...entry, false, false] as const),
  ...Object.entries(beyond).map((entry) => [...entry, true, false] as const),
]
for (const [title, document, isSoundBySchema, isTaken] of verdicts) {
  const verdict = isTaken
    ? 'the double and the fixture schema accept'
    : isSoundBySchema
      ? 'the double refuses, and the fixture schema accepts,'
      : 'the double and the fixture schema refuse'
  test(`${verdict} a fixture with ${title}`, async (t) => {
    const check = await schemaCheck
    t.is(check(document), isSoundBySchema, JSON.stringify(check.errors))
    const fixture = await writeTemporary(t, 'mine.json', JSON.stringify(document))
    const start = async (): Promise<void> => {
      const double = await startDouble({ fixture })
      t.teardown(() => double.stop())
    }
    if (isTaken) await t.notThrowsAsync(start)
    else await t.throwsAsync(start, { instanceOf: ProblemsError })
  })
}

for (const file of ['default.json', 'empty.json', 'many.json', 'edge-cases.yaml']) {
  test(`${file} follows the fixture schema`, async (t) => {
    const check = await schemaCheck
    t.true(check(parse(await readPackageFile(`fixtures/${file}`))), JSON.stringify(check.errors))
  })
}

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
