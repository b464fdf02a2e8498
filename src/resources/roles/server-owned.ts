/** Values of server-owned properties in a record that a client creates. */
import type { JsonObject } from '../../documents/object.js'
import type { CollectionModel, ShownRecord } from '../infer/collection-model.js'
import { scalarType } from '../schema/compare-schemas.js'
import { isMarked, isNullable, itemsOf, findKeyword } from '../schema/object-schema.js'
import type { RequestRecord } from './request-record.js'

/** Fills a record. */
export interface ServerOwnedValues {
  /** Properties that are filled from an example. */
  readonly filled: readonly string[]
  /** Adds the properties that the client left out. */
  complete(record: JsonObject, now: string): JsonObject
}

type Value = (now: string) => unknown

/**
 * Finds the value of each property that the server owns: `default`, `const`, the present time, else what a mocked response
 * would have. Where a client may leave out what a record requires, `default` and `const` hold too.
 *
 * @param created - The create operation, whose example counts first.
 * @returns The reason why it cannot be known, as a clause.
 */
export function createServerOwnedValues(
  model: CollectionModel,
  request: RequestRecord,
  created: ShownRecord | undefined,
): ServerOwnedValues | string {
  const { idProperty, recordModel, parents } = model
  const values = new Map<string, Value>()
  const filled: string[] = []
  const examples = created ? [created, ...model.shown] : model.shown
  for (const [name, schema] of recordModel.properties) {
    const isParent = parents.some(({ property }) => property === name)
    if (name === idProperty || isParent || isMarked(schema, 'writeOnly')) continue
    const isRequired = recordModel.required.has(name)
    const stated = statedValue([request.schema.properties.get(name), schema])
    if (stated) values.set(name, stated)
    else if (!request.serverOwned.has(name)) {
      if (isRequired && !request.schema.required.has(name))
        return `the record requires ${name}, and the request does not`
    } else if (isDateTime(schema)) values.set(name, (now) => now)
    else {
      const example = exampleOf(model, examples, name)
      const empty = isNullable(schema) ? null : itemsOf(schema) ? [] : undefined
      const value = example === undefined && isRequired ? empty : example
      if (value === undefined && isRequired)
        return `the record requires ${name}, which is the server's, and nothing says what it is`
      if (value === undefined) continue
      values.set(name, () => value)
      if (example !== undefined) filled.push(name)
    }
  }
  return {
    filled,
    complete: (record, now) => {
      const missing = [...values].filter(([name]) => !Object.hasOwn(record, name))
      return { ...record, ...Object.fromEntries(missing.map(([name, value]) => [name, value(now)])) }
    },
  }
}

function statedValue(schemas: readonly (JsonObject | undefined)[]): Value | undefined {
  for (const name of ['default', 'const'])
    for (const schema of schemas) {
      const value = schema && findKeyword(schema, name)
      if (value !== undefined) return () => value
    }
  return undefined
}

/** A date-time that must not be null is filled with the present time. One that may be null means an event that has not happened. */
const isDateTime = (schema: JsonObject): boolean =>
  scalarType(schema) === 'string' && findKeyword(schema, 'format') === 'date-time' && !isNullable(schema)

function exampleOf({ contract }: CollectionModel, shown: readonly ShownRecord[], name: string): unknown {
  for (const { fromBody, operation, status } of shown) {
    const record = fromBody(contract.example(operation, status))
    if (record && Object.hasOwn(record, name)) return record[name]
  }
  return undefined
}
