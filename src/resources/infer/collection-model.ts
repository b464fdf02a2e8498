/** Models of collections: their records, ids and parents, and the bodies that show them. */
import type { JsonObject } from '../../documents/object.js'
import type { ContractView, ViewOperation, ViewParameter } from '../contract-view.js'
import { firstPageOf } from '../query/page.js'
import type { IdScheme } from '../schema/id-scheme.js'
import { chooseIdScheme } from '../schema/id-scheme.js'
import type { ObjectSchema } from '../schema/object-schema.js'
import { objectSchema } from '../schema/object-schema.js'
import { kebabCase, singularOf } from '../words.js'
import { findIdProperty, idType } from './id-property.js'
import type { ListBody, ListContext } from './list-body.js'
import { findListBody } from './list-body.js'
import { jsonOf, successOf } from './media.js'
import type { Parent } from './parents.js'
import { findParents } from './parents.js'
import type { PathPair } from './paths.js'
import type { RecordBody } from './record-body.js'
import { findRecordBody } from './record-body.js'
import type { RecordModel } from './record-model.js'
import { createRecordModel } from './record-model.js'

/** The model of a collection: all that a contract says of it, apart from its operations. */
export interface CollectionModel {
  readonly contract: ContractView
  /** Path of the collection, such as `/pets`. */
  readonly path: string
  /** Path of a record, such as `/pets/{petId}`. */
  readonly itemPath: string
  /** The path parameter that holds the id. */
  readonly parameter: ViewParameter
  /** The record property that is the id. */
  readonly idProperty: string
  /** The path parameters before the last, in order. */
  readonly parents: readonly Parent[]
  readonly recordModel: RecordModel
  /** The scheme of new ids. Undefined: none is known. */
  readonly ids: IdScheme | undefined
  /** The success body of the listing, or why it cannot be built. Undefined: there is none. */
  readonly listBody: (ListBody & { readonly record: RecordBody }) | string | undefined
  /** The success body of the read operation. Undefined: there is none. */
  readonly readBody: RecordBody | undefined
  /** The read operation, then the listing, as far as they are documented: their examples show what a record holds. */
  readonly shown: readonly ShownRecord[]
}

/** An operation whose response shows a record. */
export interface ShownRecord {
  readonly operation: ViewOperation
  readonly status: string
  fromBody(body: unknown): JsonObject | undefined
}

/** Creates the model of a collection. @returns Why the paths are no collection, as a clause. */
export function createCollectionModel(contract: ContractView, pair: PathPair): CollectionModel | string {
  const { itemPath, onCollection, onItem, parameter: name, path, segment } = pair
  if (segment.startsWith('$'))
    return `names that begin with $ belong to the double, and so ${segment} can be no collection`
  const parameter = onItem
    .flatMap(({ parameters }) => parameters)
    .find((each) => each.in === 'path' && each.name === name)
  if (!parameter) return `its path parameter ${name} is not documented`

  const listing = onCollection.find(({ method }) => method === 'GET')
  const reading = onItem.find(({ method }) => method === 'GET')
  const hasId = (schema: JsonObject): boolean =>
    findIdProperty(name, segment, objectSchema(schema)?.properties ?? new Map<string, JsonObject>()) !== undefined
  const readJson = reading && successOf(reading, '200').json
  const readBody = readJson && recordIn(readJson.schema, hasId)
  const listJson = listing && successOf(listing, '200').json
  const found = listing && listJson && findListBody(listJson.schema, listContext(contract, segment, listing))
  const list = typeof found === 'string' ? undefined : found
  const listed = list && recordIn(list.items, hasId)
  const schemas = [...(readBody ? [readBody.schema] : []), ...(listed ? [listed.schema] : [])]
  if (schemas.length === 0) return 'nothing says what a record holds: it is neither listed nor read as an object'

  const requests = requestsOf([...onCollection, ...onItem], schemas)
  const recordModel = createRecordModel([...new Set(schemas)], requests)
  if (typeof recordModel === 'string') return recordModel
  const idProperty = findIdProperty(name, segment, recordModel.properties)
  const idSchema = idProperty === undefined ? undefined : recordModel.properties.get(idProperty)
  if (idProperty === undefined || !idSchema) return `no property of its records is named by the path parameter ${name}`
  const type = idType(idSchema)
  if (type === undefined || type !== idType(parameter.schema))
    return `its path parameter ${name} and the property ${idProperty} are not both a string or both an integer`

  const parents = findParents(path, [...onCollection, ...onItem], idProperty, recordModel.properties)
  if (typeof parents === 'string') return parents
  const schemaName = schemas.map((part) => contract.schemaName(part)).find((each) => each !== undefined)
  const idSchemas = schemas
    .map((part) => objectSchema(part)?.properties.get(idProperty))
    .filter((each) => each !== undefined)
  const ids = chooseIdScheme(idSchema, kebabCase(schemaName ?? singularOf(segment)), (id) =>
    [...idSchemas, parameter.schema].every((schema) => contract.validate(schema, id).length === 0),
  )
  return {
    contract,
    path,
    itemPath,
    parameter,
    idProperty,
    parents,
    recordModel,
    ids,
    listBody: list && listed ? { ...list, record: listed } : typeof found === 'string' ? found : undefined,
    readBody,
    shown: [
      ...shownBy(reading, readBody && readBody.fromBody),
      ...shownBy(listing, list && listed && ((body: unknown) => listed.fromBody(list.itemsIn(body)?.[0]))),
    ],
  }
}

function listContext(contract: ContractView, segment: string, listing: ViewOperation): ListContext {
  const { documented } = successOf(listing, '200')
  return {
    segment,
    firstPage: firstPageOf(listing.parameters.find((each) => each.in === 'query' && each.name === 'page')),
    example: () => (documented === undefined ? undefined : contract.example(listing, documented)),
  }
}

/** The record in a body: told by its id, else the body itself. */
const recordIn = (schema: JsonObject, hasId: (schema: JsonObject) => boolean): RecordBody | undefined =>
  findRecordBody(schema, hasId) ?? findRecordBody(schema, (each) => (objectSchema(each)?.properties.size ?? 0) > 0)

function requestsOf(operations: readonly ViewOperation[], schemas: readonly JsonObject[]): readonly ObjectSchema[] {
  const names = new Set(schemas.flatMap((part) => [...(objectSchema(part)?.properties.keys() ?? [])]))
  const isRecord = (schema: JsonObject): boolean =>
    [...(objectSchema(schema)?.properties.keys() ?? [])].some((name) => names.has(name))
  return operations.flatMap(({ requestBody }) => {
    const json = requestBody && jsonOf(requestBody.content)
    const body = json && findRecordBody(json.schema, isRecord)
    return (body && objectSchema(body.schema)) ?? []
  })
}

function shownBy(
  operation: ViewOperation | undefined,
  fromBody: ShownRecord['fromBody'] | undefined,
): readonly ShownRecord[] {
  const status = operation && successOf(operation, '200').documented
  return operation && fromBody && status !== undefined ? [{ operation, status, fromBody }] : []
}
