/** Collects noise: values of the service that change between equal reads, although no request of the run changes them. */
import type { Json } from '../contract/contract.js'
import type { PulledListing, PulledState } from '../pull/pull.js'
import { compareValues, patternOf } from './differences.js'

export class Noise {
  /** Patterns of values by operation. The empty name is for requests that belong to no operation. */
  readonly #patterns = new Map<string, Set<string>>()
  /** Collections whose records have another order in each read. */
  readonly unordered = new Set<string>()
  /** Collections that gained or lost records although the run did not change them. */
  readonly changed = new Set<string>()

  has(operation: string, pattern: string): boolean {
    return this.#patterns.get(operation)?.has(pattern) ?? false
  }

  /** Adds the values that differ between two bodies. @param at - The pattern of the place of both values, such as `[].`. */
  addBodies(operation: string, one: Json | undefined, other: Json | undefined, at = ''): void {
    const known = this.#patterns.get(operation) ?? new Set<string>()
    for (const { path } of compareValues(one, other)) this.#patterns.set(operation, known.add(at + patternOf(path)))
  }

  /** Adds the values that differ between two pulls. @param isChanged - True if the run may have added or removed records between them. */
  addPulls(one: PulledState, other: PulledState, isChanged: boolean): void {
    for (const listing of one.listings) {
      const { caller, source } = listing
      const again = other.listings.find(
        (each) => each.source.path === source.path && each.caller?.name === caller?.name,
      )
      if (again) this.#addListings(listing, again, isChanged)
    }
  }

  #addListings(one: PulledListing, other: PulledListing, isChanged: boolean): void {
    const { collection, operation } = one.source
    const [before, after] = [one.records, other.records]
    const common = [...before.keys()].filter((id) => after.has(id))
    if (!isChanged && (common.length < before.size || common.length < after.size)) this.changed.add(collection.name)
    const inOther = [...after.keys()].filter((id) => before.has(id))
    if (common.join('\n') !== inOther.join('\n')) this.unordered.add(collection.name)
    for (const id of common) this.addBodies(operation.id, before.get(id) as Json, after.get(id) as Json, '[].')
  }

  describe(): readonly string[] {
    const values = [...this.#patterns].flatMap(([operation, patterns]) =>
      [...patterns].map((pattern) => `${operation || 'errors'}: ${pattern} changes between equal reads`),
    )
    return [
      ...values.map((value) => `${value}, so it is not compared.`),
      ...[...this.changed].map(
        (name) => `${name} gained or lost records during the run, so its listings are not compared.`,
      ),
    ]
  }
}
