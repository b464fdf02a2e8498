/** Local references (`$ref: '#/…'`) of a spec: reading through them, and taking them out. */
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import { fromPointer } from '../documents/pointer.js'

/** Keys under which a spec holds data instead of spec: a `$ref` in there is no reference. */
const dataKeys: ReadonlySet<string> = new Set(['example', 'examples', 'value', 'default', 'enum', 'const'])

/** Whether what stands under a key of a given parent is data. A property that is merely named `default` is not. */
export const isData = (key: string, path: readonly Segment[]): boolean =>
  (dataKeys.has(key) && path.at(-1) !== 'properties' && !(key === 'examples' && path.at(-1) === 'components')) ||
  key.startsWith('x-')

/** A place in a spec that knows its path, and reads through references to where a thing really stands. */
export class Cursor {
  readonly path: readonly Segment[]
  readonly value: unknown
  readonly #root: unknown

  private constructor(root: unknown, path: readonly Segment[], value: unknown) {
    this.#root = root
    this.path = path
    this.value = value
  }

  /** Starts at the top of a spec. */
  static top(root: unknown): Cursor {
    return new Cursor(root, [], root)
  }

  /** Goes to a key or position. Where nothing is there, the value is undefined. */
  at(segment: Segment): Cursor {
    const parent: unknown = this.value
    const value = isObject(parent) || Array.isArray(parent) ? (parent as Record<Segment, unknown>)[segment] : undefined
    return this.#follow([...this.path, segment], value)
  }

  /** All that stands directly below. */
  children(): (readonly [key: string, child: Cursor])[] {
    const here: unknown = this.value
    return isObject(here) || Array.isArray(here)
      ? Object.keys(here).map((key) => [key, this.at(Array.isArray(here) ? Number(key) : key)])
      : []
  }

  #follow(path: readonly Segment[], value: unknown): Cursor {
    const seen = new Set<string>()
    let place = new Cursor(this.#root, path, value)
    while (isObject(place.value) && typeof place.value['$ref'] === 'string' && !seen.has(place.value['$ref'])) {
      seen.add(place.value['$ref'])
      const target = lookUp(this.#root, place.value['$ref'])
      if (!target) break
      place = new Cursor(this.#root, target.path, target.value)
    }
    return place
  }
}

/** Finds what a reference points at. @returns undefined where that is nothing, or lies outside of the document. */
export function lookUp(root: unknown, reference: string): { path: readonly Segment[]; value: unknown } | undefined {
  const path = fromPointer(reference)
  if (!path) return undefined
  let value = root
  for (const segment of path) {
    if (!isObject(value) && !Array.isArray(value)) return undefined
    if (!Object.hasOwn(value, segment)) return undefined
    value = (value as JsonObject)[segment]
  }
  return { path, value }
}

/**
 * Takes the references out: each is replaced by what it points at, with whatever stands beside it on top. What refers to itself
 * becomes a cycle of objects. Every reference must resolve. The same reference gives the same object, which is also what stands where it
 * points.
 */
export function dereference(root: unknown): unknown {
  const copies = new Map<unknown, Record<string, unknown>>()
  const unfinished = new Set<unknown>()

  const copy = (value: unknown, path: readonly Segment[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => copy(item, [...path, index]))
    if (!isObject(value)) return value
    const known = copies.get(value)
    if (known) return known
    const { $ref: reference, ...beside } = value
    if (typeof reference !== 'string') return copyInto({}, value, value, path)
    const target = resolve(reference)
    if (Object.keys(beside).length === 0 || !isObject(target)) return target
    // A schema that contains itself cannot be copied yet, since it is not whole; it can be pointed at.
    return copyInto(unfinished.has(target) ? { allOf: [target] } : { ...target }, beside, value, path)
  }

  /** @param original - What is copied. Whoever refers to it gets the copy. */
  const copyInto = (
    into: Record<string, unknown>,
    from: JsonObject,
    original: JsonObject,
    path: readonly Segment[],
  ): Record<string, unknown> => {
    copies.set(original, into)
    unfinished.add(into)
    for (const [key, value] of Object.entries(from)) into[key] = isData(key, path) ? value : copy(value, [...path, key])
    unfinished.delete(into)
    return into
  }

  const resolve = (reference: string): unknown => {
    const found = lookUp(root, reference)
    return isObject(found?.value) ? copy(found.value, found.path) : found?.value
  }

  return copy(root, [])
}
