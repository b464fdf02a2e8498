import type { OperationRequest } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import { createError } from '../http-errors.js'
import { readBody } from './read-body.js'
import type { RequestContext } from './request-context.js'
import { decodePercent } from './request-line.js'
import { restoreSent } from './vary-response.js'

/** Validates the request. Adds every violation to the context. @throws {DoubleError} 400, 413 or 415. */
export async function validateRequest(context: RequestContext): Promise<undefined> {
  const { contract, operation, request } = context
  const {
    body: sent,
    content,
    withBytes,
  } = await readBody(request, operation, (bytes) => {
    // The journal leaves out requests to the control plane. Their bodies may be large.
    if (!context.isControl) context.requestBytes = bytes
  })
  const { headers, path, query } = operationRequest(context)
  const body = restoreSent(context, { path, query, headers, body: sent, content })
  context.body = body
  for (const [name, got] of Object.entries(path))
    if (got.includes('%') && decodePercent(got) === undefined) throw createError('malformed_parameter', { name, got })
  const { parameters, violations } = contract.checkRequest(operation, { path, query, headers, body, content })
  context.violations.push(...violations)
  const broken = violations.find(({ severity }) => severity === 'Error')
  if (broken) throw createError('invalid_request', { message: describeViolation(broken, violations) })
  context.validRequest = { parameters, path, query, body, withBytes }
}

/** Describes a violation. Of `anyOf` and `oneOf`, describes the violation of each schema, so that the message contains all that is allowed. */
function describeViolation({ location, message }: Violation, violations: readonly Violation[]): string {
  const place = location.join('/')
  const here = violations.filter((each) => each.location.join('/') === place)
  const rules = here.filter(({ code }) => code !== 'anyOf' && code !== 'oneOf').map((each) => each.message.slice(0, -1))
  if (rules.length === here.length || rules.length === 0) return message
  const [first = '', ...others] = new Set(rules)
  return `${[first, ...others.map((rule) => rule.slice(first.indexOf(' must ') + 1))].join(', or ')}.`
}

/** Returns the parts of a request that the contract describes, without the body. */
export function operationRequest({ request, route, target }: RequestContext): OperationRequest {
  const start = target.indexOf('?')
  return {
    path: route?.pathParameters ?? {},
    query: start === -1 ? '' : target.slice(start + 1),
    headers: request.headers as OperationRequest['headers'],
  }
}
