/** Update: `PATCH`, or a `PUT` that is not a replacement, merges the body into the record, or applies it as a JSON Patch. Server-owned properties are kept. */
import type { Operation } from '../../contract/contract.js'
import { essenceOf } from '../../contract/media-types.js'
import { lastLiteral } from '../../contract/path-template.js'
import { chosenSchema, propertiesOf } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { isId } from '../ids.js'
import type { CollectionModel } from '../infer/collection-model.js'
import type { PropertySchemas } from '../infer/id-property.js'
import { merge } from '../json.js'
import { singularOf } from '../names.js'
import { changedStatuses, matchChange } from './change-record.js'
import { createsAlone, isUpsert, matchMissing } from './create.js'
import { idNames, matchRequestBody } from './match-request-body.js'
import { matchSuccessResponse } from './match-success-response.js'
import { isJsonPatch, matchPatch, mergePatch } from './patch.js'
import type { Role } from './role.js'

const updates = /\b(?:update|set|chang|configur|edit|modif|sav)/iu

/** Says that a null removes what it is the value of: "remove keys by setting their value to null". */
const removesKeys = /\b(?:clear|delet|remov|unset)\w* [^.]*\bkeys?\b[^.]*\bnull\b/iu

/** The last word of plurals that name one object. */
const namesOne =
  /(?:settings|preferences|options|details|credentials|permissions|limits|rules|notifications|status|address|access|analytics|metrics|properties)$/iu

/** The part of the properties that the body of a POST must share with the record. */
const leastShared = 0.8

/** Tells whether the body may be a JSON Merge Patch, which need not name the properties of the record. */
const takesMergePatch = ({ requestBody }: Operation): boolean =>
  (requestBody?.contents ?? []).some(({ mediaType }) => essenceOf(mediaType) === mergePatch)

/** Tells whether a POST may add to several objects: its path ends in a plural and has no other change, and its text tells of no update. */
function mayBeSeveral({ contract, path }: CollectionModel, operation: Operation): boolean {
  const noun = lastLiteral(path)
  return (
    singularOf(noun) !== noun &&
    !namesOne.test(noun) &&
    !updates.test(`${operation.id} ${operation.text}`) &&
    !contract.operations.some((each) => each.path === operation.path && !['GET', 'POST'].includes(each.method))
  )
}

/** Tells whether a change creates the record that its path names: 201 is next to another success and 404 is not, or the text says so. */
function mayCreateNamed(model: CollectionModel, operation: Operation): boolean {
  const { method, responses, text } = operation
  const successes = responses.filter(({ status }) => status.startsWith('2'))
  const isTold =
    isUpsert.test(text) ||
    /\bnot (?:already |yet )?exists?\b[^.]*\b(?:creates? it|it (?:will be|is|gets) created)\b/iu.test(text)
  const mayLack = responses.some(({ status }) => status === '404')
  const hasCreated = successes.length > 1 && !mayLack && successes.some(({ status }) => status === '201')
  return method !== 'POST' && model.kind !== 'singleton' && (isTold || hasCreated || createsAlone(model, operation))
}

/** Tells whether an object is sent in place of another one: both have ids, or are of one of several schemas (oneOf), which differ. */
function isAnother(old: JsonObject, sent: JsonObject, schema: JsonObject): boolean {
  const [one, other] = [chosenSchema(schema, old), chosenSchema(schema, sent)]
  const hasOtherId = idNames.some((name) => isId(old[name]) && isId(sent[name]) && old[name] !== sent[name])
  return hasOtherId || (one && other && one !== other) === true
}

/** Leaves out the objects in place of which others are sent, at any depth. */
const withoutOthers = (old: JsonObject, sent: JsonObject, properties: PropertySchemas): JsonObject =>
  Object.fromEntries(
    Object.entries(old).flatMap(([name, value]) => {
      const [own, schema = {}] = [sent[name], properties.get(name)]
      if (!isObject(value) || !isObject(own)) return [[name, value]]
      return isAnother(value, own, schema) ? [] : [[name, withoutOthers(value, own, propertiesOf(schema))]]
    }),
  )

export const update: Role = {
  name: 'update',
  methods: ['PATCH', 'PUT', 'POST'],
  match: (model, operation) => {
    const patch = matchPatch(model, operation)
    const request = matchRequestBody(model, operation, takesMergePatch(operation))
    if (patch && (typeof request === 'string' || request.size === 0)) return patch
    if (typeof request === 'string') return request
    const response = matchSuccessResponse(model, operation, ...changedStatuses)
    const isOfOne = operation.method === 'POST' && model.kind === 'singleton'
    if (isOfOne && /^\W*add\b/iu.test(operation.text)) return 'its text says that it adds another object'
    if (isOfOne && mayBeSeveral(model, operation)) return `${lastLiteral(model.path)} may be several objects`
    // An object may be written without being shown, if its body has nothing else.
    const isAll = request.size > 0 && request.shared.length === request.size
    const shown = response.body?.schema
    const isShown =
      model.kind === 'singleton'
        ? (shown && model.recordModel.schemas.includes(shown)) || (isAll && response.documented === '204')
        : shown !== undefined
    const mayCreate = operation.method === 'POST' && model.kind !== 'singleton' && response.documented === '201'
    if (mayCreate && !/^\W*(?:update|edit|modif|change|patch|set)/iu.test(operation.text))
      return 'its success is 201, so it may create another record'
    if (operation.method === 'POST' && (!isShown || request.shared.length < leastShared * request.size))
      return "it may be another change than an update: too few properties of its body are the record's, or it does not show the record"
    const isToldMergePatch = removesKeys.test(operation.text)
    const onlyMergePatch = operation.requestBody?.contents.length === 1 && takesMergePatch(operation)
    const missing = mayCreateNamed(model, operation) ? matchMissing(model, operation, request) : undefined
    const match = matchChange(model, operation, {
      missing,
      request,
      response,
      isMerged: true,
      change: (own, record, { mediaType = onlyMergePatch ? mergePatch : '' }) => {
        const isMergePatch = isToldMergePatch || mediaType.toLowerCase() === mergePatch
        const old = isMergePatch ? record : withoutOthers(record, own, model.recordModel.properties)
        return objectOf(merge(old, own, isMergePatch))
      },
    })
    if (patch) return { ...match, handle: (handled) => (isJsonPatch(handled.request) ? patch : match).handle(handled) }
    return operation.method === 'POST' ? { ...match, basis: 'inferred' } : match
  },
}
