/** Finds the place of the records in the body of a listing. */
import { itemsOf } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { findEnvelope } from './envelope.js'
import type { ListBody, ListContext } from './list-body-types.js'

/** Finds the items in the schema of a body. @returns The reason why the body cannot be created; undefined if it is of another kind. */
type ListRule = (schema: JsonObject, context: ListContext) => ListBody | string | undefined

/** The body is the array. */
const bare: ListRule = (schema) => {
  const items = itemsOf(schema)
  return (
    items && {
      items,
      filled: [],
      isCounted: false,
      itemsIn: (body) => (Array.isArray(body) ? (body as unknown[]) : undefined),
      toBody: (listing) => listing.items,
    }
  )
}

const rules: readonly ListRule[] = [bare, findEnvelope]

/** Finds the items in the schema of a listing, by the first rule that finds them. @returns Or the reason why there are none, as a clause. */
export function findListBody(schema: JsonObject, context: ListContext): ListBody | string {
  for (const rule of rules) {
    const body = rule(schema, context)
    if (body !== undefined) return body
  }
  return 'its success response is neither an array of objects nor an object with one'
}
