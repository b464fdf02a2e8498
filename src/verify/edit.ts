/** An edit of the spec, what edits are made of, and the edits for differences of bodies. */
import { isDeepStrictEqual } from 'node:util'

import type { Json, Operation } from '../contract/contract.js'
import { essenceOf, isJson } from '../contract/media-types.js'
import type { Cursor } from '../contract/references.js'
import type { SpecPath } from '../contract/spec-places.js'
import {
  bodyCursor,
  cursorAt,
  operationCursor,
  responseCursor,
  responseKeyPath,
  schemaAt,
  whereOf,
} from '../contract/spec-places.js'
import { type NewOverlayAction, removeAction, toJsonPath, updateAction } from '../contract/write-overlay.js'
import { isObject, type JsonObject, listOf, mapValues, objectOf } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { type Segment, toPointer, valueAt } from '../documents/pointer.js'
import { namesInTemplate, toTemplate } from '../documents/text-template.js'
import { isSuccess } from '../pull/service-client.js'
import { isId } from '../resources/ids.js'
import type { CollectionModel } from '../resources/infer/collection-model.js'
import { idOf } from '../resources/infer/id-property.js'
import { contentOf, schemaOf } from './describe-response.js'
import { isTimeText } from './differences.js'
import type { FoundDifference, ProbeResult } from './evaluate-probes.js'
import type { ProbeContext } from './probe-context.js'
import { createdIdPlaceholder, type ProbeStep } from './probe.js'
import type { AnsweredStep, SentStep } from './run-probes.js'

export interface Edit {
  /** The edit in words, such as `'204'` → `'200'` at spec/orders.yaml:96. */
  readonly text: string
  readonly actions: readonly NewOverlayAction[]
  /** The keys of the differences that it would remove. */
  readonly fixes: readonly string[]
  /** `schema`: it allows what broke the contract, which is tried first. `status`: it hides the rest of a response, and comes last. */
  readonly part: 'schema' | 'status' | 'other'
  /** The error that gets the status of the service. Missing: another edit. */
  readonly answers?: string
}

export interface EditContext extends Pick<ProbeContext, 'contract' | 'nonce' | 'pulled'> {
  readonly results: readonly ProbeResult[]
}

export const nodeAt = ({ contract }: EditContext, path: SpecPath): unknown => valueAt(contract.document, path)

export function edit(context: EditContext, what: string, path: SpecPath, ...actions: NewOverlayAction[]): Edit {
  return { text: `${what} at ${whereOf(context.contract, path)}`, actions, fixes: [], part: 'other' }
}

/** Adds to the object at a path, also inside of it. */
export const updateAt = (context: EditContext, what: string, path: SpecPath, added: unknown): Edit =>
  edit(context, what, path, updateAction(path, added))

export const asCodes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

export const contentOfBody = ({ contract }: EditContext, operation: Operation): Cursor | undefined =>
  operationCursor(contract, operation).at('requestBody').at('content').children()[0]?.[1]

export const schemaOfBody = (context: EditContext, operation: Operation): Cursor | undefined =>
  contentOfBody(context, operation)?.at('schema')

/** Lets the double ignore a property that the body of a request has. */
export function ignoreSent({ body, probed }: ProbeStep, name: string, context: EditContext) {
  const schema = probed && schemaOfBody(context, probed.operation)
  const isSent = schema && Object.hasOwn(objectOf(jsonIn(body ?? '')), name)
  return isSent ? [updateAction(schemaAt(schema, [name]).path, { readOnly: true })] : []
}

/** Replaces the value at a path, which may get another key. */
const replaceAt = (context: EditContext, what: string, path: SpecPath, value: unknown): Edit =>
  edit(context, what, path, removeAction(path), updateAction(path.slice(0, -1), value))

/** Finds the documented response for the status of the double. */
const responseAt = ({ double, step }: AnsweredStep, { contract }: EditContext): Cursor | undefined =>
  step.probed && responseCursor(contract, step.probed.operation, double.status)

/** Finds the place of a media type in a response of the double. */
function contentAt(at: AnsweredStep, mediaType: string, context: EditContext): SpecPath | undefined {
  const content = responseAt(at, context)?.at('content')
  const name = content?.children().find(([key]) => essenceOf(key) === mediaType)?.[0]
  return content && name !== undefined ? [...content.path, name] : undefined
}

export const dropKeyword = (context: EditContext, path: SpecPath): Edit =>
  edit(context, `remove \`${String(path.at(-1))}\``, path, removeAction(path))

/** Sets keywords of a schema. The first one is named in the text. */
export function setKeywords(context: EditContext, schema: SpecPath, values: JsonObject): Edit {
  const [[name, value] = ['', undefined]] = Object.entries(values)
  const old = nodeAt(context, [...schema, name])
  const what =
    old === undefined
      ? `add \`${name}: ${JSON.stringify(value)}\``
      : `\`${name}: ${JSON.stringify(old)}\` → \`${JSON.stringify(value)}\``
  return edit(context, what, [...schema, name], updateAction(schema, values))
}

/** Lets an object do without the first property that its schema requires, and that fits. Undefined: it requires none. */
export function withoutRequired(context: EditContext, schema: Cursor, isIt: (name: string) => boolean) {
  for (const { path, value } of [schema, ...schema.at('allOf').items()]) {
    const names = listOf(objectOf(value)['required']).filter((each) => typeof each === 'string')
    const name = names.find(isIt)
    const required = [...path, 'required']
    const target = `${toJsonPath(required)}[?@ == ${JSON.stringify(name)}]`
    if (name !== undefined)
      return { name, edit: edit(context, `\`${name}\` is not required`, required, { target, remove: true }) }
  }
  return undefined
}

const withExample = (value: Json) => ({ ...schemaOf(value), example: value })

function addProperties(context: EditContext, schema: SpecPath, added: readonly (readonly [string, unknown])[]) {
  const properties = Object.fromEntries(added.map(([name, value]) => [name, schemaOf(value as Json)]))
  return updateAt(context, `add the property ${asCodes(added.map(([name]) => name))}`, schema, { properties })
}

/** Proposes an edit by the part of a response that differs. Each returns undefined if there is none. */
export const bodyEdits = { 'media type': editMediaType, schema: editSchema, records: editDefault, body: editProperty }

function editMediaType({ at }: FoundDifference, context: EditContext): Edit | undefined {
  const { mediaType } = at.service
  if (!at.step.probed) return undefined
  if (at.double.status >= 400 && (at.double.text === '' || !responseAt(at, context))) return editErrorBody(at, context)
  const path = contentAt(at, at.double.mediaType, context)
  if (path && isExample(at)) return replaceAt(context, `answer with ${mediaType}`, path, contentOf(at.service))
  if (!path || !isJson(mediaType)) return undefined
  const what = `\`'${String(path.at(-1))}'\` → \`'${mediaType}'\``
  return replaceAt(context, what, path, { [mediaType]: nodeAt(context, path) })
}

function editSchema({ at, keyword, path = [], place }: FoundDifference, context: EditContext): Edit | undefined {
  if (at.double.status >= 400) return editErrorBody(at, context)
  const wrapped = path.length === 0 ? editWrapper(at, context) : undefined
  if (wrapped) return wrapped
  if (keyword === 'required') {
    const value = valueAt(at.service.json, path)
    const isMissing = (name: string): boolean => isObject(value) && !Object.hasOwn(value, name)
    const missing = withoutRequired(context, cursorAt(context.contract, place.slice(0, -1)), isMissing)
    // The double needs the property that identifies records.
    return missing?.name === at.step.probed?.collection?.model.idProperty ? undefined : missing?.edit
  }
  if (keyword === 'additionalProperties') {
    const schema = place.slice(0, -1)
    const known = objectOf(nodeAt(context, [...schema, 'properties']))
    const sent = Object.entries(objectOf(valueAt(at.service.json, path)))
    const others = sent.filter(([name]) => !Object.hasOwn(known, name))
    if (others.length > 0) return addProperties(context, schema, others)
  }
  return nodeAt(context, place) === undefined ? undefined : dropKeyword(context, place)
}

/** Puts the record of a response into the property in which the service sends it. Undefined: it sends it in none. */
function editWrapper(at: AnsweredStep, context: EditContext): Edit | undefined {
  const sent = objectOf(at.service.json)
  const place = contentAt(at, at.double.mediaType, context)
  const known = at.step.probed?.collection?.model.recordModel.properties
  const countKnown = (value: unknown): number => Object.keys(objectOf(value)).filter((name) => known?.has(name)).length
  const [name, ...more] = Object.keys(sent).filter((each) => countKnown(sent[each]) > 1)
  if (!place || name === undefined || more.length > 0 || countKnown(sent) > 0) return undefined
  const others = mapValues(sent, (value) => withExample(value as Json))
  const properties = { ...others, [name]: nodeAt(context, [...place, 'schema']) }
  const schema = { type: 'object', required: Object.keys(sent), properties }
  return edit(
    context,
    `the record is in \`${name}\``,
    place,
    removeAction([...place, 'schema']),
    updateAction(place, { schema }),
  )
}

/** Replaces the documented body of an error by that of the service, or adds it. The double fills in status and text. */
function editErrorBody(at: AnsweredStep, context: EditContext): Edit | undefined {
  const { double, service, step } = at
  if (!step.probed || service.json === undefined) return undefined
  const path = contentAt(at, service.mediaType, context)
  const what = `replace the body of ${double.status} by that of the service`
  if (path) return replaceAt(context, what, path, { [String(path.at(-1))]: contentOf(service)[service.mediaType] })
  const response = responseAt(at, context)
  if (response && response.at('content').children().length > 0) return undefined
  const content = contentOf(service)
  const place = response?.path ?? responseKeyPath(context.contract, step.probed.operation, double.status).slice(0, -1)
  const value = response ? { content } : { [double.status]: { description: 'The response of the service.', content } }
  return updateAt(context, `add the body of ${double.status}`, place, value)
}

/** Lets a parameter select nothing, or adds a default to the cap. A listing that is shorter than the whole, although the request has no cap, has a default. */
function editDefault({ at }: FoundDifference, context: EditContext): Edit | undefined {
  const { service, step } = at
  const { contract, pulled } = context
  const body = step.probed?.collection?.model.listBody
  const items = typeof body === 'object' ? body.itemsIn(service.json) : undefined
  const effect =
    step.probed?.decision.role === 'list' && step.probed.decision.match.effects?.get(step.parameter?.name ?? '')
  if (step.parameter && effect && effect.kind !== 'cap') {
    // In a list of parameters, or by its name.
    const place = step.tests.slice(0, step.tests.findLastIndex((segment) => typeof segment === 'number') + 1 || 3)
    return updateAt(context, `\`${step.parameter.name}\` has no effect`, place, { 'x-double': 'ignore' })
  }
  const listing = pulled.listings.find(({ source }) => source.path === step.target.split('?')[0])
  const isCap = isObject(nodeAt(context, step.tests)) && step.tests.includes('parameters')
  const sent = items?.length
  if (!isCap || sent === undefined || listing?.omitted !== sent || sent >= listing.count) return undefined
  return setKeywords(context, cursorAt(contract, [...step.tests, 'schema']).path, { default: sent })
}

function editProperty(difference: FoundDifference, context: EditContext): Edit | undefined {
  const { at, from, path = [], place, value } = difference
  const { double, step } = at
  if (from !== undefined) {
    const id = step.probed?.collection?.model.idPath.join('.')
    return updateAt(context, `take the id from \`${from}\``, place, { 'x-double': { id, from } })
  }
  if (double.status >= 400) return value?.kind === 'value' ? undefined : editErrorBody(at, context)
  if (isExample(at)) return editExample(at, context)
  const wrapped = path.length === 1 ? editWrapper(at, context) : undefined
  if (wrapped) return wrapped
  if (value?.kind === 'value' && isFilled(at, path)) return setKeywords(context, place, { example: value.service })
  if (value?.kind === 'missing') return editWrapper(at, context) ?? editShownProperties(at, path, context)
  if (value && (step.isCreation || step.target.includes(createdIdPlaceholder))) return editFilledIn(at, path, context)
  const name = path.at(-1)
  // The contract has the property, so its place is its own schema.
  if (place.at(-1) === name) return undefined
  if (value?.kind !== 'extra' || typeof name !== 'string' || value.service === undefined) return undefined
  // In an envelope, the double computes the properties other than the records.
  if (!bodyCursor(responseAt(at, context), double.mediaType) || !isObject(nodeAt(context, place))) return undefined
  if (step.probed?.decision.role !== 'list' || path.length > 1)
    return addProperties(context, place, [[name, value.service]])
  const properties = { [name]: withExample(value.service) }
  return updateAt(context, `add the property \`${name}\``, place, { properties, required: [name] })
}

/** Tells whether the double answers with an example, which may be any response. */
const isExample = ({ step: { probed } }: AnsweredStep): boolean => probed?.decision.role === 'mocked' && probed.isSafe

/** Tells whether the double fills in a property of an envelope, from an example if there is one. */
const isFilled = ({ step: { probed } }: AnsweredStep, path: readonly Segment[]): boolean =>
  probed?.decision.role === 'list' && probed.decision.match.filled?.().includes(path.join('.')) === true

const maxExampleLength = 64 * 1024

function editExample(at: AnsweredStep, context: EditContext): Edit | undefined {
  const { headers, json, mediaType, text } = at.service
  const path = contentAt(at, mediaType, context)
  // An empty list for a text that is made up is no example for others.
  const isUsual = text !== '[]' || !at.step.target.includes(context.nonce)
  if (!path || text.length > maxExampleLength || !isUsual) return undefined
  const old = ['example', 'examples'].filter((name) => nodeAt(context, [...path, name]) !== undefined)
  const removed = old.map((name) => removeAction([...path, name]))
  const inHeaders = [...path.slice(0, -2), 'headers']
  // A response of an example has only the headers with examples.
  const sent = Object.keys(objectOf(nodeAt(context, inHeaders))).flatMap((name) => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? [] : [updateAction([...inHeaders, name], { example: value })]
  })
  const what = 'answer with the response of the service'
  return edit(context, what, path, ...removed, updateAction(path, { example: json ?? text }), ...sent)
}

/** Lets the double fill in what the service has filled into a new record, unless it is made of the request, an id or a time. */
function editFilledIn(at: AnsweredStep, [name]: readonly Segment[], context: EditContext): Edit | undefined {
  const { double, service, step } = at
  const value = objectOf(service.json)[String(name)]
  const text = JSON.stringify(value) ?? ''
  // The double fills in the present time, and the example of a time of something else, such as `last_login`.
  const filled = isTimeText(value) ? { format: 'date-time', example: value } : { default: value }
  const schema = bodyCursor(responseAt(at, context), double.mediaType)
  const { model, name: records = '' } = step.probed?.collection ?? {}
  if (!schema || !model || typeof name !== 'string' || value === undefined || name === model.idProperty)
    return undefined
  const made = editMade(name, objectOf(service.json), model, context)
  if (made || text.includes(context.nonce) || (!isTimeText(value) && /\d{4}-\d\d-\d\dT/u.test(text))) return made
  const idIn = (json: unknown): unknown => idOf(model, objectOf(json))
  // A creation may answer with a record that was there before.
  if (listOf(context.pulled.document[records]).some((record) => idIn(record) === idIn(service.json))) return undefined
  // What the service makes for each record, such as a key, is no default.
  const isOther = ({ service: answer, step: { body, isCreation, probed } }: SentStep): boolean => {
    if (isCreation !== true || probed?.collection !== step.probed?.collection || !isSuccess(answer)) return false
    const [its, sent] = [answer.json, jsonIn(body ?? '')].map((json) => objectOf(json)[name])
    return its !== undefined && ![value, sent].some((each) => isDeepStrictEqual(each, its))
  }
  if (!isTimeText(value) && context.results.some(({ steps }) => steps.some(isOther))) return undefined
  const property = schemaAt(schema, [name])
  if (property !== schema) {
    const { actions, ...its } = setKeywords(context, property.path, filled)
    return { ...its, actions: [...actions, ...ignoreSent(step, name, context)] }
  }
  const properties = { [name]: { ...schemaOf(value as Json), ...filled } }
  return updateAt(context, `add the property \`${name}\``, schema.path, { properties })
}

/** Makes a property of the id and of others that a probe has made up, such as a URL. */
function editMade(name: string, record: JsonObject, model: CollectionModel, context: EditContext): Edit | undefined {
  const isMade = (key: string, text: string): boolean => key === model.idProperty || text.includes(context.nonce)
  const places = Object.entries(record).flatMap(([key, value]) =>
    key !== name && isId(value) && isMade(key, String(value)) ? [[key, String(value)] as const] : [],
  )
  const template = toTemplate(record[name], places)
  const names = namesInTemplate(template)
  const isOnce = typeof template !== 'string' || names.length === 0 || template.includes(context.nonce)
  const made = { 'x-double': { made: { [name]: template } } }
  return isOnce ? undefined : updateAt(context, `make \`${name}\` of ${asCodes(names)}`, ['paths', model.path], made)
}

/** Lets a response show only the properties that those of the service show: each record of a listing, or the record itself. */
function editShownProperties(answered: AnsweredStep, path: readonly Segment[], context: EditContext): Edit | undefined {
  const { collection, decision } = answered.step.probed ?? {}
  const schema = bodyCursor(responseAt(answered, context), answered.double.mediaType)
  const isList = decision?.role === 'list'
  const own = context.pulled.listings.filter(({ source }) => isList && source.collection.name === collection?.name)
  // A parameter may leave out what other requests show.
  const same = context.results
    .flatMap(({ steps }) => steps)
    .filter(({ step }) => step.probed?.operation === answered.step.probed?.operation)
  const read = same.map(({ service }) => (isSuccess(service) ? objectOf(service.json) : {}))
  const records = isList ? own.flatMap((each) => [...each.records.values()]) : read
  const shown = new Map(records.flatMap((record) => Object.entries(record)))
  if (!collection || !schema || shown.size === 0 || (!isList && path.length !== 1)) return undefined
  const at = isList ? path.findIndex((segment) => typeof segment === 'number') : -1
  const record = schemaAt(schema, path.slice(0, at + 1))
  // A parameter selects by a property that the schema has.
  const effects = isList ? [...(decision.match.effects?.values() ?? [])] : []
  for (const { property } of effects) if (property !== undefined && !shown.has(property)) shown.set(property, undefined)
  // Later edits of the property count here, too.
  const known = [...shown].map(([name, value]) => {
    const property = schemaAt(record, [name])
    const { path: place } = property
    if (property === record) return [name, schemaOf(value as Json)] as const
    return [name, place[0] === 'components' ? { $ref: toPointer(place) } : nodeAt(context, place)] as const
  })
  const its = { type: 'object', properties: Object.fromEntries(known), additionalProperties: false }
  const names = asCodes([...shown.keys()])
  if (!isList) {
    const place = contentAt(answered, answered.double.mediaType, context)
    const actions = place && [removeAction([...place, 'schema']), updateAction(place, { schema: its })]
    return actions && edit(context, `it shows only ${names}`, place, ...actions)
  }
  const list = schemaAt(schema, path.slice(0, at)).path
  const what = `a listing shows only ${names}`
  return edit(context, what, list, removeAction([...list, 'items']), updateAction(list, { items: its }))
}
