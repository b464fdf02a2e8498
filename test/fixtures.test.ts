import { symlink } from 'node:fs/promises'
import { join } from 'node:path'

import { Ajv } from 'ajv'
import test from 'ava'
import { parse, stringify } from 'yaml'

import { asList, asObject, type JsonObject, pluck } from './helpers/as-object-or-list.js'
import { serve } from './helpers/double.js'
import { readFixture, readPackageFile, readSpec, temporaryFolder, visibleIn, writeTemporary } from './helpers/files.js'
import { as, del, get, idsSeenBy, json } from './helpers/http.js'
import { isDateTime } from './helpers/independent-validator.js'
import { fixtures, unmarked } from './helpers/refusals.js'

const files = ['default.json', 'empty.json', 'many.json', 'edge-cases.yaml']

test('the fixtures of the package are default, edge-cases, empty and many', async (t) => {
  const listed = await (await serve(t)).fixtures()
  t.deepEqual(pluck(listed, 'name'), ['default', 'edge-cases', 'empty', 'many'])
  for (const { description, name } of listed) t.regex(String(description), /^\S.{10,}\S$/u, name)
})

for (const file of files)
  test(`every caller of ${file} gets its records unchanged, in the order of the file`, async (t) => {
    const fixture = await readFixture(file)
    const double = await serve(t, { fixture: file.replace(/\..*/u, '') })
    const names = Object.keys(asObject(fixture['$callers'])).filter((name) => name !== 'guest')
    t.deepEqual(names, ['ada', 'grace', 'alan'])
    for (const name of names)
      t.deepEqual(json(await get(double, '/insights', as(name))), visibleIn(fixture, name), name)
  })

test('default has insights for every caller, for two callers and for one caller', async (t) => {
  const { insights } = await readFixture('default.json')
  const access = asList(insights).map((insight) => asObject(insight)['$access'])
  t.true(access.includes(undefined))
  for (const many of [1, 2]) t.true(access.some((names) => names !== undefined && asList(names).length === many))
})

const some = (pattern: RegExp) => (insight: JsonObject) =>
  Object.values(insight).some((value) => pattern.test(String(value)))
const edgeCases: Readonly<Record<string, (insight: JsonObject) => boolean>> = {
  'only content': (insight) => Object.keys(insight).join() === 'content',
  'an empty title': ({ title }) => title === '',
  'empty content': ({ content: text }) => text === '',
  'very long text': ({ content: text }) => String(text).length > 5000,
  Arabic: some(/\p{Script=Arabic}/u),
  Hebrew: some(/\p{Script=Hebrew}/u),
  'emoji of several code points': some(/\p{Emoji}\u200D\p{Emoji}/u),
  'combining marks': some(/[a-z]\p{Mn}/u),
  HTML: some(/<b>.*&amp;/u),
  'a script element': some(/<script>alert/u),
  'a time with an offset of :45': ({ createdAt }) => /[+-]\d\d:45$/u.test(String(createdAt)),
  'access for nobody': ({ $access: access }) => Array.isArray(access) && access.length === 0,
  'an id of 128 characters': ({ id }) => String(id).length === 128,
}
for (const [title, isOne] of Object.entries(edgeCases))
  test(`edge-cases has an insight with ${title}`, async (t) => {
    t.true(asList((await readFixture('edge-cases.yaml'))['insights']).some((insight) => isOne(asObject(insight))))
  })

test('edge-cases has two insights with the same time', async (t) => {
  const insights = asList((await readFixture('edge-cases.yaml'))['insights'])
  const times = insights.flatMap((insight) => asObject(insight)['createdAt'] ?? [])
  t.true(new Set(times).size < times.length)
})

const document = {
  $description: 'For the tests',
  $callers: { ada: { token: 'ada-token' }, grace: { token: 'grace-token' }, guest: { token: '*' } },
  insights: [
    { content: 'For all.' },
    { id: 'own', content: 'For ada.', title: 'é\u0301 \u{1F331} "quoted" \\ # : - ', $access: ['ada'] },
    { content: 'For all again.', createdAt: '2026-01-05T09:30:00.5+05:45', tag: '', source: 'null' },
    { id: 'nobody', content: 'For nobody.', $access: [] },
  ],
}

test('a symlink in the folder of fixtures is a fixture if it points to a file', async (t) => {
  const folder = await temporaryFolder(t)
  const file = await writeTemporary(t, 'real.json', '{"$callers":{"ada":{"token":"ada-token"}},"insights":[]}')
  await symlink(file, join(folder, 'linked.json'))
  await symlink(folder, join(folder, 'folder.json'))
  await symlink('/dev/zero', join(folder, 'device.json'))
  // Emacs creates such a symlink to lock a file.
  await symlink('ada@host.1:2', join(folder, '.#linked.json'))
  t.deepEqual(pluck(await (await serve(t, { fixtures: folder, fixture: 'linked' })).fixtures(), 'name'), ['linked'])
})

test('an insight without an id gets an id from its position, and every caller has access to an insight without $access', async (t) => {
  const fixture = await writeTemporary(t, 'mine.json', document)
  const double = await serve(t, { fixture })
  t.deepEqual(await idsSeenBy(double, 'ada'), ['insight-1', 'own', 'insight-3'])
  t.deepEqual(await idsSeenBy(double, 'grace'), ['insight-1', 'insight-3'])
  t.deepEqual(await idsSeenBy(double, 'somebody'), ['insight-1', 'insight-3'])
  t.is((await del(double, '/insights/insight-3', as('grace'))).status, 204)
  t.deepEqual(await idsSeenBy(double, 'ada'), ['insight-1', 'own'])
})

test('the same fixture as JSON and as YAML gives the same responses, byte for byte', async (t) => {
  const texts = {
    json: JSON.stringify(document),
    yaml: stringify(document),
    yml: stringify(document, { defaultStringType: 'QUOTE_DOUBLE', collectionStyle: 'flow' }),
  }
  const replies: string[] = []
  for (const [extension, text] of Object.entries(texts)) {
    const double = await serve(t, { fixture: await writeTemporary(t, `mine.${extension}`, text) })
    const [ada, guest] = [await get(double, '/insights', as('ada')), await get(double, '/insights', as('guest'))]
    t.is(ada.status, 200)
    replies.push(`${ada.text}\n${guest.text}`)
  }
  t.is(new Set(replies).size, 1)
  t.deepEqual(JSON.parse(replies[0]?.split('\n')[0] ?? ''), visibleIn(document, 'ada'))
})

for (const name of ['constructor', '__proto__', 'toString'])
  test(`a caller can be named ${name}`, async (t) => {
    const text = `{ "$callers": { "${name}": { "token": "t" }, "ada": { "token": "ada-token" } }, "insights": [{ "content": "x", "$access": ["${name}"] }] }`
    for (const extension of ['json', 'yaml']) {
      const double = await serve(t, { fixture: await writeTemporary(t, `mine.${extension}`, text) })
      const reply = await get(double, '/insights', { authorization: 'Bearer t' })
      t.deepEqual(json(reply), [{ id: 'insight-1', content: 'x' }])
      t.deepEqual(json(await get(double, '/insights', as('ada'))), [])
    }
  })

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
const withInsight = (insight: unknown): object => ({ $callers: callers, insights: [insight] })
const withCallers = ($callers: unknown): object => ({ $callers, insights: [] })
const content = 'Ferns.'

const texts = { tag: '', title: '\u{1F331}', source: 'x' }
const createdAt = '2024-02-29T23:59:59.123+14:00'
const good: Readonly<Record<string, object>> = {
  'no insights': { $callers: callers, insights: [] },
  'a schema and a description': { $schema: '../spec/a.json', $description: '', $callers: callers, insights: [] },
  'an insight with only content': withInsight({ content: '' }),
  'an insight with every field': withInsight({
    id: 'a.B_c~d-9',
    content,
    ...texts,
    createdAt,
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

for (const [title, fixture] of Object.entries(good))
  test(`the double and the fixture schema accept a fixture with ${title}`, async (t) => {
    const check = await schemaCheck
    t.true(check(fixture), JSON.stringify(check.errors))
    await t.notThrowsAsync(serve(t, { fixture: await writeTemporary(t, 'mine.json', fixture) }))
  })

for (const file of files)
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
