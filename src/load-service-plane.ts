/** Loads the spec of the service and creates its data plane. */
import type { Service } from './contract/load-service.js'
import { loadService } from './contract/load-service.js'
import { ProblemsError } from './documents/problem.js'
import type { Plane } from './http/plane.js'
import { createServicePlane } from './http/service-plane.js'
import type { DoubleOptions } from './options.js'
import { defaultSpec } from './package-files.js'

/** A service with its data plane. A reload replaces both. */
export interface LoadedService extends Service {
  readonly plane: Plane
}

/**
 * Loads the spec of the service and creates its data plane.
 *
 * @throws {ProblemsError} The spec or the overlay is invalid; or, with `strict`, has diagnostics.
 */
export async function loadServicePlane({
  overlay,
  spec = defaultSpec,
  strict = false,
}: Pick<DoubleOptions, 'overlay' | 'spec' | 'strict'>): Promise<LoadedService> {
  const service = await loadService(spec, overlay)
  const { diagnostics } = service.contract
  if (strict && diagnostics.length > 0) throw new ProblemsError(diagnostics)
  return { ...service, plane: createServicePlane(service) }
}
