/** Where the body of a listing holds the records. */
import type { JsonObject } from '../../documents/object.js'
import { itemsOf } from '../schema/object-schema.js'

/** A listing as far as a body can tell of it. */
export interface Listing {
  /** The records as they are shown, in order. Frozen. */
  readonly items: readonly unknown[]
  /** How many records there are before skipping and capping. Undefined where the body does not need it. */
  readonly total: number | undefined
  readonly skip: number
  /** Undefined: no cap. */
  readonly cap: number | undefined
}

/** The body of a listing. */
export interface ListBody {
  /** The schema of an item. */
  readonly items: JsonObject
  /** Whether the body tells how many records there are. */
  readonly isCounted: boolean
  /** The first item in a body. Undefined: there is none. */
  firstOf(body: unknown): unknown
  /** Puts a listing into a body. */
  toBody(listing: Listing): unknown
}

/** Finds the items in the schema of a body. */
type ListRule = (schema: JsonObject) => ListBody | undefined

/** The body is the array. */
const bare: ListRule = (schema) => {
  const items = itemsOf(schema)
  return (
    items && {
      items,
      isCounted: false,
      firstOf: (body) => (Array.isArray(body) ? (body as unknown[])[0] : undefined),
      toBody: (listing) => listing.items,
    }
  )
}

const rules: readonly ListRule[] = [bare]

/** Finds the items in the schema of a listing, by the first rule that does. */
export function findListBody(schema: JsonObject): ListBody | undefined {
  for (const rule of rules) {
    const body = rule(schema)
    if (body) return body
  }
  return undefined
}
