/** Loads the contract of the service, and finds the role of each operation. */
import type { Contract, Operation } from '../contract/contract.js'
import { loadContract, type LoadOptions } from '../contract/load-contract.js'
import { statFingerprint } from '../documents/paths.js'
import { ProblemsError, problemAt } from '../documents/problem.js'
import { inferResources, type Resources } from './resources.js'
import type { Decision } from './roles/role.js'
import { type HandlersFile, loadHandlers, type UserHandlers } from './user-handlers/load-handlers.js'

/** The most services that are kept. A large one takes 100 MB. */
const maxLoaded = 4

/** A contract, the roles of its operations, and the handlers of the user. */
export interface Service {
  readonly contract: Contract
  readonly resources: Resources
  readonly userHandlers: UserHandlers | undefined
  decisionFor(operation: Operation): Decision
}

interface Loaded {
  readonly overlayStamp: string
  readonly service: Promise<Service>
}

/** Services by spec, the last used one last. A service is immutable, so doubles of one process with the same spec share it, with its caches. */
const loaded = new Map<string, Loaded>()

export interface ServiceOptions extends Pick<
  LoadOptions,
  'isStaleAllowed' | 'onProgress' | 'overlay' | 'specHeaders' | 'specRoot'
> {
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
  return { ...service, userHandlers }
}

async function loadSpec(spec: string, { onProgress, ...options }: Omit<ServiceOptions, 'handlers'>): Promise<Service> {
  const key = JSON.stringify([spec, options])
  const { overlay } = options
  const overlayStamp = overlay === undefined ? '' : await statFingerprint(overlay)
  const known = loaded.get(key)
  if (known?.overlayStamp === overlayStamp) {
    // A refused spec is not kept: a correction may have the same modification time.
    const service = await known.service.catch(() => undefined)
    if (service && !(await service.contract.hasChanged())) {
      await service.contract.remote?.keep()
      keep(key, known)
      return service
    }
  }
  const service = loadContract(spec, { onProgress, ...options }).then(async (contract) => {
    onProgress?.('finding the collections')
    const created = createService(contract)
    await contract.remote?.keep()
    return created
  })
  keep(key, { overlayStamp, service })
  return service
}

function keep(key: string, service: Loaded): void {
  loaded.delete(key)
  loaded.set(key, service)
  const [oldest] = loaded.keys()
  if (loaded.size > maxLoaded && oldest !== undefined) loaded.delete(oldest)
}

function createService(contract: Contract): Service {
  refuseReservedPaths(contract)
  const resources = inferResources(contract)
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
