/** The origins of the values of a spec with an overlay: the spec, or a place in the overlay. */
import type { Segment } from '../../documents/pointer.js'

/** The place that a value comes from. */
export interface Origin {
  readonly isOverlay: boolean
  /** The path in that document. */
  readonly path: readonly Segment[]
}

/** Remembers which values come from an overlay. The origin of any other value is that of its container. */
export class Origins {
  readonly #properties = new WeakMap<object, Map<string, readonly Segment[]>>()
  /** By item of a changed array: its path in the overlay, or its index before the changes. */
  readonly #items = new WeakMap<readonly unknown[], (readonly Segment[] | number)[]>()

  /** Remembers that a property or an item comes from the overlay. An item must be set before it is added. */
  set(container: object, key: Segment, path: readonly Segment[]): void {
    if (Array.isArray(container)) this.#itemsOf(container)[Number(key)] = path
    else this.#properties.set(container, (this.#properties.get(container) ?? new Map()).set(String(key), path))
  }

  /** Forgets an item that will be removed. */
  removeItem(container: readonly unknown[], index: number): void {
    this.#itemsOf(container).splice(index, 1)
  }

  /** Finds the origin of a value. @param path - In the document with the overlay. */
  find(document: unknown, path: readonly Segment[]): Origin {
    let origin: Origin = { isOverlay: false, path: [] }
    let value = document
    for (const segment of path) {
      origin = this.#below(origin, value, segment)
      value = typeof value === 'object' && value !== null ? (value as Record<Segment, unknown>)[segment] : undefined
    }
    return origin
  }

  #below({ isOverlay, path }: Origin, container: unknown, segment: Segment): Origin {
    const known = Array.isArray(container)
      ? this.#items.get(container)?.[Number(segment)]
      : typeof container === 'object' && container !== null
        ? this.#properties.get(container)?.get(String(segment))
        : undefined
    if (typeof known === 'object') return { isOverlay: true, path: known }
    return { isOverlay, path: [...path, known ?? segment] }
  }

  #itemsOf(container: readonly unknown[]): (readonly Segment[] | number)[] {
    const items = this.#items.get(container) ?? Array.from(container, (_, index) => index)
    this.#items.set(container, items)
    return items
  }
}
