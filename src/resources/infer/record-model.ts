/** Creates the model of a record: the union of the read response and the items of the listing. */
import type { Contract, ValidationError } from '../../contract/contract.js'
import {
  allowedValues,
  chosenSchema,
  descriptionOf,
  findKeyword,
  isChoice,
  isFreeText,
  isMarked,
  objectSchema,
  type ObjectSchema,
  objectsIn,
  propertiesOf,
  itemsOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { isToldHidden, isToldOnce } from '../../contract/told-values.js'
import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { once, onceForObject } from '../../once.js'
import { isSecretName } from '../../redaction.js'
import { deepFreeze, isWithin } from '../json.js'
import { wordsOf } from '../names.js'
import { outsideId, recordKeys } from '../records/records.js'
import { areCompatible } from './compatible-schemas.js'
import type { PropertySchemas } from './id-property.js'

export interface RecordModel {
  /** The schemas that show records: of the read responses, of the listings' items, else of the create response. */
  readonly schemas: readonly JsonObject[]
  /** By name. Of schemas that differ in the type of a property, the first one counts. */
  readonly properties: PropertySchemas
  /** Properties that every record has, without `writeOnly` ones. */
  readonly required: ReadonlySet<string>
  readonly closed: boolean
  /** The properties with what requests demand of their values, such as `maximum`. Generated records keep to it. */
  readonly limited: PropertySchemas
  readonly shownOnce: ReadonlySet<string>
  /** Properties that only requests have. They are stored and never sent. */
  readonly requestOnly: ReadonlySet<string>
  /** The text of what an operation has done, which each response has of its own: `message`, if no client sends it. */
  readonly message: string | undefined
}

/** Creates the model of a record. @param created - The schemas of responses to a create or a change: their properties are known, too. @param texts - The texts of the creates. @returns The reason why there is none, as a clause. */
export function createRecordModel(
  schemas: readonly JsonObject[],
  requests: readonly ObjectSchema[],
  created: readonly ObjectSchema[],
  texts: readonly string[],
): RecordModel | string {
  const objects = schemas.map(objectSchema).filter((part) => part !== undefined)
  const properties = new Map<string, JsonObject>()
  const required = new Set<string>()
  const add = (part: ObjectSchema): void => {
    for (const [name, schema] of part.properties) if (!properties.has(name)) properties.set(name, schema)
  }
  for (const part of objects) {
    add(part)
    for (const name of part.required) {
      const property = part.properties.get(name)
      if (!property || (!isMarked(property, 'writeOnly') && holdsValueOf(properties, name, property)))
        required.add(name)
    }
  }
  const shown = new Set(properties.keys())
  for (const part of created) add(part)
  // A text has one of the values that other bodies list for it.
  for (const part of [...created, ...requests])
    for (const [name, schema] of part.properties) {
      const own = properties.get(name)
      const values = allowedValues(itemsOf(schema) ?? schema)
      if (!own || values.length < 2) continue
      const items = itemsOf(own)
      if (isFreeText(own)) properties.set(name, { ...own, enum: values })
      else if (items && isFreeText(items)) properties.set(name, { ...own, items: { ...items, enum: values } })
    }
  const taken = recordKeys.find((key) => properties.has(key))
  if (taken !== undefined) return `its records have a property ${taken}, which is the double's own`
  const sent = requests.flatMap((request) => [...request.properties.keys()])
  const requestOnly = new Set(sent.filter((name) => !properties.has(name) && !required.has(name)))
  const closed = objects.every((part) => part.closed)
  const shownOnce = findShownOnce(properties, shown, required, texts)
  const message = ['message', 'msg', 'mensagem', 'mensaje'].find((name) => properties.has(name) && !sent.includes(name))
  const limited = withLimits(properties, requests)
  return { schemas, properties, required, closed, limited, shownOnce, requestOnly, message }
}

const limiting =
  'enum minimum maximum exclusiveMinimum exclusiveMaximum multipleOf pattern format minLength maxLength'.split(' ')

function withLimits(properties: PropertySchemas, requests: readonly ObjectSchema[]): PropertySchemas {
  const limited = new Map(properties)
  for (const [name, sent] of requests.flatMap((request) => [...request.properties])) {
    const own = limited.get(name) ?? {}
    const type = scalarType(own)
    const isNew = (key: string): boolean => findKeyword(sent, key) !== undefined && findKeyword(own, key) === undefined
    const added = type !== undefined && type === scalarType(sent) ? limiting.filter(isNew) : []
    if (added.length > 0)
      limited.set(name, { ...own, ...Object.fromEntries(added.map((key) => [key, findKeyword(sent, key)])) })
  }
  return limited
}

/**
 * Finds the texts that only the response to a create shows: those whose description or whose create says so, and secrets that no other response
 * has.
 *
 * @param shown - The names of the properties in reads and listings.
 * @param required - Those that these require, and so always show.
 */
function findShownOnce(
  properties: PropertySchemas,
  shown: ReadonlySet<string>,
  required: ReadonlySet<string>,
  texts: readonly string[],
): ReadonlySet<string> {
  const told = texts.flatMap((text) => text.split('. ')).filter((sentence) => isToldOnce(sentence))
  const isTold = (name: string): boolean =>
    told.some((sentence) => name === 'value' || (isSecretName(name) && sentence.includes(wordsOf(name).at(-1) ?? '')))
  const found = [...properties].filter(
    ([name, schema]) =>
      scalarType(schema) === 'string' &&
      !required.has(name) &&
      (isToldOnce(descriptionOf(schema)) || isTold(name) || (isSecretName(name) && !shown.has(name))),
  )
  return new Set(found.map(([name]) => name))
}

/** Tells whether a property of another schema has a type in common with the record's property of that name. */
export function holdsValueOf(properties: RecordModel['properties'], name: string, schema: JsonObject): boolean {
  const stored = properties.get(name)
  return stored === undefined || areCompatible(schema, stored)
}

type IsExcepted = (name: string, schema: JsonObject) => boolean

interface ModelOfRecord {
  readonly contract: Pick<Contract, 'generate' | 'validate'>
  readonly recordModel: RecordModel
}

/** Validates a stored record. Paths are relative to the record. */
export function checkRecord(model: ModelOfRecord, record: JsonObject): readonly ValidationError[] {
  for (const { schema, show } of storedViewsOf(model)) {
    const errors = model.contract.validate(schema, show(record))
    if (errors.length === 0) continue
    // Those by the schema that the record has chosen say what it lacks.
    const chosen = chosenSchema(schema, record)
    const ofChosen = chosen ? model.contract.validate(chosen, show(record)) : []
    return ofChosen.length > 0 ? ofChosen : errors
  }
  return []
}

/** Returns the views by which records are checked. They are kept: a fixture has many records, and comparing schemas takes long. */
const storedViewsOf = onceForObject((model: ModelOfRecord) =>
  model.recordModel.schemas.map((schema) => ({ schema, ...viewOf(model, schema, true) })),
)

/** Tells whether no record can have null as the value of a property. */
export function refusesNull({ contract, recordModel }: ModelOfRecord, name: string): boolean {
  const schema = recordModel.properties.get(name)
  return schema !== undefined && contract.validate(schema, null).length > 0
}

/** Returns a valid value of a property, by all schemas that show it. Undefined: none is known. */
export function generateProperty({ contract, recordModel }: ModelOfRecord, name: string): unknown {
  const shown = recordModel.schemas.flatMap((part) => propertiesOf(part).get(name) ?? [])
  // A required property without a schema may have any value.
  return shown.length > 0 ? contract.generate({ allOf: shown }) : ''
}

/**
 * Replaces the values that the record's schemas refuse, by those of another record or by generated ones: a request that the contract allows is
 * not at fault, unless it removes what a record must have. @param from - The record before the change. Default: none.
 * @returns A valid record, or the errors of one that cannot be made valid.
 */
export function fitRecord(
  model: ModelOfRecord,
  record: JsonObject,
  from: JsonObject = {},
): JsonObject | readonly ValidationError[] {
  const { properties, required, schemas } = model.recordModel
  const undefinedNames = [...required].filter((name) => !properties.has(name) && !Object.hasOwn(record, name))
  let fitted = {
    ...record,
    ...Object.fromEntries(undefinedNames.map((name) => [name, generateProperty(model, name)])),
  }
  let choice = schemas.find(isChoice)
  for (let round = 0; ; round += 1) {
    const errors = checkRecord(model, fitted)
    if (errors.length === 0) return fitted
    const refused = new Set(errors.flatMap(({ path: [name] }) => (typeof name === 'string' ? name : [])))
    const isRemoved = [...refused].some((name) => Object.hasOwn(from, name) && (fitted[name] ?? null) === null)
    if (round === maxRounds || (refused.size === 0 && !choice) || (round === 0 && isRemoved)) return errors
    if (refused.size === 0 && choice) {
      const generated = model.contract.generate(chosenSchema(choice, fitted) ?? choice)
      fitted = Object.assign({}, objectOf(generated), fitted)
      choice = undefined
      continue
    }
    const others = Object.entries(fitted).filter(([name]) => !refused.has(name))
    const chosen = round === 0 && choice ? propertiesOf(chosenSchema(choice, fitted) ?? {}) : undefined
    const replaced = [...refused].flatMap((name) => {
      const ofChoice = chosen?.get(name)
      const otherwise = (): unknown => (required.has(name) ? generateProperty(model, name) : undefined)
      const made = ofChoice ? completed(ofChoice, record[name], model.contract.generate(ofChoice)) : otherwise()
      const value = round === 0 && Object.hasOwn(from, name) ? from[name] : made
      return value === undefined ? [] : [[name, value] as const]
    })
    fitted = Object.fromEntries([...others, ...replaced])
  }
}

/** Puts what an object has of a schema's properties into a generated one. */
const completed = (schema: JsonObject, value: unknown, generated: unknown): unknown =>
  isObject(value) && isObject(generated)
    ? { ...generated, ...Object.fromEntries(Object.entries(value).filter(([name]) => propertiesOf(schema).has(name))) }
    : generated

export const isErrors = (fitted: ReturnType<typeof fitRecord>): fitted is readonly ValidationError[] =>
  Array.isArray(fitted)

/** Lists the properties of a record that a fitted one has with another value, or lacks. */
export const lostIn = (fitted: JsonObject, record: JsonObject): readonly string[] =>
  Object.keys(record).filter((name) => !isWithin(record[name], fitted[name]))

const maxRounds = 4

/**
 * Creates a function that returns a record as a schema shows it, as a frozen value. The same record gives the same value. If the schema
 * describes all properties, that is the record itself.
 *
 * @param example - The values of required properties that a record lacks. Default: generated ones.
 * @param isExcepted - Tells whether a text excepts an optional property from the response. Default: none does.
 */
export function createProjection(
  model: ModelOfRecord,
  schema: JsonObject,
  example: () => unknown = () => undefined,
  isExcepted?: IsExcepted,
): (record: JsonObject) => JsonObject {
  const { show } = viewOf(model, schema, false, example, isExcepted)
  const hasWriteOnly = once(() => [...objectsIn(schema)].some(({ writeOnly }) => writeOnly === true))
  const isOther = !model.recordModel.schemas.includes(schema)
  return onceForObject((record) => {
    const shown = hasWriteOnly() ? objectOf(withoutWriteOnly(schema, show(record))) : show(record)
    return deepFreeze(isOther ? withoutRefused(model, schema, shown, example) : shown)
  })
}

/** Leaves out the optional properties that a response refuses, such as a value that its `enum` lacks. Required ones become those of the example. */
function withoutRefused(
  { contract }: ModelOfRecord,
  schema: JsonObject,
  shown: JsonObject,
  example: () => unknown,
): JsonObject {
  const refused = new Set(contract.validate(schema, shown).map(({ path: [name] }) => name))
  const { properties, required } = objectSchema(schema) ?? {}
  const entries = Object.entries(shown).flatMap(([name, value]) => {
    if (!refused.has(name)) return [[name, value] as const]
    if (required?.has(name) !== true) return []
    const stated = objectOf(example())
    const other = Object.hasOwn(stated, name) ? stated[name] : contract.generate(properties?.get(name) ?? {})
    return other === undefined ? [] : [[name, other] as const]
  })
  return refused.size === 0 ? shown : Object.fromEntries(entries)
}

/** Lists the properties that a schema requires and a record may lack: they come from the example, or are generated. */
export const namesToFill = (model: ModelOfRecord, schema: JsonObject): readonly string[] =>
  Array.from(viewOf(model, schema, false).filled.keys())

/**
 * Creates a function that shows the properties of a record that a schema has, and those that it requires and the record lacks: these are `filled`.
 * Undeclared properties belong to a schema if it allows additional properties.
 *
 * @param isStored - True to include `writeOnly` ones.
 */
function viewOf(
  model: ModelOfRecord,
  schema: JsonObject,
  isStored: boolean,
  example?: () => unknown,
  isExcepted: IsExcepted = () => false,
) {
  const { contract, recordModel } = model
  const known = objectSchema(schema)
  const chosen = new Map<string, boolean>([[outsideId, false]])
  for (const name of [...recordModel.properties.keys(), ...recordModel.requestOnly]) chosen.set(name, false)
  const filled = new Map<string, () => unknown>()
  for (const [name, property] of known?.properties ?? []) {
    const isTold = !known?.required.has(name) && (isToldHidden(descriptionOf(property)) || isExcepted(name, property))
    const isShown = isStored || !(isWriteOnly(property) || recordModel.shownOnce.has(name) || isTold)
    const isHeld = holdsValueOf(recordModel.properties, name, property)
    chosen.set(name, isShown && isHeld)
    // The record lacks what has one value in this response alone.
    const [only, ...others] = isStored || recordModel.properties.has(name) ? [] : allowedValues(property)
    if (isShown && only !== undefined && others.length === 0) filled.set(name, () => only)
    if (!isShown || !known?.required.has(name) || (isHeld && recordModel.required.has(name))) continue
    // The value of a stored record is not replaced, so that the error names it.
    const make = once((): unknown => objectOf(example?.())[name] ?? contract.generate(property))
    if (!isStored || !isHeld) filled.set(name, make)
  }
  const isChosen = (name: string): boolean => chosen.get(name) ?? !known?.closed
  const show = (record: JsonObject): JsonObject => {
    const names = Object.keys(record)
    const own = names.filter(isChosen)
    const missing = [...filled].filter(([name]) => !own.includes(name))
    if (own.length === names.length && missing.length === 0) return record
    const values = own.map((name) => [name, record[name]])
    return Object.fromEntries([...values, ...missing.map(([name, make]) => [name, make()])])
  }
  return { filled, show }
}

/** A list of what only requests have is in requests only, too. */
const isWriteOnly = (schema: JsonObject): boolean =>
  isMarked(schema, 'writeOnly') || isMarked(itemsOf(schema) ?? {}, 'writeOnly')

export function withoutWriteOnly(schema: JsonObject, value: unknown): unknown {
  const items = itemsOf(schema)
  if (items && Array.isArray(value)) return value.map((item: unknown) => withoutWriteOnly(items, item))
  if (!isObject(value)) return value
  const properties = propertiesOf(schema)
  const shown = Object.entries(value).flatMap(([name, inner]) => {
    const property = properties.get(name) ?? {}
    return isWriteOnly(property) ? [] : [[name, withoutWriteOnly(property, inner)] as const]
  })
  return Object.fromEntries(shown)
}
