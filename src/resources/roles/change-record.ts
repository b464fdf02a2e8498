/** Changes a record: the common part of replace and update. */
import { documentedResponse, type Operation } from '../../contract/contract.js'
import { declaredTypes, isMarked, isNullable, propertiesOf } from '../../contract/schemas/read-schema.js'
import { type JsonObject, objectOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { fillPlaces } from '../../documents/text-template.js'
import { isId } from '../ids.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { idOf, type PropertySchemas, withId } from '../infer/id-property.js'
import { entryKey } from '../infer/parents.js'
import { fitRecord, isErrors, lostIn, refusesNull } from '../infer/record-model.js'
import { deepFreeze, isEqual, withoutProperties } from '../json.js'
import { operationOverrideOf } from '../read-overrides.js'
import { type Entry, findRemoved, putEntry } from '../records/records.js'
import { recordsOf, withRecords } from '../records/state.js'
import { matchTaken } from './clash.js'
import { createObjectCompletion, createSentValueCompletions, exampleOf } from './complete-value.js'
import { fail, failWithoutRecord, findRecord, idIn, isBelow, relatedIn } from './find-record.js'
import { isNamed, changeTimes, timeOf } from './fresh-values.js'
import { attributes, type RequestRecord } from './match-request-body.js'
import type { RecordResponse } from './match-success-response.js'
import type { HandledRequest, ResourceRequest, RoleMatch, RoleOutcome } from './role.js'

/** The success statuses of a change, the preferred one first. 201 is for a creation. */
export const changedStatuses = ['200', '204'] as const

/** Sets the properties that `x-double` makes of others and of path parameters. What lacks a value stays as it is. */
export function withMade({ made }: CollectionModel, record: JsonObject, { path }: ResourceRequest): JsonObject {
  const valueOf = (name: string): unknown => valueAt(record, name.split('.')) ?? path[name]
  const own = Object.entries(made).flatMap(([name, template]) => {
    const value = fillPlaces(template, valueOf)
    return value === undefined ? [] : [[name, value] as const]
  })
  return own.length === 0 ? record : { ...record, ...Object.fromEntries(own) }
}

export function changeRecord(
  { request, state, target }: HandledRequest,
  entry: Entry,
  sent: JsonObject,
  response: RecordResponse,
): RoleOutcome {
  const { collection, model } = target
  const changed = withMade(model, sent, request)
  const records = recordsOf(state, collection)
  // A removed singleton is stored again, also if it is as before.
  if (isEqual(entry.record, changed) && !findRemoved(records, entry.key)) return response.respond(entry.record)
  const fitted = fitRecord(model, changed, entry.record)
  if (isErrors(fitted)) return fail(target, 'invalid_record', { id: entry.key, validationErrors: fitted })
  const record = deepFreeze(fitted)
  const next = withRecords(state, collection, putEntry(records, { ...entry, record }))
  const lost = lostIn(fitted, changed).filter((name) => !isEqual(changed[name], entry.record[name]))
  return { ...response.respond(record), notStored: lost, next }
}

const naturalKey = /^(?:slug|user_?name|login|handle|key|code|email|name|title)$/iu

interface MissingRecord {
  /** Returns the properties that come from an example. */
  filled(): readonly string[]
  create(own: JsonObject, handled: HandledRequest): RoleOutcome | undefined
}

interface Change {
  readonly request: RequestRecord
  readonly response: RecordResponse
  readonly isMerged: boolean
  change(own: JsonObject, record: JsonObject, request: ResourceRequest): JsonObject
  /** Creates a record that does not exist. Undefined, and if `create` returns that: it is an error. */
  readonly missing: MissingRecord | undefined
}

/**
 * Matches an operation that changes a record by its body. A client cannot change the server-owned properties, the id and the parents; times of
 * change become the present.
 */
export function matchChange(
  model: CollectionModel,
  operation: Operation,
  { change, isMerged, missing, request, response }: Change,
): RoleMatch {
  const { idPath, parents } = model
  const completions = createSentValueCompletions(model, request, model.shown, isMerged)
  const complete = createObjectCompletion(new Map(), completions)
  // Of an id inside of an object, the other properties of that object can change.
  const kept = new Set([
    ...request.serverOwned,
    ...(idPath.length === 1 ? idPath : []),
    ...parents.flatMap(({ property }) => property ?? []),
  ])
  const sentInside = propertiesOf(request.schema.properties.get(attributes) ?? {})
  const timed = createTimesOfChange(model, operation, model.recordModel.properties.keys(), sentInside)
  const findTaken = model.parameter && matchTaken(operation, request)
  // A slug that a body may have looks as if it could be changed.
  const isOptionalKey =
    model.parameter !== undefined &&
    idPath.length === 1 &&
    idPath.every((name) => naturalKey.test(name) && request.shared.includes(name) && !request.schema.required.has(name))
  const keepsNulls = /\bnull\b[^.]*\b(?:unchanged|ignored|left as)\b/iu.test(operation.text)
  // A null that only a request may have removes an optional property, and leaves a required one as it is.
  const isOnlySentAsNull = (name: string): boolean => {
    const [stored = {}, sent = {}] = [model.recordModel, request.schema].map(({ properties }) => properties.get(name))
    return isNullable(sent) && declaredTypes(stored).length > 0 && refusesNull(model, name)
  }
  // Another operation creates the object.
  const isCreatedBy = (each: Operation): boolean =>
    each.path === operation.path && each.method === 'POST' && each !== operation
  const mustExist = /\bexisting\b/iu.test(operation.text) || model.contract.operations.some(isCreatedBy)
  const mayBeAbsent = documentedResponse(operation, 404) !== undefined && mustExist
  return {
    filled: () => [...response.filled(), ...(missing?.filled() ?? []), ...request.referred],
    leftOut: () => response.leftOut(),
    notStored: [...request.notStored, ...(isOptionalKey ? idPath : [])],
    httpEffects: [...timed.httpEffects, ...(findTaken ? ['clash' as const] : [])],
    ...(response.isExample || model.kind === 'singleton' ? { basis: 'inferred' } : {}),
    handle: (handled) => {
      const { context, target } = handled
      const sent = request.read(handled.request)
      if (!sent) return failWithoutRecord(target)
      const id = idIn(target, handled.request)
      const sentId = idOf(model, sent)
      const isOtherId = sentId !== undefined && model.parameter !== undefined && entryKey(sentId, []) !== id
      if (isOtherId) return fail(target, 'id_mismatch', { id })
      const { now } = context.clock
      const completed = complete(request.storable(sent, relatedIn(handled)), now)
      const nulls = Object.keys(completed).filter((name) => completed[name] === null && isOnlySentAsNull(name))
      const own = withoutProperties(completed, nulls)
      const found = findRecord(handled, mayBeAbsent)
      if ('error' in found) return missing?.create(own, handled) ?? found
      const removed = nulls.filter((name) => !model.recordModel.required.has(name) && !keepsNulls)
      const changed = withoutProperties(change(own, found.record, handled.request), removed)
      // An object that the server shows follows the id that a client sends.
      const isKept = (name: string): boolean =>
        kept.has(name) && !(request.serverOwned.has(name) && Object.hasOwn(own, name))
      const old = [...kept].filter((name) => isKept(name) && Object.hasOwn(found.record, name))
      const sentRecord = Object.fromEntries([
        ...old.map((name) => [name, found.record[name]] as const),
        ...Object.entries(changed).filter(([name]) => !isKept(name)),
      ])
      const ownId = idOf(model, found.record)
      const isLost = isId(ownId) && idOf(model, sentRecord) === undefined
      const record = isLost ? withId(model, sentRecord, ownId) : sentRecord
      const isOther = (entry: Entry): boolean => entry.key !== found.key && isBelow(target, entry, handled.request)
      const clash = findTaken?.(recordsOf(handled.state, target.collection), record, isOther)
      if (clash && !isEqual(clash.value, found.record[clash.property])) return fail(target, 'taken', { clash })
      // A client that sends the record back does not choose the time.
      const isChosen = (name: string): boolean =>
        !request.serverOwned.has(name) && Object.hasOwn(own, name) && !isEqual(own[name], found.record[name])
      const outcome = changeRecord(handled, found, timed.apply(record, now, isChosen), response)
      const ignored = nulls.filter((name) => !removed.includes(name))
      return 'error' in outcome ? outcome : { ...outcome, notStored: [...(outcome.notStored ?? []), ...ignored] }
    },
  }
}

/** Sets the times of change among some properties, and among those of `attributes`. @param sentInside - What the request may change of these. */
export function createTimesOfChange(
  model: CollectionModel,
  operation: Operation,
  names: Iterable<string>,
  sentInside: PropertySchemas = new Map(),
) {
  const { properties } = model.recordModel
  const isOff = operationOverrideOf(operation).off.has('updated')
  const timesOf = (all: PropertySchemas, wanted: Iterable<string>, shown: (name: string) => unknown) =>
    [...(isOff ? [] : wanted)].flatMap((name) => {
      const schema = all.get(name) ?? {}
      const make = isNamed(name, changeTimes) ? timeOf(schema, () => shown(name)) : undefined
      return make ? [[name, make] as const] : []
    })
  const times = timesOf(properties, names, (name) => exampleOf(model.shown, name))
  const inside = propertiesOf(properties.get(attributes) ?? {})
  const unsent = [...inside.keys()].filter((name) => isMarked(sentInside.get(name) ?? { readOnly: true }, 'readOnly'))
  const timesInside = timesOf(inside, unsent, (name) => objectOf(exampleOf(model.shown, attributes))[name])
  const withTimes = (record: JsonObject, made: typeof times, now: string): JsonObject =>
    made.length === 0
      ? record
      : { ...record, ...Object.fromEntries(made.map(([name, make]) => [name, make(now, record)])) }
  return {
    httpEffects: times.length + timesInside.length > 0 ? (['updated'] as const) : [],
    /** @param isChosen - Tells whether the client has chosen the value of a property. */
    apply: (record: JsonObject, now: string, isChosen?: (name: string) => boolean): JsonObject => {
      const own = isChosen ? times.filter(([name]) => !isChosen(name)) : times
      const changed = withTimes(record, own, now)
      if (timesInside.length === 0) return changed
      return { ...changed, [attributes]: withTimes(objectOf(changed[attributes]), timesInside, now) }
    },
  }
}
