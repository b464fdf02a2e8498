/** The keys of recently removed records, as an immutable value of limited size. */

interface Link {
  readonly key: string
  readonly rest: Link | undefined
  readonly length: number
}

/** The keys that were removed since the last reset, at least the last 1,000 of them. */
export interface RemovedKeys {
  readonly recent: Link | undefined
  readonly older: Link | undefined
}

/** The number of recent keys at which they become the older ones. */
const maxRecent = 1000

/** The value before any key is removed. */
export const noneRemoved: RemovedKeys = { recent: undefined, older: undefined }

/** Adds a key. */
export function withRemoved({ recent, older }: RemovedKeys, key: string): RemovedKeys {
  if (recent?.length === maxRecent) return { recent: { key, rest: undefined, length: 1 }, older: recent }
  return { recent: { key, rest: recent, length: (recent?.length ?? 0) + 1 }, older }
}

/** Tells whether a key was removed recently. */
export function wasRemoved(removed: RemovedKeys, key: string): boolean {
  for (const start of [removed.recent, removed.older])
    for (let link = start; link; link = link.rest) if (link.key === key) return true
  return false
}
