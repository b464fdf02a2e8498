/** Adds to the handler of a role what the contract documents next to it: tags and conditions (RFC 9110, section 13), parents that must exist, and records that go with their parent. */
import { hash } from 'node:crypto'

import { documentedResponse, headerSchema, type Operation } from '../contract/contract.js'
import { groupBy } from '../documents/object.js'
import { onceForObject } from '../once.js'
import type { HeaderEffect } from './explanation.js'
import type { CollectionModel } from './infer/collection-model.js'
import { idOf } from './infer/id-property.js'
import { parentIn } from './infer/parents.js'
import { successResponseOf } from './infer/success-response.js'
import { deepFreeze } from './json.js'
import { findMissingParent, liesAtOrBelow, liesBelow, type StatefulCollection } from './missing-parent.js'
import { withNamedRecords } from './named-records.js'
import { operationOverrideOf, rolePlaces } from './read-overrides.js'
import { createRecords, entriesOf, withRemoved } from './records/records.js'
import { everyone, recordsOf, type State, withRecords } from './records/state.js'
import { fail, findRecord, idIn } from './roles/find-record.js'
import type { MatchedRole, MockedDecision, RoleHandler, StatefulDecision, Target } from './roles/role.js'

/** The strong tag of a frozen record as it is stored, or of the body of a listing. */
const tagOf = onceForObject((value: object) => `"${hash('sha256', JSON.stringify(value)).slice(0, 32)}"`)

export const keyHeader = /^(?:x-)?idempotency-key$/iu

const headerEffects = ['if-match', 'if-none-match', 'idempotency'] as const satisfies readonly HeaderEffect[]

/** Returns the effect of a header parameter. Undefined: it has none. */
export function effectOfHeader({ httpEffects, operation }: StatefulDecision, name: string) {
  const isOf = (each: HeaderEffect): boolean =>
    keyHeader.test(name) ? each === 'idempotency' : each === name.toLowerCase()
  const isCredential = operation.credentialPlaces.some((each) => each.name.toLowerCase() === name.toLowerCase())
  return (
    headerEffects.find((each) => httpEffects.includes(each) && isOf(each)) ??
    (isCredential ? ('credential' as const) : undefined)
  )
}

/** Tells whether a success of an operation documents an `ETag` that can be a tag of the double. */
const documentsTag = (model: CollectionModel, operation: Operation): boolean =>
  operation.responses
    .filter(({ headers, status }) => /^(?:2|default)/u.test(status) && headers.includes('etag'))
    .some((each) => model.contract.validate(headerSchema(operation, each, 'etag'), tagOf({})).length === 0)

/** Creates the handler of an operation, with its effects. Every caller has access to every record if `x-double` has `access: everyone`. @param all - All collections. */
export function decide(
  own: StatefulCollection,
  operation: Operation,
  { match, model, role: { name: role } }: MatchedRole,
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
  const findMissing = role === 'action' ? undefined : findMissingParent(operation, all, own)
  const dependants = role === 'remove' ? all.filter(({ model: other }) => liesBelow(other.itemPath, own.model)) : []
  const creates = role === 'create' || (role === 'replace' && documents('201'))
  const effects = (
    [
      ['etag', hasTag],
      ['if-match', isTagged && (takes(/^if-match$/iu) || documents('412'))],
      ['if-none-match', isRead ? hasTag && documents('304') : isTagged && takes(/^if-none-match$/iu)],
      ['idempotency', !isRead && takes(keyHeader)],
      ['parent', findMissing !== undefined],
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
    const missing = effects.includes('parent') ? findMissing?.(state, caller, request, context) : undefined
    if (missing) return missing
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
  const handler = model.isOwn ? withOwnRecord(target, operation, forCaller) : forCaller
  return {
    operation,
    role: model.isOwn ? 'own-record' : model.kind === 'singleton' ? 'singleton' : role,
    collection,
    match,
    handler: withNamedRecords(operation, own, all, handler),
    httpEffects: [...effects, ...(match.httpEffects ?? [])],
  }
}

/** Lets a mocked operation find the records of its path, where the contract documents that they must exist. */
export function decideMocked(operation: Operation, reason: string, all: readonly StatefulCollection[]): MockedDecision {
  const isOff = operationOverrideOf(operation).off.has('parent')
  const find = isOff ? undefined : findMissingParent(operation, all)
  const above = find ? all.filter(({ model }) => liesAtOrBelow(operation.path, model)) : []
  const [own] = above.toSorted((one, other) => other.model.path.length - one.model.path.length)
  const findMissing = find && own ? withNamedRecords(operation, own, all, find) : find
  return { operation, role: 'mocked', reason, findMissing }
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

/** Removes the records of a collection below another record. @param values - The parameters of its path. */
function withoutDependants(state: State, below: StatefulCollection, values: readonly unknown[]): State {
  const { model, name: collection } = below
  const records = recordsOf(state, collection)
  const parents = model.itemParents.slice(0, values.length)
  const byFate = groupBy(entriesOf(records), (entry) =>
    parents.every((each, at) => String(parentIn(each, entry.record, entry.parents)) === String(values[at])),
  )
  const gone = byFate.get(true)
  if (!gone) return state
  const kept = createRecords(byFate.get(false) ?? [], records.lastNumber, records.lastNumber === 0)
  return withRecords(state, collection, { ...kept, removed: withRemoved(records.removed, gone) })
}
