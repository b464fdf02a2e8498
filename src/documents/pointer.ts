/** JSON pointers (RFC 6901) in their `#/…` form, the way users know them from `$ref`. */

/** One step into a document: a key, or a position in an array. */
export type Segment = string | number

/** Writes a place as a pointer: `['paths', '/orders']` is `#/paths/~1orders`. The whole document is `#`. */
export function toPointer(segments: readonly Segment[]): string {
  return ['#', ...segments.map((segment) => String(segment).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
}

/** Reads a pointer back into its segments. @returns undefined for what is not a `#` pointer. */
export function fromPointer(pointer: string): string[] | undefined {
  if (pointer === '#') return []
  if (!pointer.startsWith('#/')) return undefined
  try {
    return pointer
      .slice(2)
      .split('/')
      .map((segment) => decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch {
    return undefined
  }
}
