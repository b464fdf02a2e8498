/** The status of an error: the one that the contract documents for its kind. */
import type { Operation } from '../contract/contract.js'
import { documentedResponse } from '../contract/response-rules.js'
import type { DoubleError } from '../errors.js'

/** Statuses that say the same, the preferred one first. */
const kinds: ReadonlyMap<number, readonly number[]> = new Map([
  [400, [400, 422]],
  [413, [413, 400]],
  [415, [415, 400]],
  [409, [409]],
  [404, [404]],
])

/** Finds the status of an error of an operation. The error's own if none of its kind is documented. */
export function documentedStatus(operation: Operation, { status }: DoubleError): number {
  return kinds.get(status)?.find((each) => documentedResponse(operation, each) !== undefined) ?? status
}
