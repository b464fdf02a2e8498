/** Loads the spec of the service and creates its data plane. */
import type { ReportProgress } from '../contract/contract.js'
import { ProblemsError } from '../documents/problem.js'
import type { ServedPlane } from '../http/request-context.js'
import { createServicePlane } from '../http/service-plane.js'
import type { DoubleOptions } from '../options.js'
import { doubleOptions } from '../options.js'
import { defaultSpec } from '../package-files.js'
import { withUnanswerable } from '../resources/find-unanswerable.js'
import type { Service } from '../resources/load-service.js'
import { loadService } from '../resources/load-service.js'

/** A service with its data plane. A reload replaces both. */
export interface LoadedService extends Service {
  readonly plane: ServedPlane
}

/** Functions that are called while a service is loaded or served. */
export interface LoadListeners {
  /** Called before each part of loading the contract. */
  readonly onProgress?: ReportProgress | undefined
  /** Called for every unexpected error, with the id of its request. */
  readonly onFailure?: ((id: string, error: unknown) => void) | undefined
}

/**
 * Loads the spec of the service and creates its data plane.
 *
 * @throws {ProblemsError} The spec, the overlay or the file of handlers is invalid; or, with `strict`, has diagnostics.
 */
export async function loadServicePlane({
  handlers,
  handlerTimeoutMs: timeoutMs = doubleOptions.handlerTimeoutMs.default,
  onFailure,
  onProgress,
  overlay,
  spec = defaultSpec,
  strict = false,
}: Pick<DoubleOptions, 'handlers' | 'handlerTimeoutMs' | 'overlay' | 'spec' | 'strict'> &
  LoadListeners): Promise<LoadedService> {
  const loaded = await loadService(spec, { handlers, overlay, onProgress })
  const contract = await withUnanswerable(loaded, { isWhole: strict, onProgress })
  if (strict && contract.diagnostics.length > 0) throw new ProblemsError(contract.diagnostics)
  const service = { ...loaded, contract }
  const onLateError = (id: string, error: Error): void => onFailure?.(id, error)
  return { ...service, plane: createServicePlane(service, { timeoutMs, onLateError }) }
}
