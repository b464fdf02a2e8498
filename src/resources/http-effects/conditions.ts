/** Adds `ETag` to the responses of a role, and applies `If-Match` and `If-None-Match`, as RFC 9110 says in section 13. */
import { createHash } from 'node:crypto'

import { type Contract, documentedResponse, headerSchema, type Operation } from '../../contract/contract.js'
import { onceFor } from '../../once.js'
import type { HttpEffect, RoleName } from '../explanation.js'
import { rolePlaces } from '../read-overrides.js'
import { fail, findRecord, idIn, type Target } from '../roles/find-record.js'
import type { RoleHandler } from '../roles/role.js'

const tagOf = onceFor(
  (value: object) => `"${createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32)}"`,
  new WeakMap(),
)

export const takesHeader = ({ parameters }: Operation, name: string): boolean =>
  parameters.some((each) => each.in === 'header' && each.name.toLowerCase() === name)

const documentsStatus = ({ responses }: Operation, name: string): boolean =>
  responses.some(({ status }) => status === name)

/** Tells whether a success of an operation documents an `ETag` that fits the tags of the double. */
export const documentsTag = (contract: Contract, operation: Operation): boolean =>
  operation.responses.some(
    (response) =>
      /^(?:2|default)/u.test(response.status) &&
      response.headers.includes('etag') &&
      contract.validate(headerSchema(operation, response, 'etag'), tagOf({})).length === 0,
  )

const isRead = (role: RoleName): boolean => role === 'list' || role === 'read'

/** Lists the effects of tags. @param isTagged - True if an operation of the collection tells clients the tag of a record. */
export function findConditions(
  contract: Contract,
  operation: Operation,
  role: RoleName,
  isTagged: boolean,
): readonly HttpEffect[] {
  const isOnRecord = isTagged && rolePlaces[role] === 'item'
  const hasTag = role !== 'remove' && documentsTag(contract, operation)
  const isMatched = isOnRecord && (takesHeader(operation, 'if-match') || documentsStatus(operation, '412'))
  const isNotMatched = isRead(role)
    ? hasTag && documentsStatus(operation, '304')
    : isOnRecord && takesHeader(operation, 'if-none-match')
  return [
    ...(hasTag ? (['etag'] as const) : []),
    ...(isMatched ? (['if-match'] as const) : []),
    ...(isNotMatched ? (['if-none-match'] as const) : []),
  ]
}

/** Returns the handler with conditions. An unknown record comes before them; they come before every error of the body. */
export function withConditions(
  target: Target,
  operation: Operation,
  role: RoleName,
  effects: readonly HttpEffect[],
  handler: RoleHandler,
): RoleHandler {
  const hasTag = effects.includes('etag')
  const hasConditions = effects.length > Number(hasTag)
  const needsCondition = effects.includes('if-match') && documentsStatus(operation, '428') && !isRead(role)
  return (state, caller, request, context) => {
    const outcome = handler(state, caller, request, context)
    if ('error' in outcome && outcome.error === 'unknown_record') return outcome
    const shown = 'error' in outcome ? undefined : (outcome.record ?? outcome.body)
    const tag = typeof shown === 'object' && shown !== null ? tagOf(shown) : undefined
    if (hasConditions) {
      const found = isRead(role) ? undefined : findRecord(target, state, caller, request)
      const current = !found ? tag : 'error' in found ? undefined : tagOf(found.record)
      const [match, noneMatch] = (['if-match', 'if-none-match'] as const).map((name) =>
        effects.includes(name) ? request.headers?.[name] : undefined,
      )
      const isChanged = match !== undefined && !names(match, current, false)
      const isSame = noneMatch !== undefined && names(noneMatch, current, true)
      if (isSame && !isChanged && isRead(role)) {
        const headers = documentedResponse(operation, 304)?.requiredHeaders
        return { status: 304, headers: { ...headers, etag: current ?? '' }, mediaType: undefined, body: undefined }
      }
      const id = role === 'list' ? '' : idIn(target, request)
      const condition = { header: isChanged ? 'If-Match' : 'If-None-Match', tag: current ?? 'none' }
      if (isChanged || isSame) return fail(target, 'precondition_failed', { id, condition })
      if (needsCondition && current !== undefined && match === undefined && noneMatch === undefined)
        return fail(target, 'precondition_required', { id })
    }
    if ('error' in outcome || tag === undefined) return outcome
    const isDocumented = hasTag && documentedResponse(operation, outcome.status)?.headers.includes('etag') === true
    return isDocumented ? { ...outcome, headers: { ...outcome.headers, etag: tag } } : outcome
  }
}

/** Tells whether a condition names a tag: `*` names any. @param tag - Undefined: there is no record. @param isWeak - True if weak tags count. */
function names(field: string, tag: string | undefined, isWeak: boolean): boolean {
  if (tag === undefined || field.trim() === '*') return tag !== undefined
  return [...field.matchAll(/(W\/)?("[^"]*")/gu)].some(
    ([, weak, each]) => each === tag && (isWeak || weak === undefined),
  )
}
