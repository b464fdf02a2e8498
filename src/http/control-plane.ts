/** The control plane as a plane: guarded, and served by handlers that may wait. */
import type { Contract } from '../contract/contract.js'
import type { AdminContext, AdminRequest } from '../control/admin-context.js'
import { adminHandlers } from '../control/handlers.js'
import { createError } from '../errors.js'
import { watchClient } from '../server/client-gone.js'
import type { AdminAccess } from './authorize-admin.js'
import { authorizeAdmin } from './authorize-admin.js'
import type { HandlerResult, Plane } from './plane.js'
import { requestedHost } from './request-target.js'
import { createRouter } from './router.js'

/** Makes the control plane of a double. */
export function createControlPlane(contract: Contract, double: AdminContext, options: AdminAccess): Plane {
  const paths = new Set(contract.operations.map(({ path }) => path))
  const pathsUnderSandboxes = [...paths].filter((path) => !isRooted(path))
  return {
    contract,
    router: createRouter(contract),
    authorize: (context) => authorizeAdmin(context, options),
    handle: async (context): Promise<HandlerResult> => {
      const { operation, request, sandbox, target } = context
      const { body, parameters } = context.validRequest
      const handler = adminHandlers.get(operation.id)
      if (!handler || (isRooted(operation.path) && context.isPrefixed)) {
        throw createError('unknown_path', { path: target.replace(/\?.*/su, ''), known: pathsUnderSandboxes })
      }
      const answer = await handler({
        double,
        sandbox,
        origin: `http://${requestedHost(target, request.headers.host)}`,
        parameters: parameters as AdminRequest['parameters'],
        body,
        clientSignal: () => {
          const { end, signal } = watchClient(request.socket, double.stopping)
          context.serverResponse.once('close', end)
          return signal
        },
      })
      const { commit, mediaType = 'application/json' } = answer
      return {
        response: { status: operation.successStatus, headers: {}, mediaType, body: answer.body, text: answer.text },
        commit: commit && (async () => commit()),
      }
    },
  }
}

/** Whether a path is there under the root's base URL alone: a sandbox has no sandboxes. */
const isRooted = (path: string): boolean => path.startsWith('/__admin/sandboxes')
