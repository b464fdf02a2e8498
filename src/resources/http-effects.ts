/** Adds to the handler of a role what the contract documents next to it: tags and conditions (RFC 9110, section 13), parents that must exist, and records that go with their parent. */
import { hash } from 'node:crypto'

import { documentedResponse, headerSchema, type Operation, type Parameter } from '../contract/contract.js'
import { asSegments, literalSegments, parameterNames, shapeOf } from '../contract/path-template.js'
import { groupBy, isObject } from '../documents/object.js'
import { onceFor } from '../once.js'
import type { HeaderEffect, HttpEffect } from './explanation.js'
import type { CollectionModel } from './infer/collection-model.js'
import { aliasesOf, idOf } from './infer/id-property.js'
import { holderByName, parentIn } from './infer/parents.js'
import { successResponseOf } from './infer/success-response.js'
import { deepFreeze } from './json.js'
import { isSameName, singularsOf, wordsOf } from './names.js'
import { operationOverrideOf, rolePlaces } from './read-overrides.js'
import { createRecords, entriesOf, type Entry, hasAccess, type Records, withRemoved } from './records/records.js'
import { everyone, recordsOf, type State, withRecords } from './records/state.js'
import { fail, findByAlias, findRecord, idIn, pathValue } from './roles/find-record.js'
import type { Decision, MatchedRole, RoleHandler, StatefulDecision, Target } from './roles/role.js'

/** The strong tag of a frozen record as it is stored, or of the body of a listing. */
const tagOf = onceFor((value: object) => `"${hash('sha256', JSON.stringify(value)).slice(0, 32)}"`, new WeakMap())

export const keyHeader = /^(?:x-)?idempotency-key$/iu

const headerEffects = ['if-match', 'if-none-match', 'idempotency'] as const satisfies readonly HeaderEffect[]

/** Returns the effect of a header parameter. Undefined: it has none. */
export const effectOfHeader = (effects: readonly HttpEffect[], name: string): HeaderEffect | undefined =>
  headerEffects.find(
    (each) => effects.includes(each) && (keyHeader.test(name) ? each === 'idempotency' : each === name.toLowerCase()),
  )

/** Tells whether a success of an operation documents an `ETag` that can be a tag of the double. */
const documentsTag = (model: CollectionModel, operation: Operation): boolean =>
  operation.responses
    .filter(({ headers, status }) => /^(?:2|default)/u.test(status) && headers.includes('etag'))
    .some((each) => model.contract.validate(headerSchema(operation, each, 'etag'), tagOf({})).length === 0)

const shape = onceFor((path: string) => shapeOf(asSegments(path)))

/** Tells whether a path lies below the records of a collection. Names of parameters do not count. */
const isBelow = (path: string | undefined, { itemPath }: CollectionModel): boolean =>
  path !== undefined && itemPath !== undefined && shape(path).startsWith(`${shape(itemPath)}/`)

interface StatefulCollection {
  readonly name: string
  readonly model: CollectionModel
  readonly matches: ReadonlyMap<Operation, MatchedRole>
}

/** Finds a collection as its item path shows it: its other paths may have other parents. */
const targetOf = ({ model, name }: StatefulCollection): Target => ({
  collection: name,
  model: { ...model, parents: model.itemParents },
})

/** Creates the handler of an operation, with its effects. Every caller has access to every record if `x-double` has `access: everyone`. @param all - All collections. */
export function decide(
  own: StatefulCollection,
  operation: Operation,
  { isOwn = false, match, model, role: { name: role } }: MatchedRole,
  all: readonly StatefulCollection[],
): StatefulDecision {
  const { matches, name: collection } = own
  const { isForEveryone, off } = operationOverrideOf(operation)
  const takes = (pattern: RegExp): boolean =>
    operation.parameters.some((each) => each.in === 'header' && pattern.test(each.name))
  const documents = (code: string): boolean => operation.responses.some(({ status }) => status === code)
  const [isRead, isOnItem] = [operation.method === 'GET', rolePlaces[role] !== 'collection']
  const hasTag = role !== 'remove' && documentsTag(model, operation)
  const isTagged =
    isOnItem && [...matches].some(([each, other]) => other.role.name !== 'list' && documentsTag(model, each))
  const parents = all.filter((other) => role !== 'action' && isBelow(operation.path, other.model)).map(targetOf)
  const namedParents = parameterNames(operation.path).flatMap((name) => {
    const holder = operation.path.includes(`{${name}}/`) && role !== 'action' ? holderByName(name, all) : undefined
    return holder && holder !== own && !isBelow(operation.path, holder.model) ? [{ holder, name }] : []
  })
  const told = role === 'remove' ? sentencesOnCascade(operation.text) : []
  const dependants = role === 'remove' ? all.flatMap((other) => dependantsIn(own, other, told) ?? []) : []
  const creates = role === 'create' || (role === 'replace' && documents('201'))
  const effects = (
    [
      ['etag', hasTag],
      ['if-match', isTagged && (takes(/^if-match$/iu) || documents('412'))],
      ['if-none-match', isRead ? hasTag && documents('304') : isTagged && takes(/^if-none-match$/iu)],
      ['idempotency', !isRead && takes(keyHeader)],
      ['parent', parents.length + namedParents.length > 0 && documentedResponse(operation, 404) !== undefined],
      ['cascade', dependants.length > 0 && !/\bnot (?:be )?(?:deleted?|removed?)\b/iu.test(operation.text)],
      ['location', creates && successResponseOf(operation, '201').hasLocation],
    ] as const
  ).flatMap(([effect, is]) => (is && !off.has(effect.startsWith('if-') ? 'etag' : effect) ? [effect] : []))
  const conditions = (['if-match', 'if-none-match'] as const).map((name) => effects.includes(name) && name)
  const needsRecord = isOnItem && (conditions.some(Boolean) || effects.includes('cascade'))
  const needsCondition = conditions[0] && !isRead && documents('428')
  const target = { collection, model, others: all }
  const handleRole: RoleHandler = (state, caller, request, context) =>
    match.handle({ target, state, caller, request, context })

  const handleWithEffects: RoleHandler = (state, caller, request, context) => {
    for (const { holder, name } of effects.includes('parent') ? namedParents : []) {
      const id = pathValue(request, name)
      const isFound = recordsOf(state, holder.name).chunks.some((chunk) => {
        const having = chunk.having(holder.model.idProperty, false)
        const entries = having.get(id) ?? having.get(String(id)) ?? []
        return entries.some((each) => operation.security.length === 0 || hasAccess(each, caller?.name))
      })
      if (!isFound) return fail(targetOf(holder), 'unknown_record', { id: String(id) })
    }
    for (const parent of effects.includes('parent') ? parents : []) {
      const values = parameterNames(operation.path).map((name) => pathValue(request, name))
      const path = Object.fromEntries(
        parameterNames(parent.model.itemPath ?? '').map((name, at) => [name, values[at] ?? '']),
      )
      // A request to an operation without security names no caller, so it cannot show that it has access.
      const knownCaller = operation.security.length === 0 ? everyone : caller
      const found = findRecord({ target: parent, state, caller: knownCaller, request: { ...request, path } })
      if ('error' in found) return found
    }
    const outcome = handleRole(state, caller, request, context)
    // An unknown record comes before the conditions, and they before every error of the body.
    if ('error' in outcome && outcome.error === 'unknown_record') return outcome
    const found = needsRecord ? findRecord({ target, state, caller, request }) : undefined
    const before = found && 'error' in found ? undefined : found
    const shown = 'error' in outcome ? undefined : (outcome.record ?? outcome.body)
    const tag = effects.includes('etag') && typeof shown === 'object' && shown ? tagOf(shown) : undefined
    if (conditions.some(Boolean)) {
      const current = isOnItem ? before && tagOf(before.record) : tag
      const [ifMatch, ifNoneMatch] = conditions.map((name) => (name ? request.headers?.[name] : undefined))
      const isChanged = ifMatch !== undefined && !names(ifMatch, current, false)
      const isSame = ifNoneMatch !== undefined && names(ifNoneMatch, current, true)
      const headers = { ...documentedResponse(operation, 304)?.requiredHeaders, etag: current ?? 'none' }
      if (isSame && isRead && !isChanged) return { status: 304, headers, mediaType: undefined, body: undefined }
      const header = isChanged ? 'If-Match' : 'If-None-Match'
      const condition = isChanged || isSame ? { header, tag: headers.etag } : undefined
      if (condition || (needsCondition && current !== undefined && (ifMatch ?? ifNoneMatch) === undefined))
        return fail(target, 'condition', { id: idIn(target, request), condition })
    }
    if ('error' in outcome) return outcome
    const isShown = tag !== undefined && documentedResponse(operation, outcome.status)?.headers.includes('etag')
    const tagged = isShown ? { ...outcome, headers: { ...outcome.headers, etag: tag } } : outcome
    if (!effects.includes('cascade') || !before || !outcome.next) return tagged
    const parentValues = model.itemParents.map((parent) => parentIn(parent, before.record, before.parents))
    const values = [...parentValues, idOf(model, before.record)]
    return { ...tagged, next: dependants.reduce((next, each) => withoutDependants(next, each, values), outcome.next) }
  }
  const handle = effects.every((each) => each === 'idempotency' || each === 'location') ? handleRole : handleWithEffects
  // A read that needs no credential shows every record.
  const isOpen = isForEveryone || (role === 'read' && operation.security.length === 0)
  const forCaller: RoleHandler = isOpen ? (state, _caller, ...sent) => handle(state, everyone, ...sent) : handle
  const handler = isOwn ? withOwnRecord(target, operation, forCaller) : forCaller
  return {
    operation,
    role: isOwn ? 'own-record' : model.kind === 'singleton' ? 'singleton' : role,
    collection,
    match,
    handler: withNamedRecords(operation, own, all, handler),
    httpEffects: [...effects, ...(match.httpEffects ?? [])],
  }
}

/** Tells whether a path parameter may be `me`, or another name of the record of the caller. */
const mayBeMe = ({ description }: Parameter): boolean => /[`"'](?:me|current|self)[`"']|\bbe me\b/iu.test(description)

/** Names the collections of which a caller may have a record of its own: an operation shows it, or the path of a record takes `me`. */
export function collectionsOfCallers(decisions: Iterable<Decision>): ReadonlySet<string> {
  const takesMe = ({ operation, role }: Decision): boolean =>
    role !== 'list' && role !== 'create' && operation.parameters.some((each) => each.in === 'path' && mayBeMe(each))
  const own = [...decisions].flatMap((each) =>
    each.role === 'own-record' || (each.role !== 'mocked' && takesMe(each)) ? each.collection : [],
  )
  return new Set(own)
}

const byItemPath = onceFor(
  (all: readonly StatefulCollection[]) => groupBy(all, ({ model }) => shapeOf(model.itemPath ?? '')),
  new WeakMap(),
)

/**
 * Returns a handler for which path parameters that may name a record in another way have its id: a property such as `slug` for `org_id_or_slug`,
 * `me` for the caller's own record, and a name in which the case does not count, where the description says so.
 */
function withNamedRecords(
  operation: Operation,
  own: StatefulCollection,
  all: readonly StatefulCollection[],
  handler: RoleHandler,
): RoleHandler {
  const last = parameterNames(operation.path).at(-1)
  const named = operation.parameters.flatMap((parameter) => {
    const { description, in: place, name } = parameter
    const isMe = mayBeMe(parameter)
    const isOwn = name === last && own.model.parameter?.name === name
    const before = shapeOf(operation.path.slice(0, operation.path.indexOf(`{${name}}`) + name.length + 2))
    const ofName = all.filter(({ model }) => model.parameter?.name === name && name !== 'id')
    const holders = isOwn ? [own] : [...new Set([...ofName, ...(byItemPath(all).get(before) ?? [])])]
    const aliased = holders.flatMap(({ model, name: collection }) => {
      const { aliases: its, idProperty, recordModel } = model
      const aliases = isOwn ? its : [...its, ...aliasesOf(parameter, recordModel.properties, idProperty)]
      return aliases.length > 0 ? [{ model: { ...model, aliases }, collection }] : []
    })
    const isLoose = /\bnot case.sensitive|\bcase.insensitive/iu.test(description)
    const parent = own.model.parents.find((each) => each.parameter === name)
    const spelled = isOwn ? own.model.idProperty : (parent?.property ?? parent?.key)
    return place === 'path' && (isMe || isLoose || aliased.length > 0)
      ? [{ name, holders: isMe ? holders : [], aliased, spelled: isLoose ? spelled : undefined, parent }]
      : []
  })
  if (named.length === 0) return handler
  return (state, caller, request, context) => {
    const path = { ...request.path }
    for (const { aliased, holders, name, parent, spelled } of named) {
      const value = pathValue(request, name)
      const mine = /^(?:me|current|self)$/u.test(String(value))
        ? holders.flatMap((each) => caller?.records?.get(each.name) ?? [])
        : []
      const ids = aliased.flatMap(({ collection, model }) =>
        findByAlias(model, recordsOf(state, collection), String(value)),
      )
      const isOutside = parent !== undefined && parent.property === undefined
      const like = spelled === undefined ? [] : valuesLike(recordsOf(state, own.name), spelled, isOutside, value)
      const [id = value] = [...mine, ...ids, ...like]
      path[name] = id
    }
    return handler(state, caller, { ...request, path }, context)
  }
}

/** Finds the spellings of a value in records. @param isOutside - True if the property is in `$parents`. */
function valuesLike({ chunks }: Records, property: string, isOutside: boolean, value: unknown): readonly string[] {
  if (chunks.some((chunk) => chunk.having(property, isOutside).has(value))) return []
  const wanted = String(value).toLowerCase()
  const found = chunks.flatMap((chunk) => [...chunk.having(property, isOutside).keys()])
  return found.filter((each) => typeof each === 'string').filter((each) => each.toLowerCase() === wanted)
}

/** Returns the handler of an operation on the caller's own record. For a caller without one, it is mocked. */
function withOwnRecord({ collection, model }: Target, operation: Operation, handler: RoleHandler): RoleHandler {
  const { documented, headers, json, status } = successResponseOf(operation, '200')
  return (state, caller, request, context) =>
    caller?.records?.has(collection) === true
      ? handler(state, caller, request, context)
      : {
          status,
          headers: { ...headers, 'x-double': 'mocked' },
          mediaType: json?.mediaType,
          body: deepFreeze(model.contract.example(operation, documented)),
        }
}

/** Tells whether a condition names a tag: `*` names any. @param tag - Undefined: there is no record. @param isWeak - True if weak tags count. */
const names = (field: string, tag: string | undefined, isWeak: boolean): boolean =>
  tag !== undefined &&
  (field.trim() === '*' ||
    [...field.matchAll(/(W\/)?("[^"]*")/gu)].some(([, weak, each]) => each === tag && (isWeak || weak === undefined)))

/** The records of a collection that are removed with another record. @param values - The parameters of its path. */
interface Dependants {
  readonly collection: string
  isOf(entry: Entry, values: readonly unknown[]): boolean
}

/** Lists the sentences that may say what is removed with a record, such as "Deletes a feed and its items": few texts have one. */
const sentencesOnCascade = (text: string): readonly string[] =>
  text
    .split(/[.\n]/u)
    .filter(
      (sentence) =>
        /\b(?:and|with|including|cascad\w*)\b/iu.test(sentence) &&
        /\b(?:delet|remov|destroy|cascad)/iu.test(sentence) &&
        !/\b(?:not?|keeps?|kept|moved?|cannot|unless|fails?|only|without|if|null)\b/iu.test(sentence),
    )

/**
 * Finds the records that are removed with one of a collection: those below its path, and those that refer to it, if a sentence names them.
 * Undefined: none.
 */
function dependantsIn(
  { model, name: own }: StatefulCollection,
  { model: other, name: collection }: StatefulCollection,
  told: readonly string[],
): Dependants | undefined {
  if (isBelow(other.itemPath, model))
    return {
      collection,
      isOf: ({ parents, record }, values) =>
        other.itemParents
          .slice(0, values.length)
          .every((each, at) => String(parentIn(each, record, parents)) === String(values[at])),
    }
  if (told.length === 0 || own === collection) return undefined
  const [thing = '', noun = ''] = [model, other].map(({ path }) => literalSegments(path).at(-1) ?? '')
  const words = wordsOf(noun).join('[ _-]?')
  const isNamed = new RegExp(String.raw`\b(?:and|with|including|cascad\w*)\b.*\b${words}\b`, 'iu')
  const references = singularsOf(thing).flatMap((each) => [each, `${each} id`])
  const property = [...other.recordModel.properties.keys()].find((each) =>
    references.some((name) => isSameName(name, each)),
  )
  if (property === undefined || !told.some((sentence) => isNamed.test(sentence))) return undefined
  const idOfThing = (value: unknown): unknown => (isObject(value) ? value[model.idProperty] : value)
  return { collection, isOf: ({ record }, values) => String(idOfThing(record[property])) === String(values.at(-1)) }
}

function withoutDependants(state: State, { collection, isOf }: Dependants, values: readonly unknown[]): State {
  const records = recordsOf(state, collection)
  const byFate = groupBy(entriesOf(records), (entry) => isOf(entry, values))
  const gone = byFate.get(true)
  if (!gone) return state
  const kept = createRecords(byFate.get(false) ?? [], records.lastNumber, records.lastNumber === 0)
  return withRecords(state, collection, { ...kept, removed: withRemoved(records.removed, gone) })
}
