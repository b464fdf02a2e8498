/** Loads the spec of the service and creates its data plane. */
import type { Service } from './contract/load-service.js'
import { loadService } from './contract/load-service.js'
import { ProblemsError } from './documents/problem.js'
import type { Plane } from './http/plane.js'
import { createServicePlane } from './http/service-plane.js'

/** A service with its data plane. A reload replaces both. */
export interface LoadedService extends Service {
  readonly plane: Plane
}

/**
 * Loads the spec of the service and creates its data plane.
 *
 * @param strict - Whether to refuse a contract that the double does not enforce as a whole. Default false.
 * @throws {ProblemsError} The spec is invalid; or, with `strict`, has diagnostics.
 */
export async function loadServicePlane(spec: string, strict = false): Promise<LoadedService> {
  const service = await loadService(spec)
  const { diagnostics } = service.contract
  if (strict && diagnostics.length > 0) throw new ProblemsError(diagnostics)
  return { ...service, plane: createServicePlane(service) }
}
