/** Resolves the local references (`$ref: '#/…'`) of a spec, and reads its parts through them. */
import { isObject, type JsonObject, objectAt } from '../documents/object.js'
import { jsonIn } from '../documents/parse-json.js'
import { type Segment, resolveReference } from '../documents/pointer.js'
import { isData } from '../spec/spec-keys.js'

/** A value in a spec, with its path. It follows references: the path is that of the referenced value. */
export class Cursor {
  readonly path: readonly Segment[]
  readonly value: unknown
  readonly root: unknown

  private constructor(root: unknown, path: readonly Segment[], value: unknown) {
    this.root = root
    this.path = path
    this.value = value
  }

  static top(root: unknown): Cursor {
    return new Cursor(root, [], root)
  }

  /** Returns the cursor below some keys and indexes. Its value is undefined if nothing is there. */
  at(segment: Segment, ...below: readonly Segment[]): Cursor {
    const parent: unknown = this.value
    const value = isObject(parent) || Array.isArray(parent) ? (parent as Record<Segment, unknown>)[segment] : undefined
    const found = this.#follow([...this.path, segment], value)
    const [next, ...others] = below
    return next === undefined ? found : found.at(next, ...others)
  }

  children(): (readonly [key: string, child: Cursor])[] {
    const value: unknown = this.value
    if (!isObject(value) && !Array.isArray(value)) return []
    return Object.keys(value).map((key) => [key, this.at(Array.isArray(value) ? Number(key) : key)])
  }

  items(): Cursor[] {
    return this.children().map(([, child]) => child)
  }

  #follow(path: readonly Segment[], value: unknown): Cursor {
    const seen = new Set<string>()
    let cursor = new Cursor(this.root, path, value)
    while (isObject(cursor.value) && typeof cursor.value['$ref'] === 'string' && !seen.has(cursor.value['$ref'])) {
      seen.add(cursor.value['$ref'])
      const target = resolveReference(this.root, cursor.value['$ref'])
      if (!target) break
      cursor = new Cursor(this.root, target.path, target.value)
    }
    return cursor
  }
}

type Copy = Record<string, unknown>

/**
 * Replaces each reference, which must resolve, by its target, merged with the keywords next to it. Equal references give the same object, which is
 * also that at the target; a schema that contains itself becomes a cycle.
 */
export function dereference(root: unknown): unknown {
  const copies = new Map<unknown, Copy>()
  const unfinished = new Set<unknown>()

  const copy = (value: unknown, path: readonly Segment[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => copy(item, [...path, index]))
    if (!isObject(value)) return value
    const known = copies.get(value)
    if (known) return known
    const { $ref: reference, ...siblings } = value
    if (typeof reference !== 'string') return copyInto({}, value, value, path)
    const found = resolveReference(root, reference)
    const target = isObject(found?.value) ? copy(found.value, found.path) : found?.value
    if (Object.keys(siblings).length === 0 || !isObject(target)) return target
    // A schema that contains itself is not complete yet: refer to it instead of copying it.
    return copyInto(unfinished.has(target) ? { allOf: [target] } : { ...target }, siblings, value, path)
  }

  /** @param original - The source of the copy. References to it get the copy. */
  const copyInto = (into: Copy, from: JsonObject, original: JsonObject, path: readonly Segment[]): Copy => {
    copies.set(original, into)
    unfinished.add(into)
    for (const [key, value] of Object.entries(from))
      into[key] = isData(key, path, value) ? value : copy(value, [...path, key])
    unfinished.delete(into)
    return into
  }

  return copy(root, [])
}

/** Lists the examples, then those of the schema, then the values that the schema states by `default` and `const`. */
export function examplesAt(described: Cursor): readonly unknown[] {
  const schema = described.at('schema')
  const named = described.at('examples').items()
  return [
    described.at('example'),
    ...named.map((example) => example.at('value')),
    schema.at('example'),
    ...schema.at('examples').items(),
    schema.at('default'),
    schema.at('const'),
  ].flatMap(({ value }) => (value === undefined ? [] : [value]))
}

/** Lists the examples of the JSON bodies of a response or a request. */
export const examplesIn = (described: JsonObject): readonly unknown[] =>
  Object.entries(objectAt(described, 'content'))
    .filter(([mediaType]) => /json|\*/u.test(mediaType))
    .flatMap(([, content]) => examplesAt(Cursor.top(content)))
    // Some contracts write JSON in a string.
    .map((example) => (typeof example === 'string' ? (jsonIn(example) ?? example) : example))
