/** Sends query parameters that the contract does not document. */
import { withQuery } from '../listing-queries.js'
import { operationCursor } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Sends an unknown parameter, and documented ones in another case. */
export const undocumentedParameters: ProbeKind = ({ contract, operations }) =>
  operations
    .filter(({ decision }) => decision.role === 'list')
    .flatMap(({ credential, operation, path, shortQuery }) => {
      const probe = (name: string, title: string, extra: string, base: string): ReturnType<ProbeKind>[number] => ({
        name: `${operation.id}:${name}`,
        title,
        operation: operation.id,
        steps: [
          {
            method: operation.method,
            target: withQuery(path, base, extra),
            operation,
            credential,
            tests: operationCursor(contract, operation).path,
          },
        ],
      })
      const inQuery = operation.parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name)
      const paging = ['offset', 'page', 'sort'].filter((name) => !inQuery.includes(name))
      return [
        probe('undocumented-parameter', 'an undocumented parameter is ignored', 'undocumented-parameter=1', shortQuery),
        ...paging.map((name) =>
          probe(`undocumented-${name}`, `an undocumented ${name} is ignored`, `${name}=2`, shortQuery),
        ),
        ...inQuery
          .filter((name) => name !== name.toUpperCase() && !inQuery.includes(name.toUpperCase()))
          .map((name) =>
            probe(
              `${name}-in-upper-case`,
              `${name.toUpperCase()} is not ${name}`,
              `${encodeURIComponent(name.toUpperCase())}=1`,
              shortQuery,
            ),
          ),
      ]
    })
