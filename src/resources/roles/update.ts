/** Update: `PATCH`, or a `PUT` that is not a replacement, merges the body into the record. Server-owned properties are kept. */
import type { Operation } from '../../contract/contract.js'
import { essenceOf } from '../../contract/media-types.js'
import { objectOf } from '../../documents/object.js'
import { merge } from '../json.js'
import { changeRecord, changedStatuses, createServerChange, findIdMismatch } from './change-record.js'
import { createSentValueCompletions, createObjectCompletion } from './complete-value.js'
import { failWithoutRecord, findRecord } from './find-record.js'
import { matchRequestBody } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { Role } from './role.js'

const mergePatch = 'application/merge-patch+json'

/** The part of the properties that the body of a POST must share with the record. */
const leastShared = 0.8

/** Tells whether the body may be a JSON Merge Patch, which need not name the properties of the record. */
const takesMergePatch = ({ requestBody }: Operation): boolean =>
  (requestBody?.contents ?? []).some(({ mediaType }) => essenceOf(mediaType) === mergePatch)

export const update: Role = {
  name: 'update',
  methods: ['PATCH', 'PUT', 'POST'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation, takesMergePatch(operation))
    if (typeof request === 'string') return request
    const response = matchSuccessResponse(model, operation, ...changedStatuses)
    if (operation.method === 'POST' && (!response.body || request.shared.length < leastShared * request.size))
      return "it may be another change than an update: too few properties of its body are the record's, or it does not show the record"
    const completions = createSentValueCompletions(model, request, { examples: model.shown, isMerged: true })
    const complete = createObjectCompletion(new Map(), completions)
    const isByThreshold = operation.method === 'POST' || model.kind === 'singleton'
    const removesNulls = /\bremov\w+\b[^.]*\bto `?null\b/iu.test(operation.text)
    const onlyMergePatch = operation.requestBody?.contents.length === 1 && takesMergePatch(operation)
    const owned = createServerChange(model, operation, request)
    return {
      filled: () => response.filled,
      notStored: request.notStored,
      httpEffects: owned.httpEffects,
      ...(isByThreshold || response.isExample ? { basis: 'inferred' } : {}),
      createHandler:
        (collection) =>
        (state, caller, sentRequest, { clock: { now } }) => {
          const target = { collection, model }
          const sent = request.read(sentRequest)
          if (!sent) return failWithoutRecord(target)
          const mismatch = findIdMismatch(target, sentRequest, sent)
          if (mismatch) return mismatch
          const found = findRecord(target, state, caller, sentRequest)
          if ('error' in found) return found
          const isMergePatch =
            removesNulls || (sentRequest.mediaType ?? (onlyMergePatch ? mergePatch : '')).toLowerCase() === mergePatch
          const merged = merge(found.record, complete(request.storable(sent), now), isMergePatch)
          return changeRecord(target, state, found, owned.apply(objectOf(merged), found.record, now), response)
        },
    }
  },
}
