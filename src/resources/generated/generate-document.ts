/** Makes a fixture for a contract: the records of its examples, and generated ones. Loaded on use, with the tables. */
import { type Surroundings, ValueMaker } from '../../contract/generate.js'
import { asSegments } from '../../contract/path-template.js'
import { comparedType, itemsOf, propertiesOf, scalarType } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, listOf, mapValues, objectAt, objectOf, onlyOf } from '../../documents/object.js'
import { onceFor, onceForObject } from '../../once.js'
import { readOneRecord } from '../document/read-records.js'
import { readDocument } from '../document/read.js'
import { createStartingDocument } from '../document/write.js'
import { isId, nextId } from '../ids.js'
import { idOf, withId } from '../infer/id-property.js'
import { holderByName, holdersByPath, type Parent, parentIn, placeParents } from '../infer/parents.js'
import { propertyAt } from '../infer/place-parameters.js'
import { collectionsOfCallers } from '../named-records.js'
import { inWords, singularOf, singularsOf } from '../names.js'
import type { Collection, Resources } from '../resources.js'
import { fittingState, withBounds } from './agreement.js'
import { believable } from './believable-values.js'
import type { Filled, GeneratedRecords } from './generated-records.js'
import { sentAlways, sentExamples, shownRecords } from './shown-records.js'
import { ValuePlace } from './value-place.js'

interface Slot {
  readonly id: unknown
  readonly shown: JsonObject | undefined
  /** The ids of its parents, by path parameter. */
  readonly parents: ReadonlyMap<string, unknown>
}

/** Names of properties whose value no two records share. */
const namesOne = /^(?:.+ )?(?:e ?mail|slug|user ?name|login|phone(?: number)?|sku|isbn)$/u

const positionsOf = onceForObject((slots: readonly Slot[]) => new Map(slots.map(({ id }, position) => [id, position])))

/** Generates the document of a fixture. The same contract, number, seed and time give the same document. @param now - Milliseconds since 1970. */
export function generateDocument(
  resources: Resources,
  { records, seed }: GeneratedRecords,
  now: number,
): { readonly document: JsonObject; readonly filled: readonly Filled[] } {
  const { contract } = resources
  // A singleton is the example until a request writes it.
  const collections = resources.collections.filter(({ model }) => model.kind !== 'singleton')
  const start = createStartingDocument(resources)
  const read = readDocument(start, resources)
  if (!('state' in read)) throw new TypeError('the starting document is invalid')
  const { state } = read
  const plans = new Map<string, { readonly collection: Collection; readonly slots: readonly Slot[] }>()
  const failed = new Map<string, Filled>()
  const maker = new ValueMaker(believable(contract, refer))
  const plainMaker = new ValueMaker(believable(contract, () => undefined))

  const placeOf = (collection: Collection, position: number): ValuePlace =>
    new ValuePlace({ seed, collection: collection.name, position, now, noun: nounOf(collection) })

  const slotsOf = (collection: Collection, parent: Parent): readonly Slot[] | undefined =>
    plans.get(parentCollection(collections, collection, parent)?.name ?? '')?.slots

  /** Plans a collection after those of its parents. @param around - The collections whose parents are being planned. */
  function plan(collection: Collection, around: readonly Collection[]): void {
    if (plans.has(collection.name) || around.includes(collection)) return
    for (const parent of collection.model.parents) {
      const holder = parentCollection(collections, collection, parent)
      if (holder) plan(holder, [...around, collection])
    }
    plans.set(collection.name, { collection, slots: planSlots(collection, failed.get(collection.name)?.count) })
  }

  /** Examples come first. */
  function planSlots(collection: Collection, limit = Infinity): readonly Slot[] {
    const { idPath, idProperty, parameter, recordModel } = collection.model
    const ids = collection.model.ids()
    const isUsable = (shown: JsonObject): boolean => {
      const slot = { id: idOf(collection.model, shown), shown, parents: planParents(collection, 0, shown) }
      return makeRecord(collection, slot, 0).problem === undefined
    }
    // Nothing is below a record that does not exist.
    if (collection.model.parents.some((parent) => slotsOf(collection, parent)?.length === 0)) return []
    const shown = records === 0 ? [] : shownRecords(collection).filter(isUsable).slice(0, limit)
    // A client that sends the example of a create, with an id of its own, expects no conflict.
    const taken = new Set([...shown, ...sentExamples(collection)].map((each) => idOf(collection.model, each)))
    const idSchema = propertyAt(recordModel.properties, idPath) ?? {}
    const stated = [parameter?.schema ?? {}, idSchema]
      .map((each) => each['example'])
      .filter((id) => contract.validate(idSchema, id).length === 0)
    let last = 0
    const planId = (position: number): unknown => {
      const isTaken = (id: unknown): boolean => taken.has(id) || taken.has(String(id))
      // The path in the documentation of the contract is that of a record.
      const example = position === shown.length ? stated.find((id) => isId(id) && !isTaken(id)) : undefined
      if (example !== undefined) return example
      const next = ids && nextId(ids, ids.isNameAndPosition ? position : last, isTaken)
      last = next?.number ?? last
      let id: unknown = next?.id
      for (let attempt = position; attempt < position + 20 && (!isId(id) || isTaken(id)); attempt += 1)
        id = plainMaker.make(recordModel.properties.get(idProperty), placeOf(collection, attempt).at(idProperty))
      return id
    }
    return Array.from({ length: Math.max(Math.min(records, limit), shown.length) }, (_, position) => {
      const example = shown[position]
      const own = example && idOf(collection.model, example)
      const id = isId(own) ? own : planId(position)
      taken.add(id)
      return { id, shown: example, parents: planParents(collection, position, example) }
    })
  }

  /** The nearest parent is chosen first: it has the values of those before it. @param shown - The record of an example. */
  function planParents(collection: Collection, position: number, shown: JsonObject = {}): Slot['parents'] {
    const values = new Map<string, unknown>()
    for (const parent of collection.model.parents.toReversed()) {
      if (values.has(parent.parameter)) continue
      const name = parent.property ?? parent.key
      const stated = parentIn(parent, shown, undefined)
      const slots = slotsOf(collection, parent)
      const at = placeOf(collection, position).at(name)
      // Up to the position, so that more records change no parent.
      const drawn = slots?.[at.draw(position + 1, 'reference') % slots.length]
      const slot = slots?.find(({ id }) => id === stated) ?? drawn
      for (const [parameter, value] of slot?.parents ?? []) if (!values.has(parameter)) values.set(parameter, value)
      const path = [parent.property ?? '', parent.inner ?? []].flat()
      const own = propertyAt(collection.model.recordModel.properties, path)
      // All records are below the same one, if no collection holds it. What names one record among all is never that of another.
      const isOwn = slots !== undefined || namesOne.test(inWords(name))
      const shared = new ValuePlace({ ...at.record, collection: '', position: 0 }).at(name)
      const example = isOwn ? undefined : parent.schema['example']
      const made = example ?? plainMaker.make(own ?? parent.schema, isOwn ? at : shared)
      // The path accepts no other value.
      const isFit = contract.validate(parent.schema, made).length === 0
      values.set(parent.parameter, slot?.id ?? stated ?? (isFit ? made : contract.generate(parent.schema)))
    }
    return values
  }

  function knownOf({ model }: Collection, slot: Slot): JsonObject {
    const parents = model.parents.filter(({ inner }) => inner === undefined)
    const { others, properties } = placeParents(parents, ({ parameter }) => slot.parents.get(parameter))
    return { ...withId(model, properties, slot.id), $parents: others ?? {} }
  }

  function makeRecord(collection: Collection, slot: Slot, position: number) {
    const { idPath, idProperty, recordModel } = collection.model
    const { $parents, [idProperty]: own, ...others } = knownOf(collection, slot)
    // An id inside of an object: its other properties are made.
    const isInside = idPath.length > 1
    const fixed = isInside ? others : { [idProperty]: own, ...others }
    // An example gets only the values that it lacks, and real ids instead of those of no record.
    const required = [...recordModel.required, ...sentAlways(collection), idProperty, ...Object.keys(slot.shown ?? {})]
    const properties = [...recordModel.limited].filter(([name]) => !slot.shown || required.includes(name))
    const isReal = ([name, value]: readonly [string, unknown]): boolean => {
      const target = isId(value) ? targetOf(collections, inWords(name), true) : undefined
      return !target || (plans.get(target.name)?.slots.some(({ id }) => id === value) ?? false)
    }
    const known = { ...Object.fromEntries(Object.entries(slot.shown ?? {}).filter(isReal)), ...fixed }
    const at = placeOf(collection, position)
    const made = maker.makeObject({ properties: Object.fromEntries(properties), required }, at, [], known)
    // A parent inside of an object: its other properties are made.
    const objects = collection.model.parents.flatMap(({ inner, parameter, property = '' }) =>
      inner === undefined ? [] : [[property, { ...objectAt(made, property), [inner]: slot.parents.get(parameter) }]],
    )
    const combined = { ...made, ...Object.fromEntries(objects) }
    const whole = isInside ? withId(collection.model, combined, slot.id) : combined
    const lasting = slot.shown ? whole : withBounds(fittingState(whole, recordModel))
    const agreed = mapValues(lasting, (value, name) => agreeing(whole, name, value, recordModel.properties.get(name)))
    const record = isObject($parents) && Object.keys($parents).length > 0 ? { ...agreed, $parents } : agreed
    return repair(record, collection, new Set([...Object.keys(known), idProperty, '$parents']))
  }

  /** Makes `client` the record that `client_id` next to it names, and `tags` those of `tag_ids`. */
  function agreeing(record: JsonObject, name: string, value: unknown, schema: JsonObject = {}): unknown {
    const words = inWords(name)
    const shown = isObject(value) ? value : listOf(value).find(isObject)
    if (!shown) return value
    const idWords = value === shown ? `${words} id` : `${singularOf(words)} ids`
    const idNames = Object.keys(record).filter((each) => ` ${inWords(each)}`.endsWith(` ${idWords}`))
    const named = idNames.length === 1 ? record[idNames[0] ?? ''] : undefined
    const { collection, slots = [] } = plans.get(targetOf(collections, words, false)?.name ?? '') ?? {}
    if (!collection || named === undefined || shown[collection.model.idProperty] === named) return value
    const shape = {
      properties: Object.fromEntries(propertiesOf(itemsOf(schema) ?? schema)),
      required: Object.keys(shown),
    }
    const objects = [named].flat().map((id: unknown) => {
      const index = positionsOf(slots).get(id)
      return index === undefined ? undefined : objectOfSlot(shape, collection, index, [], {})
    })
    if (objects.includes(undefined)) return value
    return value === shown ? objects[0] : objects
  }

  /** Makes an object that shows a record. @param inside - The schemas around it. @param ids - What it has of other records. */
  function objectOfSlot(
    schema: JsonObject,
    collection: Collection,
    index: number,
    inside: readonly JsonObject[],
    ids: JsonObject,
  ): unknown {
    const slot = plans.get(collection.name)?.slots[index]
    const known = { ...slot?.shown, ...(slot && knownOf(collection, slot)), ...ids }
    return maker.makeObject(schema, placeOf(collection, index), inside, known)
  }

  /** A property that does not fit gets its minimal value, then none; in the end all are minimal. @param kept - Properties that are not changed. */
  function repair(made: JsonObject, collection: Collection, kept: ReadonlySet<string>) {
    const { properties, required } = collection.model.recordModel
    const minimal = (name: string): readonly (readonly [string, unknown])[] => {
      const value = contract.generate(properties.get(name) ?? {})
      return value === undefined ? [] : [[name, value]]
    }
    let problem: string | undefined
    const tried = new Set<string>()
    for (let record = made; ;) {
      const result = readOneRecord(record, collection, state)
      if ('entry' in result) return { record, key: result.entry.key, problem: undefined }
      problem ??= result.problems[0]?.message ?? ''
      if (tried.has('')) return { record, key: '', problem }
      const name = String(result.problems[0]?.path[0])
      const isOpen = !kept.has(name) && Object.hasOwn(record, name)
      const rest = Object.entries(isOpen ? record : made).filter(([each]) => (isOpen ? each !== name : kept.has(each)))
      const added = !isOpen ? [...required].flatMap(minimal) : tried.has(name) ? [] : minimal(name)
      record = Object.fromEntries([...added, ...rest])
      tried.add(isOpen ? name : '')
    }
  }

  /** Returns the id of a record, or a record in an object, if a property refers to one. */
  function refer(schema: JsonObject, at: ValuePlace, { given, inside }: Surroundings): unknown {
    if (!at.around || 'const' in schema || 'enum' in schema) return undefined
    const isScalar = scalarType(schema) !== undefined
    const properties = objectAt(schema, 'properties')
    const isParent = isScalar && /^parent (?:id|uuid)$/u.test(at.words)
    const name = isParent ? at.record.collection : targetOf(collections, at.words, isScalar)?.name
    const { collection, slots } = plans.get(name ?? '') ?? {}
    const isIdOf = (target: Collection | undefined, id: unknown): boolean =>
      isObject(id) &&
      comparedType(id) === comparedType(target?.model.recordModel.properties.get(target.model.idProperty) ?? {})
    if (!collection || !slots || !isIdOf(collection, isScalar ? schema : properties[collection.model.idProperty]))
      return undefined
    const isOwn = name === at.record.collection
    // The things in a list belong to the record around it. Otherwise no record refers to itself.
    const isBack = isOwn && isScalar && typeof at.around.name === 'number'
    const span = Math.min(slots.length, at.record.position + (isOwn ? 0 : 1))
    // The items of a list are different records.
    const [list, item] = typeof at.name === 'number' ? [at.around, at.name] : [at, 0]
    const index = isBack ? at.record.position : (list.draw(span, 'reference') + item) % span
    const slot = slots[index]
    if (slot?.id === undefined) return null
    if (isScalar) return slot.id
    if (inside.includes(given)) return undefined
    const owner = list === at || isOwn ? undefined : plans.get(at.record.collection)
    const isBackId = ([each, property]: readonly [string, unknown]): boolean =>
      targetOf(collections, inWords(each), true) === owner?.collection && isIdOf(owner?.collection, property)
    const back = owner ? Object.entries(properties).filter(isBackId) : []
    const ownIds = Object.fromEntries(back.map(([each]) => [each, owner?.slots[at.record.position]?.id]))
    return objectOfSlot(schema, collection, index, [...inside, given], ownIds)
  }

  function fill(collection: Collection): Filled & { readonly list: readonly JsonObject[] } {
    const { slots = [] } = plans.get(collection.name) ?? {}
    const made = new Map<string, JsonObject>()
    let problem: string | undefined
    for (const [position, slot] of slots.entries()) {
      const one = makeRecord(collection, slot, position)
      problem = one.problem ?? (made.has(one.key) ? `there is no other ${collection.model.idProperty}` : undefined)
      if (problem !== undefined) break
      made.set(one.key, one.record)
    }
    const fromExamples = slots.slice(0, made.size).filter(({ shown }) => shown).length
    return { collection: collection.name, count: made.size, fromExamples, problem, list: [...made.values()] }
  }

  // Ids and parents come first, so that records can refer to each other. Without those that cannot be made, the others are made again.
  for (;;) {
    plans.clear()
    for (const collection of collections) plan(collection, [])
    const made = collections.map(fill)
    const more = made.filter(({ problem }) => problem !== undefined)
    for (const each of more) failed.set(each.collection, each)
    if (more.length > 0) continue
    const filled = made.map(({ list: _list, ...each }) => ({ ...each, problem: failed.get(each.collection)?.problem }))
    const lists = Object.fromEntries(made.map((each) => [each.collection, each.list]))
    return { document: { ...withOwnRecords(start, resources, lists), ...lists }, filled }
  }
}

/** Gives each caller the first record of each collection of which it may have one of its own. */
function withOwnRecords(
  start: JsonObject,
  { collections, decisions }: Resources,
  lists: Readonly<Record<string, readonly JsonObject[]>>,
): JsonObject {
  const own = collectionsOfCallers(decisions.values())
  const record = Object.fromEntries(
    collections.flatMap(({ model, name }) => {
      const [first] = lists[name] ?? []
      const id = first && own.has(name) && model.parents.length === 0 ? idOf(model, first) : undefined
      return id === undefined ? [] : [[name, id]]
    }),
  )
  if (Object.keys(record).length === 0) return start
  return { ...start, $callers: mapValues(objectAt(start, '$callers'), (caller) => ({ ...objectOf(caller), record })) }
}

const peopleWords =
  /^(?:author|owner|creator|user|assignee|reporter|reviewer|sender|recipient|customer|member|manager|host|admin|assigned to|(?:\w+ )?by)$/u
const peopleCollections = ['user', 'person', 'people', 'member', 'account', 'employee', 'customer']

const wordsIn = ({ name }: Collection): string => inWords(name.split('/').at(-1) ?? name)
const singularsIn = onceForObject((collection: Collection) => singularsOf(wordsIn(collection)))

/** Returns what a record of a collection is, in lower case: `care card`. */
const nounOf = (collection: Collection): string => singularOf(wordsIn(collection))

/** Finds the collection that a property refers to by its name: `author id`, `author`, `author ids`, `created by`. @param isScalar - True if the value is an id, which the name must then say. */
function targetOf(collections: readonly Collection[], words: string, isScalar: boolean): Collection | undefined {
  const bare = words.replace(/ (?:ids?|uuids?|gids?|sids?|refs?)$/u, '')
  return isScalar && bare === words && !/ by$|^assigned to$/u.test(words) ? undefined : namedBy(collections)(bare)
}

/** Finds the collection whose records a noun names. It is asked for each property of each record. */
const namedBy = onceForObject((collections: readonly Collection[]) =>
  onceFor((noun: string) => {
    const nouns = singularsOf(noun).flatMap((each) => [each, each.split(' ').at(-1) ?? each])
    const people = nouns.some((each) => peopleWords.test(each)) ? peopleCollections : []
    for (const name of [...nouns, ...people]) {
      const found = collections.filter((collection) => singularsIn(collection).includes(name))
      // One without parents, if there are several.
      if (found.length > 0) return found.find(({ model }) => model.parents.length === 0) ?? found[0]
    }
    // A category is that of time tracking, if there is no other.
    const ending = ` ${singularOf(noun)}`
    return onlyOf(collections.filter((each) => singularsIn(each).some((name) => name.endsWith(ending))))
  }),
)

/** Finds the collection of which a parent is a record: `users` of `userId` in `/users/{userId}/orders`. */
function parentCollection(
  collections: readonly Collection[],
  { model, operations }: Collection,
  { parameter }: Parent,
): Collection | undefined {
  const all = [model.itemPath ?? '', model.path, ...Array.from(operations.values(), ({ path }) => asSegments(path))]
  const paths = all.filter((path) => path.includes(`{${parameter}}`))
  const holders = paths.flatMap((path) => holdersByPath(path, parameter, collections))
  // A path that another one has joined is known by the name of its parameter only.
  const named = paths.length === 0 ? targetOf(collections, inWords(parameter), true) : undefined
  return [...holders, named, holderByName(parameter, collections)].find((other) => other && other.model !== model)
}
