/** Listings that were made before: the same frozen value for the same records and query, so that its bytes can be kept. */
import type { Records } from '../records/records.js'

/** Keeps listings while their records exist. */
export interface ListingCache {
  /** Finds a listing, or makes it. @param key - Caller and query. */
  get(records: Records, key: string, make: () => unknown): unknown
}

/** Most listings that are kept for the same records. Clients use few queries; one that counts up must not fill the memory. */
const maxListings = 32

/** Creates a cache. */
export function createListingCache(): ListingCache {
  const listings = new WeakMap<Records, Map<string, unknown>>()
  return {
    get: (records, key, make) => {
      let known = listings.get(records)
      if (!known) listings.set(records, (known = new Map()))
      if (known.has(key)) return known.get(key)
      const made = make()
      const [oldest] = known.keys()
      if (known.size >= maxListings && oldest !== undefined) known.delete(oldest)
      known.set(key, made)
      return made
    },
  }
}
