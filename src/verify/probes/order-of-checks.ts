/** Sends requests with two errors, to find the order of checks: the first check reports its error. */
import { withQuery } from '../listing-queries.js'
import type { ProbeContext, ProbedOperation } from '../probe-context.js'
import type { Credential, Probe, ProbeStep } from '../probe.js'
import type { ProbeKind } from './probe-kind.js'

const withoutCredential: Credential = () => ({ headers: {}, query: {} })

/** Sends requests with two errors. They test the root of the spec, which states the order of checks. */
export const orderOfChecks: ProbeKind = (context) => {
  const { operations } = context
  const secured = operations.filter(({ operation }) => operation.secured)
  const [first] = secured
  if (!first) return []
  const probe = (
    name: string,
    title: string,
    baseline: string,
    request: Pick<ProbeStep, 'method' | 'target' | 'operation'>,
    probed?: ProbedOperation,
  ): Probe => ({
    name: `${probed?.operation.id ?? 'service'}:order-${name}`,
    title,
    operation: probed?.operation.id,
    baseline,
    steps: [{ ...request, credential: withoutCredential, tests: [], isRepeatable: true }],
  })
  const unknownPath = { method: 'GET', target: '/no-such-path-of-the-contract', operation: undefined }
  return [
    probe(
      'path-before-credential',
      'an unknown path is reported before a missing credential',
      'service:unknown-path',
      unknownPath,
    ),
    ...methodBeforeCredential(context).map((request) =>
      probe(
        'method-before-credential',
        'a method that is not allowed is reported before a missing credential',
        'service:method-GET-not-allowed',
        request,
      ),
    ),
    ...secured.flatMap((probed) => {
      const bad = badRequest(context, probed)
      return bad
        ? [
            probe(
              'credential-before-request',
              'a missing credential is reported before an invalid request',
              `${probed.operation.id}:credential-missing`,
              bad,
              probed,
            ),
          ]
        : []
    }),
  ]
}

/** Creates a GET request to a path that has no GET. */
export function methodBeforeCredential(
  context: ProbeContext,
): readonly Pick<ProbeStep, 'method' | 'target' | 'operation'>[] {
  const { operations } = context
  const without = operations.find(
    ({ collection, operation }) =>
      collection &&
      !operations.some((each) => each.operation.path === operation.path && each.operation.method === 'GET'),
  )
  const id = without && context.madeUpId(without)
  if (!without || id === undefined) return []
  return [{ method: 'GET', target: context.itemTarget(without, id), operation: undefined }]
}

/** Creates a request that breaks the contract, to a permitted operation. */
function badRequest(
  context: ProbeContext,
  probed: ProbedOperation,
): Pick<ProbeStep, 'method' | 'target' | 'operation'> | undefined {
  const { decision, isSafe, operation, path } = probed
  if (!isSafe && !context.permissions.allows(operation.id)) return undefined
  const { method } = operation
  if (decision.role === 'list') {
    const integer = operation.parameters.find(
      ({ in: place, schema }) =>
        place === 'query' && (schema as { readonly type?: unknown } | undefined)?.type === 'integer',
    )
    return integer && { method, operation, target: withQuery(path, `${encodeURIComponent(integer.name)}=abc`) }
  }
  if (decision.role === 'mocked' || decision.role === 'create') return undefined
  const [id] = context.malformedIds(probed)
  return id === undefined ? undefined : { method, operation, target: context.itemTarget(probed, id) }
}
