/** Random contracts of one collection, with the data that the model needs. Independent of the engine. */
import fc from 'fast-check'

import { body, errorSchema, inPath, listOf, parameter as inQuery, ref } from '../plants-contract.js'

export type Json = Readonly<Record<string, unknown>>

/** A property of a record other than its id. */
export interface Property {
  readonly name: string
  readonly type: 'string' | 'integer' | 'boolean' | 'object' | 'date-time'
  /** True if every record has it. */
  readonly required: boolean
  readonly nullable: boolean
  /** `client`: sent and read. `server`: only read. `secret`: only sent. */
  readonly owner: 'client' | 'server' | 'secret'
  /** The value that the server sets if the client sends none. */
  readonly fallback: unknown
}

export interface Facts {
  readonly operations: readonly Operation[]
  readonly idType: 'string' | 'integer'
  /** The side that chooses the id of a new record. */
  readonly idOwner: 'server' | 'client' | 'either'
  readonly parameter: 'id' | 'thingId'
  readonly properties: readonly Property[]
  /** True if records may have further properties. */
  readonly open: boolean
  /** True if the body of PUT must have all that records have. */
  readonly wholePut: boolean
  /** True if PUT creates. */
  readonly creatingPut: boolean
  /** True if server-owned properties are missing in requests. Otherwise they are marked `readOnly`. */
  readonly separate: boolean
  readonly removedBody: boolean
  readonly pageBase: 0 | 1
  readonly defaultLimit: number | undefined
}

export type Operation = 'list' | 'create' | 'read' | 'put' | 'patch' | 'delete'

const propertyNames = ['name', 'tag', 'size', 'done', 'limit', 'owner', 'note', 'madeAt']

const property = (name: string): fc.Arbitrary<Property> =>
  fc
    .record({
      type: fc.constantFrom<Property['type']>('string', 'integer', 'boolean', 'object', 'date-time'),
      required: fc.boolean(),
      nullable: fc.boolean(),
      owner: fc.constantFrom<Property['owner']>('client', 'client', 'server', 'secret'),
      hasDefault: fc.boolean(),
    })
    .map(({ hasDefault, ...rest }) => ({ ...rest, name, fallback: hasDefault ? example(rest.type) : undefined }))

/** True if requests contain properties of the record. */
const title = property('title').map((each): Property => ({
  ...each,
  type: 'string',
  owner: 'client',
  fallback: each.fallback === undefined ? undefined : 'untitled',
}))

const example = (type: Property['type']): unknown =>
  ({ string: 'sample', integer: 7, boolean: true, object: { a: 'x' }, 'date-time': '2020-02-02T02:02:02Z' })[type]

/** Random contracts. At least one operation. */
export const facts: fc.Arbitrary<Facts> = fc.record({
  operations: fc.oneof(
    fc.constant<Operation[]>(['list', 'create', 'read', 'put', 'patch', 'delete']),
    fc.subarray<Operation>(['list', 'create', 'read', 'put', 'patch', 'delete'], { minLength: 1 }),
  ),
  idType: fc.constantFrom<Facts['idType']>('string', 'integer'),
  idOwner: fc.constantFrom<Facts['idOwner']>('server', 'client', 'either'),
  parameter: fc.constantFrom<Facts['parameter']>('id', 'thingId'),
  properties: fc
    .subarray(propertyNames)
    .chain((chosen) => fc.tuple(title, ...chosen.map(property)).map((list): readonly Property[] => list)),
  open: fc.boolean(),
  wholePut: fc.boolean(),
  creatingPut: fc.boolean(),
  separate: fc.boolean(),
  removedBody: fc.boolean(),
  pageBase: fc.constantFrom<0 | 1>(0, 1),
  defaultLimit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
})

/** The schema of a property. @param anyNull - True if null is allowed in any case. */
function schemaOf({ fallback, nullable, owner, type }: Property, separate: boolean, anyNull = false): Json {
  const plain = type === 'date-time' ? 'string' : type
  return {
    type: nullable || anyNull ? [plain, 'null'] : plain,
    ...(type === 'date-time' ? { format: 'date-time' } : {}),
    ...(type === 'object' ? { properties: { a: { type: 'string' }, b: { type: 'integer' } } } : {}),
    ...(owner === 'server' && !separate ? { readOnly: true } : {}),
    ...(owner === 'secret' ? { writeOnly: true } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
  }
}

export function documentOf(given: Facts): Json {
  const { idOwner, idType, operations, parameter, properties, separate } = given
  const id = { type: idType, ...(idOwner === 'server' && !separate ? { readOnly: true } : {}) }
  const closed = given.open ? {} : { additionalProperties: false }
  const object = (entries: readonly (readonly [string, Json])[], required: readonly string[]): Json => ({
    type: 'object',
    required,
    properties: Object.fromEntries(entries),
    ...closed,
  })
  const all = properties.map((each) => [each.name, schemaOf(each, separate)] as const)
  const needed = properties.filter((each) => each.required).map((each) => each.name)
  const record = object([['id', id], ...all], ['id', ...needed])
  const sent = properties.filter((each) => !separate || each.owner !== 'server')
  const sentId: readonly (readonly [string, Json])[] = separate && idOwner === 'server' ? [] : [['id', id]]
  const mustSend = sent.filter((each) => each.required && each.owner !== 'server').map(({ name }) => name)
  const request = (required: readonly string[], anyNull = false): Json =>
    object([...sentId, ...sent.map((each) => [each.name, schemaOf(each, separate, anyNull)] as const)], required)
  const created = request([...(idOwner === 'client' ? ['id'] : []), ...mustSend])
  const requestBody = (schema: Json): Json => ({ ...body(schema), required: true })
  const thing = ref('Thing')
  const one = body(thing, exampleRecord(given))
  const documented: Record<Operation, Json> = {
    list: {
      operationId: 'list',
      parameters: listParameters(given).map(([name, schema, description]) => ({
        ...inQuery(name, schema),
        description,
      })),
      responses: { 200: body(listOf(thing)) },
    },
    create: {
      operationId: 'create',
      requestBody: requestBody(created),
      responses: { 201: { ...one, headers: { Location: { schema: { type: 'string' } } } } },
    },
    read: { operationId: 'read', responses: { 200: one } },
    put: {
      operationId: 'put',
      // Where nothing must be sent, only the text tells that the body is the whole record.
      ...(given.wholePut ? { summary: 'Replaces a thing' } : {}),
      requestBody: requestBody(request(given.wholePut ? mustSend : [])),
      responses: { 200: one, ...(given.creatingPut ? { 201: one } : {}) },
    },
    patch: { operationId: 'patch', requestBody: requestBody(request([], true)), responses: { 200: one } },
    delete: { operationId: 'delete', responses: given.removedBody ? { 200: one } : { 204: { description: 'gone' } } },
  }
  const item = (names: readonly Operation[], methods: Json): Json =>
    Object.fromEntries(
      names.filter((each) => operations.includes(each)).map((each) => [methods[each], documented[each]]),
    )
  const onCollection = item(['list', 'create'], { list: 'get', create: 'post' })
  const onItem = item(['read', 'put', 'patch', 'delete'], { read: 'get', put: 'put', patch: 'patch', delete: 'delete' })
  const errors = body(ref('Error'))
  for (const operation of [onCollection, onItem].flatMap((methods) => Object.values(methods)))
    for (const status of [400, 401, 404, 409, 500])
      Object.assign((operation as { responses: object }).responses, { [status]: errors })
  const parameters = [inPath(parameter, { type: idType })]
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    security: [{ bearer: [] }],
    paths: {
      ...(Object.keys(onCollection).length > 0 ? { '/things': onCollection } : {}),
      ...(Object.keys(onItem).length > 0 ? { [`/things/{${parameter}}`]: { parameters, ...onItem } } : {}),
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Thing: record, Error: errorSchema },
    },
  }
}

/** Query parameters of the listing, with their schemas. */
export function listParameters(given: Facts): readonly (readonly [string, Json, string?])[] {
  const { defaultLimit, pageBase, properties } = given
  const scalar = properties.filter(
    ({ name, owner, type }) => type !== 'object' && owner !== 'secret' && name !== 'limit',
  )
  const own = properties.find(({ name }) => name === 'limit')
  return [
    ['limit', { type: 'integer', minimum: 0, ...(own || defaultLimit === undefined ? {} : { default: defaultLimit }) }],
    ['offset', { type: 'integer', minimum: 0 }],
    ['page', { type: 'integer', minimum: pageBase }],
    ['sort', { type: 'string', enum: ['title', '-title', 'size:desc'] }],
    ['q', { type: 'string' }],
    ['min_size', { type: 'integer' }],
    ['starting_after', { type: 'string' }, 'The id of the last thing of the page before.'],
    ...scalar.map(({ name, type }) => [name, { type: type === 'date-time' ? 'string' : type }] as const),
    ...(scalar.some(({ name, type }) => name === 'tag' && type === 'string')
      ? []
      : [['colour', { type: 'string' }] as const]),
  ]
}

/** The record that is the example of responses. Optional server-owned properties are not all in it. */
export function exampleRecord({ idType, properties }: Facts): Json {
  const shown = properties.filter(
    ({ name, owner, required }) => owner !== 'secret' && (required || name.length % 2 === 0),
  )
  return {
    id: idType === 'string' ? 'an-example' : 4711,
    ...Object.fromEntries(shown.map(({ name, type }) => [name, example(type)])),
  }
}
