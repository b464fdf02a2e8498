/**
 * Joins paths that no request can tell apart, such as `/orders/{id}` and `/orders/{orderId}`, in the document: so routing, collections, checks and
 * explanations see one path.
 */
import { filterProperties, type JsonObject, isObject, listOf, objectAt, objectOf } from '../documents/object.js'
import { resolveReference } from '../documents/pointer.js'
import { type Problem, problemAt } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import { createOrigins, type Origins } from '../spec/origins.js'
import { isOpenApi32, operationKeys } from './contract.js'
import { parameterNames, shapeOf } from './path-template.js'

/** Moves the methods of later paths to the first, with its parameter names. Positions are the original ones. Each later path is a finding. */
export function joinEqualPaths(source: Source): { source: Source; findings: readonly Problem[] } {
  const paths = objectAt(source.value, 'paths')
  const methods = operationKeys(isOpenApi32(source.value))
  const firsts = new Map<string, string>()
  const joined: Record<string, unknown> = {}
  const findings: Problem[] = []
  const origins = createOrigins(source)
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
    const others = filterProperties(own, (_, key) => key !== 'parameters' && !methods.includes(key))
    const into: Record<string, unknown> = { ...objectOf(others), ...target }
    origins.copy(target, into)
    for (const method of moved) {
      into[method] = renameParameters(source, own, [path, method], first, origins)
      origins.set(into, method, { source, path: ['paths', path, method] })
    }
    joined[first] = into
    const what = `path "${path}" is the same as "${first}": only the names of parameters differ`
    const names = left.map((method) => method.toUpperCase()).join(', ')
    const effect = names === '' ? '; they are joined' : `; ${names} of it is not served, because the other has it too`
    findings.push(problemAt(source, ['paths', path], what + effect, 'combine them in one path', 'key'))
  }
  if (findings.length === 0) return { source, findings }
  return { source: origins.toSource({ ...(source.value as JsonObject), paths: joined }), findings }
}

function follow(root: unknown, value: unknown): unknown {
  const reference = objectOf(value)['$ref']
  return typeof reference === 'string' ? resolveReference(root, reference)?.value : value
}

/** A path item, or what it refers to. @returns Undefined: it is none, or its parameters are no list. Then it is refused later, in its place. */
function itemAt({ value: root }: Source, item: unknown): JsonObject | undefined {
  const found = follow(root, item)
  return isObject(found) && Array.isArray(found['parameters'] ?? []) ? found : undefined
}

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
  const targetOf = (parameter: unknown): JsonObject => objectOf(follow(source.value, parameter))
  const keyOf = (parameter: unknown): string => ['in', 'name'].map((key) => String(targetOf(parameter)[key])).join(' ')
  const rename = (parameter: unknown): unknown => {
    const target = targetOf(parameter)
    const name = target['in'] === 'path' ? names.get(String(target['name'])) : undefined
    return name === undefined ? parameter : { ...target, name }
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
