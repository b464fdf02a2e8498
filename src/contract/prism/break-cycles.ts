/** Replaces the cycles of a dereferenced spec by references, because Prism reads trees. Also replaces the schemas that large ones repeat. */
import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { oneSchemaKeywords, schemaListKeywords, schemaMapKeywords } from '../schemas/keywords.js'

/** The key of an operation that holds the schemas that its references name. Prism looks there. */
export const definitionsKey = '__bundled__'

/** Schemas by the last segment of the references to them. They refer to each other. */
type Definitions = ReadonlyMap<string, unknown>

/**
 * Replaces the cycles of a document by references: a value that contains itself becomes a definition if more than one place leads to it. So each
 * value is visited once. A copy for each path would take exponential time if many schemas contain each other. A schema that a large schema repeats
 * becomes a definition too: Ajv needs minutes for the code of a tree with all its copies. Parts that lead to no cycle are shared, not copied.
 */
export function breakCycles(document: JsonObject): { document: JsonObject; definitions: Definitions } {
  const { inCycle, parents } = findCycles(document)
  const repeated = findRepeatedSchemas(document)
  if (inCycle.size === 0 && repeated.size === 0) return { document, definitions: new Map() }
  const copies = new Map<object, unknown>()
  const names = new Map<object, string>()
  const definitions = new Map<string, unknown>()

  const copy = (value: Node): unknown => {
    if (copies.has(value)) return copies.get(value)
    const copyChild = (child: unknown): unknown => {
      if (!isNode(child)) return child
      const isInside = inCycle.has(value) && inCycle.has(child) && (parents.get(child) ?? 0) > 1
      return isInside || repeated.get(child)?.has(value) ? refer(child) : copy(child)
    }
    const copied = mapValuesIn(value, copyChild)
    copies.set(value, copied)
    return copied
  }

  const refer = (value: Node): JsonObject => {
    const name = names.get(value) ?? `recursive${names.size + 1}`
    if (!names.has(value)) {
      names.set(value, name)
      definitions.set(name, copy(value))
    }
    return { $ref: `#/${definitionsKey}/${name}` }
  }

  return { document: copy(document) as JsonObject, definitions }
}

/** Lists the definitions that a value refers to, directly or through other definitions. */
export function referencedDefinitions(value: unknown, definitions: Definitions): JsonObject {
  const found: Record<string, unknown> = {}
  // Most specs have none: do not search each of their operations.
  if (definitions.size === 0) return found
  const known = new Set<unknown>([value])
  // The set grows while it is visited.
  for (const next of known) {
    const reference = objectOf(next)['$ref']
    const name = typeof reference === 'string' ? reference.split('/').at(-1) : undefined
    if (name !== undefined && definitions.has(name)) {
      found[name] = definitions.get(name)
      known.add(found[name])
    }
    if (isNode(next)) for (const inner of Object.values(next)) if (isNode(inner)) known.add(inner)
  }
  return found
}

type Node = JsonObject | readonly unknown[]

const isNode = (value: unknown): value is Node => isObject(value) || Array.isArray(value)

/** Maps the properties of an object, or the items of an array. @returns The node itself if none changes. */
function mapValuesIn(node: Node, map: (value: unknown) => unknown): Node {
  const values: readonly unknown[] = Object.values(node)
  const mapped = values.map(map)
  if (mapped.every((value, index) => value === values[index])) return node
  return isObject(node) ? Object.fromEntries(Object.keys(node).map((key, index) => [key, mapped[index]])) : mapped
}

/**
 * Finds values in cycles, and how many places lead to each value. Of each cycle, those are found that the walk is in when it comes back to one of
 * them: so each cycle has a place that leads from one of them to another.
 */
function findCycles(root: Node) {
  const inCycle = new Set<object>()
  const parents = new Map<object, number>()
  const open = new Set<Node>()
  const visit = (value: Node): void => {
    open.add(value)
    for (const child of Object.values(value)) {
      if (!isNode(child)) continue
      const count = parents.get(child) ?? 0
      parents.set(child, count + 1)
      if (open.has(child)) for (const each of [...open].slice([...open].indexOf(child))) inCycle.add(each)
      else if (count === 0) visit(child)
    }
    open.delete(value)
  }
  visit(root)
  return { inCycle, parents }
}

/** The least number of schemas in a large tree. The largest ordinary bodies have a few hundred. */
const largeSize = 2000

/** The least number of schemas in a tree whose copy costs more than a reference. */
const repeatedSize = 8

/** Finds the schemas that the large schemas of a dereferenced spec repeat, each with its containers. Most specs have none. */
function findRepeatedSchemas(document: JsonObject): ReadonlyMap<object, ReadonlySet<object>> {
  const sizes = new Map<object, number>()
  const holders = new Map<object, Set<object>>()
  const sizeOf = (schema: JsonObject): number => {
    const known = sizes.get(schema)
    if (known !== undefined) return known
    // A schema that contains itself: the inner one is a reference.
    sizes.set(schema, 1)
    let size = 1
    for (const [part, holder] of partsOf(schema)) {
      size += sizeOf(part)
      holders.set(part, (holders.get(part) ?? new Set<object>()).add(holder))
    }
    sizes.set(schema, size)
    return size
  }
  const sizesOfBodies = bodySchemasOf(document).map(sizeOf)
  if (sizesOfBodies.every((size) => size < largeSize)) return new Map()
  return new Map([...holders].filter(([part, { size }]) => size > 1 && (sizes.get(part) ?? 0) >= repeatedSize))
}

/** Lists the schemas inside of a schema, each with the object or array that holds it. */
function partsOf(schema: JsonObject): (readonly [part: JsonObject, holder: object])[] {
  const one = oneSchemaKeywords.map((key) => [schema[key], schema] as const)
  const more = [...schemaListKeywords, ...schemaMapKeywords].flatMap((key) => {
    const held = schema[key]
    return isNode(held) ? Object.values(held).map((part: unknown) => [part, held] as const) : []
  })
  return [...one, ...more].flatMap(([part, holder]) => (isObject(part) ? [[part, holder] as const] : []))
}

function bodySchemasOf({ paths }: JsonObject): JsonObject[] {
  const operations = valuesOf(paths).flatMap(valuesOf)
  const bodies = operations.flatMap(({ requestBody, responses }) => [objectOf(requestBody), ...valuesOf(responses)])
  return bodies.flatMap(({ content }) => valuesOf(content).map(({ schema }) => schema)).filter(isObject)
}

const valuesOf = (value: unknown): JsonObject[] => (isObject(value) ? Object.values(value).filter(isObject) : [])
