/** Reports errors in the paths of a spec, its path items and the ids of its operations. */
import { isObject } from '../../documents/object.js'
import { toPointer } from '../../documents/pointer.js'
import { documentedMethods, operationKeys, operationName } from '../contract.js'
import type { Cursor } from '../references.js'
import { lintFields, nearestHint } from './findings.js'
import { lintOperation, lintParameters } from './lint-operation.js'
import type { SchemaWalk } from './lint-schema.js'

/** Reports errors in the paths and in everything inside them. */
export function lintPaths(top: Cursor, walk: SchemaWalk): void {
  const { refuse } = walk.findings
  const paths = top.at('paths')
  if (!isObject(paths.value)) {
    const at = paths.value === undefined ? top : paths
    return refuse(at, 'has no `paths`, so no operations', 'add the paths of the service', 'key')
  }
  const ids = new Map<string, Cursor>()
  for (const [path, item] of paths.children()) {
    if (path.startsWith('x-')) continue
    const at = [...paths.path, path]
    if (!path.startsWith('/')) refuse(at, `path "${path}" does not start with a slash`, `write "/${path}"`, 'key')
    lintPathItem(top, path, item, walk, ids)
  }
  if (ids.size === 0 && walk.findings.problems.length === 0)
    refuse(paths, 'has no operations, so nothing would be served', 'document at least one operation', 'key')
}

function lintPathItem(top: Cursor, path: string, item: Cursor, walk: SchemaWalk, ids: Map<string, Cursor>): void {
  const { findings } = walk
  if (!isObject(item.value)) return findings.refuse(item, 'is not a path item', 'write an object')
  const { isOpenApi32 } = findings
  const keys = operationKeys(isOpenApi32)
  const misspelt = item.children().filter(([key, { value }]) => {
    // A field with responses is meant to be an operation.
    const isMethod = isObject(value) && isObject(value['responses'])
    return isMethod && !keys.includes(key) && !key.startsWith('x-')
  })
  for (const [key] of misspelt) {
    const hint = nearestHint(key.toLowerCase(), keys, `use one of ${keys.join(', ')}`)
    findings.refuse([...item.path, key], `"${key}" is not a method`, hint, 'key')
  }
  if (misspelt.length === 0) lintFields('a path item', item, findings)
  for (const { isServed, method, path: inItem } of documentedMethods(item.value, isOpenApi32)) {
    const operation = inItem.reduce((at, key) => at.at(key), item)
    const key = method.toLowerCase()
    if (inItem.length > 1 && keys.includes(key))
      findings.refuse(operation, `"${method}" has a field of its own in a path item`, `write it as ${key}`, 'key')
    if (!isServed) {
      const hint = 'no action is needed: it is answered with 400, as Node.js refuses it'
      findings.note(operation, `${method} ${path} is not served: Node.js does not know the method`, hint, 'key')
      continue
    }
    if (!lintFields('an operation', operation, findings)) continue
    lintOperation(top, operation, walk)
    lintParameters(path, item, operation, walk)
    const id = operation.at('operationId')
    if (id.value !== undefined && (typeof id.value !== 'string' || id.value === '')) {
      findings.refuse(id, `operationId is ${JSON.stringify(id.value)}`, 'write a name, or remove operationId')
      continue
    }
    const name = operationName(id.value, method, path)
    const other = ids.get(name)
    const what = `operationId "${name}" is already the id of ${toPointer(other?.path ?? [])}`
    const at = id.value === undefined ? operation : id
    if (other) findings.refuse(at, what, 'use a unique operationId for each operation')
    ids.set(name, operation)
  }
}
