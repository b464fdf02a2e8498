/**
 * Joins paths that are equal but for the names of their parameters, such as `/orders/{id}` and `/orders/{orderId}`: a request cannot tell
 * them apart. It is done to the document, so that routing, collections, checks and explanations see one path.
 */
import type { JsonObject } from '../documents/object.js'
import { isObject, objectAt } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { Problem } from '../documents/problem.js'
import { problemAt } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { writeSourceText } from '../documents/source.js'
import { documentableMethods } from './contract.js'
import { parameterNames, shapeOf } from './path-template.js'
import { resolveReference } from './references.js'
import { listOf } from './schemas/read-schema.js'

interface JoinedSource {
  /** The methods of the later paths are those of the first one, with its names of parameters. Positions are the original ones. */
  readonly source: Source
  /** A finding for each later path. Of equal methods the first is served. */
  readonly findings: readonly Problem[]
}

const methods: readonly string[] = documentableMethods.map((method) => method.toLowerCase())

export function joinEqualPaths(source: Source): JoinedSource {
  const paths = objectAt(source.value, 'paths')
  const firsts = new Map<string, string>()
  const joined: Record<string, unknown> = {}
  const findings: Problem[] = []
  /** The original path of each method that was moved. */
  const origins = new Map<string, string>()
  for (const [path, item] of Object.entries(paths)) {
    const first = firsts.get(shapeOf(path))
    const target = first === undefined ? undefined : itemAt(source, joined[first])
    const own = itemAt(source, item)
    if (!path.startsWith('/') || first === undefined || !target || !own) {
      if (path.startsWith('/') && own && first === undefined) firsts.set(shapeOf(path), path)
      joined[path] = item
      continue
    }
    const moved = methods.filter((method) => isObject(own[method]) && !Object.hasOwn(target, method))
    const left = methods.filter((method) => Object.hasOwn(own, method) && !moved.includes(method))
    for (const method of moved) origins.set(`${method} ${first}`, path)
    const operations = moved.map((method) => [method, renameParameters(source, own, method, path, first)])
    joined[first] = { ...withoutMethods(own), ...target, ...Object.fromEntries(operations) }
    const what = `path "${path}" is the same as "${first}": only the names of parameters differ`
    const names = left.map((method) => method.toUpperCase()).join(', ')
    const effect =
      left.length > 0 ? `; ${names} of it is not served, because the other has it too` : '; they are joined'
    findings.push(problemAt(source, ['paths', path], what + effect, 'combine them in one path', 'key'))
  }
  if (findings.length === 0) return { source, findings }
  const value = { ...(source.value as JsonObject), paths: joined }
  const locate: Source['locate'] = (at, target) => source.locate(originOf(at, origins, paths), target)
  return { source: { ...source, value, text: writeSourceText(source.file, value), locate }, findings }
}

/** A path item, or what it refers to. @returns Undefined: it is none, or its parameters are no list. Then it is refused later, in its place. */
function itemAt({ value: root }: Source, item: unknown): JsonObject | undefined {
  const reference = isObject(item) ? item['$ref'] : undefined
  const found = typeof reference === 'string' ? resolveReference(root, reference)?.value : item
  return isObject(found) && Array.isArray(found['parameters'] ?? []) ? found : undefined
}

const withoutMethods = (item: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(item).filter(([key]) => key !== 'parameters' && !methods.includes(key)))

/** Returns an operation of a path with the names of parameters of another path, and with the parameters of its path item. */
function renameParameters(
  { value: root }: Source,
  item: JsonObject,
  method: string,
  path: string,
  first: string,
): JsonObject {
  const operation = objectAt(item, method)
  const names = new Map(parameterNames(path).map((name, index) => [name, parameterNames(first)[index] ?? name]))
  const resolve = (parameter: unknown): unknown => {
    const reference = isObject(parameter) ? parameter['$ref'] : undefined
    return typeof reference === 'string' ? resolveReference(root, reference)?.value : parameter
  }
  const keyOf = (parameter: unknown): string => {
    const target = resolve(parameter)
    return isObject(target) ? `${String(target['in'])} ${String(target['name'])}` : ''
  }
  const rename = (parameter: unknown): unknown => {
    const target = resolve(parameter)
    const name = isObject(target) && target['in'] === 'path' ? names.get(String(target['name'])) : undefined
    return name === undefined || !isObject(target) ? parameter : { ...target, name }
  }
  // Those of the operation come first, so that their places stay the same.
  const own = operation['parameters'] ?? []
  if (!Array.isArray(own)) return operation
  const overridden = new Set(own.map(keyOf))
  const shared = listOf(item['parameters']).filter((parameter) => !overridden.has(keyOf(parameter)))
  return { ...operation, parameters: [...own, ...shared].map(rename) }
}

/** Returns the original path of a value of the joined document. */
function originOf(at: readonly Segment[], origins: ReadonlyMap<string, string>, paths: JsonObject): readonly Segment[] {
  const [top, path, method, key, index, ...rest] = at
  const original = top === 'paths' ? origins.get(`${String(method)} ${String(path)}`) : undefined
  if (original === undefined || method === undefined) return at
  const own = listOf(objectAt(objectAt(paths, original), String(method))['parameters']).length
  if (key === 'parameters' && Number(index) >= own)
    return ['paths', original, 'parameters', Number(index) - own, ...rest]
  return ['paths', original, ...at.slice(2)]
}
