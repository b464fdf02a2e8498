/** Caches listings. The same records and query give the same frozen value, so that its bytes can be kept. */
import type { Records } from '../records/records.js'

/** Keeps listings while their records exist. */
export interface ListingCache {
  /** Returns the cached listing, or creates it. @param key - Caller and query. */
  get(records: Records, key: string, make: () => unknown): unknown
}

/** The most listings that are kept for the same records. Clients use few queries. A client that counts up must not fill the memory. */
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
