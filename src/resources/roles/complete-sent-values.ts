/** Completes the values that a client sends: adds properties that a record requires and the request does not. */
import { isMarked } from '../../contract/schemas/read-schema.js'
import type { CollectionModel, ShownRecord } from '../infer/collection-model.js'
import type { CompleteValue, MissingValues } from './complete-value.js'
import { createCompletion } from './complete-value.js'
import type { RequestRecord } from './match-request-body.js'

/**
 * Creates the functions that complete the properties of a request, by name.
 *
 * @param options.isMerged - True if the values are merged into those of the record.
 * @returns Or the properties inside of the values that are not known.
 */
export function createSentValueCompletions(
  model: CollectionModel,
  request: RequestRecord,
  { examples, isMerged }: { readonly examples: readonly ShownRecord[]; readonly isMerged: boolean },
): ReadonlyMap<string, CompleteValue> | MissingValues {
  const missing: string[] = []
  const completions = new Map<string, CompleteValue>()
  for (const [name, stored] of model.recordModel.properties) {
    const sent = request.serverOwned.has(name) ? undefined : request.schema.properties.get(name)
    if (!sent || name === model.idProperty || isMarked(stored, 'writeOnly')) continue
    const completion = createCompletion({
      sent,
      stored,
      isMerged,
      example: () => exampleOf(model, examples, name),
      generate: (schema) => model.contract.generate(schema),
      path: name,
    })
    if (typeof completion === 'object') missing.push(...completion.missing)
    else if (completion) completions.set(name, completion)
  }
  return missing.length > 0 ? { missing } : completions
}

/** Returns the value of a property in the first example of a record that has it. Undefined: none has it. */
export function exampleOf({ contract }: CollectionModel, shown: readonly ShownRecord[], name: string): unknown {
  for (const { fromBody, operation, status } of shown) {
    const record = fromBody(contract.example(operation, status))
    if (record && Object.hasOwn(record, name)) return record[name]
  }
  return undefined
}
