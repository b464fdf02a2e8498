/** Completes what a client sent: adds the properties that the server owns, and those that the record requires and the client may leave out. */
import type { Contract } from '../../contract/contract.js'
import {
  allowedValues,
  descriptionOf,
  findKeyword,
  isChoice,
  isMarked,
  isNullable,
  itemsOf,
  objectSchema,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { toldConstant } from '../../contract/told-values.js'
import { isObject, type JsonObject, listOf, mapProperties, onlyOf, textOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { once } from '../../once.js'
import { isSecretName } from '../../redaction.js'
import { uuidOf, withIdsOf } from '../ids.js'
import type { CollectionModel, ShownRecord } from '../infer/collection-model.js'
import { idOf, type PropertySchemas } from '../infer/id-property.js'
import { generateProperty } from '../infer/record-model.js'
import { inWords, kebabCase, wordsOf } from '../names.js'
import {
  changeTimes,
  creationTimes,
  freshValue,
  initialState,
  isLaterEvent,
  isNamed,
  isState,
  isUsable,
  type MakeValue,
  toldDefault,
} from './fresh-values.js'
import type { RequestRecord } from './match-request-body.js'

type CompleteValue = (value: unknown, now: string) => unknown

/** Tells that a property is seldom there: "present only if there's an active alert". */
const toldAbsent =
  /\b(?:present|returned|set|included|shown|populated) only (?:if|when|for|in)\b|\bonly (?:present|returned|set|included|shown|populated) (?:if|when|for|in)\b/iu

/** Tells that a property is null at first: "Will be `null` if there are no errors". */
const toldNull = /\bwill be \W?null\W? (?:if|until|unless|while)\b(?![^.]*\balready\b)/iu

/** Returns the only value that a property may have. Undefined: it may have others, or is seldom there. @param described - The schema of the record. */
const onlyValue = (schema: JsonObject, described: JsonObject): unknown =>
  toldAbsent.test(descriptionOf(described)) ? undefined : onlyOf(allowedValues(schema))

/**
 * Returns the value that schemas state: the `default`, that of the request first, the one that a description tells, or the only value that the
 * record allows; never an unspecified one. Undefined: none.
 * @param isChosen - True if the property is optional, and the record has one of several schemas: its only value in one excludes the others.
 */
function statedValue(sent: JsonObject | undefined, stored: JsonObject, isChosen = false): (() => unknown) | undefined {
  const only = isChosen ? undefined : onlyValue(stored, stored)
  const schemas = [...(sent ? [sent] : []), stored]
  const isSet = (each: unknown): boolean => each !== undefined && !/unspecified$/iu.test(textOf(each))
  const stated = schemas.map((each) => findKeyword(each, 'default'))
  const description = descriptionOf(stored)
  const isOfServer = sent === undefined || isMarked(stored, 'readOnly') || /^\W*set to\b/iu.test(description)
  const constant = isOfServer ? toldConstant(description) : undefined
  const told = [...schemas.map((each) => toldDefault(each)), constant]
  const value = [...stated, ...told, only].find(isSet)
  return value === undefined ? undefined : () => value
}

/** Returns the value of a property that has no example: null or an empty list. Undefined if the schema allows neither. */
const nullOrEmptyList = (schema: JsonObject): unknown => (isNullable(schema) ? null : itemsOf(schema) ? [] : undefined)

/** The schemas of a value, and the value that a mocked response would have. */
interface Compared {
  readonly sent: JsonObject
  readonly stored: JsonObject
  /** True if the value is merged into the stored one. Then only the items of its arrays can lack properties. */
  readonly isMerged: boolean
  /** Called only if a property can be missing, because it takes long. */
  readonly example: () => unknown
  readonly contract: Contract
  /** The name of the value, with a dot at its end. */
  readonly at: string
  /** Gets the name of each property inside that an example or a generated value fills, and the value. Undefined: there is none. */
  readonly onFilled: (name: string, value: () => unknown) => void
}

/** Creates a function that adds the properties that the record requires inside of a value. @returns Undefined if no property can be missing. */
function createCompletion(compared: Compared, seen: ReadonlySet<JsonObject> = new Set()): CompleteValue | undefined {
  const { contract, example, isMerged, sent, stored } = compared
  if (sent === stored || seen.has(sent)) return undefined
  const inside = new Set([...seen, sent])
  const [sentItems, storedItems] = [itemsOf(sent), itemsOf(stored)]
  if (sentItems && storedItems) {
    const first = (): unknown => listOf(example())[0]
    const item = { sent: sentItems, stored: storedItems, example: first, isMerged: false }
    const each = createCompletion({ ...compared, ...item }, inside)
    const identify = createItemIds(sentItems, storedItems)
    if (!each && !identify) return undefined
    const complete = (inner: unknown, index: number, now: string): unknown => {
      const known = identify?.(inner, index) ?? inner
      return each?.(known, now) ?? known
    }
    return (value, now) =>
      Array.isArray(value) ? value.map((inner: unknown, index) => complete(inner, index, now)) : value
  }
  const [sentObject, storedObject] = [objectSchema(sent), objectSchema(stored)]
  if (!sentObject || !storedObject || sentObject.properties.size === 0) return undefined
  const added = new Map<string, MakeValue>()
  const completed = new Map<string, CompleteValue>()
  for (const [key, property] of storedObject.properties) {
    if (isMarked(property, 'writeOnly')) continue
    const own = (): unknown => valueAt(example(), [key])
    const other = sentObject.properties.get(key)
    if (!isMerged && storedObject.required.has(key) && !sentObject.required.has(key)) {
      // Generated ids would all be the same.
      const generated = (): unknown => (wordsOf(key).at(-1) === 'id' ? undefined : contract.generate(property))
      const stated = statedValue(other, property) ?? freshValue(key, property, own)
      // Found on the first use: examples are validated.
      const found = once(() => own() ?? nullOrEmptyList(property) ?? generated())
      added.set(key, stated ?? found)
      if (!stated) compared.onFilled(compared.at + key, found)
    }
    const part = other && { sent: other, stored: property, example: own, at: `${compared.at}${key}.` }
    const inner = part && createCompletion({ ...compared, ...part }, inside)
    if (inner) completed.set(key, inner)
  }
  if (added.size + completed.size === 0) return undefined
  const complete = createObjectCompletion(added, completed)
  return (value, now) => (isObject(value) ? complete(value, now) : value)
}

/** Creates a function that gives the items of an array the ids that clients do not send. Undefined: they need none. */
function createItemIds(sent: JsonObject, stored: JsonObject): ((item: unknown, index: number) => unknown) | undefined {
  const { properties, required } = objectSchema(stored) ?? {}
  const schema = properties?.get('id')
  if (!schema || !required?.has('id') || objectSchema(sent)?.properties.has('id') !== false) return undefined
  const idAt = (index: number): unknown => {
    if (scalarType(schema) !== 'string') return index + 1
    return findKeyword(schema, 'format') === 'uuid' ? uuidOf(index + 1) : `id-${index + 1}`
  }
  return (item, index) => (isObject(item) && !Object.hasOwn(item, 'id') ? { id: idAt(index), ...item } : item)
}

/** Creates a function that adds the properties that an object lacks, and completes the values of the others. */
export const createObjectCompletion =
  (added: ReadonlyMap<string, MakeValue>, completed: ReadonlyMap<string, CompleteValue>) =>
  (object: JsonObject, now: string): JsonObject => {
    const missing = [...added]
      .filter(([key]) => !Object.hasOwn(object, key))
      .map(([key, make]) => [key, make(now, object)] as const)
      .filter(([, value]) => value !== undefined)
    const own = Object.entries(object).map(([key, inner]) => [key, completed.get(key)?.(inner, now) ?? inner] as const)
    return Object.fromEntries([...own, ...missing])
  }

/** Creates the functions that complete the properties of a request, by name. @param isMerged - True if the values are merged into those of the record. */
export function createSentValueCompletions(
  model: CollectionModel,
  request: RequestRecord,
  examples: readonly ShownRecord[],
  isMerged: boolean,
  onFilled: Compared['onFilled'] = () => {},
): ReadonlyMap<string, CompleteValue> {
  const completions = new Map<string, CompleteValue>()
  for (const [name, stored] of model.recordModel.properties) {
    const sent = request.serverOwned.has(name) ? undefined : request.schema.properties.get(name)
    if (!sent || name === model.idProperty || isMarked(stored, 'writeOnly')) continue
    const example = (): unknown => exampleOf(examples, name)
    const compared = { sent, stored, isMerged, example, contract: model.contract, at: `${name}.`, onFilled }
    const completion = createCompletion(compared)
    if (completion) completions.set(name, completion)
  }
  return completions
}

/** Returns the value of a property in the first example of a record that has it. Undefined: none has it. */
export const exampleOf = (examples: readonly ShownRecord[], name: string): unknown => exampleWith(examples, name)[name]

function exampleWith(examples: readonly ShownRecord[], name: string): JsonObject {
  for (const { example } of examples) {
    const record = example()
    if (record && Object.hasOwn(record, name)) return record
  }
  return {}
}

export interface CreatedRecord extends ShownRecord {
  /** The texts of the operation and of its success. */
  readonly told: string
  /** Lists the records in its documented examples, valid or not. */
  records(): readonly JsonObject[]
  readonly properties: PropertySchemas
}

/**
 * Finds the value of each property that the server owns, and of each property that a record requires and a client may leave out. The value is
 * a valid `default` or `const`, that of a fresh record, or else that of a mocked response.
 *
 * @param created - The create operation. Its example takes precedence.
 */
export function createServerOwnedValues(model: CollectionModel, request: RequestRecord, created: CreatedRecord) {
  const { idProperty, recordModel, parents } = model
  const values = new Map<string, MakeValue>()
  const fromExample = new Map<string, () => unknown>()
  const examples = [created, ...model.shown]
  const inside = new Map<string, () => unknown>()
  const completions = createSentValueCompletions(model, request, examples, false, (name, value) =>
    inside.set(name, value),
  )
  const isChosen = recordModel.schemas.some(isChoice)
  for (const [name, schema] of recordModel.properties) {
    const isParent = parents.some(({ property }) => property === name)
    if (name === idProperty || isParent || isMarked(schema, 'writeOnly')) continue
    if (recordModel.shownOnce.has(name)) {
      // Each record has another secret.
      values.set(name, (_now, record = {}) => {
        const isOwn = isSecretName(name) || name === 'value'
        const own = isOwn ? `${kebabCase(name)}-${String(idOf(model, record))}` : undefined
        return [own, exampleOf(examples, name), model.contract.generate(schema)].find(
          (value) => value !== undefined && model.contract.validate(schema, value).length === 0,
        )
      })
      fromExample.set(name, () => name)
      continue
    }
    const isRequired = recordModel.required.has(name)
    const sent = request.serverOwned.has(name) ? undefined : request.schema.properties.get(name)
    const only = onlyValue(created.properties.get(name) ?? {}, schema)
    const stated =
      only === undefined
        ? statedValue(request.schema.properties.get(name), schema, !isRequired && isChosen)
        : (): unknown => only
    // Of an optional property, found on the first use: a validation takes long.
    const isValid = once(() => stated !== undefined && model.contract.validate(schema, stated()).length === 0)
    if (stated && (!isRequired || isValid())) values.set(name, () => (isValid() ? stated() : undefined))
    // A client may leave it out, and the record need not have it.
    else if (sent && (request.schema.required.has(name) || !(isRequired || isOfServer(name, schema)))) continue
    else {
      // Found on the first use, where the record can do without it: the validation of examples takes long.
      const mayLack = isNullable(schema) || !isRequired
      const isLater = mayLack && isLaterEvent(name, schema)
      const shownWith = once(() => exampleWith(examples, name))
      const shownValues = (): readonly unknown[] => created.records().map((each) => each[name])
      const example = once(() => {
        const isUnset = isNullable(schema) && ((mayLack && sent !== undefined) || toldNull.test(descriptionOf(schema)))
        if (isUnset) return null
        const isUnseen = (): boolean => shownValues().every((each) => (each ?? null) === null)
        if (isLater && (/\bdeleted\b/u.test(inWords(name)) || isUnseen())) return isNullable(schema) ? null : undefined
        const shown = shownWith()[name]
        // The example of a create tells what is new, and that of another response need not.
        const isTold = shownValues().some((each) => each !== undefined)
        if (shown !== undefined) return isTold ? shown : withInitialStates(schema, shown)
        const generated = (): unknown =>
          nullOrEmptyList(schema) ?? withInitialStates(schema, generateProperty(model, name))
        return ownExample(model, schema) ?? (isRequired ? generated() : undefined)
      })
      const state = once(() => initialState(schema, shownValues, created.told))
      const fresh = isState(name, schema) || isLater ? undefined : freshValue(name, schema, example)
      const otherwise = (): unknown => (sent && !isRequired ? undefined : example())
      const make = isState(name, schema) ? (): unknown => state() ?? otherwise() : example
      const ofRecord: MakeValue = (_now, record = {}) => withIdsOf(record, shownWith(), make())
      values.set(name, fresh ?? ofRecord)
      // Nothing tells that it is not set.
      if (fresh && scalarType(schema) === 'boolean')
        fromExample.set(name, () => (isUsable.test(name) || example() === true ? name : undefined))
      if (fresh) continue
      fromExample.set(name, () =>
        make === example || shownValues().includes(make()) || state() === undefined ? make() : undefined,
      )
    }
  }
  return {
    filled: () => [...fromExample, ...inside].filter(([, example]) => example() !== undefined).map(([name]) => name),
    complete: createObjectCompletion(values, completions),
  }
}

/** Puts the states of what is new into the objects inside a generated value. */
const withInitialStates = (schema: JsonObject, value: unknown): unknown =>
  mapProperties(value, (inner, key) => {
    const property = propertiesOf(schema).get(key) ?? {}
    const state = isState(key, property) ? initialState(property, () => []) : undefined
    return state ?? withInitialStates(property, inner)
  })

/** Tells whether a service sets a property that a client need not send: the state, and the times of creation and change. */
const isOfServer = (name: string, schema: JsonObject): boolean =>
  isState(name, schema) || isNamed(name, creationTimes) || isNamed(name, changeTimes)

/** Returns the example of an optional property, which a minimal record lacks. Undefined if there is none, or it is invalid. */
function ownExample({ contract }: CollectionModel, schema: JsonObject): unknown {
  const examples = [findKeyword(schema, 'example'), ...listOf(findKeyword(schema, 'examples'))]
  return examples.find((example) => example !== undefined && contract.validate(schema, example).length === 0)
}
