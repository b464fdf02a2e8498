/** Update: `PATCH`, or a `PUT` that is not a replacement, merges the body into the record. Server-owned properties are kept. */
import { objectOf } from '../../documents/object.js'
import { merge } from '../json.js'
import { changeRecord, changedStatuses, createServerChange, findIdMismatch } from './change-record.js'
import { createSentValueCompletions, createObjectCompletion, describeMissing } from './complete-value.js'
import { failWithoutRecord, findRecord } from './find-record.js'
import { matchRequestBody } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { Role } from './role.js'

const mergePatch = 'application/merge-patch+json'

export const update: Role = {
  name: 'update',
  methods: ['PATCH', 'PUT'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation, 'nowhere')
    if (typeof request === 'string') return request
    const completions = createSentValueCompletions(model, request, { examples: model.shown, isMerged: true })
    if ('missing' in completions) return describeMissing(completions.missing)
    const complete = createObjectCompletion(new Map(), completions)
    const response = matchSuccessResponse(model, operation, ...changedStatuses)
    if (typeof response === 'string') return response
    const [sole, ...others] = operation.requestBody?.contents ?? []
    const onlyMergePatch = sole !== undefined && others.length === 0 && sole.mediaType === mergePatch
    const owned = createServerChange(model, operation, request)
    return {
      filled: () => response.filled,
      httpEffects: owned.httpEffects,
      createHandler:
        (collection) =>
        (state, caller, sentRequest, { now }) => {
          const target = { collection, model }
          const sent = request.read(sentRequest)
          if (!sent) return failWithoutRecord(target)
          const mismatch = findIdMismatch(target, sentRequest, sent)
          if (mismatch) return mismatch
          const found = findRecord(target, state, caller, sentRequest)
          if ('error' in found) return found
          const isMergePatch =
            (sentRequest.mediaType ?? (onlyMergePatch ? mergePatch : '')).toLowerCase() === mergePatch
          const merged = merge(found.record, complete(request.storable(sent), now), isMergePatch)
          return changeRecord(target, state, found, owned.apply(objectOf(merged), found.record, now), response)
        },
    }
  },
}
