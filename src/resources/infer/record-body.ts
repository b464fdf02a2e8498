/** Finds the place of a record in a body. */
import { isMarked, objectSchema } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject } from '../../documents/object.js'
import { isSameName } from '../names.js'

export interface RecordBody {
  readonly schema: JsonObject
  /** The property that holds the record, if the body need not have it. */
  readonly optional?: string | undefined
  /** Required properties of the body next to the record. Empty if the body is the record. */
  readonly others: readonly string[]
  /** Creates a body from the shown part of a record. @param others - The values of the other properties. */
  toBody(shown: JsonObject, others?: JsonObject): JsonObject
  /** Returns the record in a body. Undefined: there is none. */
  fromBody(body: unknown): JsonObject | undefined
}

const bare = (schema: JsonObject): RecordBody => ({
  schema,
  others: [],
  toBody: (shown) => shown,
  fromBody: (body) => (isObject(body) ? body : undefined),
})

/** The names of a property that holds a record, and may have required properties next to it, such as a code. */
const wrapperNames = ['data', 'item', 'record', 'result']

/** The body is an object that holds the record in one property. */
function wrapped(schema: JsonObject): RecordBody | undefined {
  const wrapper = objectSchema(schema)
  if (!wrapper) return undefined
  const inside = [...wrapper.properties].filter(([, property]) => objectSchema(property) !== undefined)
  const [name, property] = inside[0] ?? []
  if (inside.length !== 1 || name === undefined || property === undefined) return undefined
  const others = [...wrapper.required].filter((key) => {
    const other = wrapper.properties.get(key)
    return key !== name && !(other && isMarked(other, 'writeOnly'))
  })
  if (others.length > 0 && !wrapperNames.some((each) => isSameName(each, name))) return undefined
  return {
    schema: property,
    optional: wrapper.required.has(name) ? undefined : name,
    others,
    toBody: (shown, values = {}) => ({ ...values, ...Object.fromEntries([[name, shown]]) }),
    fromBody: (body) => {
      const record = isObject(body) && Object.hasOwn(body, name) ? body[name] : undefined
      return isObject(record) ? record : undefined
    },
  }
}

/** Counts the properties that a schema shares with the record. 0: it is not a schema of the record. */
type FitOf = (schema: JsonObject) => number

/**
 * Finds the record in the schema of a body. The body itself is the record if it shares a property with the record. There is one exception: it
 * shares only one, and the object in a property shares more. The record then has a property with the name of the one around it.
 */
export function findRecordBody(schema: JsonObject, fitOf: FitOf): RecordBody | undefined {
  const fit = fitOf(schema)
  if (fit > 1) return bare(schema)
  const inner = wrapped(schema)
  if (inner && fitOf(inner.schema) > fit) return inner
  return fit > 0 ? bare(schema) : undefined
}

/** Counts the properties of a schema that another schema has too. */
export const countShared = (schema: JsonObject, others: { has(name: string): boolean }): number =>
  [...(objectSchema(schema)?.properties.keys() ?? [])].filter((name) => others.has(name)).length
