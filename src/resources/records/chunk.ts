/** A chunk of records: the unit that a change copies. It keeps the values that are computed from its records. */
import { entryText } from '../document/write-record.js'
import type { Entry } from './entry.js'

/** The most records of a chunk. */
export const maxChunkLength = 32

/** The text between two lines. No line contains it, because JSON escapes line feeds. */
const separator = ',\n'

/** Some records, in order. Immutable; computed values are kept. */
export class Chunk {
  readonly entries: readonly Entry[]
  #bytes: Buffer | undefined
  /** The last chunk before this one that has its bytes. */
  #earlier: Chunk | undefined
  #visible: Map<string | undefined, readonly Entry[]> | undefined
  #having: Map<string, ReadonlyMap<unknown, readonly Entry[]>> | undefined

  /** @param earlier - The chunk that this one replaces. Undefined: it is new. */
  constructor(entries: readonly Entry[], earlier?: Chunk) {
    this.entries = entries
    this.#earlier = earlier && (earlier.#bytes ? earlier : earlier.#earlier)
  }

  /** The lines of the records in a document. The bytes must not be changed. */
  get bytes(): Buffer {
    return (this.#bytes ??= Buffer.from(this.#lines().join(separator)))
  }

  /** Takes the lines of records that did not change from the earlier chunk: creating them takes most of the time of a small save. */
  #lines(): readonly string[] {
    const earlier = this.#earlier
    if (!earlier) return this.entries.map(entryText)
    this.#earlier = undefined
    const lines = earlier.bytes.toString().split(separator)
    return this.entries.map((entry, at) => (entry === earlier.entries[at] && lines[at]) || entryText(entry))
  }

  /** Returns the records that a caller has access to. @param caller - Undefined: a request without a credential. */
  visibleTo(caller: string | undefined): readonly Entry[] {
    this.#visible ??= new Map()
    let visible = this.#visible.get(caller)
    if (!visible) {
      const found = this.entries.filter((entry) => hasAccess(entry, caller))
      visible = found.length === this.entries.length ? this.entries : found
      this.#visible.set(caller, visible)
    }
    return visible
  }

  /** Returns the records that have a property, by its value. @param isInParents - True if the property is in `$parents`. */
  having(property: string, isInParents = false): ReadonlyMap<unknown, readonly Entry[]> {
    this.#having ??= new Map()
    const name = `${isInParents ? '$' : '.'}${property}`
    const known = this.#having.get(name)
    if (known) return known
    const having = new Map<unknown, Entry[]>()
    for (const entry of this.entries) {
      const holder = isInParents ? (entry.parents ?? {}) : entry.record
      if (!Object.hasOwn(holder, property)) continue
      const value = holder[property]
      const others = having.get(value)
      if (others) others.push(entry)
      else having.set(value, [entry])
    }
    this.#having.set(name, having)
    return having
  }
}

/** Tells whether a caller has access to a record. @param caller - A caller's name, or `*` for everyone. Undefined: a request without a credential. */
export const hasAccess = ({ access }: Entry, caller: string | undefined): boolean =>
  access === undefined || caller === '*' || (caller !== undefined && access.includes(caller))
