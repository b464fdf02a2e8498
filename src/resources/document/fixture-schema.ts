/** The JSON Schema of the fixtures of a contract, for completion and checks in editors. */
import type { Contract } from '../../contract/contract.js'
import { findKeyword } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, listOf, mapValues, objectOf } from '../../documents/object.js'
import { onceFor } from '../../once.js'
import { collectionsOfCallers } from '../named-records.js'
import { outsideId } from '../records/records.js'
import type { Collection, Resources } from '../resources.js'
import { callerNamePattern, maxTokenLength, tokenForm } from './read-callers.js'
import { isRootSingleton, storesUnknown } from './read-records.js'

/** Creates the schema. The same contract gives the same schema. @param name - That of the double. */
export function fixtureSchema({ collections, contract, decisions }: Resources, name: string): JsonObject {
  const isSecured = contract.operations.some(({ secured }) => secured)
  const writer = createDraft7Writer((schema) => contract.schemaName(schema))
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Fixture of ${name}`,
    description:
      'The whole state of a double: its callers, and the records of each collection. A fixture file, the state file and GET /__admin/state have this format. Keys that begin with $ belong to the double. Every other key is a collection of the contract. Unknown keys are refused.',
    type: 'object',
    ...(isSecured ? { required: ['$callers'] } : {}),
    additionalProperties: false,
    properties: {
      ...documentProperties,
      $callers: callersSchema(contract, isSecured, [...collectionsOfCallers(decisions.values())]),
      ...Object.fromEntries(collections.map((each) => [each.name, collectionSchema(each, writer.write)])),
    },
    definitions: { ...writer.definitions },
  }
}

/** Creates the schema of an object that has no other properties. @param more - Further keywords. */
const closedObject = (
  title: string,
  description: string,
  properties: JsonObject,
  more: JsonObject = {},
): JsonObject => ({ title, description, type: 'object', ...more, additionalProperties: false, properties })

const documentProperties: JsonObject = {
  $schema: {
    title: 'Schema',
    description:
      'Path of this schema, relative to the fixture file. Editors use it for completion and hover help. The double ignores it.',
    type: 'string',
    examples: ['../spec/fixture.schema.json'],
  },
  $description: {
    title: 'Description',
    description: 'The purpose of the fixture, in one line. Lists of fixtures show it.',
    type: 'string',
    examples: ['Two callers, one shared record'],
  },
  $seed: closedObject(
    'Seed',
    'The fixture or the generated records that a state file comes from. The double writes it. Omit it in a fixture.',
    {
      fixture: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      records: { type: 'integer', minimum: 0 },
      seed: { type: 'integer', minimum: 0 },
      sha256: { type: 'string' },
    },
    { required: ['fixture', 'sha256'] },
  ),
  $lastIds: {
    title: 'Last ids',
    description:
      'The highest number of a generated id, by collection, if no record has it. The double writes it. Omit it in a fixture.',
    type: 'object',
    additionalProperties: { type: 'integer', minimum: 0 },
  },
}

function collectionSchema(collection: Collection, write: (schema: unknown) => unknown): JsonObject {
  const { model, name } = collection
  if (isRootSingleton(collection))
    return {
      ...recordSchema(collection, write),
      description: `The object of ${model.path}. Omitted: the example of the contract.`,
    }
  return {
    title: name,
    description: `The records of ${model.path}, in the order of a list. Omitted: no records.`,
    type: 'array',
    items: recordSchema(collection, write),
  }
}

function recordSchema(collection: Collection, write: (schema: unknown) => unknown): JsonObject {
  const { contract, idPath, ids, kind, recordModel } = collection.model
  const needsParents = collection.model.keyParents.some(({ property }) => property === undefined)
  const required = [
    ...[...recordModel.required].filter((property) => property !== idPath[0] || !ids()),
    ...(needsParents ? ['$parents'] : []),
  ]
  const { schemas } = recordModel
  const described = schemas.map((part) => findKeyword(part, 'description')).find((text) => typeof text === 'string')
  const name = schemas.map((part) => contract.schemaName(part)).find((each) => each !== undefined)
  const properties = [...recordModel.properties].map(([property, schema]) => {
    const written = write(schema)
    const isId = property === idPath[0] && idPath.length === 1
    return [
      property,
      isId ? { ...objectOf(written), description: idDescription(collection, schema) } : written,
    ] as const
  })
  return {
    ...(name === undefined ? {} : { title: name }),
    ...(described === undefined ? {} : { description: described }),
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: storesUnknown(collection),
    properties: {
      ...Object.fromEntries(properties),
      ...(idPath[0] === outsideId && kind !== 'singleton'
        ? { $id: { description: idDescription(collection, {}), type: 'string' } }
        : {}),
      $access: accessSchema,
      ...parentsSchema(collection),
    },
  }
}

function parentsSchema({ model: { keyParents, parents } }: Collection): JsonObject {
  const own = parents.filter(({ property }) => property === undefined)
  if (own.length === 0) return {}
  const required = keyParents.filter(({ property }) => property === undefined).map(({ key }) => key)
  const what = 'Values of path parameters that no property of the record holds. Responses do not contain it.'
  const properties = Object.fromEntries(own.map(({ key, type }) => [key, { type }]))
  return { $parents: closedObject('Parents', what, properties, required.length > 0 ? { required } : {}) }
}

function idDescription({ model: { ids, itemPath, path } }: Collection, schema: JsonObject): string {
  const given = findKeyword(schema, 'description')
  const first = typeof given === 'string' ? given : `Identifies the record in ${itemPath ?? path}.`
  const third = ids()?.idOf(3)
  const omitted = third === undefined ? '' : ` Omitted: generated from the position. The third record gets ${third}.`
  return `${first} Unique in the collection.${omitted}`
}

const accessSchema: JsonObject = {
  title: 'Access',
  description:
    'Names of the callers that have access to this record. Each must be a name in `$callers`. Omitted: every caller. Empty: no caller. Responses do not contain it.',
  type: 'array',
  uniqueItems: true,
  items: { type: 'string' },
  examples: [['ada'], ['ada', 'grace'], []],
}

const plain: ReadonlySet<string> = new Set(
  (
    'type title description default enum const format pattern minLength maxLength minimum maximum multipleOf ' +
    'minItems maxItems uniqueItems minProperties maxProperties required examples'
  ).split(' '),
)
const single: ReadonlySet<string> = new Set(
  'not items additionalProperties contains propertyNames if then else'.split(' '),
)

/**
 * Creates a writer. Schemas that contain themselves become definitions, which are complete when all schemas have been written.
 *
 * @param nameOf - Returns the name of a schema. Undefined: it has none.
 */
function createDraft7Writer(nameOf: (schema: JsonObject) => string | undefined) {
  const definitions: Record<string, unknown> = {}
  const taken = new Set(['__proto__'])
  const open = new Set<JsonObject>()
  const recursive = new Set<JsonObject>()

  const nameFor = onceFor((schema: JsonObject): string => {
    const wanted = nameOf(schema) ?? 'schema'
    let name = wanted
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}-${number}`
    taken.add(name)
    return name
  })

  const write = (schema: unknown): unknown => {
    if (!isObject(schema)) return schema
    if (open.has(schema) || recursive.has(schema)) {
      recursive.add(schema)
      return { $ref: `#/definitions/${nameFor(schema).replaceAll('~', '~0').replaceAll('/', '~1')}` }
    }
    open.add(schema)
    const written = writeKeywords(schema, write)
    open.delete(schema)
    if (!recursive.has(schema)) return written
    definitions[nameFor(schema)] = written
    return write(schema)
  }
  return { definitions, write }
}

function writeKeywords(schema: JsonObject, write: (schema: unknown) => unknown): JsonObject {
  const written = new Map<string, unknown>()
  for (const [key, value] of Object.entries(schema)) {
    if (plain.has(key)) written.set(key, value)
    else if (single.has(key)) written.set(key, write(value))
    else if (/^(?:all|any|one)Of$/u.test(key) && Array.isArray(value)) written.set(key, listOf(value).map(write))
    else if ((key === 'properties' || key === 'patternProperties') && isObject(value))
      written.set(key, mapValues(value, write))
    else if (key === 'example' && !('examples' in schema)) written.set('examples', [value])
    // OpenAPI 3.0 marks the bound as exclusive; JSON Schema has a separate keyword.
    else if (key.startsWith('exclusive') && value !== false)
      written.set(key, value === true ? schema[key === 'exclusiveMinimum' ? 'minimum' : 'maximum'] : value)
  }
  const type = written.get('type')
  if (schema['nullable'] === true && typeof type === 'string') written.set('type', [type, 'null'])
  if (schema['nullable'] === true && Array.isArray(schema['enum']))
    written.set('enum', [...new Set([...(schema['enum'] as unknown[]), null])])
  return Object.fromEntries(written)
}

/** @param own - The collections that contain records of callers. */
function callersSchema(contract: Contract, isNeeded: boolean, own: readonly string[]): JsonObject {
  const [first] = contract.securitySchemes.values()
  const exampleOf = (name: string): JsonObject => ({
    token: first?.kind === 'basic' ? `${name}:password` : `${name}-token`,
  })
  const token = tokenSchema(contract, '')
  const schemes = [...contract.securitySchemes.keys()]
  const ownRecords = closedObject(
    'Own records',
    'The ids of the records that are this caller, for paths such as /me. Omitted: these paths are mocked.',
    Object.fromEntries(own.map((name) => [name, { type: ['string', 'number'] }])),
  )
  const tokens = closedObject(
    'Tokens',
    'The tokens of this caller, by security scheme of the contract.',
    Object.fromEntries(schemes.map((scheme) => [scheme, tokenSchema(contract, scheme)])),
    { minProperties: 1 },
  )
  const caller = closedObject(
    'Caller',
    'A caller of the service. It has `token`, or `tokens` if the contract combines security schemes.',
    { token, tokens, ...(own.length === 0 ? {} : { record: ownRecords }) },
    { minProperties: 1, maxProperties: own.length === 0 ? 1 : 2 },
  )
  return {
    title: 'Callers',
    description: `The callers of the service: a name and a token for each.${isNeeded ? ' At least one caller.' : ' Omitted: no callers.'} Names and tokens are unique.`,
    type: 'object',
    ...(isNeeded ? { minProperties: 1 } : {}),
    propertyNames: { pattern: callerNamePattern.source },
    additionalProperties: { ...caller, examples: [exampleOf('ada')] },
    examples: [{ ada: exampleOf('ada'), grace: exampleOf('grace') }],
  }
}

/** Creates the schema of a token. @param scheme - The security scheme. Empty: a token for every scheme of the contract. */
function tokenSchema(contract: Contract, scheme: string): JsonObject {
  const { kind = 'bearer', parameter = '' } =
    contract.securitySchemes.get(scheme) ?? [...contract.securitySchemes.values()][0] ?? {}
  const uses = {
    bearer: 'for example in `Authorization: Bearer ada-token`',
    basic: 'user:password of HTTP Basic authentication',
    apiKey: `the value of ${parameter}`,
    http: 'the text after the name of the scheme in the Authorization header',
  }
  return {
    title: 'Token',
    description: `The token of this caller, ${uses[kind]}. The token * accepts any token that no other caller has. Two callers cannot have the same token.`,
    type: 'string',
    maxLength: maxTokenLength,
    pattern: `^(\\*|${tokenForm(contract, scheme).pattern.source.slice(1, -1)})$`,
    examples: [kind === 'basic' ? 'ada:password' : 'ada-token', '*'],
  }
}
