/** Reports `x-double` where it has no effect. */
import { isObject } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import { documentableMethods } from '../contract.js'
import { isData } from '../references.js'
import type { Findings } from './findings.js'

/** Reports each `x-double` outside of path items, operations and parameters. */
export function lintOverridePlaces(root: unknown, { refuse }: Findings): void {
  const visit = (path: readonly Segment[], value: unknown): void => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit([...path, index], item)
    if (!isObject(value)) return
    if (Object.hasOwn(value, 'x-double') && !mayHaveOverride(path) && path.at(-1) !== 'properties')
      refuse(
        [...path, 'x-double'],
        'x-double has no effect here',
        'write it in a path item, an operation or a parameter',
        'key',
      )
    for (const [key, child] of Object.entries(value)) if (!isData(key, path, child)) visit([...path, key], child)
  }
  visit([], root)
}

const methods: ReadonlySet<Segment | undefined> = new Set(documentableMethods.map((method) => method.toLowerCase()))

function mayHaveOverride(path: readonly Segment[]): boolean {
  const [first, second] = path
  const depth = first === 'paths' ? 2 : first === 'components' && second === 'pathItems' ? 3 : undefined
  if (first === 'components' && second === 'parameters' && path.length === 3) return true
  if (depth === undefined || path.length < depth) return false
  const below = path.slice(depth)
  const inOperation = methods.has(below[0]) ? below.slice(1) : below
  return inOperation.length === 0 || (inOperation.length === 2 && inOperation[0] === 'parameters')
}
