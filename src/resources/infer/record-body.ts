/** Finds the place of a record in a body. */
import { isChoice, isMarked, itemsOf, objectSchema, propertiesOf } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, listOf, objectOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { isSameName, singularsOf } from '../names.js'

export interface RecordBody {
  readonly schema: JsonObject
  /** The property that holds the record, if the body need not have it. */
  readonly optional?: string | undefined
  /** Required properties of the body next to the record, with a dot between the levels. Empty if the body is the record. */
  readonly others: readonly string[]
  /** Optional properties next to the record, likewise, without those of errors and pages. */
  readonly optionals: readonly string[]
  /** Creates a body from the shown part of a record. @param example - A body with the values of the other properties. */
  toBody(shown: JsonObject, example?: JsonObject): JsonObject
  fromBody(body: unknown): JsonObject | undefined
}

const bare = (schema: JsonObject): RecordBody => ({
  schema,
  others: [],
  optionals: [],
  toBody: (shown) => shown,
  fromBody: (body) => (isObject(body) ? body : undefined),
})

/** Counts the properties that a schema shares with the record. 0: it is not a schema of the record. */
type FitOf = (schema: JsonObject) => number

/** The most objects around a record: `{response: {result: {…}}}`. */
const maxWrappers = 2

/**
 * Finds the record in the schema of a body. The body itself is the record if it shares a property with the record. There is one exception: it
 * shares only one, and the object in a property shares more. The record then has a property with the name of the one around it.
 *
 * @param thing - The noun of the collection, which may be the name of the property around the record, also next to others.
 * @param listed - The noun of a list whose only item may be the record, as in responses that are those of the listing.
 */
export function findRecordBody(
  schema: JsonObject,
  fitOf: FitOf,
  thing = '',
  listed = '',
  depth = 0,
): RecordBody | undefined {
  const fit = fitOf(schema)
  if (fit > 1) return bare(schema)
  const inner = depth < maxWrappers ? findWrapped(schema, fitOf, thing, listed, depth) : undefined
  if (inner && fitOf(inner.schema) > fit) return inner
  return fit > 0 ? bare(schema) : undefined
}

/** The names of a property that holds a record, and may have other objects next to it, such as links. */
const wrapperNames: ReadonlySet<string> = new Set(['data', 'item', 'record', 'result', 'response'])

/** Finds the property that holds the record: the only object, or the one with a usual name. */
function findWrapped(
  schema: JsonObject,
  fitOf: FitOf,
  thing: string,
  listed: string,
  depth: number,
): RecordBody | undefined {
  // What is next to the record belongs to one of several bodies.
  if (isChoice(schema)) {
    const bodies = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])].filter(isObject)
    return bodies.map((each) => findWrapped(each, fitOf, thing, listed, depth)).find((each) => each !== undefined)
  }
  const wrapper = objectSchema(schema)
  if (!wrapper) return undefined
  const isWrapper = (key: string): boolean => wrapperNames.has(key.toLowerCase()) || isSameName(key, thing)
  const lists = [...wrapper.properties].flatMap(([key, property]) => {
    const items = singularsOf(key).some((each) => isSameName(each, listed)) ? itemsOf(property) : undefined
    return items && fitOf(items) > 1 ? [[key, items] as const] : []
  })
  const inside = [...wrapper.properties].filter(([, property]) => objectSchema(property) !== undefined)
  const only = lists[0] ?? (inside.length === 1 ? inside[0] : inside.find(([key]) => isWrapper(key)))
  const [name, property] = only ?? []
  const isList = lists.length > 0
  const body = property && findRecordBody(property, fitOf, thing, listed, depth + 1)
  if (name === undefined || !body) return undefined
  const others = [...wrapper.required].filter((key) => {
    const other = wrapper.properties.get(key)
    return key !== name && !(other && isMarked(other, 'writeOnly'))
  })
  if (others.length > 0 && !isList && !isWrapper(name)) return undefined
  const optionals = [...wrapper.properties.keys()].filter(
    (key) => key !== name && !wrapper.required.has(key) && !isOfOthers(key),
  )
  const inner = (names: readonly string[]): readonly string[] => names.map((other) => `${name}.${other}`)
  return {
    schema: body.schema,
    optional: wrapper.required.has(name) ? undefined : name,
    others: [...others, ...inner(body.others)],
    optionals: [...optionals, ...inner(body.optionals)],
    toBody: (shown, example = {}) => {
      const isKnown = (key: string): boolean =>
        key !== name && (others.includes(key) || isToldBeside([key], example[key], wrapper.properties.get(key)))
      const known = Object.keys(example).filter(isKnown)
      const entries = known.map((key) => [key, example[key]] as const)
      const record = body.toBody(shown, objectOf(example[name]))
      return Object.fromEntries([...entries, [name, isList ? [record] : record]])
    },
    fromBody: (value) => {
      const record = valueAt(value, [name])
      return body.fromBody(isList ? listOf(record)[0] : record)
    },
  }
}

/** Tells whether an example shows what any success says next to its records, such as a status: a text, number or flag, or an object of these. */
export function isToldBeside(path: readonly string[], value: unknown, schema: JsonObject | undefined): boolean {
  if (!schema || isMarked(schema, 'writeOnly') || path.some(isOfOthers)) return false
  return Object.values(isObject(value) ? value : { value }).every((each) => each !== null && typeof each !== 'object')
}

/** Tells whether a success does not have a property, or it depends on its records. */
export const isOfOthers = (name: string): boolean =>
  /^_?(?:errors?|warnings?|exceptions?|problems?|links?|included|meta|pag(?:es?|ing|ination)|page_?info)$/iu.test(name)

/** Counts the properties of a schema that another schema has too. */
export const countShared = (schema: JsonObject, others: { has(name: string): boolean }): number =>
  [...propertiesOf(schema).keys()].filter((name) => others.has(name)).length
