/** Mocked responses of an operation: from the spec's examples, and generated from its schemas. */
import { isObject } from '../documents/object.js'
import type { Json, OperationResponse } from './contract.js'

/** A value of an example, and the media type that it is sent as. */
interface Example {
  readonly value?: unknown
}

/** A header or a media type of a documented response, as far as an example is made of it. */
interface Documented {
  readonly schema?: unknown
  readonly examples?: readonly object[] | undefined
}

/** A documented response, as far as a mocked one is made of it. */
export interface PrismResponse {
  readonly headers?: readonly (Documented & { readonly name: string })[] | undefined
  readonly contents?: readonly (Documented & { readonly mediaType: string })[] | undefined
}

/** Makes values of a schema up, the likeliest to fit first. */
export type GenerateValues = (schema: unknown) => readonly unknown[]

/** What a mocked response has for a body where neither an example nor a schema says it. */
const anything: Json = {}

/**
 * Lists the responses that may be sent for a documented one, JSON first.
 *
 * @param generate - Makes up what there is no example of. Default: the examples alone.
 */
export function mockResponses(
  status: number,
  { contents = [], headers = [] }: PrismResponse,
  generate: GenerateValues = () => [],
): readonly OperationResponse[] {
  const fields: Record<string, string> = {}
  for (const header of headers) {
    const value = [...examplesOf(header), ...(isObject(header.schema) ? generate(header.schema) : [])][0]
    if (value !== undefined && value !== null) fields[header.name.toLowerCase()] = textOf(value)
  }
  const reply = { status, headers: fields }
  if (contents.length === 0 || hasNoBody(status)) return [{ ...reply, mediaType: '', body: undefined }]
  const sorted = [...contents].toSorted((one, other) => Number(isJson(other.mediaType)) - Number(isJson(one.mediaType)))
  return sorted.flatMap((content) => {
    const values = [...examplesOf(content), ...(content.schema === undefined ? [anything] : generate(content.schema))]
    const mediaType = concrete(content.mediaType)
    return values.map((value) => ({ ...reply, mediaType, body: bodyOf(mediaType, value) }))
  })
}

/** Whether a response of a status has no body, whatever the spec says. */
export const hasNoBody = (status: number): boolean => status === 204 || status === 205 || status === 304

function examplesOf({ examples = [], schema }: Documented): readonly unknown[] {
  const own = examples.map((example) => (example as Example).value)
  if (!isObject(schema)) return own.filter((value) => value !== undefined)
  const inSchema: unknown[] = Array.isArray(schema['examples']) ? schema['examples'] : []
  return [...own, ...inSchema, schema['default'], schema['const']].filter((value) => value !== undefined)
}

const isJson = (mediaType: string): boolean => /^(?:\*\/\*|application\/(?:\*|json)|[^;]*json)/iu.test(mediaType)

/** The media type that is sent for one with a wildcard. */
function concrete(mediaType: string): string {
  if (!mediaType.includes('*')) return mediaType
  return /^(?:\*|application)\//u.test(mediaType) ? 'application/json' : mediaType.replace('*', 'plain')
}

function bodyOf(mediaType: string, value: unknown): unknown {
  if (isJson(mediaType) || typeof value === 'string') return value
  return /^text\/(?!xml)/iu.test(mediaType) ? textOf(value) : ''
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
