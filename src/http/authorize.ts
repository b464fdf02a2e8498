/** Checks the credential of a request. */
import type { RequestContext } from './request-context.js'

/** Checks the credential and sets the caller. @throws {DoubleError} 401 or 403. */
export function authorize(context: RequestContext): undefined {
  context.plane.authorize(context)
}
