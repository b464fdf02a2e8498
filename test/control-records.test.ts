import test from 'ava'
import type { DoubleHandle } from 'insights-double'

import { asList, asObject } from './helpers/as-object-or-list.js'
import { changesIn, control, serve, testOnDouble } from './helpers/double.js'
import { as, assertError, del, get, idsSeenBy, type Reply, sendJson } from './helpers/http.js'
import { servePlants, writeContract } from './helpers/plants-spec.js'
import { body, inPath, integer, listOf, object, text as anyText } from './resources/plants-contract.js'

function recordPath(collection: string, key: string, version?: unknown): string {
  const query = new URLSearchParams({ collection, key })
  if (typeof version === 'string') query.set('version', version)
  return `/record?${query.toString()}`
}

const json = ({ text }: Reply): ReturnType<typeof asObject> => asObject(JSON.parse(text))

const stored = async (double: DoubleHandle, key: string): Promise<ReturnType<typeof asObject>> =>
  json(await control(double, 'GET', recordPath('insights', key)))

/** Lists records. @returns Their keys and the counts. */
async function list(double: DoubleHandle, query: Readonly<Record<string, string>>) {
  const search = new URLSearchParams({ collection: 'insights', ...query })
  const { text } = await control(double, 'GET', `/records?${search.toString()}`)
  const { matched, records, total } = asObject(JSON.parse(text))
  return { keys: asList(records).map((each) => asObject(each)['key']), matched, total, bytes: text.length }
}

test('records are filtered, sorted and paged', async (t) => {
  const insights = [
    { id: 'b', content: 'second', title: 'Ten 10' },
    { id: 'a', content: 'FIRST', title: 'Ten 9', $access: ['ada'] },
    { id: 'c', content: 'third' },
  ]
  const fixture = { $callers: { ada: { token: 'a-token' }, grace: { token: 'g-token' } }, insights }
  const double = await serve(t, { fixture })
  t.deepEqual((await list(double, {})).keys, ['b', 'a', 'c'])
  t.deepEqual((await list(double, { sort: 'id' })).keys, ['a', 'b', 'c'])
  t.deepEqual((await list(double, { sort: 'title' })).keys, ['a', 'b', 'c'])
  t.deepEqual((await list(double, { sort: 'title', order: 'desc' })).keys, ['b', 'a', 'c'], 'without a title: last')
  t.deepEqual((await list(double, { sort: '$access' })).keys, ['a', 'b', 'c'])
  t.deepEqual((await list(double, { q: 'first' })).keys, ['a'])
  t.like(await list(double, { q: 'ten', offset: '1', limit: '1' }), { keys: ['a'], matched: 2, total: 3 })
  t.deepEqual((await list(double, { caller: 'grace' })).keys, ['b', 'c'])
  t.deepEqual((await list(double, { caller: 'nobody' })).keys, ['b', 'c'])
  t.deepEqual((await list(double, { offset: '5' })).keys, [])
  t.is((await double.requests()).matched, 0)
})

test('each record of a page has its changes, and a limited diff has the number of all changes', async (t) => {
  const long = 'x'.repeat(50)
  const insights = ['a', 'b', 'c', 'd'].map((id) => ({ id, content: `${long} before`, title: id }))
  const double = await serve(t, { fixture: { $callers: { ada: { token: 'a-token' } }, insights } })
  const page = async (query: string): Promise<readonly unknown[]> =>
    asList(json(await control(double, 'GET', `/records?collection=insights${query}`))['records'])
  const isUnchanged = (each: unknown): boolean => !('added' in asObject(each) || 'changed' in asObject(each))
  t.true((await page('')).every(isUnchanged))
  t.deepEqual((await changesIn(double)).counts, undefined)
  for (const id of ['b', 'c'])
    await control(double, 'PUT', recordPath('insights', id), { id, content: `${long} after`, tag: 'new' })
  await control(double, 'DELETE', recordPath('insights', 'a'))
  await control(double, 'DELETE', recordPath('insights', 'd'))
  for (const id of ['e', 'f']) await control(double, 'POST', '/records?collection=insights', { id, content: 'x' })
  const content = { before: `${long} before`, after: `${long} after` }
  const changes = { content, tag: { after: 'new' } }
  const withTitle = (id: string): object => ({ ...changes, title: { before: id } })
  const whole = await page('')
  t.like(whole[0], { key: 'b', changed: withTitle('b') })
  t.like(whole[2], { key: 'e', added: true })
  t.true((await page('&q=nothing')).length === 0)
  const cut = { before: '…xxxx before', after: '…xxxx after' }
  t.like((await page('&cutAt=11'))[0], { changed: { ...withTitle('b'), content: cut } })
  const diff = async (query: string): Promise<unknown> =>
    asObject(json(await control(double, 'GET', `/state/diff${query}`))['collections'])['insights']
  const counts = { added: 2, removed: 2, changed: 2 }
  const changed = { b: withTitle('b'), c: withTitle('c') }
  t.deepEqual(await diff(''), { added: ['e', 'f'], removed: ['a', 'd'], changed })
  const cutChanged = { b: { ...withTitle('b'), content: cut } }
  t.deepEqual(await diff('?limit=1&cutAt=11'), { added: ['e'], removed: ['a'], changed: cutChanged, counts })
  t.deepEqual(await diff('?limit=0'), { added: [], removed: [], changed: {}, counts })
  t.is((await control(double, 'GET', '/state/diff?limit=-1')).status, 400)
  await control(double, 'PUT', '/state', JSON.parse((await control(double, 'GET', '/state')).text))
  t.true((await page('')).every(isUnchanged), 'PUT moves the baseline')
})

test('a page of 50 of 10,000 long records has less than 100 kB if its values are cut', async (t) => {
  const insights = Array.from({ length: 10_000 }, (_, index) => ({ content: `${index} ${'x'.repeat(2000)}` }))
  const double = await serve(t, { fixture: { $callers: { ada: { token: 'a-token' } }, insights } })
  const page = await list(double, { limit: '50', cutAt: '120', sort: 'content', order: 'desc', q: '99' })
  t.is(page.keys.length, 50)
  t.is(page.keys[0], 'insight-10000')
  t.true(page.bytes < 100_000, String(page.bytes))
})

test('an edited record is in the listing and in the diff, and a PUT of the old record reverts the edit', async (t) => {
  const double = await serve(t)
  const before = await stored(double, 'monstera-watering')
  const path = recordPath('insights', 'monstera-watering', before['version'])
  const edited = await control(double, 'PUT', path, { id: 'monstera-watering', content: 'new', $access: ['grace'] })
  t.is(edited.status, 200, edited.text)
  t.false((await idsSeenBy(double, 'ada')).includes('monstera-watering'))
  t.regex((await get(double, '/insights', as('grace'))).text, /"content":"new"/u)
  t.deepEqual(Object.keys((await changesIn(double)).changed), ['monstera-watering'])
  const { version } = json(edited)
  t.not(version, before['version'])
  const undone = await control(double, 'PUT', recordPath('insights', 'monstera-watering', version), before['record'])
  t.is(json(undone)['version'], before['version'])
  t.deepEqual(await changesIn(double), { added: [], removed: [], changed: {} })
})

test('a PUT or DELETE with an old version is refused, and the record keeps its last change', async (t) => {
  const double = await serve(t)
  const { record, version } = await stored(double, 'monstera-watering')
  await control(double, 'PUT', recordPath('insights', 'monstera-watering'), { ...asObject(record), title: 'other' })
  const path = recordPath('insights', 'monstera-watering', version)
  assertError(t, await control(double, 'PUT', path, record), 409)
  assertError(t, await control(double, 'DELETE', path), 409)
  t.is(asObject((await stored(double, 'monstera-watering'))['record'])['title'], 'other')
})

test('exactly one of ten parallel edits of a version succeeds, and all of ten parallel additions succeed', async (t) => {
  const double = await serve(t)
  const { version } = await stored(double, 'monstera-watering')
  const path = recordPath('insights', 'monstera-watering', version)
  const edit = (index: number): Promise<Reply> =>
    control(double, 'PUT', path, { id: 'monstera-watering', content: `edit ${index}` })
  const edits = await Promise.all(Array.from({ length: 10 }, (_, index) => edit(index)))
  t.is(edits.filter(({ status }) => status === 200).length, 1)
  t.is(edits.filter(({ status }) => status === 409).length, 9)
  const add = (index: number): Promise<Reply> =>
    control(double, 'POST', '/records?collection=insights', { id: `added-${index}`, content: 'x' })
  const added = await Promise.all(Array.from({ length: 10 }, (_, index) => add(index)))
  t.true(added.every(({ status }) => status === 201))
  t.is((await changesIn(double)).added.length, 10)
})

testOnDouble('an edit of a removed record does not add it again', async (t, double) => {
  const path = recordPath('insights', 'monstera-watering')
  await del(double, '/insights/monstera-watering', as('ada'))
  assertError(t, await control(double, 'PUT', path, { id: 'monstera-watering', content: 'x' }), 404)
})

test('an added record gets the id that a create would get, and the next create gets the next id', async (t) => {
  const double = await servePlants(t, [{ name: 'Fern' }])
  const { key } = json(await control(double, 'POST', '/records?collection=plants', { name: 'Ivy' }))
  t.is(key, 'plant-2')
  t.is(json(await sendJson(double, 'POST', '/plants', { name: 'Moss' }, as('ada')))['id'], 'plant-3')
})

test('collections with a slash in their name and records with parents can be addressed', async (t) => {
  const [owner, id] = [inPath('owner'), inPath('id')]
  const pathsOf = (area: string, more: object): object => {
    const tag = object({ id: anyText, name: anyText, ...more }, 'id', 'name')
    const [listing, read] = [body(listOf(tag)), body(tag)].map((shown) => ({ responses: { 200: shown } }))
    const onItem = { parameters: [owner, id], get: read }
    return { [`/${area}/{owner}/tags`]: { parameters: [owner], get: listing }, [`/${area}/{owner}/tags/{id}`]: onItem }
  }
  const spec = await writeContract(t, { ...pathsOf('shops', {}), ...pathsOf('farms', { size: integer }) })
  const tag = { id: '..', name: 'one', $parents: { owner: 'a/b' } }
  const double = await serve(t, { spec, fixture: { 'shops/tags': [tag] } })
  const names = (await double.collections()).collections.map(({ name }) => name)
  t.true(names.includes('shops/tags'), names.join())
  const key = '["a/b",".."]'
  const { record, version } = json(await control(double, 'GET', recordPath('shops/tags', key)))
  t.deepEqual<unknown, unknown>(record, tag)
  const renamed = { ...asObject(record), name: 'two' }
  const edited = await control(double, 'PUT', recordPath('shops/tags', key, version), renamed)
  t.is(edited.status, 200, edited.text)
  assertError(t, await control(double, 'POST', '/records?collection=shops/tags', { id: 'x', name: 'y' }), 400)
})
