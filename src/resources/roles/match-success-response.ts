/** Matches the success response of an operation with the record, and shows the record in it. */
import { type Operation, responseObject } from '../../contract/contract.js'
import { lastLiteral } from '../../contract/path-template.js'
import { Cursor, examplesAt } from '../../contract/references.js'
import {
  descriptionOf,
  findKeyword,
  hasAllowedType,
  objectSchema,
  propertiesOf,
  scalarType,
} from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, mapValues, objectAt, objectOf, textOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { once } from '../../once.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { idOf, type PropertySchemas } from '../infer/id-property.js'
import { propertyAt } from '../infer/place-parameters.js'
import { findRecordBody } from '../infer/record-body.js'
import { createProjection, holdsValueOf, namesToFill } from '../infer/record-model.js'
import { successResponseOf } from '../infer/success-response.js'
import { deepFreeze } from '../json.js'
import { isSameName, singularOf } from '../names.js'
import type { ResourceResponse } from './role.js'

type Show = (shown: JsonObject) => JsonObject

const asItIs: Show = (shown) => shown

/** A success response that shows a record, has no body, or is the example. */
export type RecordResponse = ReturnType<typeof matchSuccessResponse>

/** Matches the success response of an operation with the record. A body that does not show a record is that of the example. @param preferred - Statuses in order, as for `successResponseOf`. */
export function matchSuccessResponse(model: CollectionModel, operation: Operation, ...preferred: readonly string[]) {
  const { description, documented, hasBody, hasLocation, headers, json, status, text } = successResponseOf(
    operation,
    ...preferred,
  )
  const example = (): unknown => model.contract.example(operation, documented, true)
  const thing = singularOf(lastLiteral(model.path))
  const body = json && findRecordBody(json.schema, (schema) => fitOf(model, schema, operation), thing, thing)
  const project = body && createProjection(model, body.schema, () => body.fromBody(example()))
  const isEmpty = json && isEmptyObject(json.schema)
  const bodyOf = (record: JsonObject, show: Show): unknown => {
    if (body && project) {
      const shown = withMessage(show(project(record)))
      const named = idName === undefined ? shown : { ...shown, [idName]: idOf(model, record) }
      return withStatus(body.toBody(named, objectOf(example())))
    }
    if (text) return textBody()
    if (!json || isEmpty) return json && {}
    if (isIdBody) return idOf(model, record)
    const shown = example()
    if (!isObject(shown)) return shown
    const sent = withStatus(shown)
    const own = (name: string): unknown => (isIdName(name) ? idOf(model, record) : undefined)
    const told = tell(sent, propertiesOf(json.schema), own, true)
    return Object.keys(told).length === 0 ? emptyBody(json.schema) : told
  }
  const textBody = once(() => {
    const content = objectAt(objectAt(responseObject(operation, documented), 'content'), text?.mediaType ?? '')
    return textOf(examplesAt(Cursor.top(content))[0] ?? model.contract.generate(text?.schema ?? {}))
  })
  const isIdBody = json !== undefined && operation.method === 'POST' && isIdOf(model, json.schema, description)
  const isExample = !body && hasBody && !isEmpty && !isIdBody
  const { message, schemas } = model.recordModel
  // No read shows it.
  const isIdName = (name: string): boolean =>
    [`${thing} id`, model.parameter?.name ?? ''].some((each) => isSameName(name, each)) &&
    !schemas.some((schema) => propertiesOf(schema).has(name))
  const idName = [...propertiesOf(body?.schema ?? {}).keys()].find(isIdName)
  const withMessage: Show = (shown) => {
    if (message === undefined || operation.method === 'GET') return shown
    const told = body?.fromBody(example())?.[message]
    return typeof told === 'string' ? { ...shown, [message]: told } : shown
  }
  // An example is often that of another status.
  const withStatus = (sent: JsonObject): JsonObject =>
    body?.schema === json?.schema
      ? sent
      : mapValues(sent, (value, name) => (isSuccessStatus(value) && statusName.test(name) ? status : value))
  return {
    documented,
    hasLocation,
    /** Undefined: the body shows no record, or there is none. */
    body,
    isExample,
    /** Returns the properties that come from the example. `the response`: all of it. */
    filled: (): readonly string[] => {
      if (!body) return isExample ? ['the response'] : []
      const shown = objectOf(example())
      const told = Object.entries(body.toBody({}, shown)).flatMap(([name, value]) =>
        value === shown[name] ? name : [],
      )
      return [...new Set([...body.others, ...told, ...namesToFill(model, body.schema)])]
    },
    /** Returns the properties next to the record of which nothing is known. */
    leftOut: (): readonly string[] => {
      if (!body) return []
      const [told, { properties, shownOnce }] = [body.toBody({}, objectOf(example())), model.recordModel]
      const next = body.optionals.filter((name) => valueAt(told, name.split('.')) === undefined)
      const { properties: shown = new Map(), required } = objectSchema(body.schema) ?? {}
      const isUnknown = (name: string): boolean =>
        !properties.has(name) && !shownOnce.has(name) && !required?.has(name) && !isIdName(name) && name !== message
      return [...next, ...[...shown.keys()].filter(isUnknown)]
    },
    /** @param show - Changes the shown record. */
    respond: (record: JsonObject, own?: Readonly<Record<string, string>>, show = asItIs): ResourceResponse => {
      const sent = bodyOf(record, show)
      const mediaType = sent === undefined ? undefined : (json ?? text)?.mediaType
      return { status, record, headers: { ...headers, ...own }, mediaType, body: deepFreeze(sent) }
    },
  }
}

/** Puts what is known into an object. @param told - Returns the value of a property. Undefined: it stays. @param isDeep - True to put it into the objects inside, too. */
export function tell(
  object: JsonObject,
  properties: PropertySchemas,
  told: (name: string) => unknown,
  isDeep: boolean,
): JsonObject {
  const values = [...properties].flatMap(([name, schema]): (readonly [string, unknown])[] => {
    const value = told(name)
    if (value !== undefined && hasAllowedType(schema, value)) return [[name, value]]
    const inner = object[name]
    return isDeep && isObject(inner) ? [[name, tell(inner, propertiesOf(schema), told, isDeep)]] : []
  })
  return { ...object, ...Object.fromEntries(values) }
}

/** Tells whether the body of a response is the id of the record: it has the id's type, and its format or a text says so. */
function isIdOf({ idPath, recordModel }: CollectionModel, schema: JsonObject, description: string): boolean {
  const id = propertyAt(recordModel.properties, idPath) ?? {}
  const format = findKeyword(schema, 'format')
  const isTold = /\b(?:id|uuid|identifier)\b/iu.test(`${description} ${descriptionOf(schema)}`)
  const isOfType = scalarType(schema) !== undefined && scalarType(schema) === scalarType(id)
  return isOfType && (isTold || (format !== undefined && format === findKeyword(id, 'format')))
}

const statusName = /^(?:http_?)?status(?:_?code)?$|^code$/iu

const isSuccessStatus = (value: unknown): boolean => typeof value === 'number' && value >= 200 && value < 300

function isEmptyObject(schema: JsonObject): boolean {
  const { closed, properties, required } = objectSchema(schema) ?? {}
  return closed === true && properties?.size === 0 && required?.size === 0
}

/** Returns an object with its only property if that is an object without properties, such as `{data: {}}`. */
function emptyBody(schema: JsonObject): JsonObject {
  const [[name, inner] = ['', {}], ...others] = propertiesOf(schema)
  const { properties, required } = objectSchema(inner) ?? {}
  return others.length === 0 && properties?.size === 0 && required?.size === 0 ? { [name]: {} } : {}
}

/** Counts the properties that a schema shares with the record. 0: it has less than half of its properties in common; with the id a fifth, of a removal a third. */
function fitOf({ idPath, recordModel }: CollectionModel, schema: JsonObject, { method }: Operation): number {
  if (recordModel.schemas.includes(schema)) return Infinity
  const properties = [...propertiesOf(schema)]
  const shared = properties.filter(
    ([name, property]) => recordModel.properties.has(name) && holdsValueOf(recordModel.properties, name, property),
  )
  const hasId = shared.some(([name]) => name === idPath[0]) && propertyAt(propertiesOf(schema), idPath) !== undefined
  // What a team has been removed from has an id, too.
  const isRecord = shared.length * (hasId ? (method === 'DELETE' ? 3 : 5) : 2) >= properties.length
  return isRecord ? shared.length : 0
}
