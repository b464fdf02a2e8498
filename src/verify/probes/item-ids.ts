import { parameterCursor } from '../../pull/requests.js'
import { bodyParts, type ProbeContext, type ProbeKind } from '../probe-context.js'
import { type Probe, type ProbedOperation, probeOf, type ProbeStep, stepOf } from '../probe.js'
import { operationCursor, responsePath, type SpecPath } from '../spec-places.js'

/** Sends ids to operations on single records. Operations that are not safe get only made-up ids, and only if they are permitted. */
export const itemIds: ProbeKind = (context) =>
  context.operations
    .filter(({ decision, isPermitted }) => {
      return isPermitted && ['read', 'update', 'replace', 'remove'].includes(decision.role)
    })
    .flatMap((probed) => {
      const { contract } = context
      const { collection, decision, operation } = probed
      const step = (id: string, tests: SpecPath): ProbeStep => ({
        ...stepOf(probed, context.itemTarget(probed, id), tests),
        ...bodyParts(probed, context.validBody(probed)),
        isRepeatable: true,
      })
      const found = responsePath(contract, operation, 200)
      const missing = responsePath(contract, operation, 404)
      const [visible] = context.visibleTo(context.callers[0], collection)
      const foreign = foreignRecord(context, probed)
      const unknown = context.madeUpId(probed)
      const known: readonly (Probe | undefined)[] = [
        visible && probeOf(probed, 'known-id', 'a record is read by its id', step(visible.id, found)),
        foreign &&
          probeOf(probed, 'foreign-id', 'a record of another caller is not found', {
            ...step(foreign.id, missing),
            credential: context.credentialOf(operation, foreign.stranger),
          }),
      ]
      const parameter = collection?.model.parameter
      const place = parameter && parameterCursor(contract, operation, parameter)
      const tests = (place?.at('schema') ?? operationCursor(contract, operation).at('parameters')).path
      return [
        ...(decision.role === 'read' ? known.filter((probe) => probe !== undefined) : []),
        ...(unknown === undefined
          ? []
          : [probeOf(probed, 'unknown-id', 'an unknown id is not found', step(unknown, missing))]),
        ...context.malformedIds(probed).map((id, index) => {
          const title = `an id that breaks the contract is refused: ${id.length > 20 ? `${id.slice(0, 8)}…` : id}`
          const tested = { name: parameter?.name ?? '', case: 'malformed-id', value: encodeURIComponent(id) }
          return probeOf(probed, `malformed-id-${index + 1}`, title, { ...step(id, tests), parameter: tested })
        }),
      ]
    })

function foreignRecord(
  context: ProbeContext,
  { collection, operation }: ProbedOperation,
): { readonly id: string; readonly stranger: string } | undefined {
  if (!operation.secured) return undefined
  for (const { id, seenBy } of context.recordsOf(collection)) {
    const stranger = context.callers.find((name) => !seenBy.includes(name))
    if (stranger !== undefined && seenBy.length > 0) return { id, stranger }
  }
  return undefined
}
