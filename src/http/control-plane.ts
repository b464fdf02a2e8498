/** Creates the control plane. It authorizes each request, and its handlers may wait. */
import type { Contract } from '../contract/contract.js'
import type { AdminContext, AdminRequest } from '../control/admin-handler-types.js'
import { EventStreams } from '../control/event-streams.js'
import { adminHandlers } from '../control/handlers.js'
import { createError } from '../http-errors.js'
import { watchClient } from '../server/client-gone.js'
import { authorizeAdmin } from './authorize-admin.js'
import type { AllowedHostsAndOrigins } from './check-host-and-origin.js'
import { checkHostAndOrigin } from './check-host-and-origin.js'
import type { ControlSpec } from './load-control-contract.js'
import { loadControlContract } from './load-control-contract.js'
import type { OperationResult } from './plane.js'
import type { ServedPlane } from './request-context.js'
import { requestedHost } from './request-target.js'
import { createRouter } from './router.js'

/** The access rules of the control plane. */
interface AdminAccess extends AllowedHostsAndOrigins {
  /** The bearer token that requests need. Undefined: none. */
  readonly adminToken: string | undefined
}

/** Creates a function that returns the control plane. The first call loads its contract, unless `prepareControlContract` has done so. */
export function createLazyControlPlane(
  spec: ControlSpec,
  double: Omit<AdminContext, 'control' | 'eventStreams'>,
  access: AdminAccess,
): () => Promise<ServedPlane> {
  const load = async (): Promise<ServedPlane> => {
    const contract = await loadControlContract(spec)
    return createControlPlane(
      contract,
      { ...double, control: () => contract, eventStreams: new EventStreams() },
      access,
    )
  }
  let plane: Promise<ServedPlane> | undefined
  return () => (plane ??= load())
}

/** Creates the control plane of a double. */
function createControlPlane(contract: Contract, double: AdminContext, access: AdminAccess): ServedPlane {
  const paths = new Set(contract.operations.map(({ path }) => path))
  const sandboxPaths = [...paths].filter((path) => !isRootOnly(path))
  return {
    contract,
    router: createRouter(contract),
    authorize: (context) => {
      checkHostAndOrigin(context, access)
      authorizeAdmin(context, access.adminToken)
    },
    handle: async (context): Promise<OperationResult> => {
      const { operation, request, sandbox, target } = context
      const { body, parameters } = context.validRequest
      const handler = adminHandlers.get(operation.id)
      if (!handler || (isRootOnly(operation.path) && context.isPrefixed)) {
        throw createError('unknown_path', { path: target.replace(/\?.*/su, ''), known: sandboxPaths })
      }
      const result = await handler({
        double,
        sandbox,
        origin: `http://${requestedHost(target, request.headers.host)}`,
        parameters: { ...parameters.header, ...parameters.query, ...parameters.path } as AdminRequest['parameters'],
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
      const { commit, mediaType = 'application/json' } = result
      return {
        response: { status: operation.successStatus, headers: {}, mediaType, body: result.body, text: result.text },
        commit:
          commit &&
          (async () => {
            await commit()
            double.eventStreams.announce(operation.id, isRootOnly(operation.path) ? undefined : sandbox.journal)
          }),
      }
    },
  }
}

/** Tells whether a path exists only under the root's base URL. A sandbox has no sandboxes. */
const isRootOnly = (path: string): boolean => path.startsWith('/__admin/sandboxes')
