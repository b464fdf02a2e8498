/** Adds to the handler of a role what the contract documents beside it: tags and conditions (RFC 9110, section 13), parents that must exist, and records that go with their parent. */
import { createHash } from 'node:crypto'

import { documentedResponse, headerSchema, type Operation } from '../contract/contract.js'
import { parameterNames, shapeOf } from '../contract/path-template.js'
import { onceFor } from '../once.js'
import type { HttpEffect } from './explanation.js'
import type { CollectionModel } from './infer/collection-model.js'
import { successResponseOf } from './infer/success-response.js'
import { operationOverrideOf, rolePlaces } from './read-overrides.js'
import { createRecords, entriesOf, withRemoved } from './records/records.js'
import { everyone, recordsOf, type State, withRecords } from './records/state.js'
import { fail, findRecord, idIn, parentIn, pathValue, type Target } from './roles/find-record.js'
import type { MatchedRole, ResourceRequest, RoleHandler, RoleOutcome, StatefulDecision } from './roles/role.js'

/** The strong tag of a frozen record as it is stored, or of the body of a listing. */
const tagOf = onceFor(
  (value: object) => `"${createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)}"`,
  new WeakMap(),
)

export const keyHeader = /^(?:x-)?idempotency-key$/iu

/** Returns the effect of a header parameter. Undefined: it has none. */
export const effectOfHeader = (effects: readonly HttpEffect[], name: string): HttpEffect | undefined =>
  effects.find((effect) => (keyHeader.test(name) ? effect === 'idempotency' : effect === name.toLowerCase()))

/** Tells whether a success of an operation documents an `ETag` that can be a tag of the double. */
const documentsTag = (model: CollectionModel, operation: Operation): boolean =>
  operation.responses.some((response) => {
    if (!/^(?:2|default)/u.test(response.status) || !response.headers.includes('etag')) return false
    return model.contract.validate(headerSchema(operation, response, 'etag'), tagOf({})).length === 0
  })

const shape = (path: string): string => shapeOf(path).replace(/\/$/u, '')

/** Tells whether a path lies below the records of a collection. Names of parameters do not count. */
const isBelow = (path: string, { itemPath }: CollectionModel): boolean => shape(path).startsWith(`${shape(itemPath)}/`)

/** A collection, and the roles of its operations. */
interface StatefulCollection {
  readonly name: string
  readonly model: CollectionModel
  readonly matches: ReadonlyMap<Operation, MatchedRole>
}

/** Creates the handler of an operation, with its effects. @param collections - All of the contract. */
export function createHandlerWithEffects(
  { matches, name: collection }: StatefulCollection,
  operation: Operation,
  { match, model, role: { name: role } }: MatchedRole,
  collections: readonly StatefulCollection[],
): Pick<StatefulDecision, 'handler' | 'httpEffects'> {
  const { off } = operationOverrideOf(operation)
  const takes = (pattern: RegExp): boolean =>
    operation.parameters.some((each) => each.in === 'header' && pattern.test(each.name))
  const documents = (code: string): boolean => operation.responses.some(({ status }) => status === code)
  const [isRead, isOnItem] = [role === 'list' || role === 'read', rolePlaces[role] === 'item']
  const hasTag = role !== 'remove' && documentsTag(model, operation)
  const isTagged =
    isOnItem &&
    [...matches].some(
      ([
        each,
        {
          role: { name },
        },
      ]) => name !== 'list' && documentsTag(model, each),
    )
  // As the item path shows them: the other paths of a collection may have other parents.
  const targets = collections.map(({ model: whole, name }) => ({
    collection: name,
    model: { ...whole, parents: whole.itemParents },
  }))
  const parents = targets.filter((other) => isBelow(operation.path, other.model))
  const children = role === 'remove' ? targets.filter((other) => isBelow(other.model.itemPath, model)) : []
  const creates = role === 'create' || (role === 'replace' && documents('201'))
  const effects = (
    [
      ['etag', hasTag],
      ['if-match', isTagged && (takes(/^if-match$/iu) || documents('412'))],
      ['if-none-match', isRead ? hasTag && documents('304') : isTagged && takes(/^if-none-match$/iu)],
      ['idempotency', !isRead && takes(keyHeader)],
      ['parent', parents.length > 0 && documentedResponse(operation, 404) !== undefined],
      ['cascade', children.length > 0],
      ['location', creates && successResponseOf(operation, '201').hasLocation],
    ] as const
  ).flatMap(([effect, is]) => (is && !off.has(effect.startsWith('if-') ? 'etag' : effect) ? [effect] : []))
  const [hasMatch, hasNoneMatch] = [effects.includes('if-match'), effects.includes('if-none-match')]
  const needsMatch = hasMatch && !isRead && documents('428')
  const target = { collection, model }
  const handler = match.createHandler(collection)

  /** Applies the conditions of a request. @param current - The tag of the record or the listing. Undefined: there is none. @returns Undefined: they hold. */
  function refuse({ headers, ...request }: ResourceRequest, current: string | undefined): RoleOutcome | undefined {
    const ifMatch = hasMatch ? headers?.['if-match'] : undefined
    const ifNoneMatch = hasNoneMatch ? headers?.['if-none-match'] : undefined
    const isChanged = ifMatch !== undefined && !names(ifMatch, current, false)
    const isSame = ifNoneMatch !== undefined && names(ifNoneMatch, current, true)
    if (isSame && isRead && !isChanged) {
      const kept = { ...documentedResponse(operation, 304)?.requiredHeaders, etag: current ?? '' }
      return { status: 304, headers: kept, mediaType: undefined, body: undefined }
    }
    const isMissing = needsMatch && current !== undefined && ifMatch === undefined && ifNoneMatch === undefined
    const condition = { header: isChanged ? 'If-Match' : 'If-None-Match', tag: current ?? 'none' }
    if (!isChanged && !isSame && !isMissing) return undefined
    return fail(target, 'condition', { id: idIn(target, request), ...(isMissing ? {} : { condition }) })
  }

  const handleWithEffects: RoleHandler = (state, caller, request, context) => {
    for (const parent of effects.includes('parent') ? parents : []) {
      const own = parameterNames(operation.path).map((name) => pathValue(request, name))
      const path = Object.fromEntries(parameterNames(parent.model.itemPath).map((name, at) => [name, own[at] ?? '']))
      // A request to an operation without security names no caller, so it cannot show that it has access.
      const found = findRecord(parent, state, operation.security.length === 0 ? everyone : caller, { ...request, path })
      if ('error' in found) return found
    }
    const outcome = handler(state, caller, request, context)
    // An unknown record comes before the conditions, and they before every error of the body.
    if ('error' in outcome && outcome.error === 'unknown_record') return outcome
    const found = isOnItem ? findRecord(target, state, caller, request) : undefined
    const before = found && 'record' in found ? found : undefined
    const shown = 'error' in outcome ? undefined : (outcome.record ?? outcome.body)
    const tag = effects.includes('etag') && typeof shown === 'object' && shown ? tagOf(shown) : undefined
    const current = isOnItem ? before && tagOf(before.record) : tag
    const refused = hasMatch || hasNoneMatch ? refuse(request, current) : undefined
    if (refused || 'error' in outcome) return refused ?? outcome
    const isShown =
      tag !== undefined && documentedResponse(operation, outcome.status)?.headers.includes('etag') === true
    const tagged = isShown ? { ...outcome, headers: { ...outcome.headers, etag: tag } } : outcome
    if (!effects.includes('cascade') || !before || !outcome.next) return tagged
    const values = [...model.itemParents.map((parent) => parentIn(before, parent)), before.record[model.idProperty]]
    return { ...tagged, next: children.reduce((next, child) => withoutBelow(next, child, values), outcome.next) }
  }
  const isChanged = effects.some((effect) => effect !== 'idempotency' && effect !== 'location')
  return { httpEffects: [...effects, ...(match.httpEffects ?? [])], handler: isChanged ? handleWithEffects : handler }
}

/** Tells whether a condition names a tag: `*` names any. @param tag - Undefined: there is no record. @param isWeak - True if weak tags count. */
const names = (field: string, tag: string | undefined, isWeak: boolean): boolean =>
  tag !== undefined &&
  (field.trim() === '*' ||
    [...field.matchAll(/(W\/)?("[^"]*")/gu)].some(([, weak, each]) => each === tag && (isWeak || weak === undefined)))

/** Removes the records whose paths begin with that of a removed one, at every depth. @param values - The parameters of that path. */
function withoutBelow(state: State, { collection, model }: Target, values: readonly unknown[]): State {
  const records = recordsOf(state, collection)
  const own = model.itemParents.slice(0, values.length)
  const all = [...entriesOf(records)]
  const gone = all.filter((entry) => own.every((each, at) => String(parentIn(entry, each)) === String(values[at])))
  if (gone.length === 0) return state
  const keys = new Set(gone.map(({ key }) => key))
  const { lastNumber } = records
  const kept = createRecords(
    all.filter(({ key }) => !keys.has(key)),
    lastNumber,
    lastNumber === 0,
  )
  return withRecords(state, collection, { ...kept, removed: withRemoved(records.removed, [...keys]) })
}
