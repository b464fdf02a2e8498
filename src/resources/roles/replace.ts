/** Replace: `PUT` of a record's path replaces the record by the body. Server-owned properties are kept. */
import type { CollectionModel } from '../infer/collection-model.js'
import { findEntry } from '../records/records.js'
import { recordsOf } from '../records/state.js'
import { changeRecord, changedStatuses, createServerChange, findIdMismatch } from './change-record.js'
import { createObjectCompletion, createSentValueCompletions } from './complete-value.js'
import { createRecord, isUpsert, matchCreation } from './create.js'
import { failWithoutRecord, findRecord, idIn, keyOf } from './find-record.js'
import { matchRequestBody, type RequestRecord } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { RoleHandler, Role } from './role.js'

const isReplaced = /\b(?:replac|overwrit)/iu
const isPartial = /\bunchanged\b|\bpartial/iu

/** Replaces a record. Creates one only if 201 is documented, or its text says so. */
export const replace: Role = {
  name: 'replace',
  methods: ['PUT'],
  match: (model, operation) => {
    const request = matchRequestBody(model, operation)
    if (typeof request === 'string') return request
    const { text } = operation
    const isWhole = isReplaced.test(text) || isUpsert.test(text) || request.schema.required.size > 0
    if (!isWhole || isPartial.test(text) || !requiresAll(model, request)) return null
    const response = matchSuccessResponse(model, operation, ...changedStatuses)
    const mayCreate = operation.responses.some(({ status }) => status === '201') || isUpsert.test(text)
    const creation = mayCreate ? matchCreation(model, operation, request) : undefined
    const completions = createSentValueCompletions(model, request, { examples: model.shown, isMerged: false })
    const complete = createObjectCompletion(new Map(), completions)
    const owned = createServerChange(model, operation, request)

    const createHandler = (collection: string): RoleHandler => {
      const target = { collection, model }
      return (state, caller, sentRequest, context) => {
        const sent = request.read(sentRequest)
        if (!sent) return failWithoutRecord(target)
        const mismatch = findIdMismatch(target, sentRequest, sent)
        if (mismatch) return mismatch
        const own = complete(request.storable(sent), context.clock.now)
        const found = findRecord(target, state, caller, sentRequest)
        if (!('error' in found))
          return changeRecord(target, state, found, owned.apply(own, found.record, context.clock.now), response)
        const isTaken = findEntry(recordsOf(state, collection), keyOf(target, sentRequest)) !== undefined
        if (isTaken || !creation) return found
        const named = sentRequest.path[model.parameter?.name ?? '']
        const id = typeof named === 'number' ? named : idIn(target, sentRequest)
        return createRecord({ ...creation, target, state, request: sentRequest, caller, context }, own, id, 0)
      }
    }
    const filled = (): readonly string[] => [...response.filled, ...(creation?.filling.filled() ?? [])]
    const basis = response.isExample || model.kind === 'singleton' ? ({ basis: 'inferred' } as const) : {}
    return { filled, notStored: request.notStored, httpEffects: owned.httpEffects, ...basis, createHandler }
  },
}

function requiresAll({ idProperty, recordModel }: CollectionModel, { schema, serverOwned }: RequestRecord): boolean {
  const shared = [...recordModel.required].filter((name) => schema.properties.has(name) && !serverOwned.has(name))
  return shared.every((name) => name === idProperty || schema.required.has(name))
}
