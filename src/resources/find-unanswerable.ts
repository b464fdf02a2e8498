/** Finds the operations that nothing can answer: neither a role, nor an example, nor a generated value. */
import type { Contract, Operation, ReportProgress } from '../contract/contract.js'
import { type Problem, problemAt } from '../documents/problem.js'
import { onceFor, onceForObject } from '../once.js'
import type { Service } from './load-service.js'
import type { Resources } from './resources.js'
import type { StatefulDecision } from './roles/role.js'

/** The maximum number of operations that the start checks. The check of a thousand takes half a minute. */
const maxTriedAtStart = 250

/**
 * Returns the contract of a service with a diagnostic for each operation that nothing can answer.
 *
 * @param options.isWhole - True to check the operations of a large contract too. Else their first request shows whether they can be answered.
 */
export async function withUnanswerable(
  service: Service,
  { isWhole, onProgress }: { readonly isWhole: boolean; readonly onProgress?: ReportProgress | undefined },
): Promise<Contract> {
  const { contract, userHandlers } = service
  const { operations } = contract
  if (!isWhole && operations.length > maxTriedAtStart) return contract
  const found: Problem[] = []
  for (const [index, operation] of operations.entries()) {
    if (userHandlers?.byOperation.has(operation.id)) continue
    onProgress?.(`trying the responses of ${index + 1} of ${operations.length} operations`)
    const wrong = await problemsIn(service.resources)(operation)
    if (wrong === undefined) continue
    const isList = service.resources.decisions.get(operation)?.role === 'list'
    const when = isList ? ' while it has no record' : ''
    const what = `operation ${operation.id} can only be answered with 500${when}: ${wrong.replace(/\.$/u, '')}`
    found.push(problemAt(contract, operation.at, what, 'correct its schema or example', 'key'))
  }
  return found.length === 0 ? contract : { ...contract, diagnostics: [...contract.diagnostics, ...found] }
}

/** Finds the problem of each operation once. Doubles of one process share the resources of a spec. */
const problemsIn = onceForObject(({ contract, decisions }: Resources) =>
  onceFor(async (operation: Operation) => {
    const decision = decisions.get(operation)
    if (!decision || decision.role === 'mocked') return contract.findMockProblem(operation)
    return leastProblem(contract, decision)
  }),
)

const empty = { description: undefined, callers: [], origin: undefined, collections: new Map() }

/** Returns the violation of an empty list, the smallest response of a listing. */
function leastProblem(contract: Contract, { handler, operation, role }: StatefulDecision): string | undefined {
  if (role !== 'list') return undefined
  const context = { clock: { now: new Date().toISOString() }, url: 'http://localhost/' }
  const outcome = handler(empty, undefined, { path: {}, query: {} }, context)
  if ('error' in outcome) return undefined
  const { body, headers, mediaType = '', status } = outcome
  const violations = contract.checkResponse(operation, { status, headers, mediaType, body })
  return violations.find(({ severity }) => severity === 'Error')?.message
}
