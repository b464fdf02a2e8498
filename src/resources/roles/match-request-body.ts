/** Matches the request body of an operation with the record, and reads the record in it. */
import type { Operation } from '../../contract/contract.js'
import { lastLiteral } from '../../contract/path-template.js'
import {
  descriptionOf,
  findKeyword,
  isChoice,
  isMarked,
  isNullable,
  itemsOf,
  type ObjectSchema,
  objectSchema,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import {
  filterProperties,
  isObject,
  mapProperties,
  type JsonObject,
  objectAt,
  objectOf,
} from '../../documents/object.js'
import { isSecretName } from '../../redaction.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { placesOfOtherType } from '../infer/compatible-schemas.js'
import type { PropertySchemas } from '../infer/id-property.js'
import { countShared, findRecordBody, type RecordBody } from '../infer/record-body.js'
import { holdsValueOf, withoutWriteOnly } from '../infer/record-model.js'
import { requestContentOf } from '../infer/success-response.js'
import { isSameName, singularOf } from '../names.js'
import type { ResourceRequest } from './role.js'

/** The record in the body of a request. */
export type RequestRecord = Exclude<ReturnType<typeof matchRequestBody>, string>

/** The object with the properties of a record in JSON:API. */
export const attributes = 'attributes'

/** Tells whether the text of a property says that no client sets it, that a change does not change it, or that it tells what to change. */
const isToldFixed = (schema: JsonObject, isCreation: boolean): boolean =>
  /\bread[- ]?only\b(?! (?:for|from|in|when)\b)|\blist of (?:\w+ )?(?:updates|changes|operations) to\b/iu.test(
    descriptionOf(schema),
  ) ||
  (!isCreation &&
    /\b(?:cannot|can ?not|can't) (?:be changed|change)\b(?![^.]* to\b)|\bimmutable (?:after|once|thereafter)\b/iu.test(
      descriptionOf(schema),
    ))

/** Finds a body whose properties are those of the `attributes` of the record: at least half of them. */
function bodyInAttributes(schema: JsonObject, { properties }: CollectionModel['recordModel']): RecordBody | undefined {
  const inner = propertiesOf(properties.get(attributes) ?? {})
  const { size } = propertiesOf(schema)
  if (size === 0 || countShared(schema, inner) * 2 < size) return undefined
  return {
    schema: { type: 'object', properties: { [attributes]: schema } },
    others: [],
    optionals: [],
    toBody: (shown) => objectAt(shown, attributes),
    fromBody: (body) => (isObject(body) ? { [attributes]: body } : undefined),
  }
}

/**
 * Matches the request body of an operation with the record. Names are equal ignoring case and separators.
 *
 * @param mayShareNothing - True if a body without a property of the record fits, too. Default: false.
 * @returns The reason why it does not fit, as a clause.
 */
export function matchRequestBody(model: CollectionModel, operation: Operation, mayShareNothing = false) {
  const { recordModel } = model
  const known = [...recordModel.properties.keys()]
  const isList = (name: string): boolean => itemsOf(recordModel.properties.get(name) ?? {}) !== undefined
  // `user_id` refers to `user`, and `tag_ids` to `tags`.
  const isIdNameOf = (name: string, sent: string): boolean =>
    [`${name} id`, `${singularOf(name)} ids`].some((each) => isSameName(each, sent))
  // What the path names a record by is its id.
  const isOwnId = (sent: string): boolean => model.idPath.length === 1 && isSameName(sent, model.parameter?.name ?? '')
  const isIdOf = (name: string, sent: string, schema: JsonObject): boolean =>
    isIdNameOf(name, sent) && !isOwnId(sent) && referenceIn(recordModel.properties.get(name), schema) !== undefined
  const thing = singularOf(lastLiteral(model.path))
  const nameOf = ([sent, schema]: readonly [string, JsonObject]): string =>
    recordModel.properties.has(sent) || recordModel.required.has(sent)
      ? sent
      : (known.find((name) => isSameName(name, sent)) ??
        known.find((name) => isList(name) && isSameName(name, `${sent}s`)) ??
        known.find((name) => isIdOf(name, sent, schema)) ??
        sent)
  // A creation without a body is one of defaults.
  const isBodiless = mayShareNothing && operation.requestBody === undefined
  const content = isBodiless ? { schema: { type: 'object' } } : requestContentOf(operation)
  if (!content) return 'it takes no JSON body and no form'
  const countNamed = (schema: JsonObject): number =>
    isMarked(schema, 'readOnly')
      ? 0
      : [...propertiesOf(schema)].filter((each) => recordModel.properties.has(nameOf(each))).length
  // Of a body that shares nothing, the object with the name of the record is the record.
  const [only = '', ...more] = propertiesOf(content.schema).keys()
  const isAround = more.length === 0 && isSameName(only, thing)
  const body =
    findRecordBody(content.schema, countNamed, thing) ??
    bodyInAttributes(content.schema, recordModel) ??
    (mayShareNothing
      ? findRecordBody(content.schema, (each) => (isAround && each === content.schema ? 0 : 1), thing)
      : undefined)
  const described = body && withUndescribed(objectSchema(body.schema), recordModel.properties)
  if (!body || !described) return 'its request body shares no property with the record'
  const names = new Map(
    [...described.properties].map((each) => {
      const [[sent], name] = [each, nameOf(each)]
      return [sent, sent !== name && described.properties.has(name) ? sent : name]
    }),
  )
  const properties = new Map<string, JsonObject>()
  const renamings = new Map<string, Rename>()
  const references = new Map<string, string>()
  const partly = new Map<string, readonly (readonly string[])[]>()
  const notStored: string[] = []
  const isChosen = recordModel.schemas.some(isChoice)
  // `PUT /jobs/{name}/status` is there to change the status.
  const isFixedIn = (name: string, schema: JsonObject): boolean =>
    isToldFixed(schema, mayShareNothing && operation.method === 'POST') && !operation.path.endsWith(`/${name}`)
  for (const [sent, property] of described.properties) {
    const name = names.get(sent) ?? sent
    const stored = recordModel.properties.get(name)
    const isStored = holdsValueOf(recordModel.properties, name, property)
    // `phone_number` of `phone_numbers` is no id.
    const isInside = [...propertiesOf(itemsOf(stored ?? {}) ?? {}).keys()].some((each) => isSameName(each, sent))
    const reference = isStored || isInside ? undefined : referenceIn(stored, property)
    if (reference !== undefined) references.set(name, reference)
    // Of an object, what fits is stored.
    // Which properties a choice has is known of a record only.
    const undocumented = isChosen ? [] : undocumentedIn(property, stored)
    const refused = isStored ? undocumented : placesOfOtherType(property, stored ?? {})
    const isPartly = reference === undefined && refused.length > 0 && refused.every((place) => place.length > 0)
    if (isPartly && !isMarked(property, 'readOnly')) {
      partly.set(name, refused)
      notStored.push(...refused.map((place) => [sent, ...place].join('.')))
    }
    const isRefused = !isStored && !isPartly && reference === undefined
    if (!isRefused) properties.set(name, property)
    const rename = isRefused ? undefined : createRenaming(property, stored ?? {})
    if (rename) renamings.set(name, rename)
    const isFixed = isRefused || (isStored && isFixedIn(name, property))
    if (!recordModel.properties.has(name) || (isFixed && !isMarked(property, 'readOnly'))) notStored.push(sent)
  }
  const required = new Set(
    [...described.required].flatMap((sent) => names.get(sent) ?? []).filter((name) => properties.has(name)),
  )
  const shared = known.filter((name) => properties.has(name))
  if (model.kind === 'singleton' && shared.length * 2 < described.properties.size)
    return 'its request body shares less than half of its properties with the object'
  const serverOwned = new Set(
    known.filter((name) => {
      const property = properties.get(name)
      return !property || isMarked(property, 'readOnly') || isFixedIn(name, property)
    }),
  )
  const isStored = (name: string): boolean => {
    if (recordModel.properties.has(name)) return !serverOwned.has(name)
    const property = properties.get(name)
    if (property && (isSecretName(name) || isMarked(property, 'writeOnly'))) return false
    // Keys that begin with $ belong to the double, unless the contract names them.
    return !recordModel.closed && (property !== undefined || !name.startsWith('$'))
  }
  // `owner`, which the server shows next to the `owner_id` that a client sends without it.
  const serverObjects = new Map(
    [...properties].flatMap(([sent, schema]) => {
      const name = known.find((each) => each !== sent && isIdNameOf(each, sent))
      const reference = name === undefined ? undefined : referenceIn(recordModel.properties.get(name), schema)
      return name !== undefined && reference !== undefined ? [[sent, { name, reference }] as const] : []
    }),
  )
  // An object that needs no more than its id.
  const isBare = ({ name, reference }: { readonly name: string; readonly reference: string }): boolean => {
    const shown = objectSchema(recordModel.properties.get(name) ?? {})
    return shown !== undefined && [...shown.required].every((each) => each === reference)
  }
  const inside = propertiesOf(properties.get(attributes) ?? {})
  const withoutReadOnly = (value: unknown): unknown =>
    filterProperties(value, (_value, name) => !isMarked(inside.get(name) ?? {}, 'readOnly'))
  const times = new Set(
    known.filter((name) => findKeyword(recordModel.properties.get(name) ?? {}, 'format') === 'date-time'),
  )
  // A client may send the day of a time, or a time without a zone.
  const toStored = (name: string, value: unknown): unknown => {
    if (typeof value !== 'string' || !times.has(name)) return value
    if (isDay.test(value)) return `${value}T00:00:00Z`
    return isLocal.test(value) ? `${value}Z` : value
  }
  const { optional } = body
  const isLeftOut = (sent: unknown): boolean =>
    sent === undefined || sent === null
      ? !operation.requestBody?.required
      : optional !== undefined && isObject(sent) && !Object.hasOwn(sent, optional)
  return {
    /** The schema of the record in the body. Its properties have the names of the record's. */
    schema: { ...described, properties, required },
    /** Record properties that the request schema lacks, has with another type, or marks `readOnly`. */
    serverOwned,
    /** Properties of the body that no response documents: the record has none of this name, one of another type, or one that clients cannot change. */
    notStored,
    shared,
    /** The objects that a client sends as their ids. What is not known of them is generated. */
    referred: [...references.keys()],
    /** The values that the record has if a whole body leaves them out, by property. */
    defaults: Object.fromEntries(
      [...properties].flatMap(([name, schema]) => {
        const value = recordModel.properties.has(name) ? findKeyword(schema, 'default') : undefined
        return value === undefined || serverOwned.has(name) ? [] : [[name, value] as const]
      }),
    ),
    size: described.properties.size,
    /** Reads the record of a request: an empty one if the contract allows to leave it out. Undefined: the body contains none. */
    read: ({ body: sent }: ResourceRequest): JsonObject | undefined => {
      const record = isLeftOut(sent) ? {} : body.fromBody(sent)
      const entries = Object.entries(record ?? {}).map(([name, value]) => [names.get(name) ?? name, value])
      return record && Object.fromEntries(entries)
    },
    /** Returns the properties of a sent record that are stored. @param related - Returns the record that a property refers to by an id. */
    storable: (sent: JsonObject, related: FindRelated): JsonObject => {
      const referred = (name: string, reference: string, value: unknown): unknown => {
        const schema = recordModel.properties.get(name) ?? {}
        const target = itemsOf(schema) ?? schema
        const objects = [value].flat().map((id: unknown) => {
          const shown = Object.entries(related(name, id)).filter(([each]) => propertiesOf(target).has(each))
          return { ...objectOf(model.contract.generate(target)), ...Object.fromEntries(shown), [reference]: id }
        })
        return Array.isArray(value) ? objects : objects[0]
      }
      const entries = Object.entries(sent).flatMap(([name, value]) => {
        if (!isStored(name)) return []
        const reference = references.get(name)
        const schema = properties.get(name)
        // A shared schema hides what is `writeOnly` when it is shown. That of a request alone would not.
        const isOwnSchema = schema !== undefined && schema !== recordModel.properties.get(name)
        const fitting = withoutPlaces(renamings.get(name)?.(value) ?? value, partly.get(name) ?? [])
        const whole = name === attributes ? withoutReadOnly(fitting) : toStored(name, fitting)
        const shown = isOwnSchema ? withoutWriteOnly(schema, whole) : whole
        const own = [
          name,
          reference === undefined || value === null ? shown : referred(name, reference, value),
        ] as const
        const shownObject = serverObjects.get(name)
        if (
          shownObject !== undefined &&
          value === null &&
          isNullable(recordModel.properties.get(shownObject.name) ?? {})
        )
          return [own, [shownObject.name, null] as const]
        const isKnown =
          shownObject !== undefined &&
          !Object.hasOwn(sent, shownObject.name) &&
          (isBare(shownObject) || [value].flat().some((id) => Object.keys(related(shownObject.name, id)).length > 0))
        return isKnown
          ? [own, [shownObject.name, referred(shownObject.name, shownObject.reference, value)] as const]
          : [own]
      })
      return Object.fromEntries(entries)
    },
  }
}

/** Adds the properties of the record that a body requires and does not describe. */
function withUndescribed(body: ObjectSchema | undefined, known: PropertySchemas): ObjectSchema | undefined {
  const added = [...(body?.required ?? [])].flatMap((name) => {
    const schema = body?.properties.has(name) ? undefined : known.get(name)
    return schema ? [[name, schema] as const] : []
  })
  return body && added.length > 0 ? { ...body, properties: new Map([...body.properties, ...added]) } : body
}

type FindRelated = (name: string, id: unknown) => JsonObject

/** Lists the properties of a sent object that the stored one, which lists its own, does not document. */
function undocumentedIn(sent: JsonObject, stored: JsonObject | undefined): readonly (readonly string[])[] {
  const shown = isChoice(stored ?? {}) ? undefined : objectSchema(stored ?? {})?.properties
  if (stored === undefined || stored === sent || !shown?.size) return []
  const isShown = (name: string): boolean => shown.has(name) || [...shown.keys()].some((each) => isSameName(each, name))
  return [...propertiesOf(sent).keys()].flatMap((name) => (isShown(name) ? [] : [[name]]))
}

type Rename = (value: unknown) => unknown

/** Creates a function that gives what is inside of a value the names of the record: they may differ in case and separators. Undefined: none does. */
function createRenaming(
  sent: JsonObject,
  stored: JsonObject,
  seen: ReadonlySet<JsonObject> = new Set(),
): Rename | undefined {
  if (sent === stored || seen.has(sent)) return undefined
  const inside = new Set([...seen, sent])
  const [sentItems, storedItems] = [itemsOf(sent), itemsOf(stored)]
  if (sentItems && storedItems) {
    const rename = createRenaming(sentItems, storedItems, inside)
    return rename && ((value) => (Array.isArray(value) ? value.map(rename) : value))
  }
  const [own, known] = [propertiesOf(sent), propertiesOf(stored)]
  const names = new Map<string, string>()
  const renamings = new Map<string, Rename>()
  for (const [name, property] of own) {
    const other = known.has(name) ? name : [...known.keys()].find((each) => isSameName(each, name) && !own.has(each))
    if (other === undefined) continue
    if (other !== name) names.set(name, other)
    const rename = createRenaming(property, known.get(other) ?? {}, inside)
    if (rename) renamings.set(name, rename)
  }
  if (names.size + renamings.size === 0) return undefined
  const renamed = ([name, value]: readonly [string, unknown]) => [
    names.get(name) ?? name,
    renamings.get(name)?.(value) ?? value,
  ]
  return (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).map(renamed)) : value)
}

/** Leaves places out of an object. None may be empty. */
const withoutPlaces = (value: unknown, places: readonly (readonly string[])[]): unknown =>
  places.reduce<unknown>(
    (left, [name = '', ...inner]) =>
      inner.length === 0
        ? filterProperties(left, (_value, each) => each !== name)
        : mapProperties(left, (own, each) => (each === name ? withoutPlaces(own, [inner]) : own)),
    value,
  )

/** Finds the id in an object to which a body refers by that id alone: `{project: "p1"}` is `{project: {id: "p1"}}`, also in lists. */
function referenceIn(stored: JsonObject | undefined, sent: JsonObject): string | undefined {
  const [storedItems, sentItems] = [stored && itemsOf(stored), itemsOf(sent)]
  if (storedItems && sentItems) return referenceIn(storedItems, sentItems)
  // A file is no id, and neither is `team:<team_id>`.
  if (findKeyword(sent, 'format') === 'binary' || /\w:[<{]\w+[>}]/u.test(descriptionOf(sent))) return undefined
  const target = stored && objectSchema(stored)
  const type = scalarType(sent)
  if (!target || type === undefined || type === 'boolean') return undefined
  const isFit = (name: string): boolean => scalarType(target.properties.get(name) ?? {}) === type
  // An object that requires one text next to an id that it may lack is known by that text.
  const id = idNames.find(isFit)
  const [only, ...others] = id === undefined ? [] : [...target.required]
  return only !== undefined && others.length === 0 && isFit(only) ? only : id
}

export const idNames = ['id', 'gid', 'uuid', '_id']
const isLocal = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?$/u
const isDay = /^\d{4}-\d\d-\d\d$/u
