/** Edits of the spec that would make the double agree with the service: proposes them, and writes them as an OpenAPI Overlay. */
import { Document, isSeq, parseDocument } from 'yaml'

import type { Json } from '../contract/contract.js'
import { essenceOf, isJson } from '../contract/media-types.js'
import { isObject, listOf, objectOf } from '../documents/object.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import type { Source } from '../documents/source.js'
import type { Difference } from './differences.js'
import type { FoundDifference, ProbeResult } from './evaluate-probes.js'
import type { ProbeContext } from './probe-context.js'
import type { AnsweredStep } from './run-probes.js'
import {
  bodyCursor,
  cursorAt,
  responseCursor,
  responseKeyPath,
  schemaAt,
  type SpecPath,
  whereOf,
} from './spec-places.js'

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

interface EditContext extends Pick<ProbeContext, 'contract' | 'pulled'> {
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

function edit({ contract }: EditContext, what: string, path: SpecPath, ...actions: readonly NewOverlayAction[]): Edit {
  return { text: `${what} at ${whereOf(contract, path)}`, actions, fixes: [], isOfStatus: false }
}

const undescribed = 'the contract does not describe this request'

const decided = 'the double decides this value'

/** Replaces the value at a path, which may get another key. */
const replaceAt = (context: EditContext, what: string, path: SpecPath, value: unknown): Edit =>
  edit(context, what, path, remove(path), update(path.slice(0, -1), value))

/** Finds the place of a media type in a response of the double. */
function contentAt({ double, step }: AnsweredStep, mediaType: string, { contract }: EditContext): SpecPath | undefined {
  const content = step.probed && responseCursor(contract, step.probed.operation, double.status)?.at('content')
  const name = content?.children().find(([key]) => essenceOf(key) === mediaType)?.[0]
  return content && name !== undefined ? [...content.path, name] : undefined
}

const removeKeyword = (context: EditContext, path: SpecPath): Edit =>
  edit(context, `remove \`${String(path.at(-1))}\``, path, remove(path))

function setKeyword(context: EditContext, schema: SpecPath, name: string, value: unknown): Edit {
  const old = nodeAt(context, [...schema, name])
  const what =
    old === undefined
      ? `add \`${name}: ${JSON.stringify(value)}\``
      : `\`${name}: ${JSON.stringify(old)}\` → \`${JSON.stringify(value)}\``
  return edit(context, what, [...schema, name], update(schema, { [name]: value }))
}

function editParameter(difference: FoundDifference, context: EditContext): Edit | string {
  const { at, place } = difference
  const { double, service, step } = at
  if (!step.parameter) return editStatus(difference, context)
  const { name, value } = step.parameter
  const kind = step.parameter.case
  if (kind === 'malformed-id' && service.status === 404) return editPattern(difference, context)
  if (service.status >= 400 && double.status >= 400) return editStatus(difference, context)
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
    return edit(context, 'add `allowEmptyValue: true`', parameter, update(parameter, { allowEmptyValue: true }))
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

function editStatus({ at }: FoundDifference, context: EditContext): Edit | string {
  const { double, service, step } = at
  if (!step.probed) return undescribed
  const path = responseKeyPath(context.contract, step.probed.operation, double.status)
  const isDocumented = nodeAt(context, path) !== undefined
  const responses = path.slice(0, -1)
  const isTaken = nodeAt(context, [...responses, String(service.status)]) !== undefined
  if (double.status >= 300 || service.status >= 300 || !isDocumented || isTaken)
    return `the double decides when it answers ${double.status}`
  // A documented status stays. The double sends the lowest success.
  if (service.status > double.status) return `the double sends ${double.status}, which is documented`
  const content = service.text === '' ? {} : { content: contentOf(service.mediaType, service.json) }
  const value = { [service.status]: { description: 'The response of the service.', ...content } }
  return edit(context, `add \`'${service.status}'\``, path, update(responses, value))
}

const contentOf = (mediaType: string, body: Json | undefined): Readonly<Record<string, unknown>> => ({
  [mediaType === '' ? 'application/json' : mediaType]:
    body === undefined ? { schema: { type: 'string' } } : { schema: schemaOf(body), example: body },
})

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
      return name === undefined ? [] : [{ name, names, schema }]
    })
    if (!missing) return 'the property that is missing is not known'
    const { name, names, schema } = missing
    if (at.step.probed?.collection?.model.idProperty === name)
      return `${name} identifies records, so the double needs it`
    const required = names.filter((each) => each !== name)
    return replaceAt(context, `\`${name}\` is not required`, [...schema, 'required'], { required })
  }
  return nodeAt(context, place) === undefined ? 'the rule is not in one place' : removeKeyword(context, place)
}

/** Replaces the documented body of an error by that of the service, or adds it. The double fills in status and text. */
function editErrorBody(at: AnsweredStep, context: EditContext): Edit | string {
  const { double, service, step } = at
  if (!step.probed || service.json === undefined) return undescribed
  const path = contentAt(at, service.mediaType, context)
  const what = `replace the body of ${double.status} by that of the service`
  if (path) return replaceAt(context, what, path, contentOf(String(path.at(-1)), service.json))
  const response = responseCursor(context.contract, step.probed.operation, double.status)
  if (response && response.at('content').children().length > 0)
    return `the contract documents no ${service.mediaType} for ${double.status}`
  const content = contentOf(service.mediaType, service.json)
  const place = response?.path ?? responseKeyPath(context.contract, step.probed.operation, double.status).slice(0, -1)
  const value = response ? { content } : { [double.status]: { description: 'The response of the service.', content } }
  return edit(context, `add the body of ${double.status}`, place, update(place, value))
}

/** Lets a parameter select nothing, or adds a default to the cap. A listing that is shorter than the whole, although the request has no cap, has a default. */
function editDefault({ at }: FoundDifference, context: EditContext): Edit | string {
  const { service, step } = at
  const { contract, pulled } = context
  const effect =
    step.probed?.decision.role === 'list' && step.probed.decision.match.effects?.get(step.parameter?.name ?? '')
  if (step.parameter && effect && effect.kind !== 'cap') {
    const place = step.tests.slice(0, step.tests.findLastIndex((segment) => typeof segment === 'number') + 1)
    const what = `\`${step.parameter.name}\` has no effect`
    return edit(context, what, place, update(place, { 'x-double': 'ignore' }))
  }
  const listing = pulled.listings.find(({ source }) => source.path === step.target.split('?')[0])
  const isCap = isObject(nodeAt(context, step.tests)) && step.tests.includes('parameters')
  const body = step.probed?.collection?.model.listBody
  const sent = typeof body !== 'object' ? undefined : body.itemsIn(service.json)?.length
  if (!isCap || sent === undefined || listing?.omitted !== sent || sent >= listing.count)
    return 'the double decides which records it sends'
  return setKeyword(context, cursorAt(contract, [...step.tests, 'schema']).path, 'default', sent)
}

function editProperty(difference: FoundDifference, context: EditContext): Edit | string {
  const { at, from, path = [], place, value } = difference
  const { double, step } = at
  if (from !== undefined) {
    const id = step.probed?.collection?.model.idPath.join('.')
    return edit(context, `take the id from \`${from}\``, place, update(place, { 'x-double': { id, from } }))
  }
  if (double.status >= 400) return value?.kind === 'value' ? decided : editErrorBody(at, context)
  const role = step.probed?.decision.role
  if (role === 'list' && value?.kind === 'missing') return editListedProperties(at, path, context) ?? decided
  const name = path.at(-1)
  // The contract has the property, so its place is its own schema.
  if (place.at(-1) === name || role === 'mocked') return decided
  if (value?.kind !== 'extra' || typeof name !== 'string' || value.service === undefined) return decided
  // In an envelope, the double computes the properties other than the records.
  const response = step.probed && responseCursor(context.contract, step.probed.operation, double.status)
  if (!bodyCursor(response, double.mediaType) || !isObject(nodeAt(context, place)))
    return 'the contract has no schema for it'
  const properties = { [name]: schemaOf(value.service) }
  return edit(context, `add the property \`${name}\``, place, update(place, { properties }))
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
  return edit(context, what, list, remove([...list, 'items']), update(list, { items }))
}

export type NewOverlayAction =
  | { readonly target: string; readonly update: unknown }
  | { readonly target: string; readonly remove: true }

/** Writes a path as JSONPath: `$['paths']['/orders']`. */
export const toJsonPath = (path: SpecPath): string => `$${path.map(toSelector).join('')}`

const remove = (path: SpecPath): NewOverlayAction => ({ target: toJsonPath(path), remove: true })

const update = (path: SpecPath, value: unknown): NewOverlayAction => ({ target: toJsonPath(path), update: value })

const toSelector = (segment: Segment): string =>
  typeof segment === 'number'
    ? `[${segment}]`
    : `['${segment.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}']`

/** @param base - The overlay that the actions are added to. The rest of it is kept; in YAML its comments too. Default: a new one with the title. */
export function writeOverlay(
  file: string,
  title: string,
  actions: readonly unknown[],
  base?: Pick<Source, 'text' | 'value'>,
): string {
  const isJsonFile = file.endsWith('.json')
  const overlay = base?.value ?? { overlay: '1.0.0', info: { title, version: '1.0.0' }, actions: [] }
  const kept = base && !isJsonFile ? parseDocument(base.text) : undefined
  // The actions may also be an alias of another list.
  const document = isSeq(kept?.get('actions')) && kept ? kept : new Document(overlay)
  for (const action of actions)
    document.addIn(['actions'], document.createNode(action, { aliasDuplicateObjects: false }))
  return isJsonFile ? `${JSON.stringify(document.toJS(), null, 2)}\n` : document.toString({ lineWidth: 0 })
}
