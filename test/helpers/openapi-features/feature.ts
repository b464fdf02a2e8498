/** One feature of OpenAPI: its description in a spec, legal and illegal requests, and the section of the specification. */
import { createQuerySerializer, defaultPathSerializer } from 'openapi-fetch'

import type { JsonObject } from '../as-object-or-list.js'

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

/** A feature of OpenAPI. */
export interface Feature {
  readonly title: string
  /** The version, the object and the field or section of the specification: `3.1.1 Parameter Object, style`. */
  readonly clause: string
  /** The fields of the operation in addition to its responses. */
  readonly operation: JsonObject
  readonly legal: readonly Attempt[]
  readonly illegal: readonly Attempt[]
}

/** A schema in a spec. */
type Schema = JsonObject | boolean

/** Describes a parameter by its fields, and by the values that clients send. */
type DescribeParameter = (
  title: string,
  clause: string,
  parameter: JsonObject,
  legal: readonly string[],
  illegal: readonly string[],
) => Feature

const parameterIn =
  (place: string, own: JsonObject, attempt: (sent: string) => Attempt): DescribeParameter =>
  (title, clause, parameter, legal, illegal) => ({
    title: `${place}: ${title}`,
    clause,
    operation: { parameters: [{ in: place, ...own, ...parameter }] },
    legal: legal.map(attempt),
    illegal: illegal.map(attempt),
  })

const headerField =
  (name: string) =>
  (value: string): Attempt => ({ headers: value === '' ? [] : [`${name}: ${value}`] })

/** Describes a query parameter `p` by queries. */
export const inQuery = parameterIn('query', { name: 'p' }, (query) => ({ query }))

/** Describes a path parameter `p`. */
export const inPath = parameterIn('path', { name: 'p', required: true }, (path) => ({ path }))

/** Describes a header parameter `X-P`. An empty value is an absent field. */
export const inHeader = parameterIn('header', { name: 'X-P' }, headerField('X-P'))

/** Describes a cookie parameter `p` by Cookie fields. An empty value is an absent field. */
export const inCookie = parameterIn('cookie', { name: 'p' }, headerField('Cookie'))

/** Describes a request body of one media type. */
export function inBody(
  title: string,
  clause: string,
  mediaType: string,
  media: JsonObject,
  legal: readonly (string | Uint8Array)[],
  illegal: readonly (string | Uint8Array)[],
  contentType: string = mediaType,
): Feature {
  const operation = { requestBody: { required: true, content: { [mediaType]: media } } }
  const attempt = (body: string | Uint8Array): Attempt => ({ headers: [`Content-Type: ${contentType}`], body })
  return { title: `body: ${title}`, clause, operation, legal: legal.map(attempt), illegal: illegal.map(attempt) }
}

/** Describes a JSON body. */
export const inJson = (
  title: string,
  clause: string,
  schema: Schema,
  legal: readonly unknown[],
  illegal: readonly unknown[],
): Feature => {
  const write = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
  return inBody(title, clause, 'application/json', { schema }, legal.map(write), illegal.map(write))
}

/** Returns the query that openapi-fetch writes. It has no code in common with the double. */
export const clientQuery = (
  value: Readonly<Record<string, unknown>>,
  options: Parameters<typeof createQuerySerializer>[0] = {},
): string => createQuerySerializer<Record<string, unknown>>(options)(value)

/** Returns the path that openapi-fetch writes. @param template - `{p}` with the operators of RFC 6570. */
export const clientPath = (template: string, p: unknown): string => defaultPathSerializer(template, { p })

/** The schema of a note: a number from 1, and an optional tag. */
export const note = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 1 }, tag: { enum: ['care', 'sales'] } },
  required: ['n'],
  additionalProperties: false,
}

/** The schema of an object. */
export const object = (properties: object, required: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required,
})
