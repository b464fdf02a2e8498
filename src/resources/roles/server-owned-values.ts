/** Finds the values of server-owned properties in a record that a client creates. */
import { findKeyword, isMarked } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { once } from '../../once.js'
import type { CollectionModel, ShownRecord } from '../infer/collection-model.js'
import { generateProperty } from '../infer/record-model.js'
import {
  createSentValueCompletions,
  exampleOf,
  createObjectCompletion,
  nullOrEmptyList,
  statedValue,
} from './complete-value.js'
import { freshValue, type MakeValue } from './fresh-values.js'
import type { RequestRecord } from './match-request-body.js'

/** The values of the properties that a client leaves out. */
export interface ServerOwnedValues {
  filled(): readonly string[]
  complete(record: JsonObject, now: string): JsonObject
}

/**
 * Finds the value of each property that the server owns, and of each property that a record requires and a client may leave out. The value is
 * a valid `default` or `const`, that of a fresh record, or else that of a mocked response.
 *
 * @param created - The create operation. Its example takes precedence.
 */
export function createServerOwnedValues(
  model: CollectionModel,
  request: RequestRecord,
  created: ShownRecord,
): ServerOwnedValues {
  const { idProperty, recordModel, parents } = model
  const values = new Map<string, MakeValue>()
  const fromExample = new Map<string, () => unknown>()
  const examples = [created, ...model.shown]
  const completions = createSentValueCompletions(model, request, { examples, isMerged: false })
  for (const [name, schema] of recordModel.properties) {
    const isParent = parents.some(({ property }) => property === name)
    if (name === idProperty || isParent || isMarked(schema, 'writeOnly')) continue
    const isRequired = recordModel.required.has(name)
    const sent = request.serverOwned.has(name) ? undefined : request.schema.properties.get(name)
    const stated = statedValue([request.schema.properties.get(name), schema])
    // Of an optional property, found on the first use: a validation takes long.
    const isValid = once(() => stated !== undefined && model.contract.validate(schema, stated()).length === 0)
    if (stated && (!isRequired || isValid())) values.set(name, () => (isValid() ? stated() : undefined))
    // A client may leave it out, and the record need not have it.
    else if (sent && (!isRequired || request.schema.required.has(name))) continue
    else {
      // Found on the first use, where the record can do without it: the validation of examples takes long.
      const example = once(() => {
        const shown = exampleOf(examples, name)
        if (shown !== undefined) return shown
        const otherwise = (): unknown => nullOrEmptyList(schema) ?? generateProperty(model, name)
        return ownExample(model, schema) ?? (isRequired ? otherwise() : undefined)
      })
      const fresh = freshValue(name, schema, example)
      values.set(name, fresh ?? example)
      if (fresh) continue
      fromExample.set(name, example)
    }
  }
  return {
    filled: () => [...fromExample].filter(([, example]) => example() !== undefined).map(([name]) => name),
    complete: createObjectCompletion(values, completions),
  }
}

/** Returns the example of an optional property, which a minimal record lacks. Undefined if there is none, or it is invalid. */
function ownExample({ contract }: CollectionModel, schema: JsonObject): unknown {
  const listed = findKeyword(schema, 'examples')
  const examples = [findKeyword(schema, 'example'), ...(Array.isArray(listed) ? (listed as unknown[]) : [])]
  return examples.find((example) => example !== undefined && contract.validate(schema, example).length === 0)
}
