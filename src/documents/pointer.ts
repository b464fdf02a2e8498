/** Paths in a document, also as JSON pointers (RFC 6901) in URI fragments (`#/…`), the form that `$ref` uses. */
import { attempt } from '../error-message.js'

/** One segment of a path in a document: a key, or an array index. */
export type Segment = string | number

/** Returns the value at a path. Undefined: there is none. */
export function valueAt(value: unknown, path: readonly Segment[]): unknown {
  let at = value
  for (const segment of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return undefined
    at = (at as Record<Segment, unknown>)[segment]
  }
  return at
}

/** Writes a path as a pointer: `['paths', '/orders']` is `#/paths/~1orders`. The whole document is `#`. */
export const toPointer = (segments: readonly Segment[]): string =>
  ['#', ...segments.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')

/** Parses a pointer into its segments. @returns Undefined if it is not a valid `#` pointer. */
export function fromPointer(pointer: string): string[] | undefined {
  if (pointer === '#') return []
  if (!pointer.startsWith('#/')) return undefined
  const segments = pointer.slice(2).split('/')
  return attempt(() => segments.map((each) => decodeURIComponent(each).replaceAll('~1', '/').replaceAll('~0', '~')))
}

/** Finds the target of a reference. @returns Undefined if it does not exist or is outside the document. */
export function resolveReference(root: unknown, reference: string) {
  const path = fromPointer(reference)
  const value = path && valueAt(root, path)
  return path && (path.length === 0 || value !== undefined) ? { path, value } : undefined
}
