import { createHash } from 'node:crypto'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'

import { asList, asObject, type JsonObject, pluck } from './helpers/as-object-or-list.js'
import { run, runProcess } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { packageFolder, temporaryFolder, writeTemporary } from './helpers/files.js'
import { get, json, sendJson } from './helpers/http.js'
import { writeContract } from './helpers/plants-spec.js'
import { body, listOf, object, ref, text, time } from './resources/plants-contract.js'
import { contract, crud } from './resources/rules-contract.js'

/** Tests the records of a contract without a fixture: those of its examples, and generated ones. */

/** Properties of a record, by collection: a path such as `/users`, or below a parent. */
type Collections = Readonly<
  Record<string, { readonly properties: JsonObject; readonly more?: JsonObject; readonly example?: unknown }>
>

/** Writes a contract of collections. */
function writeShop(t: ExecutionContext, collections: Collections): Promise<string> {
  const operations = Object.entries(collections).map(([path, { example, more, properties }]) => {
    const schema = { ...object({ id: { ...text, readOnly: true }, ...properties }, 'id'), ...more }
    const listed = { response: { ...listOf(schema), ...(example === undefined ? {} : { example }) } }
    return { ...crud(path, { request: schema, response: schema }), [`GET ${path}`]: listed }
  })
  return writeTemporary(t, 'shop.json', JSON.stringify(contract(Object.assign({}, ...operations), {})))
}

const cat = { type: 'object', required: ['cat'], additionalProperties: false, properties: { cat: text } }

/** Prints the fixture of a contract. */
async function generate(
  t: ExecutionContext,
  spec: string,
  ...flags: readonly string[]
): Promise<Readonly<Record<string, readonly JsonObject[]>>> {
  const { code, stderr, stdout } = await run(t, ['fixture', '--spec', spec, ...flags])
  t.deepEqual([code, stderr], [0, ''])
  return JSON.parse(stdout) as Readonly<Record<string, readonly JsonObject[]>>
}

const someWith = (...names: readonly string[]): JsonObject => ({
  ...listOf(object(Object.fromEntries(names.map((name) => [name, text])), ...names)),
  minItems: 1,
})

const shop: Collections = {
  '/users': {
    properties: {
      firstName: text,
      lastName: text,
      email: { type: 'string', format: 'email' },
      logins: someWith('userId'),
      orders: someWith('id', 'userId'),
    },
    more: { required: ['id', 'logins', 'orders'] },
  },
  '/orders': {
    properties: {
      userId: text,
      user: object({ id: text, lastName: text }, 'id'),
      productIds: { ...listOf(text), minItems: 1 },
    },
  },
  '/products': { properties: { name: text, price: { type: 'number', minimum: 0 }, createdAt: time, updatedAt: time } },
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
  [
    'noted',
    { type: 'string', example: '2020-12-03 19:04:58.697' },
    /^"20\d\d-[01]\d-[0-3]\d [0-2]\d:[0-5]\d:\d\d\.000"$/u,
  ],
  ['archived', { type: 'boolean' }, /^false$/u],
  ['deletedAt', { type: ['string', 'null'], format: 'date-time' }, /^null$/u],
  ['state', { type: 'integer', description: 'The state: 4 - up, 5 - down' }, /^[45]$/u],
  ['sort', { type: 'integer', description: 'Can be: 17, or 18. 19 are kept.' }, /^1[78]$/u],
  ['duration', { type: 'string', description: 'In seconds' }, /^"\d+"$/u],
  ['create_time', text, /^"20\d\d-[01]\d-[0-3]\dT/u],
  ['createdAt', { type: 'integer', description: 'In milliseconds' }, /^1\d{9}000$/u],
  [
    'permissions',
    { ...listOf(text), minItems: 1, example: ['a:read', 'b.write'] },
    /^\[(?:"a:read"|"b\.write"|,)+\]$/u,
  ],
  ['isNew', { type: 'boolean', default: true }, /^true$/u],
  ['kind', { const: 'fixed' }, /^"fixed"$/u],
  ['codes', { type: 'array', items: { enum: [1, 2] }, minItems: 2, uniqueItems: true }, /^\[(?:1,2|2,1)\]$/u],
  ['either', { oneOf: [cat, { type: 'null' }] }, /^(?:\{"cat":".+"\}|null)$/u],
  ['all', { allOf: [{ type: 'object', properties: { a: { const: 1 } } }, { required: ['a'] }] }, /^\{"a":1\}$/u],
  ['only', { type: 'string', not: { minLength: 1 } }, /^""$/u],
]

test('the name, the format and the bounds of a property choose its value', async (t) => {
  const properties = Object.fromEntries(values.map(([name, schema]) => [name, schema]))
  const spec = await writeShop(t, { '/things': { properties, more: { required: ['id', ...Object.keys(properties)] } } })
  const { things = [] } = await generate(t, spec, '--records', '12')
  t.is(things.length, 12)
  for (const [name, , expected] of values)
    for (const thing of things) t.regex(JSON.stringify(thing[name]), expected, name)
})

test('an optional property that a new record does not have is absent, and enums are spread', async (t) => {
  const spec = await writeShop(t, {
    '/tasks': { properties: { cancelledAt: time, status: { enum: ['open', 'done', 'late'] } } },
  })
  const { tasks = [] } = await generate(t, spec, '--records', '6')
  t.true(tasks.every((task) => !('cancelledAt' in task)))
  for (const status of ['open', 'done', 'late']) t.is(tasks.filter((task) => task['status'] === status).length, 2)
})

test('a number that counts a list next to it is its length', async (t) => {
  const properties = { tags: listOf(text), tag_count: { type: 'integer' }, numTags: { type: 'integer' } }
  const spec = await writeShop(t, { '/plants': { properties, more: { required: ['id', ...Object.keys(properties)] } } })
  const { plants = [] } = await generate(t, spec, '--records', '12')
  for (const { numTags, tag_count: count, tags } of plants) {
    t.is(count, asList(tags).length)
    t.is(numTags, count)
  }
})

test('the name and the slug of a record agree', async (t) => {
  const spec = await writeShop(t, {
    '/leagues': { properties: { name: text, slug: text }, more: { required: ['id', 'name', 'slug'] } },
  })
  const { leagues = [] } = await generate(t, spec)
  for (const { name, slug } of leagues) t.is(slug, String(name).toLowerCase().replaceAll(' ', '-'))
})

test('one record is the primary one', async (t) => {
  const spec = await writeShop(t, {
    '/mails': { properties: { isPrimary: { type: 'boolean' } }, more: { required: ['id', 'isPrimary'] } },
  })
  const { mails = [] } = await generate(t, spec)
  t.deepEqual(pluck(mails, 'isPrimary'), [true, false, false, false, false])
})

test('dates lie before now and agree', async (t) => {
  const names = ['createdAt', 'startDate', 'updatedAt', 'endDate', 'expiresAt', 'birthday']
  const properties = Object.fromEntries(
    names.map((name) => [name, { type: 'string', format: /(?:Date|day)$/u.test(name) ? 'date' : 'date-time' }]),
  )
  const spec = await writeShop(t, { '/events': { properties, more: { required: ['id', ...names] } } })
  for (const [flags, now] of [
    [[], '2026-01-01'],
    [['--now', '2020-05-05T00:00:00Z'], '2020-05-05'],
  ] as const) {
    const { events = [] } = await generate(t, spec, '--records', '50', ...flags)
    t.is(events.length, 50)
    for (const event of events) {
      const times = names.slice(0, 5).map((name) => Date.parse(String(event[name])))
      t.deepEqual(
        times,
        times.toSorted((one, other) => one - other),
        JSON.stringify(event),
      )
      t.true(Math.max(...times) < Date.parse(now))
      t.true(Number(String(event['birthday']).slice(0, 4)) < 2010)
    }
  }
})

test('references and parents are ids of records', async (t) => {
  const generated = await generate(t, await writeShop(t, shop), '--records', '8')
  const { notes = [], orders = [], products = [], users = [] } = generated
  const idsOf = (records: readonly JsonObject[]): ReadonlySet<unknown> => new Set(records.map(({ id }) => id))
  t.deepEqual(pluck([users, orders, products, notes], 'length'), [8, 8, 8, 8])
  for (const { productIds = [], user, userId } of orders) {
    if (userId !== undefined) t.true(idsOf(users).has(userId))
    for (const id of asList(productIds)) t.true(idsOf(products).has(id))
    if (user === undefined) continue
    const { id, lastName } = asObject(user)
    const real = users.find((each) => each['id'] === id)
    t.truthy(real)
    t.true(lastName === undefined || lastName === real?.['lastName'])
  }
  for (const { id, logins, orders: own } of users)
    for (const inside of [...asList(logins), ...asList(own)]) t.is(asObject(inside)['userId'], id)
  for (const { $parents } of notes) t.true(idsOf(users).has(asObject($parents)['userId']))
})

test('a parent that no collection has is one that the path accepts', async (t) => {
  const given = (name: string, schema: JsonObject): JsonObject => ({ name, in: 'path', required: true, schema })
  const club = given('club', { type: 'string', pattern: '^C[0-9]{3}$' })
  const operations = Object.entries(crud('/clubs/{club}/notes', { response: object({ id: text, club: text }, 'id') }))
  const withPattern = operations.map(([key, line]) => {
    const parameters = [club, ...(key.includes('{id}') ? [given('id', text)] : [])]
    return [key, { ...line, with: { parameters } }]
  })
  const spec = await writeTemporary(t, 'clubs.json', JSON.stringify(contract(Object.fromEntries(withPattern), {})))
  const { notes = [] } = await generate(t, spec)
  t.true(notes.length > 0)
  for (const note of notes) t.regex(String(note['club']), /^C\d{3}$/u)
})

test('records below a parent that no collection has are below the same one, of the example of its parameter', async (t) => {
  const operations = ['/clubs/{club}/notes', '/clubs/{club}/songs'].flatMap((path) =>
    Object.entries(crud(path, { response: object({ id: text }, 'id') })),
  )
  const withExample = operations.map(([key, line]) => {
    const given = (name: string, example?: string): JsonObject => ({
      name,
      in: 'path',
      required: true,
      schema: text,
      ...(example === undefined ? {} : { example }),
    })
    return [
      key,
      { ...line, with: { parameters: [given('club', 'C042'), ...(key.includes('{id}') ? [given('id')] : [])] } },
    ]
  })
  const spec = await writeTemporary(t, 'clubs.json', JSON.stringify(contract(Object.fromEntries(withExample), {})))
  const { notes = [], songs = [] } = await generate(t, spec)
  // What names one record is not shared, although a path has it.
  const User = object({ id: text, email: text }, 'id', 'email')
  const people = { ...crud('/people', { response: User }), 'GET /people/by/{email}': { response: listOf(User) } }
  const made = await generate(t, await writeTemporary(t, 'people.json', JSON.stringify(contract(people, {}))))
  t.is(new Set(made['people']?.map(({ email }) => email)).size, 5)
  t.is(notes.length, 5)
  for (const { $parents } of [...notes, ...songs]) t.deepEqual($parents, { club: 'C042' })
})

test('the items of a list have the values that a create lists for them', async (t) => {
  const request = object({ events: { type: 'array', items: { enum: ['a', 'b'] } } }, 'events')
  const response = object({ id: text, events: listOf(text) }, 'id')
  const spec = await writeTemporary(
    t,
    'hooks.json',
    JSON.stringify(contract(crud('/hooks', { request, response }), {})),
  )
  const { hooks = [] } = await generate(t, spec)
  for (const event of hooks.flatMap(({ events }) => asList(events))) t.regex(String(event), /^[ab]$/u)
})

test('a generated record has what a create requires', async (t) => {
  const names = Array.from({ length: 20 }, (_, index) => `part${index}`)
  const properties = Object.fromEntries(names.map((name) => [name, text]))
  const shown = object({ id: text, ...properties }, 'id')
  const spec = await writeTemporary(
    t,
    'parts.json',
    JSON.stringify(contract(crud('/parts', { request: object(properties, ...names), response: shown }), {})),
  )
  const { parts = [] } = await generate(t, spec)
  for (const part of parts)
    t.deepEqual(
      names.filter((name) => !(name in part)),
      [],
    )
})

test('the caller of a contract without a fixture has a record of its own, which the schema of fixtures allows', async (t) => {
  const me = { response: ref('User'), with: { security: [{ token: [] }] } }
  const user = { name: 'id', in: 'path', required: true, schema: text, description: 'An id, or `me`.' }
  for (const more of [
    { 'GET /user': me },
    { 'GET /users/{id}': { ...me, with: { ...me.with, parameters: [user] } } },
  ] as const) {
    const operations = { ...crud('/users', { response: ref('User') }), ...more }
    const document = contract(operations, { User: object({ id: text, name: text }, 'id', 'name') })
    const spec = await writeTemporary(t, 'users.json', JSON.stringify(document))
    const { $callers, users: [first] = [] } = await generate(t, spec)
    t.deepEqual($callers as unknown, { demo: { token: 'demo-token', record: { users: first?.['id'] } } })
    const { stdout } = await run(t, ['schema', '--spec', spec])
    const record = { record: { properties: { users: { type: ['string', 'number'] } } } }
    t.like(JSON.parse(stdout), { properties: { $callers: { additionalProperties: { properties: record } } } })
  }
})

test('another property, another collection and more records change no other value; another seed does', async (t) => {
  const first = await generate(t, await writeShop(t, shop))
  const { '/products': products } = shop
  const withWeight = { properties: { weight: { type: 'number' }, ...products?.properties } }
  const changed = { ...shop, '/products': withWeight, '/carts': { properties: { userId: text } } }
  const second = await generate(t, await writeShop(t, changed), '--records', '30')
  for (const [name, records] of Object.entries(first))
    t.deepEqual(
      (second[name] ?? [])
        .slice(0, 5)
        .map((record) => JSON.parse(JSON.stringify({ ...record, weight: undefined })) as unknown),
      records,
      name,
    )
  t.notDeepEqual(await generate(t, await writeShop(t, shop), '--seed', '2'), first)
})

test('the same numbers give the same bytes in every time zone and language', async (t) => {
  const spec = await writeShop(t, shop)
  const surroundings = [{}, { TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8' }, { TZ: 'America/St_Johns', LC_ALL: 'C' }]
  const hashes = await Promise.all(
    surroundings.map(async (env) => {
      const { stdout } = await runProcess(t, ['fixture', '--spec', spec], { env })
      t.true(stdout.length > 1000)
      return createHash('sha256').update(stdout).digest('hex')
    }),
  )
  t.is(new Set(hashes).size, 1)
})

test('examples come first, each id once, with the values that they lack', async (t) => {
  const example = [{ id: 'a', name: 'Ada' }, { id: 'a', name: 'Again' }, { id: 7, name: 'Invalid' }, { id: 'b' }]
  const spec = await writeShop(t, {
    '/people': { properties: { name: text }, more: { required: ['id', 'name'] }, example },
  })
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
  const content = { 'application/json': { schema: pet, example } }
  const post = { requestBody: { content }, responses: { 201: { description: 'Created.', content } } }
  const spec = await writeContract(t, { '/pets': { get: { responses: { 200: body(listOf(pet)) } }, post } })
  const double = await serve(t, { spec })
  t.is((await sendJson(double, 'POST', '/pets', example)).status, 201)
})

test('a start, a reset and a sandbox take the same numbers, and a reset without them repeats them', async (t) => {
  const spec = await writeShop(t, shop)
  const wanted = await generate(t, spec, '--records', '20', '--seed', '7')
  const withoutSeed = (state: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(state).filter(([name]) => name !== '$seed'))
  const double = await serve(t, { spec })
  const { sha256, ...seed } = asObject((await double.state()).$seed)
  t.deepEqual([seed, typeof sha256], [{ records: 5, seed: 1 }, 'string'])
  const reset = await sendJson(double, 'POST', '/__admin/reset', { records: 20, seed: 7 })
  t.deepEqual(json(reset), { fixture: null, collections: { users: 20, orders: 20, products: 20, notes: 20 } })
  t.is((await sendJson(double, 'POST', '/products', { name: 'New' })).status, 201)
  await double.reset()
  t.deepEqual(withoutSeed(await double.state()), wanted)
  t.like((await double.state()).$seed, { records: 20, seed: 7 })
  const sandbox = await double.sandbox({ records: 20, seed: 7 })
  t.deepEqual(withoutSeed(await sandbox.state()), wanted)
  const started = await serve(t, { spec, records: 20, seed: 7 })
  t.deepEqual(withoutSeed(await started.state()), wanted)
  const both = await sendJson(double, 'POST', '/__admin/reset', { records: 1, fixture: 'empty' })
  t.is(both.status, 400)
  t.regex(both.text, /fixture excludes records and seed/u)
  t.is((await sendJson(double, 'POST', '/__admin/reset', { records: 100_001 })).status, 400)
})

test('a printed fixture is valid, and starting from it gives the same records', async (t) => {
  const spec = await writeShop(t, shop)
  const { stdout } = await run(t, ['fixture', '--spec', spec])
  const fixture = await writeTemporary(t, 'made.json', stdout)
  t.is((await run(t, ['check', '--spec', spec, fixture])).code, 0)
  const states = await Promise.all(
    [serve(t, { spec }), serve(t, { spec, fixture })].map(async (double) => (await double).state()),
  )
  const [one, other] = states.map((state) => JSON.stringify({ ...state, $seed: undefined }))
  t.is(one, other)
})

test('a collection whose schema no value can meet starts empty, with the reason', async (t) => {
  const impossible = { type: 'string', minLength: 3, maxLength: 2 }
  const spec = await writeShop(t, {
    '/things': { properties: { never: impossible }, more: { required: ['id', 'never'] } },
    '/others': { properties: {} },
    '/things/{thingId}/parts': { properties: {} },
  })
  const { code, stderr, stdout } = await run(t, ['fixture', '--spec', spec])
  t.is(code, 0)
  t.regex(stderr, /^things starts empty: no generated record is valid \(never .*\)\n$/u)
  t.deepEqual(
    Object.entries(asObject(JSON.parse(stdout))).map(([name, list]) => [name, asList(list).length]),
    [
      ['things', 0],
      ['others', 5],
      ['parts', 0],
    ],
  )
})

test('no records, too many, and records of a fixture', async (t) => {
  const spec = await writeShop(t, shop)
  t.true(Object.values(await generate(t, spec, '--records', '0')).every(({ length }) => length === 0))
  t.regex((await run(t, ['fixture', '--spec', spec, '--records', '1e9'])).stderr, /--records .* 0 to 100000/u)
  const both = await run(t, ['serve', '--spec', spec, '--records', '3', '--fixture', 'default'])
  t.is(both.code, 2)
  t.regex(both.stderr, /--fixture excludes --records and --seed/u)
})

test('a state file that was seeded otherwise is refused only if a flag asks for it', async (t) => {
  const spec = await writeShop(t, shop)
  const state = join(await temporaryFolder(t), 'state.json')
  const start = async (options: object): Promise<unknown> => {
    const double = await serve(t, { spec, state, ...options })
    const { $seed } = await double.state()
    await double.stop()
    return { ...asObject($seed), sha256: undefined }
  }
  t.deepEqual(await start({ records: 3 }), { records: 3, seed: 1, sha256: undefined })
  t.deepEqual(await start({}), { records: 3, seed: 1, sha256: undefined })
  await t.throwsAsync(start({ records: 4 }), {
    message:
      /was seeded with generated records \(--records 3, --seed 1\), not with generated records \(--records 4\) {2}start .*--fresh/u,
  })
  await t.throwsAsync(start({ fixture: 'empty', fixtures: join(packageFolder, 'fixtures') }))
})

test('10,000 records are generated', async (t) => {
  const names = ['users', 'products', 'orders', 'notes']
  const properties = { ...shop['/products']?.properties, userId: text }
  const collections = Object.fromEntries(names.map((name) => [`/${name}`, { properties }]))
  const generated = await generate(t, await writeShop(t, collections), '--records', '2500')
  for (const name of names) t.is(generated[name]?.length, 2500)
})
