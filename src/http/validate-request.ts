/** Has the contract check a request: its body, its path, its query. */
import type { Contract } from '../contract/contract.js'
import { createError } from '../errors.js'
import type { ValidRequest } from './plane.js'
import { readBody } from './read-body.js'
import type { Way } from './request-context.js'

/** Has the contract check the request. @throws {DoubleError} 400, 413 or 415, with every violation noted. */
export async function validateRequest(
  contract: Contract,
  { exchange, operation, captured }: Way,
): Promise<ValidRequest> {
  const { body, content } = await readBody(exchange.request, operation)
  exchange.body = body
  for (const [name, value] of Object.entries(captured)) ensureDecodable(name, value)
  const at = exchange.url.indexOf('?')
  const query = at === -1 ? '' : exchange.url.slice(at + 1)
  const { parameters, places, violations } = contract.checkRequest(operation, {
    path: captured,
    query,
    headers: exchange.request.headers as Headers,
    body,
    content,
  })
  exchange.violations.push(...violations)
  const broken = violations.find(({ severity }) => severity === 'Error')
  if (broken) throw createError('invalid_request', { message: broken.message })
  return { parameters, places, path: captured, query, body }
}

type Headers = Readonly<Record<string, string | undefined>>

/** @throws {DoubleError} A path parameter is not percent-encoded UTF-8. */
function ensureDecodable(name: string, value: string): void {
  if (!value.includes('%')) return
  try {
    decodeURIComponent(value)
  } catch {
    throw createError('malformed_parameter', { name, got: value })
  }
}
