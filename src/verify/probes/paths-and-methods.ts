/** Sends requests with paths and methods that the contract does not have, and HEAD and OPTIONS requests. */
import { withQuery } from '../listing-queries.js'
import type { Probe, ProbeStep } from '../probe.js'
import type { SpecPath } from '../spec-places.js'
import { methodBeforeCredential } from './order-of-checks.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends requests with paths and methods that the contract does not have, and HEAD and OPTIONS requests. */
export const pathsAndMethods: ProbeKind = (context) => {
  const { credentialOf, callers, operations } = context
  const [any] = operations
  if (!any) return []
  const credential = credentialOf(any.operation, callers[0])
  const probe = (name: string, title: string, request: Omit<ProbeStep, 'credential'>, operation?: string): Probe => ({
    name: `${operation ?? 'service'}:${name}`,
    title,
    operation,
    steps: [{ ...request, credential }],
  })
  const paths: SpecPath = ['paths']
  const unknown = { method: 'GET', operation: undefined, tests: paths }
  const reads = operations.filter(
    ({ decision, operation }) => operation.method === 'GET' && (decision.role === 'list' || decision.role === 'mocked'),
  )
  const [list] = reads
  return [
    probe('unknown-path', 'an unknown path is not found', { ...unknown, target: '/no-such-path-of-the-contract' }),
    ...methodBeforeCredential(context).flatMap((request) =>
      ['GET', 'HEAD'].map((method) =>
        probe(`method-${method}-not-allowed`, `${method} is not allowed where the contract does not have it`, {
          ...request,
          method,
          tests: paths,
        }),
      ),
    ),
    ...(list
      ? [
          probe('path-with-slash', 'a slash at the end is another path', {
            ...unknown,
            target: withQuery(`${list.path.replace(/\/$/u, '')}/`, list.query),
          }),
          ...(list.path === list.path.toUpperCase()
            ? []
            : [
                probe('path-in-upper-case', 'paths are case-sensitive', {
                  ...unknown,
                  target: withQuery(list.path.toUpperCase(), list.query),
                }),
              ]),
        ]
      : []),
    ...reads.flatMap(({ operation, path, shortQuery }) => {
      const target = withQuery(path, shortQuery)
      const tests: SpecPath = [...paths, operation.path]
      return [
        probe(
          'head',
          'HEAD is answered like GET, without a body',
          { method: 'HEAD', target, operation, tests },
          operation.id,
        ),
        probe(
          'options',
          'OPTIONS is answered',
          { method: 'OPTIONS', target: path, operation: undefined, tests },
          operation.id,
        ),
      ]
    }),
  ]
}
