/** The JSON Schema of the fixtures of a contract, for completion and checks in editors. */
import type { JsonObject } from '../../documents/object.js'
import type { Collection, Resources } from '../resources.js'
import { createDraft7Writer } from '../schema/json-schema-draft-7.js'
import { findKeyword } from '../schema/object-schema.js'
import { callersSchema } from './callers-schema.js'
import { storesUnknown } from './unknown-record-keys.js'

/** Creates the schema. The same contract gives the same schema. @param name - That of the double. */
export function fixtureSchema({ collections, contract }: Resources, name: string): JsonObject {
  const isSecured = contract.operations.some(({ secured }) => secured)
  const writer = createDraft7Writer((schema) => contract.schemaName(schema))
  const properties = Object.fromEntries(
    collections.map((collection) => [collection.name, collectionSchema(collection, writer.write)]),
  )
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: `Fixture of the ${name}`,
    description:
      'The whole state of a double: its callers, and the records of each collection. A fixture file, the state file and GET /__admin/state have this format. Keys that begin with $ belong to the double. Every other key is a collection of the contract. Unknown keys are refused.',
    type: 'object',
    ...(isSecured ? { required: ['$callers'] } : {}),
    additionalProperties: false,
    properties: { ...documentProperties, $callers: callersSchema(contract, isSecured), ...properties },
    definitions: { ...writer.definitions },
  }
}

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
  $seed: {
    title: 'Seed',
    description: 'The fixture that a state file comes from. The double writes it. Omit it in a fixture.',
    type: 'object',
    required: ['fixture', 'sha256'],
    additionalProperties: false,
    properties: { fixture: { anyOf: [{ type: 'string' }, { type: 'null' }] }, sha256: { type: 'string' } },
  },
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
  return {
    title: name,
    description: `The records of ${model.path}, in the order of a list. Omitted: no records.`,
    type: 'array',
    items: recordSchema(collection, write),
  }
}

function recordSchema(collection: Collection, write: (schema: unknown) => unknown): JsonObject {
  const { contract, idProperty, ids, recordModel } = collection.model
  const needsParents = collection.model.keyParents.some(({ property }) => property === undefined)
  const required = [
    ...[...recordModel.required].filter((property) => property !== idProperty || !ids),
    ...(needsParents ? ['$parents'] : []),
  ]
  const described = [...recordModel.schemas]
    .map((part) => findKeyword(part, 'description'))
    .find((text) => typeof text === 'string')
  const name = recordModel.schemas.map((part) => contract.schemaName(part)).find((each) => each !== undefined)
  const properties = [...recordModel.properties].map(([property, schema]) => {
    const written = write(schema)
    if (property !== idProperty) return [property, written] as const
    return [property, { ...(written as JsonObject), description: idDescription(collection, schema) }] as const
  })
  return {
    ...(name === undefined ? {} : { title: name }),
    ...(described === undefined ? {} : { description: described }),
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: storesUnknown(collection),
    properties: { ...Object.fromEntries(properties), $access: accessSchema, ...parentsSchema(collection) },
  }
}

/** Creates the schema of `$parents`, if the collection has parents that no property contains. */
function parentsSchema({ model: { keyParents, parents } }: Collection): JsonObject {
  const own = parents.filter(({ property }) => property === undefined)
  if (own.length === 0) return {}
  const required = keyParents.filter(({ property }) => property === undefined).map(({ key }) => key)
  return {
    $parents: {
      title: 'Parents',
      description: 'Values of path parameters that no property of the record holds. Responses do not contain it.',
      type: 'object',
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
      properties: Object.fromEntries(own.map(({ key, type }) => [key, { type }])),
    },
  }
}

function idDescription({ model: { ids, itemPath } }: Collection, schema: JsonObject): string {
  const given = findKeyword(schema, 'description')
  const first = typeof given === 'string' ? given : `Identifies the record in ${itemPath}.`
  const third = ids?.idOf(3)
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
