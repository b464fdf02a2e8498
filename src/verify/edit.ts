/** An edit of the spec, and what edits are made of: keywords of schemas, and the contents of responses. */
import type { Json } from '../contract/contract.js'
import { essenceOf } from '../contract/media-types.js'
import type { Cursor } from '../contract/references.js'
import { responseCursor, type SpecPath, whereOf } from '../contract/spec-places.js'
import { isObject, objectOf } from '../documents/object.js'
import { valueAt } from '../documents/pointer.js'
import type { ServiceResponse } from '../pull/service-client.js'
import type { ProbeResult } from './evaluate-probes.js'
import type { ProbeContext } from './probe-context.js'
import type { AnsweredStep } from './run-probes.js'
import { type NewOverlayAction, removeAction, updateAction } from './write-overlay.js'

export interface Edit {
  /** The edit in words, such as `'204'` → `'200'` at spec/orders.yaml:96. */
  readonly text: string
  readonly actions: readonly NewOverlayAction[]
  /** The keys of the differences that it would remove. */
  readonly fixes: readonly string[]
  readonly isOfStatus: boolean
}

export interface EditContext extends Pick<ProbeContext, 'contract' | 'nonce' | 'pulled'> {
  readonly results: readonly ProbeResult[]
}

export const nodeAt = ({ contract }: EditContext, path: SpecPath): unknown => valueAt(contract.document, path)

export function edit(context: EditContext, what: string, path: SpecPath, ...actions: NewOverlayAction[]): Edit {
  return { text: `${what} at ${whereOf(context.contract, path)}`, actions, fixes: [], isOfStatus: false }
}

/** Adds to the object at a path, also inside of it. */
export const updateAt = (context: EditContext, what: string, path: SpecPath, added: unknown): Edit =>
  edit(context, what, path, updateAction(path, added))

export const asCodes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

export const undescribed = 'the contract does not describe this request'

export const decided = 'the double decides this value'

/** Replaces the value at a path, which may get another key. */
export const replaceAt = (context: EditContext, what: string, path: SpecPath, value: unknown): Edit =>
  edit(context, what, path, removeAction(path), updateAction(path.slice(0, -1), value))

/** Finds the documented response for the status of the double. */
export const responseAt = ({ double, step }: AnsweredStep, { contract }: EditContext): Cursor | undefined =>
  step.probed && responseCursor(contract, step.probed.operation, double.status)

/** Finds the place of a media type in a response of the double. */
export function contentAt(at: AnsweredStep, mediaType: string, context: EditContext): SpecPath | undefined {
  const content = responseAt(at, context)?.at('content')
  const name = content?.children().find(([key]) => essenceOf(key) === mediaType)?.[0]
  return content && name !== undefined ? [...content.path, name] : undefined
}

export const removeKeyword = (context: EditContext, path: SpecPath): Edit =>
  edit(context, `remove \`${String(path.at(-1))}\``, path, removeAction(path))

export function setKeyword(context: EditContext, schema: SpecPath, name: string, value: unknown): Edit {
  const old = nodeAt(context, [...schema, name])
  const what =
    old === undefined
      ? `add \`${name}: ${JSON.stringify(value)}\``
      : `\`${name}: ${JSON.stringify(old)}\` → \`${JSON.stringify(value)}\``
  return edit(context, what, [...schema, name], updateAction(schema, { [name]: value }))
}

/** Describes a response of the service, with it as the example. */
export function contentOf({ json, mediaType, status, text }: ServiceResponse): Readonly<Record<string, unknown>> {
  const type = mediaType === '' ? 'application/json' : mediaType
  if (json === undefined) return { [type]: { schema: { type: 'string' }, example: text } }
  const schema = schemaOf(json)
  // The double would put the status into an error.
  const codes = Object.entries(objectOf(json)).filter(([, value]) => typeof value === 'number' && value !== status)
  const constants = Object.fromEntries(codes.map(([name, value]) => [name, { const: value }]))
  const properties = { ...objectOf(schema['properties']), ...constants }
  return { [type]: { schema: status < 400 || codes.length === 0 ? schema : { ...schema, properties }, example: json } }
}

export function schemaOf(value: Json): Readonly<Record<string, unknown>> {
  if (Array.isArray(value)) return { type: 'array', items: value[0] === undefined ? {} : schemaOf(value[0] as Json) }
  if (isObject(value)) {
    const properties = Object.entries(value).map(([name, inner]) => [name, schemaOf(inner)])
    return { type: 'object', required: Object.keys(value), properties: Object.fromEntries(properties) }
  }
  if (value === null) return {}
  return { type: Number.isInteger(value) ? 'integer' : typeof value }
}

export function addProperties(context: EditContext, schema: SpecPath, added: readonly (readonly [string, unknown])[]) {
  const properties = Object.fromEntries(added.map(([name, value]) => [name, schemaOf(value as Json)]))
  return updateAt(context, `add the property ${asCodes(added.map(([name]) => name))}`, schema, { properties })
}
