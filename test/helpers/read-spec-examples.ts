/** Finds every example of a spec without the code of the double, and makes examples comparable with responses of a double. */
import { parse } from 'yaml'

import { asList, asObject, type JsonObject } from './as-object-or-list.js'
import { readPackageFileSync } from './files.js'

export interface Example {
  /** The place of the example and its name if it has one, such as `setState 400 fixture`. */
  readonly key: string
  readonly value: unknown
}

export interface RequestExamples {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly bodies: readonly Example[]
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly value: unknown }[]
}

export interface SpecExamples {
  readonly requests: readonly RequestExamples[]
  /** The examples of response bodies and headers, by `operation status [name]` or `SharedResponse [name]`. */
  readonly responses: readonly Example[]
  readonly schemas: readonly Example[]
  /** The number of keys `example` and entries of `examples` in the text. It must equal the number of examples in the lists above. */
  readonly count: number
}

const objectAt = (value: unknown, key: string): JsonObject => asObject(asObject(value)[key] ?? {})

/** Reads a spec of the package. @param file - Below `spec/`. */
export function readExamples(file: string): SpecExamples {
  const spec = asObject(parse(readPackageFileSync(`spec/${file}`)))
  const components = objectAt(spec, 'components')
  const operations = Object.entries(objectAt(spec, 'paths')).flatMap(([path, item]) =>
    Object.entries(asObject(item))
      .filter(([, operation]) => typeof operation === 'object' && !Array.isArray(operation))
      .map(([method, operation]) => ({ path, method: method.toUpperCase(), operation: asObject(operation) })),
  )
  const requests = operations.map(({ method, operation, path }) => ({
    operation: String(operation['operationId']),
    method,
    path,
    bodies: contentExamples(objectAt(operation, 'requestBody'), `${String(operation['operationId'])} body`),
    parameters: asList(operation['parameters'] ?? []).flatMap((parameter) => {
      const { example, in: place, name } = asObject(parameter)
      return example === undefined ? [] : [{ name: String(name), in: String(place), value: example }]
    }),
  }))
  const responses = [
    ...operations.flatMap(({ operation }) =>
      Object.entries(objectAt(operation, 'responses')).map(
        ([status, response]) => [`${String(operation['operationId'])} ${status}`, response] as const,
      ),
    ),
    ...Object.entries(objectAt(components, 'responses')),
  ]
  return {
    requests,
    responses: responses.flatMap(([key, response]) => [
      ...contentExamples(response, key),
      ...Object.entries(objectAt(response, 'headers')).flatMap(([name, header]) => {
        const { example } = asObject(header)
        return example === undefined ? [] : [{ key: `${key} header ${name}`, value: example }]
      }),
    ]),
    schemas: schemaExamples(objectAt(components, 'schemas'), ''),
    count: countExamples(spec),
  }
}

function contentExamples(holder: unknown, key: string): Example[] {
  const contents = Object.entries(objectAt(holder, 'content'))
  return contents.flatMap(([mediaType, content]) => {
    const where = contents.length > 1 ? `${key} ${mediaType}` : key
    const { example, examples } = asObject(content)
    if (example !== undefined) return [{ key: where, value: example }]
    return Object.entries(asObject(examples ?? {})).map(([name, named]) => ({
      key: `${where} ${name}`,
      value: asObject(named)['value'],
    }))
  })
}

function schemaExamples(schema: unknown, key: string): Example[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([name, value]) =>
    name === 'examples'
      ? asList(value).map((example, index) => ({ key: `schema${key} ${index}`, value: example }))
      : schemaExamples(value, `${key} ${name}`),
  )
}

function countExamples(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce((sum, [key, inner]) => {
    if (key === 'example') return sum + 1
    return sum + (key === 'examples' ? Object.keys(asObject({ ...inner })).length : countExamples(inner))
  }, 0)
}

const madeUpNumbers: ReadonlySet<string> = new Set(['uptimeMs', 'compiledValidators', 'idleMs', 'durationMs'])

/** Replaces values that differ from run to run: ids of requests, times, durations, ports and temporary folders. */
export function normalized(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (key === 'time' || key === 'createdAt') return '<time>'
    return value
      .replaceAll(/\b[\da-f]{6}-[\da-z]+\b/gu, '<id>')
      .replaceAll(/\b127\.0\.0\.1:\d+/gu, '127.0.0.1:<port>')
      .replaceAll(/\S*\/insights-double-test-\w+\//gu, '')
  }
  if (typeof value === 'number' && madeUpNumbers.has(key)) return 0
  if (Array.isArray(value)) return value.map((item) => normalized(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normalized(inner, name)]))
}

/** Returns a value and every value in it, as JSON. */
export function partsOf(value: unknown): readonly string[] {
  const inner = typeof value === 'object' && value !== null ? Object.values(value).flatMap(partsOf) : []
  const keys = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  return [JSON.stringify(value), ...keys.map((key) => JSON.stringify(key)), ...inner]
}
