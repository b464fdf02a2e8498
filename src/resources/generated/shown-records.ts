/** Finds the records that the examples of a contract show. */
import { type Content, responseObject } from '../../contract/contract.js'
import { Cursor, examplesAt, examplesIn } from '../../contract/references.js'
import { objectSchema, propertiesOf } from '../../contract/schemas/read-schema.js'
import { isObject, type JsonObject, objectAt } from '../../documents/object.js'
import { onceForObject } from '../../once.js'
import { isId } from '../ids.js'
import type { CollectionModel } from '../infer/collection-model.js'
import { idOf } from '../infer/id-property.js'
import { countShared, findRecordBody, type RecordBody } from '../infer/record-body.js'
import { jsonContentOf } from '../infer/success-response.js'
import { isEqual } from '../json.js'
import type { Collection } from '../resources.js'

const maxShown = 100

/**
 * Lists the records that the examples of a contract show: those of listings, reads and creates, requests and responses; each id once.
 * A record without an id is new. Their values are not validated.
 */
export function shownRecords(collection: Collection): readonly JsonObject[] {
  const { model, operations } = collection
  const { recordModel, shown } = model
  const create = operations.get('create')
  const made = (create?.responses ?? []).filter(({ status }) => status.startsWith('2'))
  const sent = sentExamples(collection)
  const created = made.flatMap(({ contents, status }) =>
    create ? examplesOf(model, contents, responseObject(create, status)) : [],
  )
  const isIdSent = sent.some((each) => isId(idOf(model, each)))
  const found = [
    ...shown.flatMap(({ operation, recordsIn, status }) =>
      examplesIn(responseObject(operation, status)).flatMap((body) => recordsIn(body)),
    ),
    ...(isIdSent ? [] : [...created, ...sent]),
    ...recordModel.schemas.flatMap((schema) => examplesAt(Cursor.top({ schema }))),
  ]
  const byId = new Map<string, JsonObject>()
  const others: JsonObject[] = []
  for (const each of found.filter(isObject).slice(0, maxShown)) {
    const record = Object.fromEntries(Object.entries(each).filter(([name]) => recordModel.properties.has(name)))
    const id = idOf(model, record)
    if (isId(id)) byId.set(String(id), { ...record, ...byId.get(String(id)) })
    else if (Object.keys(record).length > 0) others.push(record)
  }
  // A schema of which an example has nothing would show it as an empty object.
  const views = recordModel.schemas.map((schema) => [...propertiesOf(schema).keys()]).filter(({ length }) => length > 0)
  const isSeen = (record: JsonObject): boolean =>
    views.every((names) => names.some((name) => Object.hasOwn(record, name)))
  const known = [...byId.values()].filter(isSeen)
  for (const record of others) {
    const isPart = (whole: JsonObject): boolean =>
      Object.entries(record).every(([name, value]) => isEqual(value, whole[name]))
    if (isSeen(record) && !known.some(isPart)) known.push(record)
  }
  return known
}

function bodyOf({ recordModel }: CollectionModel, contents: readonly Content[]): RecordBody | undefined {
  const json = jsonContentOf(contents)
  return json && findRecordBody(json.schema, (schema) => countShared(schema, recordModel.properties))
}

/** Lists the records in the examples of a body. @param at - The Request Body or the Response that has the contents. */
function examplesOf(model: CollectionModel, contents: readonly Content[], at: JsonObject) {
  const body = bodyOf(model, contents)
  return body ? examplesIn(at).flatMap((example) => [body.fromBody(example)].filter(isObject)) : []
}

export function sentExamples({ model, operations }: Collection): readonly JsonObject[] {
  const create = operations.get('create')
  return examplesOf(model, create?.requestBody?.contents ?? [], objectAt(create?.described, 'requestBody'))
}

/** Lists the properties of a record without which none can be created. */
export const sentAlways = onceForObject(({ model, operations }: Collection): readonly string[] => {
  const body = bodyOf(model, operations.get('create')?.requestBody?.contents ?? [])
  const required = [...(objectSchema(body?.schema ?? {})?.required ?? [])]
  return required.filter((name) => model.recordModel.properties.has(name))
})
