/** Creates records, reads, lists and changes them, and removes them again. */
import type { Json } from '../../contract/contract.js'
import { isObject } from '../../documents/object.js'
import type { RoleName } from '../../resources/explanation.js'
import { wholeQuery, withQuery } from '../listing-queries.js'
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import { createdIdPlaceholder } from '../probe.js'
import type { ProbeStep } from '../probe.js'
import { bodyParts, validBody } from '../request-bodies.js'
import { responsePath, responseKeyPath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'
import { isChange } from './record-changes.js'

/** Creates a record with each permitted operation. The probe removes the record at its end. */
export const creations: ProbeKind = (context) =>
  permittedCreations(context).map((probed) => {
    const { operation } = probed
    const name = `${operation.id}:creates`
    const body = validBody(context, probed)
    if (!isObject(body))
      return {
        name,
        title: 'a record is created',
        operation: operation.id,
        steps: [],
        skipped: 'no valid body can be made for it',
      }
    const steps = [createStep(context, probed, body), ...lifeOf(context, probed)]
    return { name, title: 'a record is created, read, changed and removed', operation: operation.id, steps }
  })

/** Returns the permitted operations that create records. */
export const permittedCreations = ({ operations, permissions }: ProbeContext): readonly ProbedOperation[] =>
  operations.filter(({ decision, operation }) => decision.role === 'create' && permissions.allows(operation.id))

/** Creates the request that creates a record. */
export function createStep({ contract }: ProbeContext, probed: ProbedOperation, body: Json): ProbeStep {
  const { credential, operation, path, query } = probed
  return {
    method: operation.method,
    target: withQuery(path, query),
    operation,
    credential,
    ...bodyParts(probed, body),
    tests: responseKeyPath(contract, operation, operation.successStatus),
    isCreation: true,
  }
}

/** The requests after a creation: read, list, change, read, remove, remove again, list. */
function lifeOf(context: ProbeContext, { collection }: ProbedOperation): readonly ProbeStep[] {
  const find = (role: RoleName): ProbedOperation | undefined =>
    context.operations.find((each) => each.collection === collection && each.decision.role === role)
  const item = (probed: ProbedOperation | undefined, status?: number): readonly ProbeStep[] => {
    if (!probed || (!probed.isSafe && !context.permissions.allows(probed.operation.id))) return []
    const { operation } = probed
    const body = isChange(probed.decision.role) ? validBody(context, probed) : undefined
    if (isChange(probed.decision.role) && body === undefined) return []
    return [
      {
        method: operation.method,
        target: context
          .itemTarget(probed, createdIdPlaceholder)
          .replace(encodeURIComponent(createdIdPlaceholder), createdIdPlaceholder),
        operation,
        credential: probed.credential,
        ...bodyParts(probed, body),
        tests: responsePath(context.contract, operation, status ?? operation.successStatus),
      },
    ]
  }
  const list = find('list')
  const listing: readonly ProbeStep[] = list
    ? [
        {
          method: 'GET',
          target: withQuery(list.path, wholeQuery(context, list)),
          operation: list.operation,
          credential: list.credential,
          tests: responsePath(context.contract, list.operation, 200),
        },
      ]
    : []
  const read = item(find('read'))
  return [
    ...read,
    ...listing,
    ...item(find('update')),
    ...item(find('replace')),
    ...read,
    ...item(find('remove')),
    ...item(find('remove'), 404),
    ...listing,
  ]
}
