/** Replace: `PUT` of a record's path replaces the record by the body. Server-owned properties are kept. */
import type { CollectionModel } from '../infer/collection-model.js'
import { changedStatuses, matchChange } from './change-record.js'
import { createNamed, isUpsert } from './create.js'
import { matchRequestBody, type RequestRecord } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import type { Role } from './role.js'

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
    const create = createNamed(model, operation, request)
    const match = matchChange(model, operation, { change: (own) => own, create, isMerged: false, request, response })
    return { ...match, filled: () => [...response.filled, ...(create?.filled() ?? [])] }
  },
}

function requiresAll({ idProperty, recordModel }: CollectionModel, { schema, serverOwned }: RequestRecord): boolean {
  const shared = [...recordModel.required].filter((name) => schema.properties.has(name) && !serverOwned.has(name))
  return shared.every((name) => name === idProperty || schema.required.has(name))
}
