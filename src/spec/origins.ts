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

/** The origin of a value that was not set is that of its container, and below it the same key. */
export class Origins {
  readonly #base: Source
  readonly #properties = new WeakMap<object, Map<string, Origin>>()
  /** By item of a changed array: its origin, or its index before the changes. */
  readonly #items = new WeakMap<readonly unknown[], (Origin | number)[]>()

  /** @param base - The origin of the document. */
  constructor(base: Source) {
    this.#base = base
  }

  set(container: object, key: Segment, origin: Origin): void {
    if (Array.isArray(container)) this.#itemsOf(container)[Number(key)] = origin
    else this.#properties.set(container, (this.#properties.get(container) ?? new Map()).set(String(key), origin))
  }

  /** Remembers for the properties of a copy of an object what is known of those of the object. */
  copy(from: object, to: object): void {
    const known = this.#properties.get(from)
    if (known) this.#properties.set(to, new Map(known))
  }

  removeItem(container: readonly unknown[], index: number): void {
    this.#itemsOf(container).splice(index, 1)
  }

  /** Creates the source of the document. Its text is written when it is first needed. The document is not copied. */
  toSource(document: unknown): Source {
    const base = this.#base
    const locate: Source['locate'] = (path, at) => {
      const { path: inSource, source } = this.#find(document, path)
      return source.locate(inSource, at)
    }
    const text = (): string =>
      isJsonFile(base.file)
        ? `${JSON.stringify(document, null, 2)}\n`
        : stringify(document, { aliasDuplicateObjects: false })
    return withLazy({ file: base.file, value: document, locate }, { text })
  }

  #find(document: unknown, path: readonly Segment[]): Origin {
    let origin: Origin = { source: this.#base, path: [] }
    let value = document
    for (const segment of path) {
      origin = this.#below(origin, value, segment)
      value = typeof value === 'object' && value !== null ? (value as Record<Segment, unknown>)[segment] : undefined
    }
    return origin
  }

  #below({ path, source }: Origin, container: unknown, segment: Segment): Origin {
    const known = Array.isArray(container)
      ? this.#items.get(container)?.[Number(segment)]
      : typeof container === 'object' && container !== null
        ? this.#properties.get(container)?.get(String(segment))
        : undefined
    return typeof known === 'object' ? known : { source, path: [...path, known ?? segment] }
  }

  #itemsOf(container: readonly unknown[]): (Origin | number)[] {
    const items = this.#items.get(container) ?? Array.from(container, (_, index) => index)
    this.#items.set(container, items)
    return items
  }
}
