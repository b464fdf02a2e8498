/**
 * Joins paths that are equal but for the names of their parameters, such as `/orders/{id}` and `/orders/{orderId}`: a request cannot tell
 * them apart. It is done to the document, so that routing, collections, checks and explanations see one path.
 */
import { isObject, type JsonObject, objectAt } from '../documents/object.js'
import { type Problem, problemAt } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { Origins } from '../spec/origins.js'
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
  const origins = new Origins(source)
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
    const into = { ...withoutMethods(own), ...target } as Record<string, unknown>
    origins.copy(target, into)
    for (const method of moved) {
      into[method] = renameParameters(source, own, [path, method], first, origins)
      origins.set(into, method, { source, path: ['paths', path, method] })
    }
    joined[first] = into
    const what = `path "${path}" is the same as "${first}": only the names of parameters differ`
    const names = left.map((method) => method.toUpperCase()).join(', ')
    const effect =
      left.length > 0 ? `; ${names} of it is not served, because the other has it too` : '; they are joined'
    findings.push(problemAt(source, ['paths', path], what + effect, 'combine them in one path', 'key'))
  }
  if (findings.length === 0) return { source, findings }
  return { source: origins.toSource({ ...(source.value as JsonObject), paths: joined }), findings }
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
  source: Source,
  item: JsonObject,
  [path, method]: readonly [path: string, method: string],
  first: string,
  origins: Origins,
): JsonObject {
  const operation = objectAt(item, method)
  const names = new Map(parameterNames(path).map((name, index) => [name, parameterNames(first)[index] ?? name]))
  const resolve = (parameter: unknown): unknown => {
    const reference = isObject(parameter) ? parameter['$ref'] : undefined
    return typeof reference === 'string' ? resolveReference(source.value, reference)?.value : parameter
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
  const own: unknown = operation['parameters'] ?? []
  if (!Array.isArray(own)) return operation
  const overridden = new Set(own.map(keyOf))
  const shared = [...listOf(item['parameters']).entries()].filter(([, each]) => !overridden.has(keyOf(each)))
  const parameters = [...own.map(rename), ...shared.map(([, each]) => rename(each))]
  for (const [at, [index]] of shared.entries())
    origins.set(parameters, own.length + at, { source, path: ['paths', path, 'parameters', index] })
  return { ...operation, parameters }
}
