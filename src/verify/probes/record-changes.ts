/** Changes the records that `--may` names. */
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import type { Probe } from '../probe.js'
import { bodyParts, validBody } from '../request-bodies.js'
import { responseKeyPath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends a valid body to each permitted operation that changes a record, for each record that is named. */
export const recordChanges: ProbeKind = (context) =>
  context.operations
    .filter(({ decision, operation }) => isChange(decision.role) && context.permissions.allows(operation.id))
    .flatMap((probed) => changesOf(context, probed))

/** Tells whether a role changes a record. */
export const isChange = (role: string): boolean => role === 'update' || role === 'replace'

function changesOf(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { operation } = probed
  const body = validBody(context, probed)
  if (body === undefined) return []
  return context.permissions.idsOf(operation.id).map((id, index) => ({
    name: `${operation.id}:changes-${index + 1}`,
    title: `${id} is changed`,
    operation: operation.id,
    steps: [
      {
        method: operation.method,
        target: context.itemTarget(probed, id),
        operation,
        credential: probed.credential,
        ...bodyParts(probed, body),
        tests: responseKeyPath(context.contract, operation, operation.successStatus),
      },
    ],
  }))
}
