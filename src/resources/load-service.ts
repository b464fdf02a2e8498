import { isUrl } from '../addresses.js'
/** Loads the contract of the service, and finds the role of each operation. */
import type { Contract, Operation } from '../contract/contract.js'
import type { LoadOptions } from '../contract/load-contract.js'
import { loadContract } from '../contract/load-contract.js'
import { ProblemsError, problemAt } from '../documents/problem.js'
import { statFingerprint } from '../documents/stat-fingerprint.js'
import { readSpec } from '../spec/read-spec.js'
import type { Spec } from '../spec/read-spec.js'
import type { Resources } from './resources.js'
import { inferResources } from './resources.js'
import type { Decision } from './roles/role.js'
import type { HandlersFile, UserHandlers } from './user-handlers/load-handlers.js'
import { loadHandlers } from './user-handlers/load-handlers.js'

/** A contract, the roles of its operations, and the handlers of the user. */
export interface Service {
  readonly contract: Contract
  readonly resources: Resources
  readonly userHandlers: UserHandlers | undefined
  decisionFor(operation: Operation): Decision
}

/** Services by spec. A service is immutable, so doubles of one process with the same spec share it, with its caches. */
const loaded = new Map<string, { readonly stamp: string; readonly service: Promise<Service> }>()

interface ServiceOptions extends Pick<LoadOptions, 'isStaleAllowed' | 'onProgress' | 'overlay' | 'specHeaders'> {
  /** The file of the user's handlers. Default: none. */
  readonly handlers?: HandlersFile | undefined
}

/**
 * Loads the spec and the handlers of a service. Unchanged files give the same contract again; a URL is asked each time.
 *
 * @throws {ProblemsError} All errors that prevent serving it.
 */
export async function loadService(spec: string, { handlers, ...options }: ServiceOptions = {}): Promise<Service> {
  const service = await loadSpec(spec, options)
  if (handlers === undefined) return service
  const userHandlers = await loadHandlers(handlers, service.contract.operations)
  return { ...withHandled(service, [...userHandlers.byOperation.keys()]), userHandlers }
}

/** Services by the operations of handlers, so that doubles with the same handlers share their caches. */
const withHandlers = new WeakMap<Service, Map<string, Service>>()

/** Infers the collections again, if handlers answer operations that no role fits: these do not make their collections mocked. */
function withHandled(service: Service, handled: readonly string[]): Service {
  const { contract, resources } = service
  const mocked = [...resources.decisions.values()].filter(({ role }) => role === 'mocked')
  const ids = handled.filter((id) => mocked.some(({ operation }) => operation.id === id)).toSorted()
  if (ids.length === 0) return service
  const known = withHandlers.get(service) ?? new Map<string, Service>()
  withHandlers.set(service, known)
  const key = ids.join(' ')
  const made = known.get(key) ?? createService(contract, new Set(ids))
  known.set(key, made)
  return made
}

async function loadSpec(spec: string, options: Omit<ServiceOptions, 'handlers'>): Promise<Service> {
  const { onProgress, overlay } = options
  const key = JSON.stringify([spec, overlay])
  const read = isUrl(spec) ? await readSpec(spec, options) : undefined
  const stamp = `${read ? versionOf(read) : await statFingerprint(spec)} ${overlay === undefined ? '' : await statFingerprint(overlay)}`
  const load = (): Promise<Service> => {
    const service = loadContract(read ?? spec, options).then((contract) => {
      onProgress?.('finding the collections')
      return createService(contract)
    })
    loaded.set(key, { stamp, service })
    // A refused file is not kept: a correction may have the same modification time.
    service.catch(() => loaded.delete(key))
    return service
  }
  const known = loaded.get(key)
  const service = await (known?.stamp === stamp ? known.service : load())
  await read?.remote?.keep()
  return service
}

const versionOf = ({ remote, warnings }: Spec): string =>
  JSON.stringify([remote?.documents.map(({ sha256, url }) => [url, sha256]), warnings])

/** @param handled - The names of the operations that handlers answer. Default: none. */
function createService(contract: Contract, handled?: ReadonlySet<string>): Service {
  refuseReservedPaths(contract)
  const resources = inferResources(contract, handled)
  if (resources.problems.length > 0) {
    const problems = resources.problems.map(({ at, hint, message, path }) =>
      problemAt(contract, path, message, hint, at),
    )
    throw new ProblemsError(problems)
  }
  const decisions = new Map([...resources.decisions.values()].map((decision) => [decision.operation.id, decision]))
  const decisionFor = ({ id }: Operation): Decision => {
    const decision = decisions.get(id)
    if (!decision) throw new TypeError(`${id} is not an operation of this contract`)
    return decision
  }
  return { contract, resources, userHandlers: undefined, decisionFor }
}

function refuseReservedPaths(contract: Contract): void {
  const problems = contract.operations
    .filter(({ path }) => /^\/(?:__admin|sandboxes)(?:\/|$)/u.test(path))
    .map(({ id, path }) => {
      const what = `operation ${id} is at ${path}, which the double uses itself`
      return problemAt(contract, ['paths', path], what, 'use another path', 'key')
    })
  if (problems.length > 0) throw new ProblemsError(problems)
}
