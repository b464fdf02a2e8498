import { decodePercent } from '../addresses.js'
import type { Contract, Operation, OperationRequest } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import { valueAt } from '../documents/pointer.js'
import { createError, type ErrorPlaces } from '../http-errors.js'
import { mayHaveBody, readBody } from './read-body.js'
import type { RequestContext, Step, ValidRequest } from './request-context.js'
import { queryOf, type RequestHead } from './request-head.js'
import type { Route } from './router.js'
import { restoreSent } from './vary-response.js'

/** Validates the request. Adds every violation to the context. @throws {DoubleError} 400, 413 or 415. */
export const validateRequest: Step = (context) => {
  const { contract, head, operation, request, route } = context
  if (!mayHaveBody(request)) return accept(context, head.known(checkHead, contract, operation, route))
  const read = readBody(request, operation, (bytes) => {
    // The journal leaves out requests to the control plane. Their bodies may be large.
    if (!context.isControl) context.requestBytes = bytes
  })
  return read.then(({ body: sent, content, withBytes }) => {
    const received = operationRequest(context)
    const body = restoreSent(context, { ...received, body: sent, content })
    context.body = body
    return accept(context, check(contract, operation, { ...received, body, content }, withBytes))
  })
}

const checkHead = (head: RequestHead, contract: Contract, operation: Operation, route: Route | undefined) =>
  check(contract, operation, operationRequest({ head, route }))

function check(contract: Contract, operation: Operation, request: OperationRequest, withBytes?: unknown): ValidRequest {
  for (const [name, got] of Object.entries(request.path))
    if (got.includes('%') && decodePercent(got) === undefined) throw createError('malformed_parameter', { name, got })
  return { ...request, ...contract.checkRequest(operation, request), withBytes }
}

function accept(context: RequestContext, checked: ValidRequest): undefined {
  const { violations } = checked
  context.violations.push(...violations)
  const broken = violations.find(({ severity }) => severity === 'Error')
  if (broken) {
    const message = describeViolation(broken, violations)
    const places = placesOf(context, broken, checked.missing)
    if (checked.body === undefined && broken.location[1] === 'body')
      throw createError('missing_body', { message }, { places })
    throw createError('invalid_request', { message }, { rule: String(broken.code), places })
  }
  context.validRequest = checked
}

/** Returns the name of what breaks a rule, and what was sent. @param missing - The property that the body lacks. Default: there is no body. */
function placesOf(
  context: RequestContext,
  { code, location: [, place = '', ...path] }: Violation,
  missing = 'body',
): ErrorPlaces {
  const { headers, path: inPath, query } = operationRequest(context)
  if (place === 'body' && code === 'required') return { name: missing }
  const sent = place === 'body' ? valueAt(context.body, path) : undefined
  const name = (place === 'body' ? path.at(-1) : path[0]) ?? place
  const given = [inPath[name], new URLSearchParams(query).get(name), headers[name.toLowerCase()]]
  const value = sent ?? given[['path', 'query', 'header'].indexOf(place)]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { name, ...(text === undefined || value === null ? {} : { value: text }) }
}

/** Describes a violation. Of `anyOf` and `oneOf`, describes the violation of each schema, so that the message contains all that is allowed. */
function describeViolation({ location, message }: Violation, violations: readonly Violation[]): string {
  const here = violations.filter((each) => each.location.join('/') === location.join('/'))
  const rules = here.filter(({ code }) => code !== 'anyOf' && code !== 'oneOf').map((each) => each.message.slice(0, -1))
  if (rules.length === here.length || rules.length === 0) return message
  const [first = '', ...others] = new Set(rules)
  return `${[first, ...others.map((rule) => rule.slice(first.indexOf(' must ') + 1))].join(', or ')}.`
}

/** Returns the parts of a request that the contract describes, without the body. */
export const operationRequest = ({ head, route }: Pick<RequestContext, 'head' | 'route'>): OperationRequest => ({
  path: route?.pathParameters ?? {},
  query: queryOf(head.url),
  headers: head.headers as OperationRequest['headers'],
})
