/** Finds the place of the records in the body of a listing. */
import type { JsonObject } from '../../documents/object.js'
import { itemsOf } from '../schema/object-schema.js'
import { findEnvelope } from './envelope.js'

/** A page of records, with the numbers that a body may contain. */
export interface Listing {
  /** The records as they are shown, in order. Frozen. */
  readonly items: readonly unknown[]
  /** The number of records before skipping and capping. Undefined if the body does not need it. */
  readonly total: number | undefined
  readonly skip: number
  /** Undefined: no cap. */
  readonly cap: number | undefined
}

/** The body of a listing. */
export interface ListBody {
  /** The schema of an item. */
  readonly items: JsonObject
  /** Properties of the body that come from the example. */
  readonly filled: readonly string[]
  /** True if the body contains the number of records. */
  readonly isCounted: boolean
  /** Returns the items in a body. Undefined: the body has no such list. */
  itemsIn(body: unknown): readonly unknown[] | undefined
  /** Puts a listing into a body. */
  toBody(listing: Listing): unknown
}

/** The context of a rule. */
export interface ListContext {
  /** The last segment of the path. */
  readonly segment: string
  /** The number of the first page. */
  readonly firstPage: number
  /** The body that a mocked response would have. */
  example(): unknown
}

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
