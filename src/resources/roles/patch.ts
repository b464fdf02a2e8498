/** Patches whose format says what they do: a JSON Patch (RFC 6902), whose operations are applied together or not at all, or a JSON Merge Patch (RFC 7396) of an object that the contract does not describe. */
import { applyPatch, type Operation as PatchOperation } from 'rfc6902'

import type { Content, Operation } from '../../contract/contract.js'
import { essenceOf } from '../../contract/media-types.js'
import { isMarked, itemsOf, propertyNames } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../documents/object.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { idOf, withId } from '../infer/id-property.js'
import { isEqual, merge, withoutProperties } from '../json.js'
import { changedStatuses, changeRecord, createTimesOfChange } from './change-record.js'
import { fail, findRecord } from './find-record.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { ResourceRequest, RoleMatch } from './role.js'

const jsonPatch = 'application/json-patch+json'

export const mergePatch = 'application/merge-patch+json'

// The library would look them up in the prototype.
const isUnsafe = /\/(?:__proto__|constructor|prototype)(?:\/|$)/u

const isPatchOperation = (value: unknown): value is PatchOperation =>
  isObject(value) &&
  typeof value['op'] === 'string' &&
  typeof value['path'] === 'string' &&
  [value['path'], textOf(value['from'])].every((pointer) => /^(?:\/|$)/u.test(pointer) && !isUnsafe.test(pointer))

/** Applies operations to a copy of a record. @returns The reason why one cannot be applied, as a clause. */
function applyTo(record: JsonObject, operations: readonly unknown[]): JsonObject | string {
  const known = operations.filter(isPatchOperation)
  if (known.length < operations.length)
    return 'each operation of a patch must have op and path, which starts with a slash and names no prototype'
  const changed = structuredClone(record)
  const results = applyPatch(changed, known)
  const failed = results.findIndex((result) => result !== null)
  return failed === -1
    ? changed
    : `operation ${failed + 1} of the patch cannot be applied (${results[failed]?.message ?? ''})`
}

export const isJsonPatch = ({ body, mediaType = '' }: ResourceRequest): boolean =>
  mediaType.toLowerCase() === jsonPatch || Array.isArray(body)

/**
 * Matches an operation that takes a JSON Patch, by its media type or as a list of objects with `op` and `path`, or a merge patch without
 * described properties. Undefined: it takes none.
 */
export function matchPatch(model: CollectionModel, operation: Operation): RoleMatch | undefined {
  const isPatch = ({ mediaType, schema }: Content): boolean => {
    const names = propertyNames(itemsOf(schema) ?? {})
    const isOpen = essenceOf(mediaType) === mergePatch && propertyNames(schema).length === 0
    return essenceOf(mediaType) === jsonPatch || isOpen || (names.includes('op') && names.includes('path'))
  }
  if (operation.method !== 'PATCH' || !operation.requestBody?.contents.some(isPatch)) return undefined
  const response = matchSuccessResponse(model, operation, ...changedStatuses)
  const { properties } = model.recordModel
  const timed = createTimesOfChange(model, operation, properties.keys())
  const readOnly = [...properties].flatMap(([name, schema]) => (isMarked(schema, 'readOnly') ? [name] : []))
  const kept = [...readOnly, ...model.parents.flatMap(({ property }) => property ?? [])]
  return {
    filled: () => response.filled(),
    httpEffects: timed.httpEffects,
    handle: (handled) => {
      const { context, request, target } = handled
      const found = findRecord(handled)
      if ('error' in found) return found
      const { key, record } = found
      const changed = isJsonPatch(request) ? applyTo(record, listOf(request.body)) : merge(record, request.body, true)
      if (typeof changed === 'string')
        return fail(target, 'invalid_record', { id: key, validationErrors: [{ path: [], message: changed }] })
      const old = Object.fromEntries(Object.entries(record).filter(([name]) => kept.includes(name)))
      const own = withId(model, { ...withoutProperties(objectOf(changed), kept), ...old }, idOf(model, record))
      const isChosen = (name: string): boolean => !isEqual(own[name], record[name])
      return changeRecord(handled, found, timed.apply(own, context.clock.now, isChosen), response)
    },
  }
}
