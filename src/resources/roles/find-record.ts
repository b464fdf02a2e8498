/** Finds the record that a request names. */
import { lastLiteral } from '../../contract/path-template.js'
import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { type Id, isId, withIdsOf } from '../ids.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { idOf } from '../infer/id-property.js'
import { entryKey, isKeptInSamePlace, type Parent, parentIn, placeParents } from '../infer/parents.js'
import { fitRecord, isErrors } from '../infer/record-model.js'
import { deepFreeze } from '../json.js'
import { inWords, isSameName, singularsOf } from '../names.js'
import { type Entry, findEntry, findRemoved, hasAccess, type Records } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import type { HandledRequest, ParameterValue, ResourceError, ResourceRequest, Target } from './role.js'

/** Returns the key of the record that the path of a request names. */
export const keyOf = (target: Target, request: ResourceRequest): string =>
  keyWithId(target, request, idIn(target, request))

/** Returns the key of a record with another id, and with the parents in the path of a request, or else in the record. */
export const keyWithId = ({ model }: Target, request: ResourceRequest, id: unknown, record: JsonObject = {}): string =>
  entryKey(
    id,
    model.keyParents.map((parent) => parentValue(model, request, parent, record)),
  )

/** The parent may have another name in the path of the request. */
export function parentValue(
  { parents }: CollectionModel,
  request: ResourceRequest,
  parent: Parent,
  record: JsonObject = {},
): unknown {
  const own = parents.find((each) => isKeptInSamePlace(each, parent))
  return own ? pathValue(request, own.parameter) : (parentIn(parent, record, undefined) ?? '')
}

export const idIn = ({ model }: Target, request: ResourceRequest): string =>
  model.parameter ? String(pathValue(request, model.parameter.name)) : ''

export const pathValue = ({ path }: ResourceRequest, name: string): ParameterValue =>
  (Object.hasOwn(path, name) ? path[name] : undefined) ?? ''

/** Finds the record that the path of a request names. If it does not exist, the error is always the same. @param mayBeAbsent - True if a removed singleton is unknown. Default: it is the example. */
export function findRecord(
  { caller, request, state, target }: Omit<HandledRequest, 'context'>,
  mayBeAbsent = false,
): Entry | ResourceError {
  const key = target.model.isOwn ? (caller?.records?.get(target.collection) ?? '') : keyOf(target, request)
  const records = recordsOf(state, target.collection)
  const entry =
    findEntry(records, key) ??
    (mayBeAbsent && findRemoved(records, key) ? undefined : startingEntry(target, request, key))
  if (entry && hasAccess(entry, caller?.name) && (hasKeyParents(target) || isBelow(target, entry, request)))
    return entry
  let note = 'a record with this id never existed since the last reset'
  if (findRemoved(records, key)) note = 'the record was removed since the last reset'
  if (entry) note = 'the record exists below another parent'
  if (entry && !hasAccess(entry, caller?.name))
    note = `the record exists, but ${caller?.name ?? 'a request without a credential'} has no access`
  return fail(target, 'unknown_record', { id: idIn(target, request), note })
}

/** Finds the id of the record that a path names by another property. Empty: none, or a record has the text as its id. */
export function findByAlias(model: CollectionModel, { chunks }: Records, text: string): readonly Id[] {
  const aliases = model.aliases.filter(({ prefix }) => text.startsWith(prefix))
  const [found] = chunks.flatMap((chunk) =>
    aliases.flatMap(({ name, prefix }) => {
      const having = chunk.having(name, false)
      const value = text.slice(prefix.length)
      return having.get(value) ?? having.get(Number(value)) ?? []
    }),
  )
  const id = found && idOf(model, found.record)
  const isTaken = (): boolean =>
    chunks.some(({ entries }) => entries.some((each) => String(idOf(model, each.record)) === text))
  return isId(id) && !isTaken() ? [id] : []
}

/** Names of properties that refer to `users`. */
const namesUser = /^(?:owner|author|creator|assignee|reporter|assigned to|(?:created|updated) by)$/u

/** Returns a function that finds the record to which a property refers by its id: `project` is one of `projects`. Empty: there is none. */
export const relatedIn =
  ({ state, target: { collection, others = [] } }: HandledRequest) =>
  (property: string, id: unknown): JsonObject => {
    const isMeant = ({ keyParents, path }: CollectionModel): boolean =>
      keyParents.length === 0 && singularsOf(lastLiteral(path)).some((noun) => isSameName(noun, property))
    const isUser = ({ keyParents, path }: CollectionModel): boolean =>
      keyParents.length === 0 && lastLiteral(path) === 'users' && namesUser.test(inWords(property))
    const meant =
      others.find(({ model, name }) => (property === 'parent' ? name === collection : isMeant(model))) ??
      others.find(({ model }) => isUser(model))
    return (meant && findEntry(recordsOf(state, meant.name), entryKey(id, []))?.record) ?? {}
  }

function startingEntry({ model }: Target, request: ResourceRequest, key: string): Entry | undefined {
  if (model.kind !== 'singleton') return undefined
  const { others, properties } = placeParents(model.parents, ({ parameter }) => pathValue(request, parameter))
  const { contract, recordModel, shown } = model
  const shownFirst = shown.map(({ example }) => example()).find(isObject)
  const record = shownFirst ?? objectOf(contract.generate(recordModel.schemas[0] ?? {}))
  const own: JsonObject = { ...record, ...properties }
  const fitted = fitRecord(model, objectOf(withIdsOf(own, record, own)))
  return { key, record: deepFreeze(isErrors(fitted) ? {} : fitted), access: undefined, parents: others, sequence: 0 }
}

/** Tells whether the key of a record has all of its parents, so that they are equal. */
const hasKeyParents = ({ model }: Target): boolean => model.parents.length === model.keyParents.length

/** Tells whether a record has the parents that the path of a request names. */
export const isBelow = ({ model }: Target, entry: Entry, request: ResourceRequest): boolean =>
  model.parents.every(
    (parent) => parentIn(parent, entry.record, entry.parents) === pathValue(request, parent.parameter),
  )

export const fail = (
  { collection, model }: Target,
  error: ResourceError['error'],
  details: Omit<ResourceError, 'error' | 'collection' | 'idProperty'> = {},
): ResourceError => ({ error, collection, idProperty: model.idPath.join('.'), ...details })

export const failWithoutRecord = (target: Target): ResourceError =>
  fail(target, 'invalid_record', { validationErrors: [{ path: [], message: 'must be an object' }] })
