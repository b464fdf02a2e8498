/** Checks a request: first as text, then by Prism; and says of each parameter what it must be. */
import type { Operation, OperationRequest, RequestVerdict, Violation } from './contract.js'
import type { GivenParameters } from './parameters.js'
import { checkLexically, convert, parameterViolation } from './parameters.js'
import type { PrismChecked, ShownRequest } from './prism.js'
import { sayDateTimes } from './strict.js'

/** The longest path and query whose verdict is kept, in characters. */
const maxRememberedLength = 500

/**
 * What a request's verdict hangs on.
 *
 * @returns undefined where that is more than its path and query, or too long to be kept.
 */
export function verdictKey(operation: Operation, request: OperationRequest): string | undefined {
  if (request.body !== undefined || operation.requestBody !== undefined) return undefined
  if (operation.parameters.some((parameter) => parameter.in === 'header')) return undefined
  const key = [operation.id, request.query, ...Object.values(request.path)].join('\n')
  return key.length > maxRememberedLength ? undefined : key
}

/** Checks a request against its operation. Never throws. */
export function judgeRequest(checks: PrismChecked, request: OperationRequest): RequestVerdict {
  const { operation } = checks
  const query = new URLSearchParams(request.query)
  const given: GivenParameters = {
    valuesOf: ({ name, in: place }) => {
      if (place === 'query') return query.getAll(name)
      const value = place === 'path' ? request.path[name] : request.headers[name.toLowerCase()]
      return value === undefined ? [] : [value]
    },
  }
  const lexical = checkLexically(operation, given)
  const warnings = undocumentedParameters(operation, query)
  if (lexical.length > 0) return { violations: [...lexical, ...warnings], parameters: {} }
  // Prism takes null for no body at all, and would let it pass.
  const bodies: Violation[] = request.body === null ? [nullBody(operation)] : []
  const prism = new Map<string, Violation>()
  for (const violation of checks.checkRequest(showToPrism(operation, request, given))) {
    const said = sayOfParameter(operation, violation, given)
    if (!prism.has(said.message)) prism.set(said.message, said)
  }
  const violations = [...bodies, ...sayDateTimes([...prism.values()]), ...warnings]
  const refused = violations.some(({ severity }) => severity === 'Error')
  return { violations, parameters: refused ? {} : convert(operation, given) }
}

/** Prism folds names to lower case and knows one value a name; so it is shown the documented parameters, and nothing else. */
function showToPrism(operation: Operation, request: OperationRequest, given: GivenParameters): ShownRequest {
  const query: Record<string, string | readonly string[]> = {}
  const headers: Record<string, string> = {}
  for (const parameter of operation.parameters) {
    const values = given.valuesOf(parameter)
    const [first] = values
    if (first === undefined) continue
    if (parameter.in === 'query') query[parameter.name] = parameter.type === 'array' ? values : first
    if (parameter.in === 'header') headers[parameter.name.toLowerCase()] = first
  }
  const path = operation.path.replaceAll(/\{([^}]*)\}/gu, (_, name: string) =>
    encodeURIComponent(request.path[name] ?? ''),
  )
  if (request.body === undefined) return { path, query, headers }
  const mediaType = request.headers['content-type'] ?? 'application/json'
  // Prism looks for a body where a length says there is one. How it was framed does not matter to the contract.
  return {
    path,
    query,
    headers: { ...headers, 'content-type': mediaType, 'content-length': '1' },
    body: request.body,
  }
}

function sayOfParameter(operation: Operation, violation: Violation, given: GivenParameters): Violation {
  const [, place, name] = violation.location
  const missing = /required property '(.+)'/u.exec(violation.message)?.[1]
  const parameter = operation.parameters.find(
    (candidate) =>
      candidate.in === place && [name, missing].some((known) => known?.toLowerCase() === candidate.name.toLowerCase()),
  )
  return parameter ? parameterViolation(parameter, given.valuesOf(parameter), String(violation.code)) : violation
}

function undocumentedParameters(operation: Operation, query: URLSearchParams): Violation[] {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name)
  return [...new Set(query.keys())]
    .filter((name) => !known.includes(name))
    .map((name) => {
      const documented = known.length > 0 ? `documented: ${known.join(', ')}` : 'it has none'
      const message = `Query parameter ${JSON.stringify(name)} is not documented for ${operation.id} (${documented}).`
      return { location: ['request', 'query', name], severity: 'Warning', code: 'undocumented', message }
    })
}

function nullBody(operation: Operation): Violation {
  const right = operation.requestBody?.required ? 'what the contract describes' : 'none, or what the contract describes'
  const message = `The request body of ${operation.id} must not be null. Send ${right}.`
  return { location: ['request', 'body'], severity: 'Error', code: 'type', message }
}
