/** A collection before its operations are fitted: what its records are and what tells one from the other. */
import type { JsonObject } from '../../documents/object.js'
import type { ContractView, ViewOperation } from '../contract-view.js'
import { firstPageOf } from '../query/page.js'
import type { Draft, ShownRecord } from '../roles/role.js'
import { chooseIdScheme } from '../schema/id-scheme.js'
import type { ObjectSchema } from '../schema/object-schema.js'
import { objectSchema } from '../schema/object-schema.js'
import { kebabCase, singularOf } from '../words.js'
import { findIdProperty, idType } from './id-property.js'
import type { ListContext } from './list-body.js'
import { findListBody } from './list-body.js'
import { jsonOf, successOf } from './media.js'
import { findParents } from './parents.js'
import type { PathPair } from './paths.js'
import type { RecordBody } from './record-body.js'
import { findRecordBody } from './record-body.js'
import { createRecordModel } from './record-model.js'

/** Makes a draft. @returns Why the paths are no collection, as a clause. */
export function createDraft(contract: ContractView, pair: PathPair): Draft | string {
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
  const parts = [...(readBody ? [readBody.schema] : []), ...(listed ? [listed.schema] : [])]
  if (parts.length === 0) return 'nothing says what a record holds: it is neither listed nor read as an object'

  const requests = requestsOf([...onCollection, ...onItem], parts)
  const model = createRecordModel([...new Set(parts)], requests)
  if (typeof model === 'string') return model
  const idProperty = findIdProperty(name, segment, model.properties)
  const idSchema = idProperty === undefined ? undefined : model.properties.get(idProperty)
  if (idProperty === undefined || !idSchema) return `no property of its records is named by the path parameter ${name}`
  const type = idType(idSchema)
  if (type === undefined || type !== idType(parameter.schema))
    return `its path parameter ${name} and the property ${idProperty} are not both a string or both an integer`

  const parents = findParents(path, [...onCollection, ...onItem], idProperty, model.properties)
  if (typeof parents === 'string') return parents
  const schemaName = parts.map((part) => contract.schemaName(part)).find((each) => each !== undefined)
  const idSchemas = parts
    .map((part) => objectSchema(part)?.properties.get(idProperty))
    .filter((each) => each !== undefined)
  const ids = chooseIdScheme(idSchema, kebabCase(schemaName ?? singularOf(segment)), (id) =>
    [...idSchemas, parameter.schema].every((schema) => contract.fits(schema, id).length === 0),
  )
  return {
    contract,
    path,
    itemPath,
    parameter,
    idProperty,
    parents,
    model,
    ids,
    listBody: list && listed ? { ...list, record: listed } : typeof found === 'string' ? found : undefined,
    readBody,
    shown: [
      ...shownBy(reading, readBody && readBody.fromBody),
      ...shownBy(listing, list && listed && ((body: unknown) => listed.fromBody(list.firstOf(body)))),
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

function requestsOf(operations: readonly ViewOperation[], parts: readonly JsonObject[]): readonly ObjectSchema[] {
  const names = new Set(parts.flatMap((part) => [...(objectSchema(part)?.properties.keys() ?? [])]))
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
