/** Reports the unknown keys of a record in a document. */
import type { JsonObject } from '../../documents/object.js'
import type { Segment } from '../../documents/pointer.js'
import { suggest } from '../../nearest-name.js'
import type { Collection } from '../resources.js'
import type { ReportProblem } from './document-problem.js'
import { recordKeys } from './write-record.js'

interface KeysContext {
  readonly collection: Collection
  readonly callers: ReadonlySet<string>
  readonly isOwn: boolean
  readonly report: ReportProblem
}

/**
 * Tells whether records may have properties that the contract does not name: if it allows them, and an operation stores what a client sends.
 * Otherwise such a property is most likely a mistake.
 */
export const storesUnknown = ({ model, operations }: Collection): boolean =>
  !model.recordModel.closed && (['create', 'replace', 'update'] as const).some((role) => operations.has(role))

/** Reports properties that the contract does not name. */
export function refuseUnknownRecordKeys(record: JsonObject, path: readonly Segment[], context: KeysContext): void {
  const { collection, isOwn, report } = context
  const { recordModel } = collection.model
  const isOpen = storesUnknown(collection)
  for (const key of Object.keys(record)) {
    if (recordModel.properties.has(key) || (!recordModel.closed && recordModel.requestOnly.has(key))) continue
    if (key === 'access' && !isOwn && (!isOpen || namesCallers(record[key], context.callers)))
      report([...path, key], 'key "access" is not known', 'it is called $access now', 'key')
    else if (!isOpen || key.startsWith('$'))
      report(
        [...path, key],
        `key "${key}" is not known`,
        suggest(key, [...recordModel.properties.keys(), recordKeys[0]]),
        'key',
      )
  }
}

const namesCallers = (value: unknown, callers: ReadonlySet<string>): boolean =>
  Array.isArray(value) && (value as unknown[]).every((name) => typeof name === 'string' && callers.has(name))
