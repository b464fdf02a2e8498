import test, { type ExecutionContext } from 'ava'

import { asList, asObject, type JsonObject, pluck } from './helpers/as-object-or-list.js'
import { exits, run, runProcess } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { writeTemporary } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { body, inPath, integer, listOf, object, ref, text, time } from './resources/plants-contract.js'
import { contract, crud } from './resources/rules-contract.js'

/** Tests the records of a contract without a fixture: those of its examples, and generated ones. */

interface Collection {
  readonly properties: JsonObject
  /** Default: only the id. */
  readonly required?: readonly string[]
  readonly example?: unknown
}

/** The contract of collections, each by its path, such as `/users`, or below a parent. */
function shopOf(collections: Readonly<Record<string, Collection>>): object {
  const operations = Object.entries(collections).map(([path, { example, properties, required = [] }]) => {
    const schema = object({ id: { ...text, readOnly: true }, ...properties }, 'id', ...required)
    const listed = { response: { ...listOf(schema), ...(example === undefined ? {} : { example }) } }
    return { ...crud(path, { request: schema, response: schema }), [`GET ${path}`]: listed }
  })
  return contract(Object.assign({}, ...operations), {})
}

/** A collection whose records have all properties. */
const full = (properties: JsonObject): Collection => ({ properties, required: Object.keys(properties) })

const write = (t: ExecutionContext, document: object): Promise<string> => writeTemporary(t, 'spec.json', document)

/** Prints the fixture of a contract. */
async function generate(t: ExecutionContext, document: object, ...flags: readonly string[]) {
  const { stderr, stdout } = await exits(t, 0, ['fixture', '--spec', await write(t, document), ...flags])
  t.is(stderr, '')
  return JSON.parse(stdout) as Readonly<Record<string, readonly JsonObject[]>>
}

const some = { ...listOf(text), minItems: 1 }
const cat = { ...object({ cat: text }, 'cat'), additionalProperties: false }

const someWith = (...names: readonly string[]): JsonObject => ({
  ...listOf(object(Object.fromEntries(names.map((name) => [name, text])), ...names)),
  minItems: 1,
})

const email = { ...text, format: 'email' }
const user = { firstName: text, lastName: text, email, logins: someWith('userId'), orders: someWith('id', 'userId') }
const ofOrder = { user: object({ id: text, lastName: text }, 'id'), productIds: some }
const product = { name: text, price: { type: 'number', minimum: 0 }, createdAt: time, updatedAt: time }
const shop: Readonly<Record<string, Collection>> = {
  '/users': { properties: user, required: ['logins', 'orders'] },
  '/orders': { properties: { userId: text, ...ofOrder } },
  '/products': { properties: product },
  '/users/{userId}/notes': { properties: { text } },
}

const values: readonly (readonly [name: string, schema: JsonObject, expected: RegExp])[] = [
  ['email', text, /^"[a-z]+\.[a-z]+@example\.(?:com|org|net)"$/u],
  ['homepage', text, /^"https:\/\/example\.(?:com|org|net)\//u],
  ['avatarUrl', { type: 'string', format: 'uri' }, /^"https:\/\/example\.com\/images\/thing-\d+\.jpg"$/u],
  ['phone', text, /^"\+1-\d{3}-555-01\d\d"$/u],
  ['phoneNumber', { type: 'string', pattern: '^\\+[1-9]\\d{1,14}$' }, /^"\+1\d{3}55501\d\d"$/u],
  ['ipAddress', text, /^"(?:192\.0\.2|198\.51\.100|203\.0\.113)\.\d+"$/u],
  ['address6', { type: 'string', format: 'ipv6' }, /^"2001:db8::[\da-f]+"$/u],
  ['currency', { type: 'string', minLength: 3, maxLength: 3 }, /^"[A-Z]{3}"$/u],
  ['latitude', { type: 'number' }, /^-?\d+\.\d+$/u],
  ['price', { type: 'number', multipleOf: 0.01 }, /^\d+(?:\.\d\d?)?$/u],
  ['percentage', { type: 'integer', minimum: 7, maximum: 8 }, /^[78]$/u],
  ['ratio', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5, multipleOf: 0.25 }, /^0\.25$/u],
  ['size', { type: 'integer', multipleOf: 12, minimum: 1, maximum: 30 }, /^(?:12|24)$/u],
  ['code', { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' }, /^"[A-Z]{3}-\d{4}"$/u],
  ['odd', { type: 'string', pattern: '^(?=a)(a|b)c\\1?$' }, /^"ac/u],
  ['short', { type: 'string', maxLength: 4 }, /^".{1,4}"$/u],
  ['long', { type: 'string', minLength: 300 }, /^".{300,}"$/u],
  ['seen', { type: 'string', example: '2025-11-23T14:30:00Z' }, /^"20\d\d-[01]\d-[0-3]\dT/u],
  ['noted', { ...text, example: '2020-12-03 19:04:58.697' }, /^"20\d\d-[01]\d-[0-3]\d [0-2]\d:[0-5]\d:\d\d\.000"$/u],
  ['user_updated', text, /^"[A-Z]\p{L}+ [A-Z].+"$/u],
  ['archived', { type: 'boolean' }, /^false$/u],
  ['deletedAt', { type: ['string', 'null'], format: 'date-time' }, /^null$/u],
  ['duration', { type: 'string', description: 'In seconds' }, /^"\d+"$/u],
  ['create_time', text, /^"20\d\d-[01]\d-[0-3]\dT/u],
  ['createdAt', { type: 'integer', description: 'In milliseconds' }, /^1\d{9}000$/u],
  ['permissions', { ...some, example: ['a:read', 'b.write'] }, /^\[(?:"a:read"|"b\.write"|,)+\]$/u],
  ['isNew', { type: 'boolean', default: true }, /^true$/u],
  ['kind', { const: 'fixed' }, /^"fixed"$/u],
  ['codes', { type: 'array', items: { enum: [1, 2] }, minItems: 2, uniqueItems: true }, /^\[(?:1,2|2,1)\]$/u],
  ['either', { oneOf: [cat, { type: 'null' }] }, /^(?:\{"cat":".+"\}|null)$/u],
  ['all', { allOf: [{ type: 'object', properties: { a: { const: 1 } } }, { required: ['a'] }] }, /^\{"a":1\}$/u],
  ['only', { type: 'string', not: { minLength: 1 } }, /^""$/u],
]

test('the name, the format and the bounds of a property choose its value', async (t) => {
  const properties = Object.fromEntries(values.map(([name, schema]) => [name, schema]))
  const { things = [] } = await generate(t, shopOf({ '/things': full(properties) }), '--records', '12')
  t.is(things.length, 12)
  for (const [name, , expected] of values)
    for (const thing of things) t.regex(JSON.stringify(thing[name]), expected, name)
})

test('an optional property that a new record does not have is absent, and enums are spread', async (t) => {
  const properties = { cancelledAt: time, status: { enum: ['open', 'done', 'late'] } }
  const { tasks = [] } = await generate(t, shopOf({ '/tasks': { properties } }), '--records', '6')
  t.true(tasks.every((task) => !('cancelledAt' in task)))
  for (const status of ['open', 'done', 'late']) t.is(tasks.filter((task) => task['status'] === status).length, 2)
})

test('what the contract shows as an id is that of a record, and one that has a greatest one is no greater', async (t) => {
  const numbers = { current_battery: integer, max_battery: integer }
  const lists = { depends_on: listOf(text) }
  const properties = { id: { ...text, example: 'BOX-007' }, ...numbers, ...lists }
  const { boxes = [] } = await generate(t, shopOf({ '/boxes': full(properties) }), '--records', '12')
  t.deepEqual(pluck(boxes, 'id').slice(0, 2), ['BOX-007', 'box-2'])
  t.true(boxes.every(({ current_battery: current, max_battery: most }) => Number(current) <= Number(most)))
  for (const others of pluck(boxes, 'depends_on')) t.notRegex(String(others), /^\d{4}-/u)
})

test('the name and the slug of a record agree', async (t) => {
  const { leagues = [] } = await generate(t, shopOf({ '/leagues': full({ name: text, slug: text }) }))
  for (const { name, slug } of leagues) t.is(slug, String(name).toLowerCase().replaceAll(' ', '-'))
})

test('one record is the primary one', async (t) => {
  const { mails = [] } = await generate(t, shopOf({ '/mails': full({ isPrimary: { type: 'boolean' } }) }))
  t.deepEqual(pluck(mails, 'isPrimary'), [true, false, false, false, false])
})

test('dates lie before now and agree', async (t) => {
  const names = ['createdAt', 'startDate', 'updatedAt', 'endDate', 'expiresAt', 'birthday']
  const schemas = names.map((name) => ({ ...text, format: /(?:Date|day)$/u.test(name) ? 'date' : 'date-time' }))
  const properties = Object.fromEntries(names.map((name, at) => [name, schemas[at]]))
  for (const [now, flags] of Object.entries({ '2026-01-01': [], '2020-05-05': ['--now', '2020-05-05T00:00:00Z'] })) {
    const { events = [] } = await generate(t, shopOf({ '/events': full(properties) }), '--records', '50', ...flags)
    t.is(events.length, 50)
    for (const event of events) {
      const times = names.slice(0, 5).map((name) => Date.parse(String(event[name])))
      const inOrder = times.toSorted((one, other) => one - other)
      t.deepEqual(times, inOrder, JSON.stringify(event))
      t.true(Math.max(...times) < Date.parse(now))
      t.true(Number(String(event['birthday']).slice(0, 4)) < 2010)
    }
  }
})

test('references and parents are ids of records', async (t) => {
  const { notes = [], orders = [], products = [], users = [] } = await generate(t, shopOf(shop), '--records', '8')
  const idsOf = (records: readonly JsonObject[]): ReadonlySet<unknown> => new Set(records.map(({ id }) => id))
  t.deepEqual(pluck([users, orders, products, notes], 'length'), [8, 8, 8, 8])
  for (const { productIds = [], user: own, userId } of orders) {
    if (userId !== undefined) t.true(idsOf(users).has(userId))
    for (const id of asList(productIds)) t.true(idsOf(products).has(id))
    if (own === undefined) continue
    const { id, lastName } = asObject(own)
    const real = users.find((each) => each['id'] === id)
    t.truthy(real)
    t.true(lastName === undefined || lastName === real?.['lastName'])
  }
  for (const { id, logins, orders: own } of users)
    for (const inside of [...asList(logins), ...asList(own)]) t.is(asObject(inside)['userId'], id)
  for (const { $parents } of notes) t.true(idsOf(users).has(asObject($parents)['userId']))
})

/** The contract of collections below clubs. @param club - The parameter of their paths. */
function clubsOf(club: JsonObject, properties: JsonObject, ...names: readonly string[]): object {
  const response = object({ id: text, ...properties }, 'id')
  const operations = names.flatMap((name) => Object.entries(crud(`/clubs/{club}/${name}`, { response })))
  const withParameters = operations.map(([key, line]) => {
    const parameters = [club, ...(key.includes('{id}') ? [inPath('id')] : [])]
    return [key, { ...line, with: { parameters } }]
  })
  return contract(Object.fromEntries(withParameters), {})
}

test('a parent that no collection has is one that the path accepts', async (t) => {
  const club = inPath('club', { ...text, pattern: '^C[0-9]{3}$' })
  const { notes = [] } = await generate(t, clubsOf(club, { club: text }, 'notes'))
  t.true(notes.length > 0)
  for (const note of notes) t.regex(String(note['club']), /^C\d{3}$/u)
})

test('records below a parent that no collection has are below the same one, of the example of its parameter', async (t) => {
  const club = { ...inPath('club'), example: 'C042' }
  const { notes = [], songs = [] } = await generate(t, clubsOf(club, {}, 'notes', 'songs'))
  // What names one record is not shared, although a path has it.
  const User = object({ id: text, email: text }, 'id', 'email')
  const operations = { ...crud('/people', { response: User }), 'GET /people/by/{email}': { response: listOf(User) } }
  const { people = [] } = await generate(t, contract(operations, {}))
  t.is(new Set(pluck(people, 'email')).size, 5)
  t.is(notes.length, 5)
  for (const { $parents } of [...notes, ...songs]) t.deepEqual($parents, { club: 'C042' })
})

test('the items of a list have the values that a create lists for them', async (t) => {
  const request = object({ events: { type: 'array', items: { enum: ['a', 'b'] } } }, 'events')
  const response = object({ id: text, events: listOf(text) }, 'id')
  const { hooks = [] } = await generate(t, contract(crud('/hooks', { request, response }), {}))
  for (const event of hooks.flatMap(({ events }) => asList(events))) t.regex(String(event), /^[ab]$/u)
})

test('a generated record has what a create requires', async (t) => {
  const names = Array.from({ length: 20 }, (_, index) => `part${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, text]))
  const response = object({ id: text, ...properties }, 'id')
  const operations = crud('/parts', { request: object(properties, ...names), response })
  const { parts = [] } = await generate(t, contract(operations, {}))
  for (const part of parts) t.true(names.every((name) => name in part))
})

test('the caller of a contract without a fixture has a record of its own, which the schema of fixtures allows', async (t) => {
  const security = [{ token: [] }]
  const byId = { security, parameters: [inPath('id', text, 'An id, or `me`.')] }
  for (const [operation, more] of Object.entries({ 'GET /user': { security }, 'GET /users/{id}': byId })) {
    const own = { [operation]: { response: ref('User'), with: more } }
    const User = object({ id: text, name: text }, 'id', 'name')
    const document = contract({ ...crud('/users', { response: ref('User') }), ...own }, { User })
    const { $callers, users: [first] = [] } = await generate(t, document)
    t.deepEqual($callers as unknown, { demo: { token: 'demo-token', record: { users: first?.['id'] } } })
    const { stdout } = await run(t, ['schema', '--spec', await write(t, document)])
    const record = { record: { properties: { users: { type: ['string', 'number'] } } } }
    t.like(JSON.parse(stdout), { properties: { $callers: { additionalProperties: { properties: record } } } })
  }
})

test('another property, another collection and more records change no other value; another seed does', async (t) => {
  const first = await generate(t, shopOf(shop))
  const withWeight = { properties: { weight: { type: 'number' }, ...product } }
  const changed = { ...shop, '/products': withWeight, '/carts': { properties: { userId: text } } }
  const second = await generate(t, shopOf(changed), '--records', '30')
  for (const [name, records] of Object.entries(first)) {
    const same = (second[name] ?? []).slice(0, 5).map(({ weight: _weight, ...record }) => record)
    t.deepEqual(same, records, name)
  }
  t.notDeepEqual(await generate(t, shopOf(shop), '--seed', '2'), first)
})

test('the same numbers give the same bytes in every time zone and language', async (t) => {
  const spec = await write(t, shopOf(shop))
  const surroundings = [{}, { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8' }, { TZ: 'America/St_Johns', LC_ALL: 'C' }]
  const outputs = await Promise.all(surroundings.map((env) => runProcess(t, ['fixture', '--spec', spec], { env })))
  for (const { stdout } of outputs) t.true(stdout.length > 1000)
  t.is(new Set(pluck(outputs, 'stdout')).size, 1)
})

test('examples come first, each id once, with the values that they lack', async (t) => {
  const example = [{ id: 'a', name: 'Ada' }, { id: 'a', name: 'Again' }, { id: 7, name: 'Invalid' }, { id: 'b' }]
  const spec = await write(t, shopOf({ '/people': { ...full({ name: text }), example } }))
  const double = await serve(t, { spec, records: 3 })
  const people = asList(json(await get(double, '/people'))).map(asObject)
  t.deepEqual(people.slice(0, 1), [{ id: 'a', name: 'Ada' }])
  t.deepEqual(people.map(({ id }) => id).slice(0, 2), ['a', 'b'])
  t.is(people.length, 3)
  t.regex(String(people[1]?.['name']), /^[A-Z]/u)
  const created = asObject(json(await sendJson(double, 'POST', '/people', { name: 'New' })))
  t.false(people.some(({ id }) => id === created['id']))
})

test('the example of a create with an id of its own is no record, so that sending it is no conflict', async (t) => {
  const pet = object({ id: text, name: text }, 'id', 'name')
  const example = { id: 'rex', name: 'Rex' }
  const post = { requestBody: body(pet, example), responses: { 201: body(pet, example) } }
  const spec = await writeContract(t, { '/pets': { get: { responses: { 200: body(listOf(pet)) } }, post } })
  t.is((await sendJson(await serve(t, { spec }), 'POST', '/pets', example)).status, 201)
})

test('a start, a reset and a sandbox take the same numbers, and a reset without them repeats them', async (t) => {
  const spec = await write(t, shopOf(shop))
  const wanted = await generate(t, shopOf(shop), '--records', '20', '--seed', '7')
  const withoutSeed = ({ $seed: _seed, ...state }: JsonObject): JsonObject => state
  const double = await serve(t, { spec })
  const { sha256, ...seed } = asObject((await double.state()).$seed)
  t.deepEqual([seed, typeof sha256], [{ records: 5, seed: 1 }, 'string'])
  const reset = await sendJson(double, 'POST', '/__admin/reset', { records: 20, seed: 7 })
  t.deepEqual(json(reset), { fixture: null, collections: { users: 20, orders: 20, products: 20, notes: 20 } })
  t.is((await sendJson(double, 'POST', '/products', { name: 'New' })).status, 201)
  await double.reset()
  t.deepEqual(withoutSeed(await double.state()), wanted)
  t.like((await double.state()).$seed, { records: 20, seed: 7 })
  t.deepEqual(withoutSeed(await (await double.sandbox({ records: 20, seed: 7 })).state()), wanted)
  t.deepEqual(withoutSeed(await (await serve(t, { spec, records: 20, seed: 7 })).state()), wanted)
  const both = await sendJson(double, 'POST', '/__admin/reset', { records: 1, fixture: 'empty' })
  t.is(both.status, 400)
  t.regex(both.text, /fixture excludes records and seed/u)
  t.is((await sendJson(double, 'POST', '/__admin/reset', { records: 100_001 })).status, 400)
})

test('a printed fixture is valid, and starting from it gives the same records', async (t) => {
  const spec = await write(t, shopOf(shop))
  const { stdout } = await run(t, ['fixture', '--spec', spec])
  const fixture = await writeTemporary(t, 'made.json', stdout)
  await exits(t, 0, ['check', '--spec', spec, fixture])
  const stateOf = async (options: object): Promise<string> =>
    JSON.stringify({ ...(await (await serve(t, { spec, ...options })).state()), $seed: undefined })
  t.is(await stateOf({}), await stateOf({ fixture }))
})

test('a collection whose schema no value can meet starts empty, with the reason', async (t) => {
  const things = full({ never: { ...text, minLength: 3, maxLength: 2 } })
  const collections = { '/things': things, '/others': full({}), '/things/{thingId}/parts': full({}) }
  const { stderr, stdout } = await exits(t, 0, ['fixture', '--spec', await write(t, shopOf(collections))])
  t.regex(stderr, /^things starts empty: no generated record is valid \(never .*\)\n$/u)
  const counts = Object.entries(asObject(JSON.parse(stdout))).map(([name, list]) => `${name} ${asList(list).length}`)
  t.deepEqual(counts, ['things 0', 'others 5', 'parts 0'])
})

test('no records, too many, and records of a fixture', async (t) => {
  const spec = await write(t, shopOf(shop))
  t.true(Object.values(await generate(t, shopOf(shop), '--records', '0')).every(({ length }) => length === 0))
  t.regex((await run(t, ['fixture', '--spec', spec, '--records', '1e9'])).stderr, /--records .* 0 to 100000/u)
  const both = await exits(t, 2, ['serve', '--spec', spec, '--records', '3', '--fixture', 'default'])
  t.regex(both.stderr, /--fixture excludes --records and --seed/u)
})

test('10,000 records are generated', async (t) => {
  const names = ['users', 'products', 'orders', 'notes']
  const collections = Object.fromEntries(
    names.map((name) => [`/${name}`, { properties: { ...product, userId: text } }]),
  )
  const generated = await generate(t, shopOf(collections), '--records', '2500')
  for (const name of names) t.is(generated[name]?.length, 2500)
})
