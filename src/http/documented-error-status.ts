/** Finds the documented status of an error. */
import { documentedResponse } from '../contract/contract.js'
import type { Operation } from '../contract/contract.js'
import type { DoubleError } from '../http-errors.js'

/** Statuses with the same meaning, the preferred one first. */
const alternatives: ReadonlyMap<number, readonly number[]> = new Map([
  [400, [400, 422]],
  [413, [413, 400]],
  [415, [415, 400]],
  [409, [409]],
  [404, [404]],
])

/** Finds the status that an operation documents for an error. @returns The error's own status if there is none. */
export function documentedErrorStatus(operation: Operation, { status }: DoubleError): number {
  return (
    alternatives.get(status)?.find((alternative) => documentedResponse(operation, alternative) !== undefined) ?? status
  )
}
