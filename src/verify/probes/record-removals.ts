/** Removes the records that `--may` names. */
import { wholeQuery, withQuery } from '../listing-queries.js'
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import type { Probe, ProbeStep } from '../probe.js'
import { operationCursor, responsePath, responseKeyPath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Removes each named record as a caller without access, then as a caller with access, then once more. */
export const recordRemovals: ProbeKind = (context) =>
  context.operations
    .filter(({ decision, operation }) => decision.role === 'remove' && context.permissions.allows(operation.id))
    .flatMap((probed) => {
      const ids = context.permissions.idsOf(probed.operation.id)
      if (ids.length > 0) return ids.map((id, index) => permittedRemoval(context, probed, id, index))
      const { operation } = probed
      const skipped = `it needs a record that may be removed: --may ${operation.id}=<id>`
      return [
        { name: `${operation.id}:removes`, title: 'a record is removed', operation: operation.id, steps: [], skipped },
      ]
    })

function permittedRemoval(context: ProbeContext, probed: ProbedOperation, id: string, index: number): Probe {
  const { callers, contract, credentialOf, operations, recordsOf } = context
  const { collection, operation } = probed
  const record = collection && recordsOf(collection).find((each) => each.id === id)
  const seenBy = record?.seenBy ?? []
  const owner = operation.secured ? (seenBy[0] ?? callers[0]) : undefined
  const stranger = operation.secured ? callers.find((name) => !seenBy.includes(name)) : undefined
  const list = operations.find((each) => each.collection === collection && each.decision.role === 'list')
  const missing = responsePath(contract, operation, 404)
  const removing = (caller: string | undefined, tests: ProbeStep['tests']): ProbeStep => ({
    method: operation.method,
    target: context.itemTarget(probed, id),
    operation,
    credential: credentialOf(operation, caller),
    tests,
  })
  const listing = (caller: string | undefined, tests: ProbeStep['tests']): readonly ProbeStep[] =>
    list
      ? [
          {
            method: 'GET',
            target: withQuery(list.path, wholeQuery(context, list)),
            operation: list.operation,
            credential: credentialOf(list.operation, caller),
            tests,
          },
        ]
      : []
  const whole = operationCursor(contract, operation).path
  // The description of the operation says that the record is removed. Only its effect on other callers is an assumption.
  const effect = [...whole, 'description']
  return {
    name: `${operation.id}:removes-${index + 1}`,
    title: `${id} is removed once, for every caller${stranger === undefined ? '' : `, and not by ${stranger}`}`,
    operation: operation.id,
    steps: [
      ...(stranger === undefined ? [] : [removing(stranger, missing), ...listing(owner, missing)]),
      removing(owner, responseKeyPath(contract, operation, operation.successStatus)),
      ...listing(owner, effect),
      ...seenBy.slice(1).flatMap((caller) => listing(caller, whole)),
      removing(owner, missing),
    ],
  }
}
