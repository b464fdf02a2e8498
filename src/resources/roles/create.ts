/** Create: `POST` to a collection adds the body, and fills in the server-owned properties. */
import { type Operation, responseObject } from '../../contract/contract.js'
import { asSegments, fillTemplate, lastLiteral, literalSegments } from '../../contract/path-template.js'
import { examplesIn } from '../../contract/references.js'
import {
  descriptionOf,
  findKeyword,
  isChoice,
  itemsOf,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, textOf } from '../../documents/object.js'
import { fillPlaces } from '../../documents/text-template.js'
import { once } from '../../once.js'
import { chooseIdScheme, type Id, isId, nextId } from '../ids.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { idOf, isIdName, withId } from '../infer/id-property.js'
import { isKeptInSamePlace, placeParents } from '../infer/parents.js'
import { propertyAt } from '../infer/place-parameters.js'
import { countShared } from '../infer/record-body.js'
import { fitRecord, isErrors, lostIn, refusesNull } from '../infer/record-model.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze, withoutProperties } from '../json.js'
import { isSameName, kebabCase, singularOf, singularsOf, wordsOf } from '../names.js'
import { pathOverrideOf } from '../read-overrides.js'
import { addEntry, findEntry, findRemoved, hasAccess } from '../records/records.js'
import { everyone, recordsOf, withRecords } from '../records/state.js'
import { changeRecord, createTimesOfChange, withMade } from './change-record.js'
import { matchTaken } from './clash.js'
import { createServerOwnedValues, exampleOf } from './complete-value.js'
import {
  fail,
  failWithoutRecord,
  idIn,
  isBelow,
  keyOf,
  keyWithId,
  parentValue,
  pathValue,
  relatedIn,
} from './find-record.js'
import { matchRequestBody, type RequestRecord } from './match-request-body.js'
import { matchSuccessResponse, type RecordResponse } from './match-success-response.js'
import type { HandledRequest, RoleOutcome, ResourceRequest, Role, Target } from './role.js'

export const create: Role = {
  name: 'create',
  methods: ['POST'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation, true)
    if (typeof request === 'string') return request
    const noun = asSegments(operation.path).split('/').at(-1) ?? ''
    if (isQuery.test(noun)) return `${noun} names a query, and no collection`
    const [verb = ''] = wordsOf(operation.id)
    if (readingVerb.test(verb)) return `its operationId says that it is to ${verb}`
    if (model.recordModel.schemas.some((each) => isChoice(each) && model.contract.generate(each) === undefined))
      return 'no record is known that is valid by exactly one of its schemas (oneOf)'
    const creation = matchCreation(model, operation, request)
    const { idPath, idProperty, itemPath, keyParents, parents } = model
    const idSchema = propertyAt(model.recordModel.properties, idPath) ?? {}
    const { properties: sendable, required } = request.schema
    const { name: named = '' } = model.parameter ?? {}
    // `{user_id: u1}` for `/groups/{group}/users/{user_id}` names the record, also where its own property is `id`, and so does `{name: main}`
    // for `/branches/{branch}`.
    const isThing = request.serverOwned.has(idProperty) && isSameName(named, singularOf(lastLiteral(model.path)))
    const names = isThing ? [named, 'name'] : [named]
    const isNamed = (sent: string): boolean =>
      !model.recordModel.schemas.some((each) => propertiesOf(each).has(sent)) &&
      scalarType(sendable.get(sent) ?? {}) === scalarType(idSchema)
    const sentAs = names
      .flatMap((name) =>
        [...(sendable.size === 1 ? sendable.keys() : required)].filter((each) => isSameName(each, name)),
      )
      .find(isNamed)
    if (
      request.shared.length === 0 &&
      sentAs === undefined &&
      !showsRecordAlone(model, operation, request, creation.response)
    )
      return 'its request body shares no property with the record'
    const ids = model.ids()
    const unknown = keyParents.find(
      (one) => one.property === undefined && !parents.some((other) => isKeptInSamePlace(one, other)),
    )
    if (unknown) return `its path does not name ${unknown.parameter}, which ${itemPath ?? ''} needs`
    const isIdSent = !request.serverOwned.has(idProperty) && request.schema.required.has(idProperty)
    const hasAllSent = (items: JsonObject): boolean => request.notStored.every((name) => propertiesOf(items).has(name))
    const isOfList = ([, property]: readonly [string, JsonObject]): boolean => hasAllSent(itemsOf(property) ?? {})
    if (isIdSent && request.notStored.length > 0 && [...model.recordModel.properties].some(isOfList))
      return 'its request body is an item of a list of the record'
    if (isUpsert.test(operation.summary) && !isIdSent)
      return 'it changes a record that exists, which the double cannot find'
    const { from = sentAs && `{${sentAs}}` } = pathOverrideOf(operation)
    if (!ids && !isIdSent && from === undefined)
      return `the double cannot create an ${idPath.join('.')} that is valid by its schema`

    const findTaken = matchTaken(operation, request)
    const changesExisting = isUpsert.test(operation.text)
    // An id that a client sends to repeat its request safely.
    const isKey = /\bidempoten/iu.test(descriptionOf(request.schema.properties.get(idProperty) ?? {}))
    const timed = createTimesOfChange(model, operation, changesExisting ? request.serverOwned : [])
    return {
      filled: () => [
        ...creation.filling.filled().filter((name) => name !== creation.urlName()),
        ...creation.response.filled(),
        ...request.referred,
        // A made-up id is no full name.
        ...(from === undefined && request.serverOwned.has(idProperty) && !isIdName(idProperty) ? [idProperty] : []),
      ],
      leftOut: () => creation.response.leftOut(),
      httpEffects: findTaken ? ['clash'] : [],
      notStored: request.notStored.filter((each) => each !== sentAs),
      ...(sentAs === 'name' || request.shared.length === 0 || creation.response.isExample ? { basis: 'inferred' } : {}),
      handle: (handled) => {
        const { caller, state, target } = handled
        const sent = request.read(handled.request)
        if (!sent) return failWithoutRecord(target)
        const own = request.storable(sent, relatedIn(handled))
        const records = recordsOf(state, target.collection)
        const clash = findTaken?.(records, own, (entry) => isBelow(target, entry, handled.request))
        if (clash) return fail(target, 'taken', { clash })
        const keyWith = (id: Id): string => keyWithId(target, handled.request, id, own)
        const isTaken = (id: Id): boolean => findEntry(records, keyWith(id)) !== undefined
        const given = idFrom(from, sent) ?? idOf(model, own)
        // `mycompany` is no id where the record has `custom:mycompany`.
        const isOther = ids && from === undefined && isId(given) && model.contract.validate(idSchema, given).length > 0
        const sentId = isOther ? undefined : given
        if (isId(sentId)) {
          const entry = findEntry(records, keyWith(sentId))
          if (!entry) return createRecord(creation, handled, own, sentId, 0)
          if (isKey && hasAccess(entry, caller?.name)) return creation.response.respond(entry.record)
          return changesExisting && hasAccess(entry, caller?.name)
            ? changeRecord(
                handled,
                entry,
                timed.apply({ ...entry.record, ...request.defaults, ...own }, handled.context.clock.now),
                creation.response,
              )
            : fail(target, 'id_exists', { id: String(sentId) })
        }
        // The numbers of removed records are not above the last number, if ids show them.
        const wasUsed = (id: Id): boolean => ids?.numberOf(id) === 0 && findRemoved(records, keyWith(id)) !== undefined
        const made = ids && nextId(ids, records.lastNumber, (id) => isTaken(id) || wasUsed(id))
        return made ? createRecord(creation, handled, own, made.id, made.number) : fail(target, 'no_more_ids')
      },
    }
  },
}

/** Makes an id of the properties that a client sends. Undefined: there is no template, or one of them is no id. */
const idFrom = (template: string | undefined, sent: JsonObject): unknown =>
  fillPlaces(template, (name) => (isId(sent[name]) ? sent[name] : undefined))

/** The words of an operation that creates a record if there is none. */
export const isUpsert =
  /^refresh\b|\bupsert|\b(?:creat\w+|adds?|adding|registers?) or (?:updat|replac|modif|refresh)\w+|\bnew(?: \w+){0,2} or \w+ (?:an )?existing\b|\b(?:updat|replac|modif)\w+ or (?:creat|add)\w*/iu

/** Tells whether nothing else creates the record that a `PUT` names, and its 404 is about what its path lies below: "User not found" of `/users/{id}/fees/{year}`. */
export function createsAlone({ contract, path }: CollectionModel, operation: Operation): boolean {
  const text = textOf(responseObject(operation, '404')['description'])
  const [, noun = ''] = /^\W*(?:the )?(\w+) (?:is |was )?not found\b/iu.exec(text) ?? []
  const above = literalSegments(path).slice(0, -1)
  const isOfParent = above.some((segment) => singularsOf(segment).some((each) => isSameName(each, noun)))
  const isCreated = contract.operations.some((each) => each.method === 'POST' && asSegments(each.path) === path)
  return operation.method === 'PUT' && isOfParent && !isCreated
}

/** Matches a change that creates the record that its path names, if there is none. */
export function matchMissing(model: CollectionModel, operation: Operation, request: RequestRecord) {
  const creation = matchCreation(model, operation, request)
  return {
    filled: () => creation.filling.filled(),
    create: (own: JsonObject, handled: HandledRequest): RoleOutcome | undefined => {
      const { request: sent, state, target } = handled
      if (findEntry(recordsOf(state, target.collection), keyOf(target, sent))) return undefined
      const named = sent.path[model.parameter?.name ?? '']
      return createRecord(creation, handled, own, typeof named === 'number' ? named : idIn(target, sent), 0)
    },
  }
}

/** The first word of operations that add no record. */
const readingVerb = /^(?:get|list|search|query|find|fetch|retrieve|export)$/u

/** The last segment of paths whose POST adds no record. */
const isQuery = /^(?:search|query|filter|lookup|validate|batch|login)$/iu

/** Creates a record. @param id - It is not in use. @param number - The number of a generated id. 0: the client chose the id. */
function createRecord(
  { filling, idNames, otherId, otherIds, response, urlName }: ReturnType<typeof matchCreation>,
  { caller, context, request, state, target }: HandledRequest,
  sent: JsonObject,
  id: Id,
  number: number,
): RoleOutcome {
  const { model } = target
  const parents = placeParents(model.parents, ({ parameter }) => pathValue(request, parameter))
  const records = recordsOf(state, target.collection)
  const nextNumber = Math.max(records.lastNumber, records.size) + 1
  const made = otherIds()?.idOf(nextNumber)
  const ownUrl = urlName()
  const named = {
    ...Object.fromEntries(idNames.map((name) => [name, id])),
    ...(made === undefined ? {} : { [otherId]: made }),
    ...(ownUrl === undefined ? {} : { [ownUrl]: urlOf(context.url, id) }),
  }
  // A null that the record cannot have is as good as not sent.
  const refused = Object.keys(sent).filter((name) => sent[name] === null && refusesNull(model, name))
  const whole = { ...withoutProperties(sent, refused), ...named, ...parents.properties }
  const own = filling.complete(withId(model, whole, id), context.clock.now)
  // Half of a surrogate pair has no percent-encoding, so no URL could name the record.
  const fitted = /\p{Surrogate}/u.test(String(id))
    ? [{ path: model.idPath, message: `${model.idPath.join('.')} must be text that UTF-8 can encode` }]
    : fitRecord(model, withMade(model, own, request))
  if (isErrors(fitted)) return fail(target, 'invalid_record', { id: String(id), validationErrors: fitted })
  const record = deepFreeze(inOrder(model.recordModel.properties.keys(), withId(model, fitted, id)))
  const access = caller && caller !== everyone && model.isReadByCallers ? Object.freeze([caller.name]) : undefined
  const entry = { key: keyWithId(target, request, id, record), record, access, parents: parents.others }
  const used = made === undefined ? 0 : nextNumber
  const lastNumber = Math.max(records.lastNumber, number, used, model.ids()?.numberOf(id) ?? 0)
  const headers =
    response.hasLocation && model.itemPath !== undefined ? { location: locationOf(target, request, id) } : undefined
  return {
    ...response.respond(record, headers),
    notStored: lostIn(fitted, sent),
    createdId: String(id),
    next: withRecords(state, target.collection, addEntry(records, entry, lastNumber)),
  }
}

/** Returns the URL of a record that is created at the URL of its collection. */
function urlOf(collection: string, id: Id): string {
  const { origin, pathname } = new URL(collection)
  return `${origin}${pathname.replace(/\/$/u, '')}/${encodeURIComponent(String(id))}`
}

function locationOf({ model }: Target, request: ResourceRequest, id: Id): string {
  return fillTemplate(model.itemPath ?? '', (name) => {
    const parent = model.itemParents.find(({ parameter }) => parameter === name)
    return encodeURIComponent(String(parent ? parentValue(model, request, parent) : id))
  })
}

/** Returns a record with its properties in the order of the contract. Other properties come last. */
function inOrder(names: Iterable<string>, record: JsonObject): JsonObject {
  const known = [...names].filter((name) => Object.hasOwn(record, name))
  return { ...Object.fromEntries(known.map((name) => [name, record[name]])), ...record }
}

/** Tells whether a create whose body shares nothing with the record documents that it creates one. The record is then the example with a new id. */
function showsRecordAlone(
  { path, recordModel }: CollectionModel,
  operation: Operation,
  { schema }: RequestRecord,
  { body, documented }: RecordResponse,
): boolean {
  const isBatch = [...schema.properties.values()].some((each) => {
    const items = itemsOf(each)
    return items !== undefined && countShared(items, recordModel.properties) > 0
  })
  const isOther = isBatch || /(?:search|validate|batch|login|query)/iu.test(`${operation.id} ${path}`)
  return !isOther && body !== undefined && (documented === '201' || recordModel.schemas.includes(body.schema))
}

/** Matches the response to a creation, and finds the properties that the server fills in. */
function matchCreation(model: CollectionModel, operation: Operation, request: RequestRecord) {
  const whole = { ...model, recordModel: { ...model.recordModel, shownOnce: new Set<string>() } }
  const response = matchSuccessResponse(whole, operation, '201')
  const { body, documented } = response
  const told = `${operation.text} ${successResponseOf(operation, '201').description}`
  const example = (): JsonObject | undefined => body?.fromBody(model.contract.example(operation, documented))
  const records = once(() =>
    examplesIn(responseObject(operation, documented)).flatMap((each) => [body?.fromBody(each)].filter(isObject)),
  )
  const { idProperty, itemPath, path, recordModel } = model
  const things = singularsOf(lastLiteral(path))
  const properties = propertiesOf(body?.schema ?? {})
  const idNames = [...properties.keys()].filter(
    (name) =>
      name !== idProperty &&
      things.some((thing) => isSameName(name, `${thing} id`)) &&
      !recordModel.schemas.some((each) => propertiesOf(each).has(name)),
  )
  // An id that no path names is another one for each record, too.
  const ofThing = ['id', ...things.map((thing) => `${thing} id`)]
  const isOtherId = (name: string): boolean =>
    name !== idProperty && request.serverOwned.has(name) && ofThing.some((each) => isSameName(name, each))
  const isIndex = (schema: JsonObject): boolean =>
    scalarType(schema) === 'integer' &&
    /\b(?:index|position) of the\b[^.]*\b(?:in|within)\b/iu.test(descriptionOf(schema))
  const isNumbered = ([name, schema]: readonly [string, JsonObject]): boolean =>
    isOtherId(name) || (request.serverOwned.has(name) && isIndex(schema))
  const otherId = [...recordModel.properties].find(isNumbered)?.[0] ?? ''
  const idSchema = recordModel.properties.get(otherId)
  const isUrl = ([name, schema]: readonly [string, JsonObject]): boolean =>
    /^(?:href|self|ur[il])$/iu.test(name) &&
    request.serverOwned.has(name) &&
    /^ur[il]$/u.test(String(findKeyword(schema, 'format'))) &&
    [undefined, model.contract.generate(schema)].includes(exampleOf([{ example }, ...model.shown], name))
  const isAtCollection = itemPath?.startsWith(`${path}/{`) === true && operation.path === path
  return {
    filling: createServerOwnedValues(model, request, { example, properties, records, told }),
    /** Finds the property with the URL of the record, of which no example is known. On the first use: examples are validated. */
    urlName: once(() => (isAtCollection ? [...recordModel.properties].find(isUrl)?.[0] : undefined)),
    /** The properties that only this response has, and that contain the id, such as `exportId`. */
    idNames,
    /** An id that no path names, either. Empty: there is none. */
    otherId,
    otherIds: once(
      () =>
        idSchema &&
        chooseIdScheme(
          idSchema,
          {},
          kebabCase(singularOf(lastLiteral(path))),
          (id) => model.contract.validate(idSchema, id).length === 0,
          () => true,
        ),
    ),
    response,
  }
}
