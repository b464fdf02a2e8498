/** Reports references without a target, and each `x-double` where it has no effect. */
import { isObject, type JsonObject } from '../../documents/object.js'
import { resolveReference, type Segment } from '../../documents/pointer.js'
import { isData } from '../../spec/spec-keys.js'
import { operationKeys } from '../contract.js'
import { describeSchemaError, findSchemaError, isAnnotation, isAssertion } from '../schemas/keywords.js'
import type { Findings } from './findings.js'

/**
 * Reports each `$ref` that cannot be resolved within the document, and the keywords next to a `$ref` that have no effect. OpenAPI 3.1 combines
 * keywords with the `$ref` of a schema: such a `$ref` is moved to `allOf`, in place.
 */
export function lintReferences(root: unknown, dialect: '3.0' | '3.1', { note, refuse }: Findings): void {
  const lintReference = (at: readonly Segment[], reference: unknown): void => {
    if (typeof reference !== 'string')
      refuse(at, '$ref is not a string', 'write a JSON pointer, such as "#/components/schemas/Error"')
    else if (!resolveReference(root, reference)) {
      const isPointer = /^#(?:\/|$)/u.test(reference)
      const hint = isPointer
        ? 'correct the pointer, or add its target'
        : 'write a JSON pointer; anchors are not supported'
      refuse(at, `$ref "${reference}" points at nothing`, hint)
    } else if (isCircular(root, reference)) refuse(at, `$ref "${reference}" refers to itself`, 'refer to a value')
  }
  const lintSiblings = (path: readonly Segment[], value: JsonObject): void => {
    if (isPathItem(path)) return
    // The document is a copy, so it may be changed.
    const own = value as Record<string, unknown>
    const isSchema = !/^#\/components\/(?!schemas\/)/u.test(String(own['$ref']))
    if (isSchema) for (const key of Object.keys(own).filter(isAnnotation)) lintAnnotation([...path, key], own, key)
    const siblings = Object.keys(own).filter(
      (key) => isAssertion(key) || /^(?:nullable|readOnly|writeOnly)$/u.test(key),
    )
    if (siblings.length === 0) return
    if (isSchema && dialect === '3.1') {
      if (!siblings.some(isAssertion)) return
      const all: unknown[] = Array.isArray(own['allOf']) ? own['allOf'] : []
      own['allOf'] = [...all, { $ref: own['$ref'] }]
      delete own['$ref']
      return
    }
    const names = siblings.join(', ')
    note([...path, siblings[0] ?? ''], `${names} next to $ref is not enforced, as OpenAPI requires`, 'use allOf', 'key')
    for (const key of siblings) delete own[key]
  }
  /** The target of the reference is linted in its own place. */
  const lintAnnotation = (at: readonly Segment[], own: Record<string, unknown>, key: string): void => {
    const error = findSchemaError({ [key]: own[key] })
    if (!error) return
    const what = `${key} is ${JSON.stringify(own[key])}: ${describeSchemaError(error)}`
    if (key === 'examples') delete own[key]
    else refuse(at, what, 'see JSON Schema for its values')
  }
  visitObjects([], root, (path, value) => {
    if (value['$ref'] === undefined || path.at(-1) === 'properties') return
    lintReference([...path, '$ref'], value['$ref'])
    lintSiblings(path, value)
  })
}

/** Visits each object of a spec, except those in data, before the objects inside it. */
function visitObjects(
  path: readonly Segment[],
  value: unknown,
  visit: (path: readonly Segment[], object: JsonObject) => void,
): void {
  if (Array.isArray(value)) for (const [index, item] of value.entries()) visitObjects([...path, index], item, visit)
  if (!isObject(value)) return
  visit(path, value)
  for (const [key, child] of Object.entries(value))
    if (!isData(key, path, child)) visitObjects([...path, key], child, visit)
}

const isPathItem = (path: readonly Segment[]): boolean =>
  path.length === 2 && (path[0] === 'paths' || path[0] === 'webhooks')

function isCircular(root: unknown, reference: string): boolean {
  const seen = new Set<unknown>()
  let next: unknown = reference
  while (typeof next === 'string') {
    if (seen.has(next)) return true
    seen.add(next)
    const target: unknown = resolveReference(root, next)?.value
    next = isObject(target) ? target['$ref'] : undefined
  }
  return false
}

/** Reports each `x-double` outside of path items, operations and parameters. */
export function lintOverridePlaces(root: unknown, { refuse }: Findings): void {
  const hint = 'write it in a path item, an operation or a parameter'
  visitObjects([], root, (path, value) => {
    if (Object.hasOwn(value, 'x-double') && !mayHaveOverride(path) && path.at(-1) !== 'properties')
      refuse([...path, 'x-double'], 'x-double has no effect here', hint, 'key')
  })
}

const methods: ReadonlySet<Segment | undefined> = new Set(operationKeys(true))

function mayHaveOverride(path: readonly Segment[]): boolean {
  const [first, second] = path
  const depth = first === 'paths' ? 2 : first === 'components' && second === 'pathItems' ? 3 : undefined
  if (first === 'components' && second === 'parameters' && path.length === 3) return true
  if (depth === undefined || path.length < depth) return false
  const below = path.slice(depth)
  const inOperation =
    below[0] === 'additionalOperations' ? below.slice(2) : methods.has(below[0]) ? below.slice(1) : below
  return inOperation.length === 0 || (inOperation.length === 2 && inOperation[0] === 'parameters')
}
