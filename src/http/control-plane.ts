import { timingSafeEqual } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'

import { hostName, isLoopback } from '../addresses.js'
import type { Contract } from '../contract/contract.js'
import { loadContract } from '../contract/load-contract.js'
import type { AdminContext } from '../control/admin-handler-types.js'
import { EventStreams } from '../control/event-streams.js'
import { adminHandlers } from '../control/handlers.js'
import { createError } from '../http-errors.js'
import { once, onceFor } from '../once.js'
import { readBearerToken } from './credentials.js'
import { watchClient } from './delay.js'
import type { OperationResult, Plane, RequestContext } from './request-context.js'
import { isHeaderRepeated } from './request-line.js'
import { createRouter } from './router.js'

interface AdminAccess {
  /** Host names in addition to loopback, without a port. */
  readonly allowedHosts: readonly string[]
  /** Origins in addition to the double's own, such as `http://localhost:5173`. */
  readonly adminOrigins: readonly string[]
  readonly adminToken: string | undefined
}

/** Creates a function that returns the control plane. The first call loads its contract, unless `prepareControlContract` has done so. */
export const createLazyControlPlane = (
  spec: string,
  double: Omit<AdminContext, 'control' | 'eventStreams'>,
  access: AdminAccess,
): (() => Promise<Plane>) =>
  once(async () => {
    const contract = await loadControlContract(spec)
    const own = { control: () => contract, eventStreams: new EventStreams() }
    return createControlPlane(contract, { ...double, ...own }, access)
  })

function createControlPlane(contract: Contract, double: AdminContext, access: AdminAccess): Plane {
  const paths = new Set(contract.operations.map(({ path }) => path))
  const sandboxPaths = [...paths].filter((path) => !isRootOnly(path))
  return {
    contract,
    router: createRouter(contract),
    authorize: (context) => authorizeAdmin(context, access),
    handle: async (context): Promise<OperationResult> => {
      const { head, operation, request, sandbox } = context
      const { body, parameters } = context.validRequest
      const handler = adminHandlers.get(operation.id)
      if (!handler || (isRootOnly(operation.path) && context.isPrefixed))
        throw createError('unknown_path', { path: head.url.replace(/\?.*/su, ''), known: sandboxPaths })
      const result = await handler({
        double,
        sandbox,
        origin: `http://${context.host}`,
        parameters: { ...parameters.header, ...parameters.query, ...parameters.path },
        unknownParameters: context.violations.flatMap(({ code, location: [, place, name = ''] }) =>
          code === 'undocumented' && place === 'query' ? [name] : [],
        ),
        body,
        clientSignal: () => {
          const { end, signal } = watchClient(request.socket, double.stopping)
          context.serverResponse.once('close', end)
          return signal
        },
      })
      const { body: sent, commit, headers = {}, mediaType = 'application/json', text } = result
      const commitAndAnnounce = async (): Promise<void> => {
        await commit?.()
        double.eventStreams.announce(operation.id, isRootOnly(operation.path) ? undefined : sandbox.journal)
      }
      const response = { status: operation.successStatus, headers, mediaType, body: sent, text }
      return { response, commit: commit && commitAndAnnounce }
    },
  }
}

/** Tells whether a path exists only under the root's base URL. A sandbox has no sandboxes. */
const isRootOnly = (path: string): boolean => path.startsWith('/__admin/sandboxes')

/** The time from the start to the preparation, milliseconds. A double that runs for less time does not need it. */
const prepareAfterMs = 2000

/** All doubles of the process share the contract. The validators of most operations are compiled by the first request to them. */
const loadControlContract = onceFor(async (spec: string): Promise<Contract> => {
  const contract = await loadContract(spec, { isVerified: true })
  // Each test of a user sends a request to it.
  const prepared = contract.operations.find(({ id }) => id === 'createSandbox')
  if (prepared) contract.compileValidators(prepared)
  return contract
})

/** Loads the contract of the control plane in the background, `prepareAfterMs` after the start. */
export function prepareControlContract(spec: string, stopping: AbortSignal): void {
  const waited = wait(prepareAfterMs, undefined, { ref: false, signal: stopping })
  // The first request to the control plane reports the error.
  waited.then(() => loadControlContract(spec)).catch(() => {})
}

/**
 * A page of another origin can send requests to a double on the same machine. With DNS rebinding it can also read the responses. So the
 * requested host must be a loopback name or an allowed one, and an Origin header must name the double's own origin or an allowed one. Pages
 * need no token: they contain no data, and ask the user for the token.
 *
 * @throws {DoubleError} `forbidden_host`, `forbidden_origin`, `unknown_admin_token`.
 */
function authorizeAdmin({ host, operation, request }: RequestContext, access: AdminAccess): undefined {
  const { adminOrigins, adminToken, allowedHosts } = access
  const { authorization = '', origin } = request.headers
  const name = hostName(host)
  const isKnown =
    name !== undefined && (isLoopback(name) || allowedHosts.some((allowed) => allowed.toLowerCase() === name))
  if (!isKnown) throw createError('forbidden_host', { host })
  if (origin !== undefined && origin !== `http://${host}` && !adminOrigins.includes(origin))
    throw createError('forbidden_origin', { origin })
  if (!operation.secured || adminToken === undefined) return
  const token = isHeaderRepeated(request, 'authorization') ? undefined : readBearerToken(authorization)
  if (!isSameToken(token ?? '', adminToken))
    throw createError('unknown_admin_token', undefined, { headers: { 'www-authenticate': 'Bearer' } })
}

function isSameToken(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
