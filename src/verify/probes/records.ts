import { isObject } from '../../documents/object.js'
import { withQuery } from '../../pull/requests.js'
import type { RoleName } from '../../resources/explanation.js'
import { bodyParts, type ProbeContext, type ProbeKind } from '../probe-context.js'
import type { Probe, ProbedOperation, ProbeStep } from '../probe.js'
import { createdIdPlaceholder, probeOf, skippedProbe, stepOf } from '../probe.js'
import { operationCursor, responseKeyPath, responsePath } from '../spec-places.js'

/** Names the operations that may change the service and are not permitted, so that the report contains them. */
export const unpermittedChanges: ProbeKind = ({ operations }) =>
  operations
    .filter(({ isPermitted }) => !isPermitted)
    .map((probed) => {
      const { id } = probed.operation
      const reason = `it may change the service, which --may ${id} permits`
      return skippedProbe(probed, 'all-probes', `what ${id} does, and what it refuses`, reason)
    })

const permitted = ({ operations }: ProbeContext, ...roles: readonly string[]): readonly ProbedOperation[] =>
  operations.filter(({ decision, isPermitted }) => isPermitted && roles.includes(decision.role))

/** Creates the request that each permitted operation creates a record with. Without a step: no valid body is known. */
export const creationSteps = (
  context: ProbeContext,
): readonly { readonly probed: ProbedOperation; readonly step: ProbeStep | undefined }[] =>
  permitted(context, 'create').map((probed) => {
    const { operation, path, query } = probed
    const body = context.validBody(probed)
    const tests = responseKeyPath(context.contract, operation, operation.successStatus)
    const step = { ...stepOf(probed, withQuery(path, query), tests), ...bodyParts(probed, body), isCreation: true }
    return { probed, step: isObject(body) ? step : undefined }
  })

/** Creates a record with each permitted operation. The probe removes the record at its end. */
export const creations: ProbeKind = (context) =>
  creationSteps(context).map(({ probed, step }) => {
    if (!step) return skippedProbe(probed, 'creates', 'a record is created', 'no valid body can be made for it')
    const title = 'a record is created, read, changed and removed'
    return probeOf(probed, 'creates', title, step, ...stepsAfterCreation(context, probed))
  })

/** The requests after a creation: read, list, change, read, remove, remove again, list. */
function stepsAfterCreation(context: ProbeContext, created: ProbedOperation): readonly ProbeStep[] {
  const item = (role: RoleName, status?: number): readonly ProbeStep[] => {
    const probed = context.sibling(created, role)
    if (!probed?.isPermitted) return []
    const { operation } = probed
    const isChange = role === 'update' || role === 'replace'
    const body = isChange ? context.validBody(probed) : undefined
    if (isChange && body === undefined) return []
    const id = encodeURIComponent(createdIdPlaceholder)
    const target = context.itemTarget(probed, createdIdPlaceholder).replace(id, createdIdPlaceholder)
    const tests = responsePath(context.contract, operation, status ?? operation.successStatus)
    return [{ ...stepOf(probed, target, tests), ...bodyParts(probed, body) }]
  }
  const list = context.sibling(created, 'list')
  const listing = list
    ? context.listAll(list, responsePath(context.contract, list.operation, 200), context.callers[0])
    : []
  return [
    ...item('read'),
    ...listing,
    ...item('update'),
    ...item('replace'),
    ...item('read'),
    ...item('remove'),
    ...item('remove', 404),
    ...listing,
  ]
}

export const recordChanges: ProbeKind = (context) =>
  permitted(context, 'update', 'replace').flatMap((probed) => {
    const { operation } = probed
    const body = context.validBody(probed)
    const tests = responseKeyPath(context.contract, operation, operation.successStatus)
    const ids = body === undefined ? [] : (context.permissions.get(operation.id) ?? [])
    return ids.map((id, index) => {
      const step = { ...stepOf(probed, context.itemTarget(probed, id), tests), ...bodyParts(probed, body) }
      return probeOf(probed, `changes-${index + 1}`, `${id} is changed`, step)
    })
  })

/** Removes each named record as a caller without access, then as a caller with access, then once more. */
export const recordRemovals: ProbeKind = (context) =>
  permitted(context, 'remove').flatMap((probed) => {
    const { id: operation } = probed.operation
    const ids = context.permissions.get(operation) ?? []
    if (ids.length > 0) return ids.map((id, index) => removalOf(context, probed, id, index))
    const reason = `it needs a record that may be removed: --may ${operation}=<id>`
    return [skippedProbe(probed, 'removes', 'a record is removed', reason)]
  })

function removalOf(context: ProbeContext, probed: ProbedOperation, id: string, index: number): Probe {
  const { callers, contract } = context
  const { collection, operation } = probed
  const seenBy = context.recordsOf(collection).find((each) => each.id === id)?.seenBy ?? []
  const owner = operation.secured ? (seenBy[0] ?? callers[0]) : undefined
  const stranger = operation.secured ? callers.find((name) => !seenBy.includes(name)) : undefined
  const missing = responsePath(contract, operation, 404)
  const removing = (caller: string | undefined, tests: ProbeStep['tests']): ProbeStep => ({
    ...stepOf(probed, context.itemTarget(probed, id), tests),
    credential: context.credentialOf(operation, caller),
  })
  const whole = operationCursor(contract, operation).path
  // The description of the operation says that the record is removed. Only its effect on other callers is an assumption.
  const effect = [...whole, 'description']
  return probeOf(
    probed,
    `removes-${index + 1}`,
    `${id} is removed once, for every caller${stranger === undefined ? '' : `, and not by ${stranger}`}`,
    ...(stranger === undefined ? [] : [removing(stranger, missing), ...context.listAll(probed, missing, owner)]),
    removing(owner, responseKeyPath(contract, operation, operation.successStatus)),
    ...context.listAll(probed, effect, owner),
    ...seenBy.slice(1).flatMap((caller) => context.listAll(probed, whole, caller)),
    removing(owner, missing),
  )
}
