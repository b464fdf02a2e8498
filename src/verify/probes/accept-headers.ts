/** Asks for other media types than the documented ones. */
import { withQuery } from '../listing-queries.js'
import { responsePath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Asks for other media types than the documented ones. */
export const acceptHeaders: ProbeKind = ({ contract, operations }) =>
  operations
    .filter(({ decision }) => decision.role === 'list')
    .flatMap(({ credential, operation, path, shortQuery }) =>
      ['text/html', 'application/xml', '*/*'].map((accept) => ({
        name: `${operation.id}:accept-${accept.replace('*/*', 'anything').replace('/', '-')}`,
        title: `Accept: ${accept} gets the documented media type`,
        operation: operation.id,
        steps: [
          {
            method: operation.method,
            target: withQuery(path, shortQuery),
            operation,
            credential,
            headers: { accept },
            tests: [...responsePath(contract, operation, operation.successStatus), 'content'],
          },
        ],
      })),
    )
