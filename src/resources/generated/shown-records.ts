import { Cursor, examplesAt } from '../../contract/references.js'
import { type JsonObject, isObject, objectAt } from '../../documents/object.js'
import { isId } from '../ids.js'
import { idOf } from '../infer/id-property.js'
import { countShared, findRecordBody } from '../infer/record-body.js'
import { jsonContentOf } from '../infer/success-response.js'
import { isEqual } from '../json.js'
import type { Collection } from '../resources.js'

const maxShown = 100

/**
 * Lists the records that the examples of a contract show: those of listings, reads and creates, requests and responses; each id once.
 * A record without an id is new. Their values are not validated.
 */
export function shownRecords({ model, operations }: Collection): readonly JsonObject[] {
  const { recordModel, shown } = model
  const create = operations.get('create')
  const created = [...(create?.responses ?? []).filter(({ status }) => status.startsWith('2')), create?.requestBody]
  const found = [
    ...shown.flatMap(({ operation, recordsIn, status }) =>
      bodiesIn(objectAt(objectAt(operation.described, 'responses'), status)).flatMap((body) => recordsIn(body)),
    ),
    ...created.flatMap((each) => {
      const json = jsonContentOf(each?.contents ?? [])
      const body = json && findRecordBody(json.schema, (schema) => countShared(schema, recordModel.properties))
      const described = objectAt(create?.described ?? {}, each && 'status' in each ? 'responses' : 'requestBody')
      const at = each && 'status' in each ? objectAt(described, each.status) : described
      return body ? bodiesIn(at).flatMap((example) => body.fromBody(example) ?? []) : []
    }),
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
  const known = [...byId.values()]
  for (const record of others) {
    const isPart = (whole: JsonObject): boolean =>
      Object.entries(record).every(([name, value]) => isEqual(value, whole[name]))
    if (!known.some(isPart)) known.push(record)
  }
  return known
}

/** Lists the examples of the JSON bodies of a response or a request. */
const bodiesIn = (described: JsonObject): readonly unknown[] =>
  Object.entries(objectAt(described, 'content'))
    .filter(([mediaType]) => /json|\*/u.test(mediaType))
    .flatMap(([, content]) => examplesAt(Cursor.top(content)))
