/** The variations of a sandbox: the units that are on, and those that were and could be applied. */
import type { Contract, Operation, OperationResponse } from '../contract/contract.js'
import { objectsIn } from '../contract/schemas/read-schema.js'
import { isObject, objectAt } from '../documents/object.js'
import { type Segment, valueAt } from '../documents/pointer.js'
import { createError } from '../http-errors.js'
import { nearestName } from '../nearest-name.js'
import { once } from '../once.js'
import type { Service } from '../resources/load-service.js'
import { firstExtraRound, unitKind, kinds, unitPlace, roundOf } from './kinds.js'
import { type ListPart, type ListParts, listParts, type UnitSelection, type VariedResponse, varyBody } from './lens.js'

interface SeenUnit {
  applied: number
  readonly describe: () => { readonly file: string; readonly line: number; readonly isAssumption: boolean }
  /** Tells whether the contract allows a response with this unit alone. */
  readonly isLegal: () => boolean
}

/** Tells whether the contract allows a varied response. Errors that the response has without it do not count. */
export function isLegal(shown: VariedResponse, varied: Partial<OperationResponse>): boolean {
  const { contract, operation, response } = shown
  const [errors, own] = [{ ...response, ...varied }, response].map((each) =>
    contract.checkResponse(operation, each).flatMap(({ message, severity }) => (severity === 'Error' ? message : [])),
  )
  return errors?.length === 0 || String(errors) === String(own)
}

/** The most items of a list that are searched for units. */
const mostItems = 50

export class Variations {
  /** Called for each unit when it could be applied for the first time. */
  onSeen: ((unit: string) => void) | undefined
  readonly seen = new Map<string, SeenUnit>()
  readonly #parent: Variations | undefined
  readonly #searched = new WeakMap<object, Set<Operation>>()
  readonly #searches = new Map<string, number>()
  /** The names of the properties that a client has written. It relies on them. */
  readonly #written = new Set<string>()
  #on = new Map<string, ListPart | undefined>()
  #varied = new WeakMap<object, Map<Operation, { readonly body: unknown; readonly units: readonly string[] }>>()

  /** @param parent - Those of the root, which knows the units of all sandboxes. The same units are on at first. */
  constructor(parent?: Variations) {
    this.#parent = parent
    if (parent) this.#on = parent.#on
  }

  get isOn(): boolean {
    return this.#on.size > 0
  }

  /** Sets the units that are on. One that ends in `@first`, `@middle` or `@last` varies only a third of each list. */
  set(units: readonly string[]): void {
    this.#varied = new WeakMap()
    const parts = units.map((unit) => unit.split(/ @(?=\w+$)/u))
    this.#on = new Map(parts.map(([name = '', part]) => [name, listParts.find((each) => each === part)]))
  }

  /** @returns Undefined: the contract does not allow the unit, or a client has written its property. */
  summarize(unit: string) {
    const seen = this.seen.get(unit)
    if (!seen || this.#isWritten(unit) || !seen.isLegal()) return undefined
    return { unit, on: this.#on.has(unit), applied: seen.applied, ...seen.describe() }
  }

  wants(unit: string, at?: ListParts): boolean {
    const part = this.#on.get(unit)
    return this.#on.has(unit) && (!part || !at || at.includes(part)) && !this.#isWritten(unit)
  }

  /** Counts a response that some units have varied. */
  count(units: readonly string[]): void {
    for (const unit of units) {
      const seen = this.seen.get(unit)
      if (seen) seen.applied++
    }
    this.#parent?.count(units)
  }

  /** Counts the searches of the responses of a place. @returns Their number before. @param parts - The number that a response counts. */
  countSearch(place: string, parts: number): number {
    const count = this.#searches.get(place) ?? 0
    this.#searches.set(place, count + parts)
    return count
  }

  noteWritten(body: unknown): void {
    for (const object of objectsIn(body)) for (const name of Object.keys(object)) this.#written.add(name)
    this.#parent?.noteWritten(body)
  }

  #isWritten(unit: string): boolean {
    const isExtra = roundOf(unit) >= firstExtraRound && kinds[unitKind(unit)]?.value !== undefined
    return isExtra && this.#written.has(unit.split('.').at(-1) ?? '')
  }

  /** Notes a unit that could be applied. @param path - The place in the contract that allows it. */
  note(unit: string, contract: Contract, path: readonly Segment[], isAllowed = (): boolean => true): void {
    if (this.seen.has(unit)) return
    const describe = once(() => {
      const { file, line } = contract.locate(path, 'key')
      const described = valueAt(contract.document, path)
      return { file, line, isAssumption: isObject(described) && 'x-assumption' in described }
    })
    this.seen.set(unit, { applied: 0, isLegal: once(isAllowed), describe })
    this.#parent?.note(unit, contract, path, isAllowed)
    this.onSeen?.(unit)
  }

  /** Notes the units that could be applied to the body of a response. Bodies are immutable, so each is read once. */
  noteBody(varied: VariedResponse, body: object): void {
    const searched = this.#searched.get(body) ?? new Set()
    if (searched.has(varied.operation)) return
    this.#searched.set(body, searched.add(varied.operation))
    varyBody(varied, {
      mostItems,
      wants: (unit) => !this.seen.has(unit),
      onApplied: (unit, path) =>
        this.note(unit, varied.contract, path, () => {
          const alone = { mostItems, wants: (each: string) => each === unit, onApplied: () => {} }
          return isLegal(varied, { body: varyBody(varied, alone) })
        }),
    })
  }

  /** Varies the body of a response by the units that are on. @returns The body, and the units that have varied it. */
  vary(varied: VariedResponse, body: object): { readonly body: unknown; readonly units: readonly string[] } {
    const kept = this.#varied.get(body) ?? new Map()
    this.#varied.set(body, kept)
    const known = kept.get(varied.operation)
    if (known) return known
    const varyBy = (allowed?: readonly string[]) => {
      const units = new Set<string>()
      const wants: UnitSelection['wants'] = (unit, at) => allowed?.includes(unit) !== false && this.wants(unit, at)
      const next = varyBody(varied, { wants, onApplied: (unit) => units.add(unit) })
      return { body: next, units: [...units], isLegal: isLegal(varied, { body: next }) }
    }
    let made = varyBy()
    // Each that the contract does not allow is left out, then all that it does not allow together.
    if (!made.isLegal) made = varyBy(made.units.filter((unit) => varyBy([unit]).isLegal))
    const result = made.isLegal ? made : { body, units: [] }
    kept.set(varied.operation, result)
    return result
  }
}

const collections = new WeakMap<Operation, VariedResponse['collection']>()

export function variedResponse(service: Service, operation: Operation, response: OperationResponse): VariedResponse {
  if (!collections.has(operation)) collections.set(operation, collectionOf(service, operation))
  return { contract: service.contract, operation, response, collection: collections.get(operation) }
}

function collectionOf({ resources }: Service, operation: Operation): VariedResponse['collection'] {
  const decisions = [...resources.decisions.values()].flatMap((each) => ('collection' in each ? each : []))
  const name = decisions.find((each) => each.operation === operation)?.collection
  const model = resources.collections.find((each) => each.name === name)?.model
  if (name === undefined || !model) return undefined
  const { aliases, idPath, idProperty, itemParents, parents } = model
  const own = decisions.filter(({ collection }) => collection === name)
  const filters = own.flatMap(({ match }) => [...(match.effects?.values() ?? [])])
  const used = [...filters, ...parents, ...itemParents].flatMap(({ property }) => property?.split('.')[0] ?? [])
  return { name, idProperty, kept: new Set([...used, ...aliases.map((each) => each.name), ...idPath]) }
}

/** Checks the names of units. @throws {DoubleError} `unknown_variation`. */
export function checkUnits(units: readonly string[], { contract, resources }: Service): void {
  const schemas = Object.keys(objectAt(objectAt(contract.document, 'components'), 'schemas'))
  const properties = once(() =>
    [...objectsIn(contract.document)].flatMap((each) => Object.keys(objectAt(each, 'properties'))),
  )
  for (const unit of units) {
    const kind = unitKind(unit)
    const isKind = Object.hasOwn(kinds, kind)
    const place = unitPlace(unit).replace(/ @\w+$/u, '')
    const status = kind === 'slow' ? '' : (/ \d{3}$/u.exec(place)?.[0] ?? ' 200')
    const ids = contract.operations.map(({ id }) => id + status)
    const roots = [...schemas, ...resources.collections.map(({ name }) => name), ...ids]
    // Below a schema, any property of the contract may be named.
    const [, holder = place, name] = (kinds[kind]?.value && /^(.*)\.([^.]+)$/u.exec(place)) || []
    const isOfSchema = kind === 'unknown-property' || name !== undefined
    const isBelow = roots.some((root) => `${holder}.`.startsWith(`${root}.`))
    const isKnown = isOfSchema
      ? isBelow && (!name || name === '*' || properties().some((each) => place.endsWith(`.${each}`)))
      : ids.includes(place)
    if (isKind && isKnown) continue
    const below = isBelow
      ? properties().map((each) => `${holder}.${each}`)
      : roots.map((root) => place.replace(holder, () => root))
    const nearest = isKind ? nearestName(place, isOfSchema ? below : ids, 4) : undefined
    const other = nearestName(kind, Object.keys(kinds), 4) ?? Object.keys(kinds).join(', ')
    throw createError('unknown_variation', { got: unit, hint: nearest === undefined ? other : `${kind} ${nearest}` })
  }
}
