import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import test, { type ExecutionContext } from 'ava'
import type { FixtureDocument } from 'insights-double'

import { asList, asObject, type JsonObject } from './helpers/as-object-or-list.js'
import { exits, run } from './helpers/cli.js'
import { serve } from './helpers/double.js'
import { temporaryFolder } from './helpers/files.js'
import { writePlantsSpec } from './helpers/plants-spec.js'
import { body, inPath, integer, type Json, listOf as list, object, text } from './resources/plants-contract.js'

const number = { type: 'number' }
const formatted = (format: string): JsonObject => ({ type: 'string', format })
const map = (value: JsonObject): JsonObject => ({ type: 'object', additionalProperties: value })
const lowerCase = { patternProperties: { '^[a-z]+$': integer }, propertyNames: { pattern: '^[a-z]+$' } }

/** Kinds of personal data: a property, its schema and a value. */
const kinds: Readonly<Record<string, readonly [schema: JsonObject, value: unknown]>> = {
  givenName: [text, 'Anneliese'],
  familyName: [text, 'Müller-Lüdenscheidt'],
  nameInGreek: [text, 'Παπαδόπουλος'],
  nameInJapanese: [text, '山田太郎一二三四'],
  initials: [{ type: 'string', maxLength: 2 }, 'AM'],
  email: [formatted('email'), 'anneliese.mueller@kleinverlag.example'],
  emailInText: [text, 'write to anneliese.mueller@kleinverlag.example, please'],
  emailsByName: [map(formatted('email')), { 'Anneliese Mueller': 'a.mueller@kleinverlag.example' }],
  phone: [text, '+49 (171) 55512345'],
  phoneOfDigits: [{ type: 'string', pattern: '^[0-9]{11}$' }, '01715551234'],
  phoneAsInteger: [{ type: 'integer', format: 'int64' }, 491715551234],
  phoneInUrl: [formatted('uri'), 'tel:+491715551234'],
  fax: [{ type: 'integer', minimum: 1 }, 3022730027],
  socialSecurityNumber: [{ type: 'string', pattern: '^\\d{3}-\\d{2}-\\d{4}$' }, '078-05-1120'],
  socialSecurityAsInteger: [integer, 78051120],
  taxNumber: [{ type: 'integer', minimum: 10_000_000_000, maximum: 99_999_999_999 }, 65929970489],
  passport: [{ type: 'string', pattern: '^[A-Z0-9]{9}$' }, 'C01X00T47'],
  licencePlate: [text, 'B-AM 4711'],
  iban: [{ type: 'string', pattern: '^DE[0-9]{20}$' }, 'DE89370400440532013000'],
  cardNumber: [text, '4111 1111 1111 1111'],
  cardAsInteger: [integer, 4111111111111111],
  accountBalance: [{ type: 'number', multipleOf: 0.01 }, 104523.77],
  salary: [{ type: 'number', minimum: 0 }, 71250.5],
  birthDate: [formatted('date'), '1984-03-17'],
  birthDateAsText: [text, '1984-03-18'],
  birthDateInGerman: [text, '17.03.1984'],
  birthDateAsInteger: [integer, 19840317],
  birthYear: [{ type: 'integer', minimum: 1900, maximum: 2100 }, 1984],
  age: [{ type: 'integer', minimum: 0, maximum: 150 }, 41],
  diedAt: [formatted('date-time'), '2031-11-05T07:21:09.123+05:45'],
  lastLogin: [{ type: 'integer', format: 'int64' }, 1736069401987],
  wakesAt: [formatted('time'), '06:45:31Z'],
  latitude: [{ type: 'number', minimum: -90, maximum: 90 }, 48.137154],
  longitude: [{ type: 'number', minimum: -180, maximum: 180 }, 11.576124],
  position: [list(number), [52.520008, 13.404954]],
  geoJson: [{ type: 'object' }, { type: 'Point', coordinates: [9.993682, 53.551086] }],
  altitude: [number, 519.25],
  street: [text, 'Kastanienallee 103'],
  postcode: [{ type: 'string', pattern: '^[0-9]{5}$' }, '10435'],
  postcodeAsInteger: [integer, 10437],
  city: [text, 'Wuppertal'],
  country: [{ type: 'string', pattern: '^[A-Z]{2}$' }, 'DE'],
  ipAddress: [formatted('ipv4'), '203.117.45.201'],
  ipv6Address: [formatted('ipv6'), '2001:db8:85a3::8a2e:370:7334'],
  hardwareAddress: [{ type: 'string', pattern: '^([0-9a-f]{2}:){5}[0-9a-f]{2}$' }, '3c:22:fb:ab:01:9e'],
  deviceId: [formatted('uuid'), '7d444840-9dc0-4f1b-b245-5ffdce74fad2'],
  fingerprint: [text, 'ab12cd34ef56ab78cd90ef12ab34cd56'],
  website: [formatted('uri'), 'https://anneliese-mueller.example/profil?id=77123456'],
  avatar: [formatted('byte'), 'iVBORw0KGgoAAAANSUhEUg=='],
  timeout: [formatted('duration'), 'P17DT4H'],
  nickname: [text, 'plantlady84'],
  gender: [text, 'F'],
  note: [text, 'Diabetes since the age of twelve\nand allergic to penicillin'],
  bloodPressure: [list(integer), [143, 96]],
  stepsByDay: [map(integer), { '2024-05-17': 10482, '2024-05-18': 7311 }],
  visits: [list(formatted('date')), ['2020-02-28', '2020-02-29', '2021-07-01']],
  friends: [list(integer), [88214031, 88214032]],
  membersByEmail: [map(object({ role: text })), { 'gertrud@familie.example': { role: 'grandmother' } }],
  childrenByName: [{ ...map(integer), ...lowerCase }, { maximilian: 2015 }],
  unknownShape: [{}, { diagnosis: { 'ICD-10 E10.9': [true, 'insulin dependent', 77001122] } }],
  pair: [{ type: 'array', prefixItems: [text, integer] }, ['Grossmutter', 19310412]],
  contact: [{ oneOf: [formatted('email'), integer] }, 'gertrud.mueller@familie.example'],
  weight: [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 500 }, 71.35],
  score: [{ type: 'integer', multipleOf: 25 }, 775],
  probability: [{ type: 'number', minimum: 0, maximum: 1 }, 0.0625],
}

/** Values that say nothing about a person, and stay. */
const fixed: Readonly<Record<string, readonly [schema: JsonObject, value: unknown]>> = {
  status: [{ type: 'string', enum: ['married', 'single'] }, 'married'],
  level: [{ type: 'integer', enum: [1, 2, 3] }, 2],
  species: [{ const: 'human' }, 'human'],
  kind: [{ oneOf: ['cat', 'dog'].map((is) => ({ properties: { is: { const: is } } })) }, { is: 'dog' }],
  isMember: [{ type: 'boolean' }, true],
  leftAt: [{ type: ['string', 'null'] }, null],
}

const schemasOf = (rows: typeof kinds): JsonObject =>
  Object.fromEntries(Object.entries(rows).map(([name, [schema]]) => [name, schema]))
const valuesOf = (rows: typeof kinds): JsonObject =>
  Object.fromEntries(Object.entries(rows).map(([name, [, value]]) => [name, value]))

/** Serves records, and pulls them with `--sanitise`. @returns The records of the fixture, and everything that the command has written. */
async function pulled(
  t: ExecutionContext,
  records: readonly JsonObject[],
  properties: JsonObject,
  words: readonly string[] = [],
) {
  const schema = object({ id: text, ...properties }, 'id')
  const spec = await writePlantsSpec(t, { schema, security: false })
  const service = await serve(t, { spec, fixture: { plants: records } as FixtureDocument })
  const out = join(await temporaryFolder(t), 'out.json')
  const flags = ['--spec', spec, '--sanitise', '--pace', '1000', '--out', out, ...words]
  const { stderr, stdout } = await exits(t, 0, ['pull', service.url, ...flags])
  const fixture = await readFile(out, 'utf8')
  const double = await serve(t, { spec, fixture: out })
  const state = asList((await double.state())['plants']).map(asObject)
  t.is(state.length, records.length, stderr)
  return { records: state, output: `${fixture}\n${stderr}\n${stdout}` }
}

/** Lists the scalars and the keys of a value. */
function partsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(partsOf)
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => [key, ...partsOf(inner)])
  return typeof value === 'string' || typeof value === 'number' ? [String(value)] : []
}

/** The names that the contract documents. */
const documented = new Set(['id', 'role', 'is', ...Object.keys(kinds), ...Object.keys(fixed)])

test('pull --sanitise keeps no personal data of any kind', async (t) => {
  t.true(Object.keys(kinds).length >= 60)
  const person: JsonObject = { id: 'anneliese-mueller', ...valuesOf(kinds), ...valuesOf(fixed) }
  const pull = () => pulled(t, [person], { ...schemasOf(kinds), ...schemasOf(fixed) })
  const { output, records } = await pull()
  const [record = {}] = records
  // A stand-in is random, so it may be a number of the person, but not each time.
  const others = (await Promise.all([pull(), pull(), pull()])).map((each) => new Set(partsOf(each.records[0] ?? {})))
  const shown = new Set(partsOf(record).filter((part) => others.every((parts) => parts.has(part))))
  const unchanged = new Set(partsOf(valuesOf(fixed)))
  const isPrivate = (part: string): boolean => !/^\d{1,2}$/u.test(part) && !documented.has(part) && !unchanged.has(part)
  const left = partsOf(person).filter((part) => isPrivate(part) && shown.has(part))
  t.deepEqual(left, [])
  for (const part of partsOf(person))
    for (const [piece] of part.matchAll(/[\p{L}\d]{8,}/gu))
      t.true(documented.has(part) || !output.includes(piece), piece)
  t.like(record, valuesOf(fixed))
  const typesOf = (value: unknown): unknown =>
    JSON.stringify(value, (key, inner: unknown) =>
      key === 'position' ? [] : typeof inner === 'object' ? inner : typeof inner,
    )
  const maps = /^(?:childrenByName|emailsByName|geoJson|membersByEmail|stepsByDay|unknownShape)$/u
  const withoutMaps = (all: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !maps.test(name)))
  t.deepEqual(typesOf(withoutMaps(record)), typesOf(withoutMaps({ ...person })))
  for (const name of ['email', 'website', 'phoneInUrl']) t.regex(String(record[name]), /^(?:https:|tel:|[^@]+@[^@]+$)/u)
})

test('pull --sanitise keeps equality, the order of dates and the bounds of numbers', async (t) => {
  const birthday = '1984-03-17 1984-03-17T00:00:01Z 1984-03-17T02:00:02+01:00 1984-03-17T01:00:02.0000001Z'
  const dates = [...birthday.split(' '), '1984-03-19', '2024-02-29', '2024-02-29T23:59:60Z']
  const people = dates.map((date, index) => ({
    id: `person-${index}`,
    since: date,
    also: date,
    friendId: index === 0 ? 7001 : 7000 + index,
    friends: [7001, index],
    friendsById: { [String(7001)]: 'x', [`person-${index}`]: 'y' },
    partner: `person-${(index + 1) % dates.length}`,
    rating: 1 + (index % 5),
    share: index / 10,
  }))
  const properties = {
    since: text,
    also: text,
    friendId: { type: 'integer', minimum: 1 },
    friends: list(integer),
    friendsById: map(text),
    partner: text,
    rating: { type: 'integer', minimum: 1, maximum: 5 },
    share: { type: 'number', minimum: 0, maximum: 1 },
  }
  const { records } = await pulled(t, people, properties)
  const ids = records.map(({ id }) => String(id))
  t.is(new Set(ids).size, people.length)
  const formatOf = (date: string): string => date.replaceAll(/\d/gu, '0')
  const times = records.map(({ also, since }, index) => {
    t.is(also, since)
    t.not(since, dates[index])
    t.is(formatOf(String(since)), formatOf(dates[index] ?? ''))
    return Date.parse(String(since))
  })
  const sorted = times.toSorted((one, other) => one - other)
  t.deepEqual(times, sorted)
  t.is(new Set(times).size, times.length)
  for (const [index, record] of records.entries()) {
    const friends = asList(record['friends'])
    t.is(record['partner'], ids[(index + 1) % ids.length])
    t.is(friends[0], records[0]?.['friendId'])
    t.deepEqual(Object.keys(asObject(record['friendsById'])), [String(friends[0]), ids[index]])
    t.true(Number.isInteger(record['rating']) && Number(record['rating']) >= 1 && Number(record['rating']) <= 5)
    t.not(record['rating'], people[index]?.rating)
    t.true(Number(record['share']) >= 0 && Number(record['share']) <= 1)
    t.not(record['share'], people[index]?.share)
  }
  t.is(new Set(records.map(({ rating }) => rating)).size, 5)
})

test('--keep names properties and pointers that stay, and says which of them name nothing', async (t) => {
  const given = { rex: { city: 'Wuppertal', age: 7001 }, tom: { city: 'Berlin', age: 7002 } }
  const people = [{ id: 'person-1', city: 'Wuppertal', pets: given, ages: [7003, 7004] }]
  const properties = { city: text, pets: map(object({ city: text, age: integer })), ages: list(integer) }
  const words = ['--keep', '/plants/*/pets/rex/age', '--keep', '/plants/0/ages/1', '--keep', 'city', '--keep', 'town']
  const { output, records } = await pulled(t, people, properties, words)
  const [{ ages = null, city = null, id = null, pets = null } = {}] = records
  const [first, second] = Object.keys(asObject(pets))
  const [rex, tom] = Object.values(asObject(pets)).map(asObject)
  t.deepEqual([city, first, rex, tom?.['city']], ['Wuppertal', 'rex', { city: 'Wuppertal', age: 7001 }, 'Berlin'])
  t.not(second, 'tom')
  t.not(tom?.['age'], 7002)
  t.not(id, 'person-1')
  t.is(asList(ages)[1], 7004)
  t.not(asList(ages)[0], 7003)
  t.regex(output, /^--keep town names nothing that would be replaced\.$/mu)
  t.false(output.includes('--keep city'))
  const refused = await run(t, ['pull', 'http://127.0.0.1:1', '--keep', 'city'])
  t.like(refused, { code: 2, stderr: '--keep names the exceptions of --sanitise. Give both, or neither.\n' })
})

test('the notes about a sanitised fixture contain neither ids nor names of properties', async (t) => {
  const leaf = object({ id: text }, 'id')
  const get = (operationId: string, schema: Json) => ({ get: { operationId, responses: { 200: body(schema) } } })
  const paths = {
    '/plants/{id}/leaves': { parameters: [inPath('id')], ...get('listLeaves', list(leaf)) },
    '/plants/{id}/leaves/{leafId}': { parameters: [inPath('id'), inPath('leafId')], ...get('readLeaf', leaf) },
  }
  const specOf = async (more: JsonObject): Promise<string> =>
    writePlantsSpec(t, { schema: { ...leaf, ...more }, security: false, paths })
  const fixture: FixtureDocument = { plants: [{ id: 'anneliese' }, { id: 'gertrud', 'anna@x.example': 1 }], leaves: [] }
  const service = await serve(t, { spec: await specOf({}), fixture })
  const strict = await specOf({ additionalProperties: false })
  const words = ['pull', service.url, '--spec', strict, '--sanitise', '--pace', '1000']
  const { stderr, stdout } = await exits(t, 0, words)
  t.regex(stderr, /\/plants\/\{id\}\/leaves: 0 records/u)
  t.notRegex(stderr + stdout, /anneliese|gertrud|anna@/u)
})
