/** Makes a fixture for a contract: the records of its examples, and generated ones. Loaded on use, with the word lists. */
import { scalarType } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { readOneRecord } from '../document/read-records.js'
import { readDocument } from '../document/read.js'
import { createStartingDocument } from '../document/write.js'
import type { Id } from '../ids.js'
import { nextId } from '../ids.js'
import type { State } from '../records/state.js'
import type { Collection, Resources } from '../resources.js'
import type { Filled, GeneratedRecords } from './generated-records.js'
import { haveSameType, nounOf, parentCollection, targetOf } from './references.js'
import { repairRecord } from './repair-record.js'
import { shownRecords } from './shown-records.js'
import { ValuePlace } from './value-place.js'
import type { Walk } from './walk-schema.js'
import { flatten, walkObject, walkProperty } from './walk-schema.js'

/** A record before its other properties are made. */
interface Slot {
  /** Undefined: the double cannot create an id, so the walk makes it. */
  readonly id: Id | undefined
  /** The properties and the `$parents` that hold the ids of its parents. */
  readonly fixed: JsonObject
  readonly $parents: JsonObject | undefined
  /** The record of an example. */
  readonly shown: JsonObject | undefined
}

interface Plan {
  readonly collection: Collection
  readonly slots: readonly Slot[]
}

/** Generates the document of a fixture. The same contract, number, seed and time give the same document. @param now - Milliseconds since 1970. */
export function generateDocument(
  resources: Resources,
  { records, seed }: GeneratedRecords,
  now: number,
): { readonly document: JsonObject; readonly filled: readonly Filled[] } {
  const start = createStartingDocument(resources)
  const read = readDocument(start, resources)
  if (!('state' in read)) throw new TypeError('the starting document is invalid')
  const maker = new RecordMaker(resources, read.state, seed, now)
  const problems = new Map<string, string>()
  // A record that cannot be made must not be referred to, so the others are made again without it.
  for (const limits = new Map<string, number>(); ;) {
    const made = maker.make(records, limits)
    const failed = made.filter(({ problem }) => problem !== undefined)
    for (const { collection, list, problem } of failed) {
      limits.set(collection.name, list.length)
      problems.set(collection.name, problem ?? '')
    }
    if (failed.length > 0) continue
    const document = { ...start, ...Object.fromEntries(made.map(({ collection, list }) => [collection.name, list])) }
    const filled = made.map(({ collection: { name }, list, fromExamples }) => ({
      collection: name,
      count: list.length,
      fromExamples,
      problem: problems.get(name),
    }))
    return { document, filled }
  }
}

class RecordMaker {
  readonly #resources: Resources
  readonly #state: State
  readonly #seed: number
  readonly #now: number
  /** By collection name. */
  #plans: ReadonlyMap<string, Plan> = new Map()

  constructor(resources: Resources, state: State, seed: number, now: number) {
    this.#resources = resources
    this.#state = state
    this.#seed = seed
    this.#now = now
  }

  make(count: number, limits: ReadonlyMap<string, number>) {
    const { collections } = this.#resources
    const plans = new Map<string, Plan>()
    this.#plans = plans
    const plan = (collection: Collection, around: readonly Collection[]): void => {
      if (plans.has(collection.name)) return
      for (const parent of this.#parentsOf(collection))
        if (!around.includes(parent)) plan(parent, [...around, collection])
      plans.set(collection.name, {
        collection,
        slots: this.#planSlots(
          collection,
          Math.min(count, limits.get(collection.name) ?? count),
          limits.get(collection.name),
        ),
      })
    }
    for (const collection of collections) plan(collection, [])
    return collections.map((collection) => this.#makeRecords(plans.get(collection.name) ?? { collection, slots: [] }))
  }

  #parentsOf(collection: Collection): readonly Collection[] {
    return collection.model.parents.flatMap(
      (parent) => parentCollection(this.#resources.collections, collection, parent) ?? [],
    )
  }

  #placeOf(collection: Collection, position: number): ValuePlace {
    const record = { seed: this.#seed, collection: collection.name, position, now: this.#now }
    return new ValuePlace(record, [], nounOf(collection))
  }

  readonly #walk: Walk = {
    inside: [],
    schemaName: (schema) => this.#resources.contract.schemaName(schema),
    refer: (schema, at, walk) => this.#refer(schema, at, walk),
  }

  /** Plans the ids and the parents of a collection's records. Examples come first. */
  #planSlots(collection: Collection, count: number, limit: number | undefined): readonly Slot[] {
    if (count === 0) return []
    const { idProperty, ids } = collection.model
    const all = shownRecords(collection).filter((shown) => this.#isUsable(collection, shown))
    const shown = limit === undefined ? all : all.slice(0, limit)
    const taken = new Set(shown.map((each) => String(each[idProperty])))
    let last = 0
    return Array.from({ length: Math.max(count, shown.length) }, (_, position) => {
      const example = shown[position]
      const given = example?.[idProperty]
      const made =
        typeof given === 'string' || typeof given === 'number' || !ids
          ? undefined
          : nextId(ids, ids.isNameAndPosition ? position : last, (id) => taken.has(String(id)))
      last = made?.number ?? last
      const id = made?.id ?? (typeof given === 'string' || typeof given === 'number' ? given : undefined)
      if (id !== undefined) taken.add(String(id))
      return { id, shown: example, ...this.#planParents(collection, position, example) }
    })
  }

  /** Tells whether an example is a valid record once it has an id, parents and the values that it lacks. */
  #isUsable(collection: Collection, shown: JsonObject): boolean {
    return (
      this.#makeRecord(collection, { id: undefined, shown, ...this.#planParents(collection, 0, shown) }, 0).problem ===
      undefined
    )
  }

  #planParents(
    collection: Collection,
    position: number,
    shown: JsonObject | undefined,
  ): Pick<Slot, '$parents' | 'fixed'> {
    const fixed: Record<string, unknown> = {}
    const outside: Record<string, unknown> = {}
    const { parents } = collection.model
    // The nearest parent comes first: it has the values of those before it.
    const nearest = parents.toReversed()
    let holder: { readonly plan: Plan; readonly slot: Slot } | undefined
    for (const parent of nearest) {
      const target = parentCollection(this.#resources.collections, collection, parent)
      const plan = target && this.#plans.get(target.name)
      const at = this.#placeOf(collection, position).at(parent.property ?? parent.key)
      const inherited = holder && valueOfParent(holder.plan.collection, holder.slot, parent.parameter)
      const known = plan?.slots.find(
        ({ id }) =>
          parent.property !== undefined && id !== undefined && String(id) === String(shown?.[parent.property]),
      )
      const slot = known ?? (plan && plan.slots[earlier(at, position, plan.slots.length)])
      const value =
        inherited ??
        slot?.id ??
        walkProperty(
          parent.property === undefined
            ? { type: parent.type }
            : collection.model.recordModel.properties.get(parent.property),
          at,
          { ...this.#walk, refer: () => undefined },
          true,
        )
      if (inherited === undefined && plan && slot) holder = { plan, slot }
      if (parent.property === undefined) outside[parent.key] = value
      else if (inherited !== undefined || slot || shown?.[parent.property] === undefined) fixed[parent.property] = value
    }
    return { fixed, $parents: Object.keys(outside).length === 0 ? undefined : outside }
  }

  #makeRecords({ collection, slots }: Plan) {
    const list: JsonObject[] = []
    const keys = new Set<string>()
    let fromExamples = 0
    for (const [position, slot] of slots.entries()) {
      const { key, problem, record } = this.#makeRecord(collection, slot, position)
      const isTaken = key !== undefined && keys.has(key)
      if (problem !== undefined || isTaken)
        return {
          collection,
          list,
          fromExamples,
          problem: problem ?? `there is no other ${collection.model.idProperty}`,
        }
      keys.add(key ?? '')
      list.push(record)
      if (slot.shown) fromExamples += 1
    }
    return { collection, list, fromExamples, problem: undefined }
  }

  #makeRecord(
    collection: Collection,
    slot: Slot,
    position: number,
  ): { readonly record: JsonObject; readonly key?: string; readonly problem?: string } {
    const { idProperty, recordModel } = collection.model
    const at = this.#placeOf(collection, position)
    const schema = {
      type: 'object',
      properties: Object.fromEntries(recordModel.properties),
      required: [...recordModel.required, idProperty],
    }
    const fixed = { ...slot.fixed, ...(slot.id === undefined ? {} : { [idProperty]: slot.id }) }
    const isSecret = (name: string): boolean => recordModel.properties.get(name)?.['writeOnly'] === true
    const made = slot.shown
      ? { ...this.#completed(slot.shown, schema, at), ...fixed }
      : walkObject(schema, at, this.#walk, fixed)
    const record = Object.fromEntries(
      Object.entries({ ...made, ...(slot.$parents ? { $parents: slot.$parents } : {}) }).filter(
        ([name]) => !isSecret(name),
      ),
    )
    const check = (value: JsonObject): ReturnType<typeof readOneRecord> => readOneRecord(value, collection, this.#state)
    const found = repairRecord(
      record,
      collection,
      check,
      new Set([...Object.keys(fixed), '$parents', ...Object.keys(slot.shown ?? {})]),
    )
    return 'entry' in found ? { record: found.record, key: found.entry.key } : { record, problem: found.problem }
  }

  /** Adds the required properties that an example lacks, and replaces ids of records that do not exist. */
  #completed(
    shown: JsonObject,
    schema: JsonObject & { readonly required: readonly string[]; readonly properties: JsonObject },
    at: ValuePlace,
  ): JsonObject {
    const missing = schema.required.filter((name) => !Object.hasOwn(shown, name))
    const added = walkObject(
      {
        ...schema,
        properties: Object.fromEntries(missing.map((name) => [name, schema.properties[name] ?? {}])),
        required: missing,
      },
      at,
      this.#walk,
    )
    const real = Object.entries(shown).map(([name, value]) => {
      const property = schema.properties[name]
      if (typeof value !== 'string' && typeof value !== 'number') return [name, value]
      const target = targetOf(this.#resources.collections, at.at(name).words, true)
      const isKnown = !target || this.#plans.get(target.name)?.slots.some(({ id }) => id === value)
      return [name, isKnown || !isObject(property) ? value : (this.#refer(property, at.at(name), this.#walk) ?? value)]
    })
    return { ...added, ...Object.fromEntries(real) }
  }

  /** Returns the id of a record, or a record in an object, if a property refers to one. */
  #refer(given: JsonObject, at: ValuePlace, walk: Walk): unknown {
    const name = at.path.at(-1) ?? ''
    if (at.path.length === 0 || (/^\d+$/u.test(name) && at.path.length === 1)) return undefined
    const { collections } = this.#resources
    const schema = flatten(given, at, walk)
    const isScalar = scalarType(schema) !== undefined
    const properties = isObject(schema['properties']) ? schema['properties'] : undefined
    if ((!isScalar && !properties) || 'const' in schema || 'enum' in schema) return undefined
    const isParent = isScalar && /^parent (?:id|uuid)$/u.test(at.words)
    const target = isParent
      ? collections.find((each) => each.name === at.record.collection)
      : targetOf(collections, at.words, isScalar)
    const plan = target && this.#plans.get(target.name)
    if (!target || !plan) return undefined
    const { idProperty, recordModel } = target.model
    const idSchema = recordModel.properties.get(idProperty) ?? {}
    const own = isScalar ? schema : properties?.[idProperty]
    if (!isObject(own) || !haveSameType(own, idSchema)) return undefined
    // No record refers to itself. The items of a list are different records.
    const span = Math.min(plan.slots.length, at.record.position + (target.name === at.record.collection ? 0 : 1))
    const item = /^\d+$/u.test(name) ? Number(name) : undefined
    const index = ((item === undefined ? at : at.around).below(span, 'reference') + (item ?? 0)) % span
    const slot = plan.slots[index]
    const id = slot && this.#idOf(target, slot, index)
    if (id === undefined) return null
    if (isScalar) return id
    if (walk.inside.includes(given)) return undefined
    const there = this.#placeOf(target, index)
    const known = Object.fromEntries(
      Object.entries(slot?.shown ?? {}).filter(([key]) => Object.hasOwn(properties ?? {}, key)),
    )
    return walkObject(
      schema,
      there,
      { ...walk, inside: [...walk.inside, given] },
      { ...known, ...slot?.fixed, [idProperty]: id },
    )
  }

  #idOf({ model }: Collection, slot: Slot, position: number): unknown {
    if (slot.id !== undefined) return slot.id
    const { collection } =
      this.#plans.get([...this.#plans].find(([, plan]) => plan.collection.model === model)?.[0] ?? '') ?? {}
    const schema = model.recordModel.properties.get(model.idProperty)
    return (
      collection &&
      walkProperty(
        schema,
        this.#placeOf(collection, position).at(model.idProperty),
        { ...this.#walk, refer: () => undefined },
        true,
      )
    )
  }
}

/** Chooses one of the records up to a position, so that more records change no reference. */
const earlier = (at: ValuePlace, position: number, count: number): number =>
  count === 0 ? 0 : at.below(position + 1, 'reference') % count

/** Returns the value that a record has for a parameter of its path. */
function valueOfParent({ model }: Collection, slot: Slot, parameter: string): unknown {
  const parent = model.parents.find((each) => each.parameter === parameter)
  if (!parent) return undefined
  return parent.property === undefined
    ? slot.$parents?.[parent.key]
    : (slot.fixed[parent.property] ?? slot.shown?.[parent.property])
}
