/** Sends ids that are unknown, malformed, or of another caller to operations on single records. */
import { parameterCursor } from '../../pull/required-query.js'
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import type { Probe, ProbeStep } from '../probe.js'
import { bodyParts, validBody } from '../request-bodies.js'
import { operationCursor, responsePath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends ids to operations on single records. Operations that are not safe get only made-up ids, and only if they are permitted. */
export const itemIds: ProbeKind = (context) =>
  context.operations
    .filter(({ decision, isSafe, operation }) => {
      const isItem = ['read', 'update', 'replace', 'remove'].includes(decision.role)
      return isItem && (isSafe || context.permissions.allows(operation.id))
    })
    .flatMap((probed) => [
      ...knownIds(context, probed),
      ...unknownIds(context, probed),
      ...malformedIds(context, probed),
    ])

function stepOf(context: ProbeContext, probed: ProbedOperation, id: string, tests: ProbeStep['tests']): ProbeStep {
  const { credential, operation } = probed
  return {
    method: operation.method,
    target: context.itemTarget(probed, id),
    operation,
    credential,
    tests,
    ...bodyParts(probed, validBody(context, probed)),
    isRepeatable: true,
  }
}

function knownIds(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { callers, contract, credentialOf, recordsOf } = context
  const { collection, decision, operation } = probed
  if (decision.role !== 'read' || !collection) return []
  const records = recordsOf(collection)
  const [caller] = callers
  const visible = records.find(({ seenBy }) => caller === undefined || seenBy.includes(caller))
  const foreign = operation.secured
    ? records.flatMap(({ id, seenBy }) => {
        const other = callers.find((name) => !seenBy.includes(name))
        return other === undefined || seenBy.length === 0 ? [] : [{ id, other }]
      })[0]
    : undefined
  return [
    ...(visible
      ? [
          {
            name: `${operation.id}:known-id`,
            title: 'a record is read by its id',
            operation: operation.id,
            steps: [stepOf(context, probed, visible.id, responsePath(contract, operation, 200))],
          },
        ]
      : []),
    ...(foreign
      ? [
          {
            name: `${operation.id}:foreign-id`,
            title: 'a record of another caller is not found',
            operation: operation.id,
            steps: [
              {
                ...stepOf(context, probed, foreign.id, responsePath(contract, operation, 404)),
                credential: credentialOf(operation, foreign.other),
              },
            ],
          },
        ]
      : []),
  ]
}

function unknownIds(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { operation } = probed
  const id = context.madeUpId(probed)
  if (id === undefined) return []
  const step = stepOf(context, probed, id, responsePath(context.contract, operation, 404))
  return [
    {
      name: `${operation.id}:unknown-id`,
      title: 'an unknown id is not found',
      operation: operation.id,
      steps: [step],
    },
  ]
}

function malformedIds(context: ProbeContext, probed: ProbedOperation): readonly Probe[] {
  const { contract } = context
  const { collection, operation } = probed
  const parameter = collection && parameterCursor(contract, operation, collection.model.parameter)
  const tests = (parameter?.at('schema') ?? operationCursor(contract, operation).at('parameters')).path
  return context.malformedIds(probed).map((id, index) => ({
    name: `${operation.id}:malformed-id-${index + 1}`,
    title: `an id that breaks the contract is refused: ${id.length > 20 ? `${id.slice(0, 8)}…` : id}`,
    operation: operation.id,
    steps: [
      {
        ...stepOf(context, probed, id, tests),
        parameter: {
          name: collection?.model.parameter.name ?? '',
          case: 'malformed-id',
          value: encodeURIComponent(id),
        },
      },
    ],
  }))
}
