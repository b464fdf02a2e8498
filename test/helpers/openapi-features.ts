/** The features of OpenAPI as one spec for each version, and requests to them. */
import { parse } from 'yaml'

import { asObject, type JsonObject } from './as-object-or-list.js'
import { readPackageFileSync, readSpec } from './files.js'
import { wire } from './http.js'

/** The parts of a request that differ between attempts. */
export interface Attempt {
  /** The text that replaces `{p}` in the path. */
  readonly path?: string
  /** Without the question mark. */
  readonly query?: string
  readonly headers?: readonly string[]
  readonly body?: string | Uint8Array
  /** The status of an illegal attempt. Default: 400. */
  readonly status?: number
}

export interface Feature {
  /** The place, the name, and the version and section of the specification: `query: required (3.1.1 Parameter Object, required)`. */
  readonly title: string
  readonly version: '3.0.4' | '3.1.1'
  /** The fields of the operation in addition to its responses. */
  readonly operation: JsonObject
  readonly legal: readonly Attempt[]
  readonly illegal: readonly Attempt[]
}

type Part = readonly [name: string, content: string, file?: string | null, type?: string]

/** A value in the file: a text, bytes, a multipart body, or an attempt. */
type Value =
  | string
  | { readonly latin1: string }
  | { readonly parts: readonly Part[] }
  | (Omit<Attempt, 'body'> & { readonly contentType?: string; readonly body?: Value })

interface Row {
  readonly schema?: unknown
  readonly parameter?: JsonObject
  readonly encoding?: JsonObject
  /** The contents of an optional body, by media type. */
  readonly content?: JsonObject
  readonly mediaType?: string
  /** Default: the media type. */
  readonly contentType?: string
  readonly legal?: string | readonly Value[]
  readonly illegal?: string | readonly Value[]
}

/** The media type of the bodies of a place. */
const mediaTypes: Readonly<Record<string, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
}

function bytesOf(value: Value | undefined): string | Uint8Array | undefined {
  if (value === undefined || typeof value === 'string') return value
  if ('latin1' in value) return Buffer.from(value.latin1, 'latin1')
  if (!('parts' in value)) throw new TypeError(JSON.stringify(value))
  const written = value.parts.map(([name, content, file, type]) => {
    const disposition = `Content-Disposition: form-data; name="${name}"${typeof file === 'string' ? `; filename="${file}"` : ''}`
    return `--XX\r\n${disposition}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n${content}\r\n`
  })
  return Buffer.from(`${written.join('')}--XX--\r\n`, 'latin1')
}

/** The form in which a value of a place is sent. An empty header or cookie is an absent field. */
const parameterAttempts: Readonly<Record<string, (value: string) => Attempt>> = {
  query: (query) => ({ query }),
  path: (path) => ({ path }),
  header: (value) => ({ headers: value === '' ? [] : [`X-P: ${value}`] }),
  cookie: (value) => ({ headers: value === '' ? [] : [`Cookie: ${value}`] }),
}

function readFeature(place: string, title: string, row: Row): Feature {
  const { content, encoding, illegal = [], legal = [], parameter = {}, schema } = row
  const mediaType = row.mediaType ?? mediaTypes[place] ?? ''
  const boundary = place === 'multipart' ? '; boundary=XX' : ''
  const asParameter = parameterAttempts[place]
  const attempt = (value: Value): Attempt => {
    if (typeof value === 'string' && asParameter) return asParameter(value)
    const isBody = typeof value === 'string' || 'latin1' in value || 'parts' in value
    const { body, contentType, ...rest } = isBody
      ? { body: value, contentType: row.contentType ?? mediaType + boundary }
      : value
    const headers = contentType === undefined ? {} : { headers: [`Content-Type: ${contentType}`] }
    return { ...rest, ...headers, ...(body === undefined ? {} : { body: bytesOf(body) ?? '' }) }
  }
  const attempts = (values: string | readonly Value[]): readonly Attempt[] =>
    (typeof values === 'string' ? values.split(' ').map((value) => (value === "''" ? '' : value)) : values).map(attempt)
  const shape = { ...(schema === undefined ? {} : { schema }), ...(encoding && { encoding }) }
  const name = place === 'header' ? 'X-P' : 'p'
  const isRequired = place === 'path' ? { required: true } : {}
  return {
    title: `${place}: ${title}`,
    version: title.includes('(3.0.4') ? '3.0.4' : '3.1.1',
    operation: asParameter
      ? { parameters: [{ in: place, name, ...isRequired, ...shape, ...parameter }] }
      : { requestBody: content ? { content } : { required: true, content: { [mediaType]: shape } } },
    legal: attempts(legal),
    illegal: attempts(illegal),
  }
}

const text = readPackageFileSync('test/helpers/openapi-features.yaml')
const { schemas: _, ...rows } = parse(text, { maxAliasCount: -1 }) as Record<string, Readonly<Record<string, Row>>>

export const features: readonly Feature[] = Object.entries(rows).flatMap(([place, all]) =>
  Object.entries(all).map(([title, row]) => readFeature(place, title, row)),
)

export const hasBody = ({ operation }: Feature): boolean => operation['requestBody'] !== undefined

const hasPath = ({ legal }: Feature): boolean => legal.some(({ path }) => path !== undefined)
const pathOf = (feature: Feature): string => `/features/${features.indexOf(feature)}`

const methodOf = (feature: Feature): string => (hasBody(feature) ? 'POST' : 'GET')

/** Creates the package's spec with an operation for each feature of a version. Its example is the response to each legal request. */
export async function featureSpec(version: string): Promise<JsonObject> {
  const spec = await readSpec()
  const error = { $ref: '#/components/schemas/Error' }
  const responses = {
    '200': { description: 'Legal.', content: { 'application/json': { schema: {}, example: 'legal' } } },
    default: { description: 'Illegal.', content: { 'application/json': { schema: error } } },
  }
  const own = features.filter((feature) => feature.version === version)
  const paths = own.map((feature) => {
    const operationId = `feature${features.indexOf(feature)}`
    const operation = { operationId, security: [], responses, ...feature.operation }
    return [pathOf(feature) + (hasPath(feature) ? '/{p}' : ''), { [methodOf(feature).toLowerCase()]: operation }]
  })
  return { ...spec, openapi: version, paths: { ...asObject(spec['paths']), ...asObject(Object.fromEntries(paths)) } }
}

export interface FeatureRequest {
  readonly method: string
  readonly target: string
  readonly bytes: Buffer
}

/** Creates the request of an attempt. @param further - Further header fields. */
export function featureRequest(
  feature: Feature,
  { body, headers = [], path, query }: Attempt,
  further: readonly string[] = [],
): FeatureRequest {
  const method = methodOf(feature)
  const target = `${pathOf(feature)}${hasPath(feature) ? `/${path ?? ''}` : ''}${query === undefined ? '' : `?${query}`}`
  const sent = typeof body === 'string' ? Buffer.from(body) : (body ?? Buffer.of())
  const length = body === undefined ? [] : [`Content-Length: ${sent.length}`]
  const head = wire(`${method} ${target}`, [...headers, ...length, ...further])
  return { method, target, bytes: Buffer.concat([Buffer.from(head), sent]) }
}
