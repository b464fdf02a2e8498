/** Loads the contract of the service, and finds the role of each operation. */
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import { statFingerprint } from '../documents/stat-fingerprint.js'
import type { Decision } from '../resources/decision.js'
import type { Resources } from '../resources/resources.js'
import { inferResources } from '../resources/resources.js'
import type { Contract, Operation } from './contract.js'
import { problemAt } from './lint/findings.js'
import type { LoadOptions } from './load-contract.js'
import { loadContract } from './load-contract.js'

/** A contract, and the roles of its operations. */
export interface Service {
  readonly contract: Contract
  readonly resources: Resources
  /** Returns the role of an operation. */
  decisionFor(operation: Operation): Decision
}

/** Services by spec. A service is immutable, so doubles of one process with the same spec share it, with its caches. */
const loaded = new Map<string, { readonly stamp: string; readonly service: Promise<Service> }>()

/**
 * Loads the spec of a service. Unchanged files give the same service again.
 *
 * @throws {ProblemsError} All errors that prevent serving it.
 */
export async function loadService(
  spec: string,
  { overlay, onProgress }: Pick<LoadOptions, 'onProgress' | 'overlay'> = {},
): Promise<Service> {
  const key = JSON.stringify([spec, overlay])
  const stamp = `${await statFingerprint(spec)} ${overlay === undefined ? '' : await statFingerprint(overlay)}`
  const known = loaded.get(key)
  if (known?.stamp === stamp) return known.service
  const service = loadContract(spec, { overlay, onProgress }).then((contract) => {
    onProgress?.('finding the collections')
    return createService(contract)
  })
  loaded.set(key, { stamp, service })
  // A refused file is not kept: a correction may have the same modification time.
  service.catch(() => loaded.delete(key))
  return service
}

function createService(contract: Contract): Service {
  refuseReservedPaths(contract)
  const resources = inferResources(contract.resourceView())
  if (resources.problems.length > 0) {
    const problems = resources.problems.map(({ at, hint, message, path }) =>
      problemAt(contract, path, message, hint, at),
    )
    throw new ProblemsError(problems)
  }
  const decisions = new Map([...resources.decisions.values()].map((decision) => [decision.operation.id, decision]))
  const decisionFor = (operation: Operation): Decision => decisions.get(operation.id) ?? unknownOperation(operation)
  return { contract, resources, decisionFor }
}

function unknownOperation({ id }: Operation): never {
  throw new TypeError(`${id} is not an operation of this contract`)
}

function refuseReservedPaths(contract: Contract): void {
  const problems = contract.operations
    .filter(({ path }) => /^\/(?:__admin|sandboxes)(?:\/|$)/u.test(path))
    .map(({ id, path }): Problem => {
      const at = ['paths', path]
      const what = `operation ${id} is at ${path}, which the double uses itself`
      return problemAt(contract, at, what, 'use another path', 'key')
    })
  if (problems.length > 0) throw new ProblemsError(problems)
}
