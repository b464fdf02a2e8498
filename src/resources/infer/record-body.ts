/** The place of a record in a body. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { isMarked, objectSchema } from '../schema/object-schema.js'

/** A body that holds a record. */
export interface RecordBody {
  /** The schema of the record inside. */
  readonly schema: JsonObject
  /** Creates a body from the shown part of a record. */
  toBody(shown: JsonObject): JsonObject
  /** Takes the record out of a body. Undefined: there is none. */
  fromBody(body: unknown): JsonObject | undefined
}

/** Finds the record in the schema of a body. @param isRecord - True if a schema is that of a record. */
type BodyRule = (schema: JsonObject, isRecord: (schema: JsonObject) => boolean) => RecordBody | undefined

/** The body is the record. */
const bare: BodyRule = (schema, isRecord) =>
  isRecord(schema)
    ? { schema, toBody: (shown) => shown, fromBody: (body) => (isObject(body) ? body : undefined) }
    : undefined

/** The body is an object that holds the record in one property, and requires no other. */
const wrapped: BodyRule = (schema, isRecord) => {
  const wrapper = objectSchema(schema)
  if (!wrapper) return undefined
  const inside = [...wrapper.properties].filter(([, property]) => objectSchema(property) !== undefined)
  const [name, property] = inside[0] ?? []
  if (inside.length !== 1 || name === undefined || property === undefined || !isRecord(property)) return undefined
  const isOther = [...wrapper.required].some((key) => {
    const other = wrapper.properties.get(key)
    return key !== name && !(other && isMarked(other, 'writeOnly'))
  })
  if (isOther) return undefined
  return {
    schema: property,
    toBody: (shown) => Object.fromEntries([[name, shown]]),
    fromBody: (body) => {
      const record = isObject(body) && Object.hasOwn(body, name) ? body[name] : undefined
      return isObject(record) ? record : undefined
    },
  }
}

const rules: readonly BodyRule[] = [bare, wrapped]

/** Finds the record in the schema of a body, by the first rule that fits. */
export function findRecordBody(schema: JsonObject, isRecord: (schema: JsonObject) => boolean): RecordBody | undefined {
  for (const rule of rules) {
    const body = rule(schema, isRecord)
    if (body) return body
  }
  return undefined
}
