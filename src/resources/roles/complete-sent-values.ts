/** Completes the values that a client sends: adds properties that a record requires and the request does not. */
import type { CollectionModel, ShownRecord } from '../infer/collection-model.js'
import { isMarked } from '../schema/object-schema.js'
import type { CompleteValue } from './complete-value.js'
import { createCompletion } from './complete-value.js'
import type { RequestRecord } from './match-request-body.js'

/**
 * Creates the functions that complete the properties of a request, by name.
 *
 * @param options.isMerged - True if the values are merged into those of the record.
 * @returns Or the reason why the values of missing properties are not known, as a clause.
 */
export function createSentValueCompletions(
  model: CollectionModel,
  request: RequestRecord,
  { examples, isMerged }: { readonly examples: readonly ShownRecord[]; readonly isMerged: boolean },
): ReadonlyMap<string, CompleteValue> | string {
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
    if (typeof completion === 'string') return `its request body differs from the record: ${completion}`
    if (completion) completions.set(name, completion)
  }
  return completions
}

/** Returns the value of a property in the first example of a record that has it. Undefined: none has it. */
export function exampleOf({ contract }: CollectionModel, shown: readonly ShownRecord[], name: string): unknown {
  for (const { fromBody, operation, status } of shown) {
    const record = fromBody(contract.example(operation, status))
    if (record && Object.hasOwn(record, name)) return record[name]
  }
  return undefined
}
