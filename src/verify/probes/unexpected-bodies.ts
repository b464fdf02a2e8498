/** Sends request bodies where the contract documents none. */
import { withQuery } from '../listing-queries.js'
import { responsePath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends request bodies where the contract documents none: to listings, and to permitted operations on made-up ids. */
export const unexpectedBodies: ProbeKind = (context) =>
  context.operations
    .filter(
      ({ decision, isSafe, operation }) =>
        operation.requestBody === undefined &&
        decision.role !== 'mocked' &&
        (isSafe || context.permissions.allows(operation.id)),
    )
    .flatMap((probed) => {
      const { contract } = context
      const { credential, decision, operation, path, shortQuery } = probed
      const id = context.madeUpId(probed)
      const target = decision.role === 'list' ? withQuery(path, shortQuery) : id && context.itemTarget(probed, id)
      if (target === undefined) return []
      return [
        {
          name: `${operation.id}:unexpected-body`,
          title: 'a request body where none is documented is refused',
          operation: operation.id,
          steps: [
            {
              method: operation.method,
              target,
              operation,
              credential,
              headers: { 'content-type': 'application/json' },
              body: '{"unexpected":true}',
              tests: responsePath(contract, operation, 400),
              isRepeatable: true,
            },
          ],
        },
      ]
    })
