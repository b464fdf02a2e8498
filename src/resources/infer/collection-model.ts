/** Creates the models of collections: their records, ids and parents, and the bodies that show them. */
import type { Contract, Operation, Parameter } from '../../contract/contract.js'
import { lastLiteral } from '../../contract/path-template.js'
import { itemsOf, type ObjectSchema, objectSchema, propertiesOf } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject } from '../../documents/object.js'
import { once } from '../../once.js'
import { chooseIdScheme, type IdScheme } from '../ids.js'
import { isSameName, kebabCase, singularOf, singularsOf } from '../names.js'
import { operationOverrideOf, pathOverrideOf, rolePlaces } from '../read-overrides.js'
import { outsideId } from '../records/records.js'
import { type CollectionMember, type CollectionPaths, type GroupKind, lastParameterOf } from './collection-paths.js'
import { type Alias, aliasesOf, findIdPath, idPrefixOf, isIdName, type PropertySchemas } from './id-property.js'
import { findListBody, type ListBody } from './list-body.js'
import { isKeptInSamePlace, type Parent } from './parents.js'
import {
  declaredPath,
  lacksProperty,
  parameterAt,
  pathParameter,
  type PlacedParameters,
  placeParameters,
  propertyAt,
} from './place-parameters.js'
import { countShared, findRecordBody, type RecordBody } from './record-body.js'
import { createRecordModel, type RecordModel } from './record-model.js'
import { requestContentOf, successResponseOf } from './success-response.js'

/** The model of a collection: as a whole, or as one of its operations sees it. Only `isOwn`, `parameter`, `parents` and `listBody` may differ. */
export interface CollectionModel extends PlacedParameters {
  readonly contract: Contract
  readonly kind: GroupKind
  /** Path of the collection, such as `/pets`. */
  readonly path: string
  /** Path of a record, such as `/pets/{petId}`. Undefined: no path names one. */
  readonly itemPath: string | undefined
  /** The record's property that is the id or contains it. `$id`: no property of the contract does. */
  readonly idProperty: string
  readonly idPath: readonly string[]
  /** The text before the id in its property, such as `memos/`. Empty: none. */
  readonly idPrefix: string
  /** The templates of properties that are made of others, as `text-template.ts` has them. */
  readonly made: JsonObject
  /** Properties that a path may name instead of the id, because the parameter is one of both, such as `id_or_slug`. */
  readonly aliases: readonly Alias[]
  /** Of the collection itself: those of all its paths. */
  readonly parents: readonly Parent[]
  /** The other path parameters of the item path. */
  readonly itemParents: readonly Parent[]
  /** The parents that distinguish records with the same id: those in the path of every operation on a record. */
  readonly keyParents: readonly Parent[]
  readonly recordModel: RecordModel
  /** The schemas that show the record of a create, too. Paths with one of them in common have the same records. */
  readonly showing: readonly JsonObject[]
  /** True if each listing knows its caller; without one, a read. If not, a created record belongs to everyone: its creator could not see it there. */
  readonly isReadByCallers: boolean
  /** Chooses the scheme of new ids on the first call: trying it compiles validators. Undefined: none is known. */
  readonly ids: () => IdScheme | undefined
  /** The success body of a listing, or the reason why it cannot be created. Of the collection itself: that of the first listing. Undefined: no listing. */
  readonly listBody: RecordListBody | string | undefined
  /** The documented read operations, then the documented listings. Their examples show the content of a record. */
  readonly shown: readonly ShownRecords[]
}

type RecordListBody = ListBody & { readonly record: RecordBody }

export interface ShownRecord {
  /** Returns the first record of its valid example. Undefined: there is none. */
  example(): JsonObject | undefined
}

interface ShownRecords extends ShownRecord {
  readonly operation: Operation
  readonly status: string
  recordsIn(body: unknown): readonly JsonObject[]
}

/** Creates the model of a collection as a whole, and as each operation sees it. @returns The reason why the paths are not a collection, as a clause. */
export function createModelsByOperation(contract: Contract, paths: CollectionPaths) {
  const { itemPath, kind, members, path, segment } = paths
  if (segment.startsWith('$'))
    return `names that begin with $ belong to the double, so ${segment} cannot be a collection`
  const operations = members.map(({ operation }) => operation)
  const name = lastParameterOf(itemPath ?? '')
  const parameter = itemPath === undefined ? undefined : parameterAt(operations, itemPath, name)
  if (itemPath !== undefined && !parameter) return `its path parameter ${name} is not documented`
  const declaredIds = [...new Set(operations.flatMap((operation) => pathOverrideOf(operation).id ?? []))]
  if (declaredIds.length > 1) return `x-double gives its records several ids: ${declaredIds.join(', ')}`
  const [declaredId] = declaredIds

  const idIn = (properties: PropertySchemas, required: ReadonlySet<string>): readonly string[] | undefined => {
    if (declaredId === undefined) return findIdPath(parameter, segment, properties, required)
    const declared = declaredPath(declaredId, properties)
    return propertyAt(properties, declared) ? declared : undefined
  }
  /** 0: no id. 1: in an object that has the name of the record, and may be it. */
  const idFit = (schema: JsonObject): number => {
    const [around = '', inner] = idIn(propertiesOf(schema), objectSchema(schema)?.required ?? new Set()) ?? []
    if (around === '') return 0
    return inner !== undefined && singularsOf(segment).some((singular) => isSameName(singular, around)) ? 1 : 2
  }
  const hasId = (schema: JsonObject): boolean => idFit(schema) > 0
  const showing = (
    readers: readonly Operation[],
    statuses: readonly string[],
    isRecord: (schema: JsonObject) => boolean = () => true,
  ): readonly { readonly operation: Operation; readonly body: RecordBody }[] =>
    readers.flatMap((operation) => {
      const { json } = successResponseOf(operation, ...statuses)
      const named = json && recordIn(json.schema, idFit, singularOf(segment))
      const body = named && !isRecord(named.schema) ? recordIn(json.schema, idFit) : named
      return body ? [{ operation, body }] : []
    })
  const reads = membersWith(members, 'read')
  const lists = membersWith(members, 'list')
  const read = showing(reads, ['200'])
  const readSchemas = read.map(({ body }) => body.schema)
  const named = readSchemas.filter(hasId)
  // Objects around the records, or about them, share no property with what a read shows.
  const isOther = ({ schema }: RecordBody): boolean =>
    named.length > 0 && !hasId(schema) && named.every((each) => countShared(schema, propertiesOf(each)) === 0)
  const bodies = new Map(
    lists.map((each) => {
      const list = readListing(contract, each, idFit, readSchemas)
      const other = 'its success response lists objects without any property of the records'
      return [each, typeof list === 'object' && isOther(list.record) ? other : list]
    }),
  )
  const listings = [...bodies].flatMap(([operation, list]) => (typeof list === 'object' ? [{ operation, list }] : []))
  const listedSchemas = listings.map(({ list }) => list.record.schema)
  const listed = listedSchemas.filter(hasId)
  // A schema that shares no property with the listed records is not that of a record. It may be a list below a path parameter.
  const documented = read.filter(
    ({ body }) => listed.length === 0 || listed.some((other) => countShared(body.schema, propertiesOf(other)) > 0),
  )
  // Without a read and a listing, the response to a create, or to a change, shows the record.
  const changes = members.flatMap(({ operation, place }) =>
    place !== 'action' && operation.method.startsWith('P') ? [operation] : [],
  )
  const known = [...documented.map(({ body }) => body.schema), ...listedSchemas]
  const isItem = (schema: JsonObject): boolean =>
    known.some((record) => [...propertiesOf(record).values()].some((each) => itemsOf(each) === schema))
  // An assignment shows the group and its role: neither is its record, unless a read or a listing shows the same. Nor is an item of its lists.
  const others = showing(changes, ['201', '200'], (schema) => known.length === 0 || known.includes(schema)).filter(
    ({ body }) => hasId(body.schema) && !isItem(body.schema),
  )
  const readings = documented.length + listedSchemas.length > 0 ? documented : others.slice(0, 1)
  const schemas = [...new Set([...readings.map(({ body }) => body.schema), ...listedSchemas])]
  if (schemas.length === 0)
    return 'the content of a record is not known: no operation lists it or reads it as an object'

  const created = others.flatMap(({ body }) => objectSchema(body.schema) ?? [])
  const shownNames = new Set(schemas.flatMap((part) => [...propertiesOf(part).keys()]))
  // A mocked operation may say of a secret that it is not shown again.
  const texts = changes.flatMap(({ method, path: at, text }) =>
    method === 'POST' || (method === 'PUT' && at === path) ? [text] : [],
  )
  const recordModel = createRecordModel(schemas, requestsOf(operations, shownNames), created, texts)
  if (typeof recordModel === 'string') return recordModel
  const { properties } = recordModel
  // The id is a property that a read or a listing shows: that of the response to a create alone is not.
  const addressable = new Map([...properties].filter(([key]) => shownNames.has(key)))
  const inside = kind === 'singleton' ? undefined : idIn(addressable, recordModel.required)
  if (!inside && kind !== 'singleton') {
    if (declaredId !== undefined) return lacksProperty(declaredId, properties)
    if (!mayHaveOutsideId(members, recordModel, parameter, others.length > 0))
      return `no property of its records is named by the path parameter ${name}`
  }
  const idPath = inside ?? [outsideId]
  const [idProperty = ''] = idPath
  const placed = placeParameters(paths, parameter, idPath, properties)
  if (typeof placed === 'string') return placed
  const parentsOf = (operation: Operation): readonly Parent[] => placed.get(operation)?.parents ?? []
  const schemaName = schemas.map((part) => contract.schemaName(part)).find((each) => each !== undefined)
  const idSchemas = schemas
    .map((part) => inside && propertyAt(propertiesOf(part), inside))
    .filter((each) => each !== undefined)
  const onItemPath = operations.filter((each) => each.path === itemPath)
  const itemParameters = onItemPath.flatMap((each) => pathParameter(each, name) ?? [])
  const idPrefix = idSchemas.map((each) => idPrefixOf(each, segment)).find(Boolean) ?? ''
  const isValid = (schema: JsonObject, id: unknown): boolean => contract.validate(schema, id).length === 0
  const ids = once(() =>
    chooseIdScheme(
      idSchemas[0] ?? parameter?.schema ?? { type: 'string' },
      parameter?.schema ?? {},
      kebabCase(schemaName ?? singularOf(segment)),
      (id) => idSchemas.every((schema) => isValid(schema, idPrefix === '' ? id : `${idPrefix}${id}`)),
      (id) => itemParameters.every(({ schema }) => [id, String(id), Number(id)].some((each) => isValid(schema, each))),
    ),
  )
  const itemParents = onItemPath.map(parentsOf)[0] ?? []
  const onItem = members.filter(({ place }) => place === 'item').map(({ operation }) => parentsOf(operation))
  const whole: CollectionModel = {
    contract,
    kind,
    isOwn: false,
    path,
    itemPath,
    parameter,
    idProperty,
    idPath,
    idPrefix,
    made: Object.fromEntries(operations.flatMap((each) => Object.entries(pathOverrideOf(each).made))),
    aliases: [parameter ?? [], ...onItemPath.map((each) => pathParameter(each, name) ?? [])]
      .flat()
      .flatMap((each) => aliasesOf(each, properties, idProperty))
      .filter((each, at, all) => all.findIndex((other) => other.name === each.name) === at),
    parents: uniqueParents(operations.flatMap(parentsOf)),
    itemParents,
    keyParents: (kind === 'singleton' ? (onItem[0] ?? []) : itemParents).filter((one) =>
      onItem.every((own) => own.some((other) => isKeptInSamePlace(one, other))),
    ),
    recordModel,
    showing: [
      ...schemas,
      // A response with the id alone shows no record.
      ...others.map(({ body }) => body.schema).filter((each) => countShared(each, properties) > 2),
    ],
    isReadByCallers: lists.length > 0 ? lists.every(knowsCaller) : reads.some(knowsCaller),
    ids: kind === 'singleton' ? () => undefined : ids,
    listBody: [...bodies.values()][0],
    shown: [
      ...readings.flatMap(({ body, operation }) =>
        shownBy(operation, contract, (value) => [body.fromBody(value)].filter(isObject), kind === 'singleton'),
      ),
      ...listings.flatMap(({ list, operation }) =>
        shownBy(operation, contract, (body) => (list.itemsIn(body) ?? []).map(list.record.fromBody).filter(isObject)),
      ),
    ],
  }
  const seenBy = (each: Operation): CollectionModel => ({ ...whole, ...placed.get(each), listBody: bodies.get(each) })
  return { whole, seenBy: new Map(operations.map((each) => [each, seenBy(each)])) }
}

const knowsCaller = ({ security }: Operation): boolean => security.length > 0

/** Names of properties by which a service may identify a record. */
const identifying =
  /^(?:name|key|slug|login|code|email|title|path|hash|sha|ref|token|number|kid|_?id|uuid|guid|gid|sid)$/iu
const endsInId = /(?:[a-z]_?I|_i)[dD]$/u

/** Tells whether records may have an id that no property is: no property may identify them, and a client that creates one can learn the id. */
function mayHaveOutsideId(
  members: readonly CollectionMember[],
  { properties }: RecordModel,
  parameter: Parameter | undefined,
  showsId: boolean,
): boolean {
  if (parameter && !isIdName(parameter.name)) return false
  const hasItem = members.some(({ place }) => place === 'item')
  if (hasItem && [...properties.keys()].some((name) => identifying.test(name) || endsInId.test(name))) return false
  const creates = members.filter(({ operation, place }) => place === 'collection' && operation.method === 'POST')
  return creates.every(({ operation }) => !hasItem || showsId || successResponseOf(operation, '201').hasLocation)
}

/** Lists the operations of a role that shows records: those that have the role in `x-double`, and every GET without a role there. */
const membersWith = (members: readonly CollectionMember[], role: 'list' | 'read'): readonly Operation[] =>
  members.flatMap(({ operation, place }) => {
    const fitting = operation.method === 'GET' && place === rolePlaces[role] ? role : undefined
    return (operationOverrideOf(operation).role ?? fitting) === role ? [operation] : []
  })

const uniqueParents = (parents: readonly Parent[]): readonly Parent[] =>
  parents.filter((one, at) => parents.findIndex((other) => isKeptInSamePlace(one, other)) === at)

/** Finds the list in the response of an operation, and the record in each item. An item with properties next to the record has none. */
function readListing(
  contract: Contract,
  operation: Operation,
  idFit: (schema: JsonObject) => number,
  read: readonly JsonObject[],
): CollectionModel['listBody'] {
  const { documented, json } = successResponseOf(operation, '200')
  const example = (): unknown => contract.example(operation, documented, true)
  const segment = lastLiteral(operation.path)
  const values = { operationPath: operation.path, example, generate: contract.generate }
  const list = json && findListBody(json.schema, segment, values, read)
  if (list === undefined || typeof list === 'string') return list
  const record = recordIn(list.items, idFit)
  return record?.others.length === 0 ? { ...list, record } : undefined
}

const recordIn = (schema: JsonObject, idFit: (schema: JsonObject) => number, thing = ''): RecordBody | undefined =>
  findRecordBody(schema, idFit, thing, thing) ?? findRecordBody(schema, (each) => propertiesOf(each).size)

/** Finds the records in the bodies of requests. @param names - The properties of the records in responses. */
const requestsOf = (operations: readonly Operation[], names: ReadonlySet<string>): readonly ObjectSchema[] =>
  operations.flatMap((operation) => {
    const content = requestContentOf(operation)
    const body = content && findRecordBody(content.schema, (schema) => countShared(schema, names))
    const whole = body ?? (content && findRecordBody(content.schema, () => 1))
    return objectSchema(whole?.schema ?? {}) ?? []
  })

function shownBy(
  operation: Operation,
  contract: Contract,
  recordsIn: ShownRecords['recordsIn'],
  isWhole = false,
): readonly ShownRecords[] {
  const { documented: status } = successResponseOf(operation, '200')
  const example = (): JsonObject | undefined => recordsIn(contract.example(operation, status, isWhole))[0]
  return status === undefined ? [] : [{ operation, status, recordsIn, example }]
}
