/** Loads the spec of the service and creates its data plane. */
import type { Service } from './contract/load-service.js'
import { loadService } from './contract/load-service.js'
import { ProblemsError } from './documents/problem.js'
import type { Plane } from './http/plane.js'
import { createServicePlane } from './http/service-plane.js'
import type { DoubleOptions } from './options.js'
import { defaultSpec } from './package-files.js'
import { loadHandlers } from './resources/user-handlers/load-handlers.js'
import type { UserHandlers } from './resources/user-handlers/user-handler.js'

/** A service with its data plane. A reload replaces both. */
export interface LoadedService extends Service {
  readonly plane: Plane
  /** The handlers of the user. Undefined: none. */
  readonly handlers: UserHandlers | undefined
}

/**
 * Loads the spec of the service and creates its data plane.
 *
 * @throws {ProblemsError} The spec, the overlay or the file of handlers is invalid; or, with `strict`, has diagnostics.
 */
export async function loadServicePlane({
  handlers: file,
  overlay,
  spec = defaultSpec,
  strict = false,
}: Pick<DoubleOptions, 'handlers' | 'overlay' | 'spec' | 'strict'>): Promise<LoadedService> {
  const service = await loadService(spec, overlay)
  const { diagnostics } = service.contract
  if (strict && diagnostics.length > 0) throw new ProblemsError(diagnostics)
  const handlers = file === undefined ? undefined : await loadHandlers(file, service.contract.operations)
  return { ...service, handlers, plane: createServicePlane(service, handlers) }
}
