/** Creates the queries of requests to listings. */
import type { Contract, Operation } from '../contract/contract.js'
import type { Cursor } from '../contract/references.js'
import { pagingOf } from '../pull/read-listing.js'
import { parameterCursor } from '../pull/required-query.js'
import type { Decision } from '../resources/roles/role.js'
import type { ProbeContext, ProbedOperation } from './probe-context.js'

/** Adds queries to a path. Leaves out empty ones. */
export function withQuery(path: string, ...queries: readonly string[]): string {
  const query = queries.filter((part) => part !== '').join('&')
  return query === '' ? path : `${path}?${query}`
}

/** Finds the parameter that caps a listing. */
export function capOf(contract: Contract, operation: Operation, decision: Decision): Cursor | undefined {
  const cap = decision.role === 'mocked' ? undefined : pagingOf(decision).cap
  return cap && parameterCursor(contract, operation, cap)
}

/** Returns the query that lists the most records. */
export const wholeQuery = (context: ProbeContext, { collection, query }: ProbedOperation): string =>
  (collection && context.listingOf(collection)?.query) ?? query
