/** Validates the response of a handler and commits its change. */
import type { OperationResponse } from '../contract/contract.js'
import type { OperationResult } from './plane.js'
import type { RequestContext } from './request-context.js'
import { validateResponse } from './validate-response.js'

/** Validates the response, and commits the change only if it is valid. */
export async function validateAndCommit(
  context: RequestContext,
  { commit, note, response }: OperationResult,
): Promise<OperationResponse> {
  context.note = note
  const validated = validateResponse(context, response)
  if (validated === response) await commit?.()
  return validated
}
