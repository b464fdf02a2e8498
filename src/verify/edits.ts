/** Proposes edits of the spec that would make the double agree with the service. */
import { isDeepStrictEqual } from 'node:util'

import type { Contract, Json, Operation } from '../contract/contract.js'
import { essenceOf, isJson } from '../contract/media-types.js'
import type { Cursor } from '../contract/references.js'
import { isObject, listOf, objectOf } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import { noCredential } from '../pull/requests.js'
import type { ServiceResponse } from '../pull/service-client.js'
import type { Difference } from './differences.js'
import type { FoundDifference, ProbeResult } from './evaluate-probes.js'
import type { ProbeContext } from './probe-context.js'
import { createdIdPlaceholder } from './probe.js'
import type { AnsweredStep } from './run-probes.js'
import {
  bodyCursor,
  cursorAt,
  operationCursor,
  responseCursor,
  responseKeyPath,
  schemaAt,
  type SpecPath,
  whereOf,
} from './spec-places.js'
import { type NewOverlayAction, remove, toJsonPath, update } from './write-overlay.js'

export interface Edit {
  /** The edit in words, such as `'204'` → `'200'` at spec/orders.yaml:96. */
  readonly text: string
  readonly actions: readonly NewOverlayAction[]
  /** The keys of the differences that it would remove. */
  readonly fixes: readonly string[]
  readonly isOfStatus: boolean
}

/** Identifies a difference in the results of a probe. */
export const differenceKey = (probe: string, { part, what }: Difference): string => `${probe} ${part} ${what}`

interface EditContext extends Pick<ProbeContext, 'contract' | 'nonce' | 'pulled'> {
  readonly results: readonly ProbeResult[]
}

/** @returns Or the reason why none, as a clause. */
export function proposeEdit(difference: FoundDifference, context: EditContext): Edit | string {
  const { part } = difference
  if (part === 'status') return editParameter(difference, context)
  if (part === 'header') return 'the contract does not state the value of this header'
  if (part === 'order') return 'the contract does not state an order'
  const edits = { 'media type': editMediaType, schema: editSchema, records: editDefault, body: editProperty }
  return edits[part](difference, context)
}

const nodeAt = ({ contract }: EditContext, path: SpecPath): unknown => valueAt(contract.document, path)

function edit(contract: Contract, what: string, path: SpecPath, ...actions: readonly NewOverlayAction[]): Edit {
  return { text: `${what} at ${whereOf(contract, path)}`, actions, fixes: [], isOfStatus: false }
}

const undescribed = 'the contract does not describe this request'

const decided = 'the double decides this value'

/** Replaces the value at a path, which may get another key. */
const replaceAt = (context: EditContext, what: string, path: SpecPath, value: unknown): Edit =>
  edit(context.contract, what, path, remove(path), update(path.slice(0, -1), value))

/** Finds the place of a media type in a response of the double. */
function contentAt({ double, step }: AnsweredStep, mediaType: string, { contract }: EditContext): SpecPath | undefined {
  const content = step.probed && responseCursor(contract, step.probed.operation, double.status)?.at('content')
  const name = content?.children().find(([key]) => essenceOf(key) === mediaType)?.[0]
  return content && name !== undefined ? [...content.path, name] : undefined
}

const removeKeyword = (context: EditContext, path: SpecPath): Edit =>
  edit(context.contract, `remove \`${String(path.at(-1))}\``, path, remove(path))

function setKeyword(context: EditContext, schema: SpecPath, name: string, value: unknown): Edit {
  const old = nodeAt(context, [...schema, name])
  const what =
    old === undefined
      ? `add \`${name}: ${JSON.stringify(value)}\``
      : `\`${name}: ${JSON.stringify(old)}\` → \`${JSON.stringify(value)}\``
  return edit(context.contract, what, [...schema, name], update(schema, { [name]: value }))
}

function editParameter(difference: FoundDifference, context: EditContext): Edit | string {
  const { at, place } = difference
  const { double, service, step } = at
  if (!step.parameter) return editStatus(difference, context)
  const { name, value } = step.parameter
  const kind = step.parameter.case
  if (kind === 'malformed-id' && service.status === 404) return editPattern(difference, context)
  if (service.status >= 400 && double.status >= 400) return editStatus(difference, context)
  if (kind === 'without') return editRequired(at, name, context)
  const isAccepted = service.status < 300 && double.status >= 400
  const schema = place.slice(0, -1)
  if (isAccepted && (kind === 'below-minimum' || kind === 'negative')) {
    const negativeName = `${step.probed?.operation.id ?? ''}:${name}-negative`
    const negative = context.results.find(({ probe }) => probe.name === negativeName)
    const isUnbounded = kind === 'negative' || (negative?.outcome === 'differs' && Number(value) >= 0)
    return isUnbounded ? removeKeyword(context, place) : setKeyword(context, schema, 'minimum', Number(value))
  }
  if (isAccepted && kind === 'above-maximum') return removeKeyword(context, place)
  if (isAccepted && kind === 'not-boolean') return removeKeyword(context, [...schema, 'type'])
  if (isAccepted && kind === 'empty') {
    const parameter = schema.slice(0, -1)
    return edit(
      context.contract,
      'add `allowEmptyValue: true`',
      parameter,
      update(parameter, { allowEmptyValue: true }),
    )
  }
  return `no schema of ${name} allows ${JSON.stringify(decodeURIComponent(value))} and refuses the rest`
}

/** Removes the pattern or the format of an id. The double then looks up an id that it refused before, and does not find it. */
function editPattern({ at: { step }, place }: FoundDifference, context: EditContext): Edit | string {
  const schema = nodeAt(context, place)
  const keyword = ['pattern', 'format'].find((name) => isObject(schema) && typeof schema[name] === 'string')
  const isLookedUp = context.results
    .flatMap(({ steps }) => steps)
    .filter(({ step: each }) => each.probed === step.probed && each.parameter?.case === 'malformed-id')
    .every(({ service }) => !('failure' in service) && service.status === 404)
  if (keyword === undefined || !isLookedUp) return 'the schema of the id does not tell which ids the service refuses'
  return removeKeyword(context, [...place, keyword])
}

/** Requires a property of a body, if the service has accepted the same body with it. */
function editRequired({ step }: AnsweredStep, name: string, { contract, results }: EditContext): Edit | string {
  const namesIn = (body = ''): readonly string[] => Object.keys(objectOf(jsonIn(body))).toSorted()
  const created = results.find(({ probe }) => probe.name === `${step.probed?.operation.id ?? ''}:creates`)
  const isAccepted = created?.steps.some(
    ({ service, step: { body, isCreation } }) =>
      isCreation === true &&
      !('failure' in service) &&
      service.status < 300 &&
      isDeepStrictEqual(namesIn(body), [...namesIn(step.body), name].toSorted()),
  )
  const schemaOfBody = (operation: Operation): Cursor | undefined =>
    operationCursor(contract, operation).at('requestBody').at('content').children()[0]?.[1].at('schema')
  const schema = step.probed && schemaOfBody(step.probed.operation)
  if (!isAccepted || !schema) return `it is not known whether the service needs ${name}`
  const users = contract.operations.filter((each) => isDeepStrictEqual(schemaOfBody(each)?.path, schema.path))
  if (users.length > 1) return `${users.length} operations have this body, and not each may need ${name}`
  return edit(contract, `require \`${name}\``, schema.path, update(schema.path, { required: [name] }))
}

/** Statuses with which a service refuses a request that is not valid. */
const refusals: ReadonlySet<number> = new Set([400, 409, 413, 415, 422])

function editStatus({ at }: FoundDifference, context: EditContext): Edit | string {
  const { double, service, step } = at
  if (!step.probed) return undescribed
  const { operation } = step.probed
  if (
    double.status === 401 &&
    service.status < 300 &&
    isDeepStrictEqual(
      step.credential(() => ''),
      noCredential,
    )
  ) {
    const path = operationCursor(context.contract, operation).path
    const old = nodeAt(context, [...path, 'security']) === undefined ? [] : [remove([...path, 'security'])]
    return edit(context.contract, 'it needs no credential', path, ...old, update(path, { security: [] }))
  }
  const path = responseKeyPath(context.contract, operation, double.status)
  const isDocumented = nodeAt(context, path) !== undefined
  const responses = path.slice(0, -1)
  const isTaken = nodeAt(context, [...responses, String(service.status)]) !== undefined
  // Of the statuses that refuse a request, the double sends one that is documented.
  const canChange = refusals.has(double.status)
    ? refusals.has(service.status) && !isDocumented
    : double.status < 300 && service.status < 300 && isDocumented
  if (!canChange || isTaken) return `the double decides when it answers ${double.status}`
  // A documented status stays. The double sends the lowest success.
  if (isDocumented && service.status > double.status) return `the double sends ${double.status}, which is documented`
  const content = service.text === '' ? {} : { content: contentOf(service) }
  const value = { [service.status]: { description: 'The response of the service.', ...content } }
  return edit(context.contract, `add \`'${service.status}'\``, path, update(responses, value))
}

function contentOf({ json, mediaType, status, text }: ServiceResponse): Readonly<Record<string, unknown>> {
  const type = mediaType === '' ? 'application/json' : mediaType
  if (json === undefined) return { [type]: { schema: { type: 'string' }, example: text } }
  const schema = schemaOf(json)
  // The double would put the status into an error.
  const codes = Object.entries(objectOf(json)).filter(([, value]) => typeof value === 'number' && value !== status)
  const constants = Object.fromEntries(codes.map(([name, value]) => [name, { const: value }]))
  const properties = { ...objectOf(schema['properties']), ...constants }
  return { [type]: { schema: status < 400 || codes.length === 0 ? schema : { ...schema, properties }, example: json } }
}

function schemaOf(value: Json): Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return { type: 'array', items: value[0] === undefined ? {} : schemaOf(value[0] as Json) }
  if (isObject(value)) {
    const properties = Object.entries(value).map(([name, inner]) => [name, schemaOf(inner)])
    return { type: 'object', required: Object.keys(value), properties: Object.fromEntries(properties) }
  }
  if (value === null) return {}
  return { type: Number.isInteger(value) ? 'integer' : typeof value }
}

function editMediaType({ at }: FoundDifference, context: EditContext): Edit | string {
  const { mediaType } = at.service
  if (!at.step.probed) return undescribed
  if (at.double.status >= 400 && at.double.text === '') return editErrorBody(at, context)
  const path = contentAt(at, at.double.mediaType, context)
  if (path && isExample(at)) {
    return replaceAt(context, `answer with ${mediaType}`, path, contentOf(at.service))
  }
  if (!path || !isJson(mediaType))
    return `the double does not send ${mediaType === '' ? 'a body without a media type' : mediaType} here`
  const what = `\`'${String(path.at(-1))}'\` → \`'${mediaType}'\``
  return replaceAt(context, what, path, { [mediaType]: nodeAt(context, path) })
}

function editSchema({ at, keyword, path = [], place }: FoundDifference, context: EditContext): Edit | string {
  if (at.double.status >= 400) return editErrorBody(at, context)
  if (keyword === 'required') {
    const value = valueAt(at.service.json, path)
    const cursor = cursorAt(context.contract, place.slice(0, -1))
    const parts = cursor.at('allOf').children()
    const [missing] = [cursor, ...parts.map(([, part]) => part)].flatMap(({ path: schema, value: its }) => {
      const names = listOf(objectOf(its)['required']).filter((each) => typeof each === 'string')
      const name = names.find((each) => isObject(value) && !Object.hasOwn(value, each))
      return name === undefined ? [] : [{ name, required: [...schema, 'required'] }]
    })
    if (!missing) return 'the property that is missing is not known'
    const { name, required } = missing
    if (at.step.probed?.collection?.model.idProperty === name)
      return `${name} identifies records, so the double needs it`
    const target = `${toJsonPath(required)}[?@ == ${JSON.stringify(name)}]`
    return edit(context.contract, `\`${name}\` is not required`, required, { target, remove: true })
  }
  if (keyword === 'additionalProperties') {
    const schema = place.slice(0, -1)
    const known = objectOf(nodeAt(context, [...schema, 'properties']))
    const others = Object.entries(objectOf(valueAt(at.service.json, path))).filter(
      ([name]) => !Object.hasOwn(known, name),
    )
    if (others.length > 0) return addProperties(context, schema, others)
  }
  return nodeAt(context, place) === undefined ? 'the rule is not in one place' : removeKeyword(context, place)
}

/** Replaces the documented body of an error by that of the service, or adds it. The double fills in status and text. */
function editErrorBody(at: AnsweredStep, context: EditContext): Edit | string {
  const { double, service, step } = at
  if (!step.probed || service.json === undefined) return undescribed
  const path = contentAt(at, service.mediaType, context)
  const what = `replace the body of ${double.status} by that of the service`
  if (path) return replaceAt(context, what, path, { [String(path.at(-1))]: contentOf(service)[service.mediaType] })
  const response = responseCursor(context.contract, step.probed.operation, double.status)
  if (response && response.at('content').children().length > 0)
    return `the contract documents no ${service.mediaType} for ${double.status}`
  const content = contentOf(service)
  const place = response?.path ?? responseKeyPath(context.contract, step.probed.operation, double.status).slice(0, -1)
  const value = response ? { content } : { [double.status]: { description: 'The response of the service.', content } }
  return edit(context.contract, `add the body of ${double.status}`, place, update(place, value))
}

/** Lets a parameter select nothing, or adds a default to the cap. A listing that is shorter than the whole, although the request has no cap, has a default. */
function editDefault({ at }: FoundDifference, context: EditContext): Edit | string {
  const { service, step } = at
  const { contract, pulled } = context
  const body = step.probed?.collection?.model.listBody
  const items = typeof body === 'object' ? body.itemsIn(service.json) : undefined
  const [, property] = /^selects-by-(.+)$/u.exec(step.parameter?.case ?? '') ?? []
  const value = decodeURIComponent(step.parameter?.value ?? '')
  if (property !== undefined && items?.[0] && items.every((each) => String(objectOf(each)[property]) === value)) {
    const place = step.tests.slice(0, -1)
    return edit(contract, `it selects by \`${property}\``, place, update(place, { 'x-double': property }))
  }
  const effect =
    step.probed?.decision.role === 'list' && step.probed.decision.match.effects?.get(step.parameter?.name ?? '')
  if (step.parameter && effect && effect.kind !== 'cap') {
    const place = step.tests.slice(0, step.tests.findLastIndex((segment) => typeof segment === 'number') + 1)
    const what = `\`${step.parameter.name}\` has no effect`
    return edit(contract, what, place, update(place, { 'x-double': 'ignore' }))
  }
  const listing = pulled.listings.find(({ source }) => source.path === step.target.split('?')[0])
  const isCap = isObject(nodeAt(context, step.tests)) && step.tests.includes('parameters')
  const sent = items?.length
  if (!isCap || sent === undefined || listing?.omitted !== sent || sent >= listing.count)
    return 'the double decides which records it sends'
  return setKeyword(context, cursorAt(contract, [...step.tests, 'schema']).path, 'default', sent)
}

function editProperty(difference: FoundDifference, context: EditContext): Edit | string {
  const { at, from, path = [], place, value } = difference
  const { double, step } = at
  if (from !== undefined) {
    const id = step.probed?.collection?.model.idPath.join('.')
    return edit(context.contract, `take the id from \`${from}\``, place, update(place, { 'x-double': { id, from } }))
  }
  if (double.status >= 400) return value?.kind === 'value' ? decided : editErrorBody(at, context)
  if (isExample(at)) return editExample(at, context)
  const role = step.probed?.decision.role
  if (value && (step.isCreation || step.target.includes(createdIdPlaceholder))) return editFilledIn(at, path, context)
  if (role === 'list' && value?.kind === 'missing') return editListedProperties(at, path, context) ?? decided
  const name = path.at(-1)
  // The contract has the property, so its place is its own schema.
  if (place.at(-1) === name) return decided
  if (value?.kind !== 'extra' || typeof name !== 'string' || value.service === undefined) return decided
  // In an envelope, the double computes the properties other than the records.
  const response = step.probed && responseCursor(context.contract, step.probed.operation, double.status)
  if (!bodyCursor(response, double.mediaType) || !isObject(nodeAt(context, place)))
    return 'the contract has no schema for it'
  return addProperties(context, place, [[name, value.service]])
}

function addProperties(
  { contract }: EditContext,
  schema: SpecPath,
  added: readonly (readonly [string, unknown])[],
): Edit {
  const properties = Object.fromEntries(added.map(([name, value]) => [name, schemaOf(value as Json)]))
  const names = added.map(([name]) => `\`${name}\``).join(', ')
  return edit(contract, `add the property ${names}`, schema, update(schema, { properties }))
}

/** Tells whether the double answers with an example, which may be any response. */
const isExample = ({ step: { probed } }: AnsweredStep): boolean => probed?.decision.role === 'mocked' && probed.isSafe

/** The longest response that becomes an example, in characters. */
const maxExampleLength = 64 * 1024

function editExample(at: AnsweredStep, context: EditContext): Edit | string {
  const { headers, json, mediaType, text } = at.service
  const path = contentAt(at, mediaType, context)
  if (!path || text.length > maxExampleLength) return decided
  const old = ['example', 'examples'].filter((name) => nodeAt(context, [...path, name]) !== undefined)
  const inHeaders = [...(path ?? []).slice(0, -2), 'headers']
  // A response of an example has only the headers with examples.
  const sent = Object.keys(objectOf(nodeAt(context, inHeaders))).flatMap((name) => {
    const value = headers[name.toLowerCase()]
    return value === undefined ? [] : [update([...inHeaders, name], { example: value })]
  })
  const actions = [...old.map((name) => remove([...path, name])), update(path, { example: json ?? text }), ...sent]
  return edit(context.contract, 'answer with the response of the service', path, ...actions)
}

/** Lets the double fill in what the service has filled into a new record, unless it is made of the request, an id or a time. */
function editFilledIn(
  { double, service, step }: AnsweredStep,
  [name]: readonly Segment[],
  context: EditContext,
): Edit | string {
  const value = objectOf(service.json)[String(name)]
  const text = JSON.stringify(value) ?? ''
  const isMade = text.includes(context.nonce) || /\d{4}-\d\d-\d\dT/u.test(text)
  const response = step.probed && responseCursor(context.contract, step.probed.operation, double.status)
  const schema = bodyCursor(response, double.mediaType)
  if (!schema || typeof name !== 'string' || isMade || name === step.probed?.collection?.model.idProperty)
    return decided
  const property = schemaAt(schema, [name])
  if (property !== schema) return setKeyword(context, property.path, 'default', value)
  const properties = { [name]: { ...schemaOf(value as Json), default: value } }
  return edit(context.contract, `add the property \`${name}\``, schema.path, update(schema.path, { properties }))
}

/** Lets a listing show only the properties that those of the service show. */
function editListedProperties(
  { double, step }: AnsweredStep,
  path: readonly Segment[],
  context: EditContext,
): Edit | undefined {
  const { contract, pulled } = context
  const { collection, operation } = step.probed ?? {}
  const schema = operation && bodyCursor(responseCursor(contract, operation, double.status), double.mediaType)
  const own = pulled.listings.filter(({ source }) => source.collection.name === collection?.name)
  const shown = new Set(own.flatMap(({ records }) => [...records.values()].flatMap((record) => Object.keys(record))))
  if (!collection || !schema || shown.size === 0) return undefined
  const at = path.findIndex((segment) => typeof segment === 'number')
  const list = schemaAt(schema, path.slice(0, at)).path
  const known = [...collection.model.recordModel.properties].filter(([name]) => shown.has(name))
  const items = { type: 'object', properties: Object.fromEntries(known), additionalProperties: false }
  const what = `a listing shows only ${known.map(([name]) => `\`${name}\``).join(', ')}`
  return edit(context.contract, what, list, remove([...list, 'items']), update(list, { items }))
}
