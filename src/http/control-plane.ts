/** The control plane as a plane: guarded, and served by handlers that may wait. */
import type { Contract } from '../contract/contract.js'
import type { AdminContext, AdminRequest } from '../control/admin-context.js'
import { adminHandlers } from '../control/handlers.js'
import { createError } from '../errors.js'
import type { AdminAccess } from './authorize-admin.js'
import { authorizeAdmin } from './authorize-admin.js'
import type { HandlerResult, Plane } from './plane.js'
import type { RequestContext } from './request-context.js'
import { requestedHost } from './request-target.js'

/** Makes the control plane of a double. */
export function createControlPlane(contract: Contract, double: AdminContext, options: AdminAccess): Plane {
  const paths = new Set(contract.operations.map(({ path }) => path))
  const pathsUnderSandboxes = [...paths].filter((path) => !isRooted(path))
  return {
    contract,
    authorize: (exchange, operation) => authorizeAdmin(exchange, operation, options),
    handle: async (exchange, operation, { body, parameters }): Promise<HandlerResult> => {
      const handler = adminHandlers.get(operation.id)
      if (!handler || (isRooted(operation.path) && exchange.isPrefixed)) {
        throw createError('unknown_path', { path: exchange.url.replace(/\?.*/su, ''), known: pathsUnderSandboxes })
      }
      const { request, sandbox } = exchange
      const answer = await handler({
        double,
        sandbox,
        origin: `http://${requestedHost(exchange.url, request.headers.host)}`,
        parameters: parameters as AdminRequest['parameters'],
        body,
        clientSignal: () => signalOf(exchange, double.stopping),
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

/** Whoever shuts its side of the connection counts as gone here, listening or not: of one that is closed the double sees the same. */
function signalOf({ request, response }: RequestContext, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController()
  const { socket } = request
  const abort = (): void => {
    socket.off('end', abort).off('close', abort)
    stopping.removeEventListener('abort', abort)
    response.off('close', abort)
    gone.abort()
  }
  if (socket.readableEnded || socket.destroyed || stopping.aborted) abort()
  else {
    socket.once('end', abort).once('close', abort)
    stopping.addEventListener('abort', abort)
    response.once('close', abort)
  }
  return gone.signal
}
