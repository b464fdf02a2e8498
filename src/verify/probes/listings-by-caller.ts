/** Lists every collection as each caller. */
import { capOf, withQuery } from '../listing-queries.js'
import { responsePath } from '../spec-places.js'
import type { ProbeKind } from './probe-kind.js'

/** Lists without paging parameters. The double has a copy of the records and their order, so only the effect of an omitted cap is evidence. */
export const listingsByCaller: ProbeKind = ({ callers, contract, credentialOf, operations, recordsOf }) =>
  operations
    .filter(({ decision }) => decision.role === 'list')
    .flatMap(({ collection, decision, operation, path, query }) =>
      (operation.secured ? callers : [undefined]).map((caller) => {
        const cap = capOf(contract, operation, decision)
        const seen = (collection ? recordsOf(collection) : []).filter(
          ({ seenBy }) => caller === undefined || seenBy.includes(caller),
        )
        return {
          name: `${operation.id}:list${caller === undefined ? '' : `-as-${caller}`}`,
          title: `${caller ?? 'a request without a credential'} gets ${cap ? 'every record that it has access to' : 'the listing'}`,
          operation: operation.id,
          steps: [
            {
              method: 'GET',
              target: withQuery(path, query),
              operation,
              credential: credentialOf(operation, caller),
              tests: cap?.path ?? responsePath(contract, operation, 200),
              isEvidence: cap !== undefined && seen.length > 1,
            },
          ],
        }
      }),
    )
