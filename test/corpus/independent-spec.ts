/** A spec as the corpus reads it: with `yaml`, a plain Ajv and a sampler, and no code of the double. */
import { readFileSync } from 'node:fs'

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { sample } from 'openapi-sampler'
import { parse } from 'yaml'

export type Node = Readonly<Record<string, unknown>>

export interface Spec {
  /** Returns an operation, with the parameters of its path item. */
  operation(method: string, path: string): Node
  resolve(value: unknown): Node
  /** Samples a schema. @param isRequest - True: without read-only properties. False: without write-only ones. */
  sample(schema: unknown, isRequest: boolean): unknown
  problems(method: string, path: string, response: ReceivedResponse): readonly string[]
}

const braced = /\{[^}]*\}/gu
const shapeOf = (path: string): string => path.replaceAll(braced, '{}')

export interface ReceivedResponse {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function readIndependentSpec(file: string): Spec {
  const text = readFileSync(file, 'utf8')
  const document = (file.endsWith('.json') ? JSON.parse(text) : parse(text)) as Node
  const resolve = (value: unknown): Node => {
    const reference = isNode(value) ? value['$ref'] : undefined
    if (typeof reference !== 'string') return isNode(value) ? value : {}
    return resolve(find(document, reference.slice(2).split('/').map(unescape)))
  }
  const paths = document['paths'] as Node
  /** Finds the path of a method among those that differ only in the names of parameters, which the double joins. */
  const pathOf = (method: string, path: string): string => {
    const isIt = (other: string): boolean =>
      shapeOf(other) === shapeOf(path) && method.toLowerCase() in resolve(paths[other])
    return [path, ...Object.keys(paths)].find(isIt) ?? path
  }
  const operation = (method: string, path: string): Node => {
    const written = pathOf(method, path)
    const item = resolve(paths[written])
    const own = resolve(item[method.toLowerCase()])
    const [names, others] = [path, written].map((each): readonly string[] => each.match(braced) ?? [])
    const parameters = [...listOf(item['parameters']), ...listOf(own['parameters'])].map(resolve).map((parameter) => {
      const at = parameter['in'] === 'path' ? (others?.indexOf(`{${String(parameter['name'])}}`) ?? -1) : -1
      return { ...parameter, name: names?.[at]?.slice(1, -1) ?? parameter['name'] }
    })
    return { ...own, parameters }
  }
  const ajv = new Ajv2020({ allErrors: false, strict: false, validateFormats: false, inlineRefs: false })
  ajv.addSchema({ $id: 'spec', ...toJsonSchema(document) })
  const checks = new Map<string, ValidateFunction | undefined>()
  const checkAt = (pointer: string): ValidateFunction | undefined => {
    if (!checks.has(pointer)) checks.set(pointer, compile(ajv, pointer))
    return checks.get(pointer)
  }
  return {
    operation,
    resolve,
    sample: (schema, isRequest) =>
      sample(schema as object, { skipReadOnly: isRequest, skipWriteOnly: !isRequest, quiet: true }, document),
    problems: (method, path, { contentType, status, text: body }) => {
      if (status >= 500) return [`status ${status}: ${body.slice(0, 200)}`]
      const responses = resolve(operation(method, path)['responses'])
      const key = [String(status), `${Math.floor(status / 100)}XX`, 'default'].find((each) => each in responses)
      // The contract does not document this status.
      if (key === undefined) return status >= 400 || status === 204 ? [] : [`status ${status} is not documented`]
      const content = resolve(responses[key])['content']
      if (!isNode(content) || Object.keys(content).length === 0 || status === 204)
        return body === '' ? [] : [`a ${status} has a body`]
      const sent = contentType.split(';')[0]?.trim() ?? ''
      const type = Object.keys(content).find((each) => covers(each.split(';')[0] ?? '', sent))
      const isJson = Object.keys(content).some((each) => /json|\*/u.test(each))
      if (type === undefined && !isJson && sent === 'application/problem+json') return []
      if (type === undefined) return [`the media type ${contentType} of a ${status} is not documented`]
      if (!sent.endsWith('json')) return []
      const media = ['responses', key, 'content', type, 'schema']
      const pointer = pointerOf(document, ['paths', pathOf(method, path), method.toLowerCase(), ...media])
      const check = pointer === undefined ? undefined : checkAt(pointer)
      if (!check || check(JSON.parse(body))) return []
      return (check.errors ?? []).map(({ instancePath, message = '' }) => `${status}: ${instancePath} ${message}`)
    },
  }
}

const covers = (range: string, type: string): boolean =>
  new RegExp(
    `^${range
      .toLowerCase()
      .replaceAll(/[.+]/gu, String.raw`\$&`)
      .replaceAll('*', '.*')}$`,
    'u',
  ).test(type)

function compile(ajv: Ajv2020, pointer: string): ValidateFunction | undefined {
  try {
    return ajv.compile({ $ref: `spec#${pointer}` })
  } catch {
    return undefined
  }
}

/** Returns the JSON pointer of a path after all of its references are resolved. Undefined: there is no such value. */
function pointerOf(document: Node, path: readonly string[]): string | undefined {
  let at: string[] = []
  for (const key of path) {
    at.push(key)
    for (let value = find(document, at); isNode(value) && typeof value['$ref'] === 'string'; value = find(document, at))
      at = value['$ref'].slice(2).split('/').map(unescape)
  }
  if (find(document, at) === undefined) return undefined
  return at.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')
}

const unescape = (key: string): string => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
const find = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (at as Node | undefined)?.[key], value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : [])

/** Rewrites the keywords of OpenAPI 3.0 that JSON Schema does not have. Removes required properties that are never sent. */
function toJsonSchema(value: unknown): Node {
  const rewrite = (inner: unknown, key: string): unknown => {
    if (Array.isArray(inner)) return (inner as unknown[]).map((item) => rewrite(item, ''))
    if (!isNode(inner) || ['example', 'examples', 'x-'].some((name) => key.startsWith(name))) return inner
    const copy: Record<string, unknown> = {}
    for (const [name, child] of Object.entries(inner)) copy[name] = rewrite(child, name)
    if (key === 'properties') return copy
    for (const [exclusive, bound] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (typeof copy[exclusive] !== 'boolean') continue
      if (copy[exclusive]) copy[exclusive] = copy[bound]
      else delete copy[exclusive]
    }
    const { properties, required } = copy
    if (Array.isArray(required) && isNode(properties))
      copy['required'] = (required as string[]).filter(
        (name) => !(isNode(properties[name]) && properties[name]['writeOnly'] === true),
      )
    if (inner['nullable'] !== true) return copy
    delete copy['nullable']
    return { anyOf: [copy, { type: 'null' }] }
  }
  return rewrite(value, '') as Node
}
