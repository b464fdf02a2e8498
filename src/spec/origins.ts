/** Remembers where the values of a document come from that is put together from several. */
import { stringify } from 'yaml'

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
  const origins = new WeakMap<object, Map<string, Origin>>()
  /** The arrays that have lost items. The place of each other item is that of the array. */
  const shortened = new WeakSet<object>()
  const find = (document: unknown, path: readonly Segment[]): Origin => {
    let origin: Origin = { source: base, path: [] }
    let value = document
    for (const segment of path) {
      const container = typeof value === 'object' && value !== null ? value : {}
      if (shortened.has(container)) return origin
      const { path: before, source } = origin
      origin = origins.get(container)?.get(String(segment)) ?? { source, path: [...before, segment] }
      value = (container as Record<Segment, unknown>)[segment]
    }
    return origin
  }
  return {
    set: (container: object, key: Segment, origin: Origin): void =>
      void origins.set(container, (origins.get(container) ?? new Map()).set(String(key), origin)),
    shorten: (container: readonly unknown[]): void => void shortened.add(container),
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
