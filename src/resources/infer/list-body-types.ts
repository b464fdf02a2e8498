/** The types of the body of a listing. */
import type { JsonObject } from '../../documents/object.js'

/** A page of records, with the numbers that a body may contain. */
export interface ListedPage {
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
  toBody(listing: ListedPage): unknown
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
