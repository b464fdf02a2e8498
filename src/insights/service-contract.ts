/** The contract of the Insights service: loaded, and found to have what the double's own code counts on. */
import { stat } from 'node:fs/promises'

import type { Contract, Operation } from '../contract/contract.js'
import { loadContract } from '../contract/load-contract.js'
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
  const contract = loadContract(spec).then(async (read) => withUnanswerable(vetted(spec, read)))
  loaded.set(spec, { stamp, contract })
  // What was refused may be mended within the same tick of the file system's clock.
  contract.catch(() => loaded.delete(spec))
  return contract
}

function vetted(spec: string, contract: Contract): Contract {
  const problems: Problem[] = []
  const report = (path: readonly string[], what: string, hint: string): void => {
    problems.push({ file: spec, position: contract.locate(path, 'key'), path, what, hint })
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
  for (const operation of contract.operations) contract.compileValidators(operation)
  return contract
}

/** Adds the operations that nothing can answer: neither their handler, nor an example, nor a generated value. */
async function withUnanswerable(contract: Contract): Promise<Contract> {
  const found: Problem[] = []
  for (const operation of contract.operations) {
    const wrong = handlers.has(operation.id)
      ? handlerProblem(contract, operation)
      : await contract.findMockProblem(operation)
    if (wrong === undefined) continue
    const path = ['paths', operation.path, operation.method.toLowerCase()]
    const what = `operation ${operation.id} can only be answered with 500: ${wrong.replace(/\.$/u, '')}`
    found.push({
      file: contract.file,
      position: contract.locate(path, 'key'),
      path,
      what,
      hint: 'correct its schema or example',
    })
  }
  return found.length === 0 ? contract : { ...contract, diagnostics: [...contract.diagnostics, ...found] }
}

/** What is wrong with the least that a handler answers: an empty listing, or a body that is not there. */
function handlerProblem(contract: Contract, operation: Operation): string | undefined {
  const body = operation.method === 'GET' ? [] : undefined
  const reply = { status: operation.successStatus, headers: {}, mediaType: 'application/json', body }
  return contract.checkResponse(operation, reply).find(({ severity }) => severity === 'Error')?.message
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
