/** Makes one document of a spec in several files: moves what `$ref` names in other files to its components, or to the place of the `$ref`. */
import { isObject, mapValues, objectOf, setProperty } from '../documents/object.js'
import { fromPointer, type Segment, toPointer, valueAt } from '../documents/pointer.js'
import { type Problem, problemAt, ProblemsError } from '../documents/problem.js'
import type { Source } from '../documents/source.js'
import type { SpecLocation } from './location.js'
import { createOrigins, type Origin } from './origins.js'
import { hasNames, isData } from './spec-keys.js'

const maxDocuments = 5000

/** @returns The document, and the names of all documents that were read. @throws {ProblemsError} A document or a target cannot be read. */
export async function bundleFiles(location: SpecLocation, first: Source) {
  const sources = new Map([[location.entry, first]])
  // A document is read when the documents read so far have been copied up to a reference to it, so that its place is known.
  for (;;) {
    const { problems, source, unread: found } = bundleRead(location, sources, first)
    if (found.size === 0) {
      if (problems.length > 0) throw new ProblemsError(problems)
      return { source, names: [...sources.keys()] }
    }
    if (sources.size + found.size > maxDocuments) {
      const what = `has more than ${maxDocuments.toLocaleString('en')} documents, the maximum`
      throw new ProblemsError([{ file: location.entry, what, hint: 'bundle the spec into one document' }])
    }
    for (const [name, reference] of found) sources.set(name, await readReferenced(location, name, reference))
  }
}

/** A place in a document of the spec. */
interface Place extends Origin {
  /** The name of the document. */
  readonly name: string
}

/** Reads a document. @throws {ProblemsError} With the place of the reference, if the whole document cannot be read. */
const readReferenced = (location: SpecLocation, name: string, { path, source }: Place): Promise<Source> =>
  location.read(name).catch((error: unknown) => {
    const [problem] = error instanceof ProblemsError ? error.problems : []
    if (!problem || problem.position) throw error
    const reference = String(valueIn({ name, source, path }))
    throw new ProblemsError([problemAt(source, path, `$ref "${reference}" ${problem.what}`, problem.hint)], [name])
  })

/** The maps of components that the target of a `$ref` can be moved to. Any other target is copied to the place of its `$ref`. */
const kinds = [
  ...(['schemas', 'callbacks', 'examples', 'headers', 'links'] as const),
  ...(['parameters', 'requestBodies', 'responses', 'securitySchemes'] as const),
]
type Kind = (typeof kinds)[number]

/** @returns `unread`: the documents that must be read first, with a reference to each. Without any, the source is that of the bundle. */
function bundleRead(location: SpecLocation, sources: ReadonlyMap<string, Source>, first: Source) {
  const problems: Problem[] = []
  const unread = new Map<string, Place>()
  const origins = createOrigins(first)
  /** The pointers in the bundle of the targets that were moved, by document and path. */
  const pointers = new Map<string, string>()
  /** The names of components, those of the first document included. */
  const namesOf = new Map<Kind, Set<string>>()
  /** The moved targets, with their paths in the bundle. */
  const moved: (readonly [path: readonly string[], target: Place])[] = []
  /** True if the bundle differs from the first document. */
  let isChanged = false
  /** The targets that are being copied to the place of a `$ref`. */
  const open: string[] = []

  /** Remembers the components that are a `$ref` to another document: their target keeps that name. */
  function reserveComponents(entry: Place): void {
    for (const kind of kinds) {
      const path = componentPath(kind, '').slice(0, -1)
      const entries = Object.entries(objectOf(valueAt(first.value, path)))
      namesOf.set(kind, new Set(entries.map(([name]) => name)))
      for (const [name, value] of entries) {
        if (!isObject(value) || typeof value['$ref'] !== 'string' || Object.keys(value).length > 1) continue
        const target = find(value['$ref'], { ...entry, path: [...path, name, '$ref'] })
        if (target && target.name !== entry.name && !pointers.has(keyOf(target)))
          pointers.set(keyOf(target), toPointer([...path, name]))
      }
    }
  }

  /** Components of Swagger 2 are at the top. */
  function componentPath(kind: Kind, name: string): readonly string[] {
    if (!Object.hasOwn(objectOf(first.value), 'swagger')) return ['components', kind, name]
    return [kind === 'schemas' ? 'definitions' : kind === 'securitySchemes' ? 'securityDefinitions' : kind, name]
  }

  /** @param at - The path of the value in the bundle. */
  function copy(value: unknown, from: Place, at: readonly Segment[]): unknown {
    if (Array.isArray(value)) {
      const items: unknown[] = []
      for (const [index, item] of value.entries())
        items.push(copyInto(items, index, item, below(from, index), [...at, index]))
      return items
    }
    if (!isObject(value)) return value
    const into: Record<string, unknown> = {}
    for (const [key, child] of Object.entries(value)) {
      const copied = isData(key, at, child) ? child : copyInto(into, key, child, below(from, key), [...at, key])
      setProperty(into, key, copied)
    }
    if (at.at(-1) === 'discriminator') copyMapping(into, from)
    return into
  }

  /** Copies a value that will be at a key of a container, or the target of its `$ref`, and remembers where that comes from. */
  function copyInto(container: object, key: Segment, child: unknown, from: Place, at: readonly Segment[]): unknown {
    const { $ref: reference, ...siblings } = objectOf(child)
    if (typeof reference !== 'string') return copy(child, from, at)
    const isOwn = from.name === location.entry && reference.startsWith('#')
    const target = isOwn ? undefined : find(reference, below(from, '$ref'))
    if (!target) return copy(child, from, at)
    isChanged = true
    const kind = kindOf(at)
    const pointer = kind === undefined ? undefined : pointerTo(target, kind)
    if (pointer !== undefined && pointer !== toPointer(at))
      return Object.assign(copy(siblings, from, at) as object, { $ref: pointer })
    const inlined = inline(target, from, container, key, at)
    if (Object.keys(siblings).length === 0 || !isObject(inlined)) return inlined
    for (const name of Object.keys(siblings)) origins.set(inlined, name, below(from, name))
    return Object.assign(inlined, copy(siblings, from, at))
  }

  function inline(target: Place, from: Place, container: object, key: Segment, at: readonly Segment[]): unknown {
    const name = keyOf(target)
    if (open.includes(name)) {
      const hint = 'refer to a schema, or write the value here'
      refuse(below(from, '$ref'), 'refers to itself, through other files', hint)
      return {}
    }
    open.push(name)
    origins.set(container, key, target)
    // The target may be a `$ref` itself.
    const copied = copyInto(container, key, valueIn(target), target, at)
    open.pop()
    return copied
  }

  /** The values of `mapping` may be file names. */
  function copyMapping(discriminator: Record<string, unknown>, from: Place): void {
    const mapping = discriminator['mapping']
    if (!isObject(mapping)) return
    discriminator['mapping'] = mapValues(mapping, (reference, value) => {
      const isOwn = from.name === location.entry && String(reference).startsWith('#')
      if (typeof reference !== 'string' || isOwn || !/[#/]|\.(?:json|ya?ml)$/u.test(reference)) return reference
      const target = find(reference, { ...from, path: [...from.path, 'mapping', value] })
      return target ? pointerTo(target, 'schemas') : reference
    })
  }

  /** Returns the pointer of a target in the bundle. Moves the target there if it is in another document. */
  function pointerTo(target: Place, kind: Kind): string {
    if (target.name === location.entry) return toPointer(target.path)
    const known = pointers.get(keyOf(target))
    if (known !== undefined) return known
    const names = namesOf.get(kind) ?? new Set()
    const last = String(target.path.at(-1) ?? '')
    const base = (/\D/u.test(last) ? last : nameOfFile(target.name)).replaceAll(/[^\w.-]+/gu, '-')
    let name = base
    for (let count = 2; names.has(name); count++) name = `${base}-${count}`
    names.add(name)
    const path = componentPath(kind, name)
    const pointer = toPointer(path)
    pointers.set(keyOf(target), pointer)
    moved.push([path, target])
    return pointer
  }

  /** Finds the target of a reference, which is no reference itself. @param depth - The number of references passed so far. @returns Undefined: there is none, or it is not read yet. */
  function find(reference: string, from: Place, depth = 0): Place | undefined {
    const [before = '', ...fragments] = reference.split('#')
    let name = from.name
    if (before !== '') {
      const { from: base, reference: relative } = withoutSelf(from.name, before)
      const resolved = relative === '' ? { name: base } : location.resolve(base, relative)
      if ('refused' in resolved) return refuse(from, `"${reference}" ${resolved.refused}`, resolved.hint)
      name = resolved.name
    }
    const path = fromPointer(`#${fragments.join('#')}`)
    if (!path) return refuse(from, `"${reference}" has no JSON pointer after #`, 'write one; anchors are not supported')
    return follow(name, path, from, reference, depth)
  }

  /** Finds a value by a path that may lead through other references. */
  function follow(
    name: string,
    path: readonly Segment[],
    from: Place,
    reference: string,
    depth: number,
  ): Place | undefined {
    const source = sources.get(name)
    if (!source) return void unread.set(name, from)
    const hint = `correct the pointer, or add it to ${source.file}`
    let value = source.value
    for (const [index, segment] of path.entries()) {
      const passed = isObject(value) ? value['$ref'] : undefined
      if (typeof passed === 'string' && depth < maxPassed) {
        const target = find(passed, { name, source, path: [...path.slice(0, index), '$ref'] }, depth + 1)
        return target && follow(target.name, [...target.path, ...path.slice(index)], from, reference, depth + 1)
      }
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment))
        return refuse(from, `"${reference}" points at nothing`, hint)
      value = (value as Record<Segment, unknown>)[segment]
    }
    const alias = isObject(value) && Object.keys(value).length === 1 ? value['$ref'] : undefined
    if (typeof alias !== 'string' || depth === maxPassed) return { name, source, path }
    return find(alias, { name, source, path: [...path, '$ref'] }, depth + 1)
  }

  /** Makes a URL relative to the first document if that has a `$self` (OpenAPI 3.2) in the same folder. Empty: it is that document. */
  function withoutSelf(from: string, reference: string): { readonly from: string; readonly reference: string } {
    const self = objectOf(first.value)['$self']
    if (typeof self !== 'string' || !URL.canParse(self)) return { from, reference }
    const folder = new URL('.', self).href
    if (reference !== self && !reference.startsWith(folder)) return { from, reference }
    return { from: location.entry, reference: reference === self ? '' : `./${reference.slice(folder.length)}` }
  }

  function refuse({ path, source }: Place, what: string, hint: string): undefined {
    problems.push(problemAt(source, path, `$ref ${what}`, hint))
  }

  const at: Place = { name: location.entry, source: first, path: [] }
  reserveComponents(at)
  const document = copy(first.value, at, [])
  // The list grows while it is copied: a target may refer to others.
  for (const [path, target] of isChanged ? moved : []) {
    const name = path.at(-1) ?? ''
    let container = document as Record<string, unknown>
    for (const key of path.slice(0, -1)) container = (container[key] ??= {}) as Record<string, unknown>
    origins.set(container, name, target)
    container[name] = copyInto(container, name, valueIn(target), target, path)
  }
  return { source: isChanged ? origins.toSource(document) : first, problems, unread }
}

/** The maximum number of references that one pointer passes. */
const maxPassed = 100

const below = (place: Place, key: Segment): Place => ({ ...place, path: [...place.path, key] })

const keyOf = ({ name, path }: Place): string => `${name}${toPointer(path)}`

const valueIn = ({ path, source }: Place): unknown => valueAt(source.value, path)

const nameOfFile = (name: string) => /([^\\/]*?)(?:\.[^.\\/]*)?$/u.exec(name.replace(/[?#].*$/u, ''))?.[1] || 'document'

/** The maps of schemas that are not called so. */
const schemaMaps = /^(?:properties|patternProperties|dependentSchemas|\$defs|definitions)$/u

const schemaKey =
  /^(?:schema|itemSchema|items|additionalItems|additionalProperties|unevaluated(?:Items|Properties)|contains|contentSchema|propertyNames|not|if|then|else)$/u

/** Returns the kind of the target that a `$ref` at a path of a spec has. Undefined: it is one that components cannot have, such as a path item. */
function kindOf(at: readonly Segment[]): Kind | undefined {
  const parent = String(at.at(-2))
  const key = at.at(-1)
  if (typeof key === 'number' && parent === 'parameters') return parent
  if (typeof key === 'number') return /^(?:allOf|anyOf|oneOf|prefixItems|items)$/u.test(parent) ? 'schemas' : undefined
  if (hasNames(at.slice(0, -1))) return schemaMaps.test(parent) ? 'schemas' : kinds.find((kind) => kind === parent)
  return key === 'requestBody' ? 'requestBodies' : schemaKey.test(String(key)) ? 'schemas' : undefined
}
