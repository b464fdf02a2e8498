/** Remembers where the values of a document come from that is put together from several. */
import { stringify } from 'yaml'

import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import { isJsonFile, type Source } from '../documents/source.js'
import { withLazy } from '../once.js'

export interface Origin {
  readonly source: Source
  /** The path in the source. */
  readonly path: readonly Segment[]
}

export type Origins = ReturnType<typeof createOrigins>

/** The origin of a value that was not set is that of its container, and below it the same key. @param base - The origin of the document. */
export function createOrigins(base: Source) {
  const properties = new WeakMap<object, Map<string, Origin>>()
  /** By item of a changed array: its origin, or its index before the changes. */
  const items = new WeakMap<object, (Origin | number)[]>()
  const itemsOf = (container: readonly unknown[]): (Origin | number)[] => {
    const known = items.get(container) ?? Array.from(container, (_, index) => index)
    items.set(container, known)
    return known
  }
  const below = ({ path, source }: Origin, container: unknown, segment: Segment): Origin => {
    const inList = Array.isArray(container) ? items.get(container)?.[Number(segment)] : undefined
    const known = isObject(container) ? properties.get(container)?.get(String(segment)) : inList
    return typeof known === 'object' ? known : { source, path: [...path, known ?? segment] }
  }
  const find = (document: unknown, path: readonly Segment[]): Origin => {
    let origin: Origin = { source: base, path: [] }
    let value = document
    for (const segment of path) {
      origin = below(origin, value, segment)
      value = typeof value === 'object' && value !== null ? (value as Record<Segment, unknown>)[segment] : undefined
    }
    return origin
  }
  return {
    set: (container: object, key: Segment, origin: Origin): void => {
      if (Array.isArray(container)) itemsOf(container)[Number(key)] = origin
      else properties.set(container, (properties.get(container) ?? new Map()).set(String(key), origin))
    },
    removeItem: (container: readonly unknown[], index: number): void => void itemsOf(container).splice(index, 1),
    /** Creates the source of the document. Its text is written when it is first needed. The document is not copied. */
    toSource: (document: unknown): Source => {
      const locate: Source['locate'] = (path, at) => {
        const { path: inSource, source } = find(document, path)
        return source.locate(inSource, at)
      }
      const text = (): string =>
        isJsonFile(base.file)
          ? `${JSON.stringify(document, null, 2)}\n`
          : stringify(document, { aliasDuplicateObjects: false })
      return withLazy({ file: base.file, value: document, locate }, { text })
    },
  }
}
