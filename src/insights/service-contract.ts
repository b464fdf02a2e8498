/** The contract of the Insights service: loaded, and found to have what the double's own code counts on. */
import { stat } from 'node:fs/promises'

import type { Contract } from '../contract/contract.js'
import { loadContract } from '../contract/load.js'
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import type { InsightRules } from '../state/fixtures.js'
import { handlers } from './handlers.js'

/** A contract is a value: doubles of one process that use the same spec share it, and with it all that it has worked out. */
const loaded = new Map<string, { readonly stamp: string; readonly contract: Promise<Contract> }>()

/**
 * Loads the spec of the service. An unchanged file gives the same contract again.
 *
 * @throws {ProblemsError} Everything in it that stands in the way of serving it.
 */
export async function loadServiceContract(spec: string): Promise<Contract> {
  const stamp = await stat(spec, { bigint: true }).then(
    ({ mtimeNs, size }) => `${mtimeNs} ${size}`,
    () => '',
  )
  const known = loaded.get(spec)
  if (known?.stamp === stamp) return known.contract
  const contract = loadContract(spec).then((read) => vetted(spec, read))
  loaded.set(spec, { stamp, contract })
  // What was refused may be mended within the same tick of the file system's clock.
  contract.catch(() => loaded.delete(spec))
  return contract
}

function vetted(spec: string, contract: Contract): Contract {
  const problems: Problem[] = []
  const report = (path: readonly string[], what: string, remedy: string): void => {
    problems.push({ file: spec, position: contract.locate(path, 'key'), path, what, remedy })
  }
  if (contract.propertiesOf('Insight').length === 0) {
    report(
      ['components', 'schemas'],
      'has no schema components.schemas.Insight',
      'add it with its properties; fixtures are checked by it',
    )
  }
  for (const id of handlers.keys()) {
    if (contract.operations.some((operation) => operation.id === id)) continue
    report(['paths'], `has no operation ${id}, which the double has a handler for`, 'add it, or rename one to it')
  }
  for (const { id, path } of contract.operations) {
    if (!/^\/(?:__admin|sandboxes)(?:\/|$)/u.test(path)) continue
    report(['paths', path], `operation ${id} is at ${path}, which is the double's own`, 'move it elsewhere')
  }
  if (problems.length > 0) throw new ProblemsError(problems)
  for (const operation of contract.operations) contract.warm(operation)
  return contract
}

/** What a contract says of an insight in a fixture. */
export function insightRules(contract: Contract): InsightRules {
  return {
    fields: contract.propertiesOf('Insight'),
    allFit: (insights) => contract.allFit('Insight', insights),
    check: (insight) =>
      contract
        .checkValue('Insight', insight)
        .map(({ location, message }) => ({ path: location, message: message.replace(/\.$/u, '') })),
  }
}
