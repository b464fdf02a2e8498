/** Reads the records that the examples of a contract show: those of listings, reads and creates, requests and responses. */
import type { Operation } from '../../contract/contract.js'
import { Cursor, examplesAt } from '../../contract/references.js'
import type { JsonObject } from '../../documents/object.js'
import { isObject, objectAt } from '../../documents/object.js'
import { countShared, findRecordBody } from '../infer/record-body.js'
import { jsonContentOf } from '../infer/success-response.js'
import { isEqual } from '../json.js'
import type { Collection } from '../resources.js'

const maxShown = 100

/** Lists the records, each id once. A record without an id is new. Their values are not validated. */
export function shownRecords({ model, operations }: Collection): readonly JsonObject[] {
  const { idProperty, recordModel, shown } = model
  const found = [
    ...shown.flatMap(({ operation, recordsIn, status }) =>
      bodiesIn(objectAt(objectAt(operation.described, 'responses'), status)).flatMap((body) => recordsIn(body)),
    ),
    ...createdRecords(operations.get('create'), recordModel.properties),
    ...recordModel.schemas.flatMap((schema) => examplesAt(Cursor.top({ schema }))),
  ]
  const byId = new Map<string, JsonObject>()
  const others: JsonObject[] = []
  for (const each of found.filter(isObject).slice(0, maxShown)) {
    const record = Object.fromEntries(Object.entries(each).filter(([name]) => recordModel.properties.has(name)))
    const id = record[idProperty]
    if (Object.keys(record).length === 0) continue
    if (typeof id !== 'string' && typeof id !== 'number') others.push(record)
    else byId.set(String(id), { ...record, ...byId.get(String(id)) })
  }
  const known = [...byId.values()]
  const isPartOf = (one: JsonObject, other: JsonObject): boolean =>
    Object.entries(one).every(([name, value]) => isEqual(value, other[name]))
  for (const record of others) if (!known.some((other) => isPartOf(record, other))) known.push(record)
  return known
}

function createdRecords(
  create: Operation | undefined,
  properties: ReadonlyMap<string, JsonObject>,
): readonly unknown[] {
  if (!create) return []
  const { requestBody, responses } = create
  const described = objectAt(create.described, 'responses')
  const parts = [
    ...responses
      .filter(({ status }) => status.startsWith('2'))
      .map(({ contents, status }) => ({ contents, at: objectAt(described, status) })),
    { contents: requestBody?.contents ?? [], at: objectAt(create.described, 'requestBody') },
  ]
  return parts.flatMap(({ at, contents }) => {
    const json = jsonContentOf(contents)
    const body = json && findRecordBody(json.schema, (schema) => countShared(schema, properties))
    return body ? bodiesIn(at).flatMap((each) => body.fromBody(each) ?? []) : []
  })
}

/** Lists the examples of the JSON bodies of a response or a request. */
const bodiesIn = (described: JsonObject): readonly unknown[] =>
  Object.entries(objectAt(described, 'content'))
    .filter(([mediaType]) => /json|\*/u.test(mediaType))
    .flatMap(([, content]) => examplesAt(Cursor.top(content)))
