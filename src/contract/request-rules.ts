/** Checks a request: decodes its parameters, has Prism check what they stand for, and says of each parameter what it must be. */
import type {
  Json,
  Operation,
  OperationRequest,
  Parameter,
  ParameterPlaces,
  ParameterValue,
  RequestValidation,
  Violation,
} from './contract.js'
import { parameterViolation, ruleOf, unspecifiedRule } from './parameters/parameter-messages.js'
import { itemSchema, partsOf, propertySchema, shapesOf } from './parameters/parameter-types.js'
import type { GivenParameter } from './parameters/parameter-values.js'
import { readParameters, undocumentedNames } from './parameters/parameter-values.js'
import type { CheckedOperation, DecodedRequest } from './prism.js'
import { describeDateTimes } from './response-rules.js'

/** The longest path and query whose verdict is kept, in characters. */
const maxRememberedLength = 500

/**
 * What a request's verdict hangs on.
 *
 * @returns undefined where that is more than its path and query, or too long to be kept.
 */
export function requestCacheKey(operation: Operation, request: OperationRequest): string | undefined {
  if (request.body !== undefined || operation.requestBody !== undefined) return undefined
  if (operation.parameters.some(({ in: place }) => place === 'header' || place === 'cookie')) return undefined
  const key = [operation.id, request.query, ...Object.values(request.path)].join('\n')
  return key.length > maxRememberedLength ? undefined : key
}

/** Checks a request against its operation. Never throws. */
export function validateRequest(checks: CheckedOperation, request: OperationRequest): RequestValidation {
  const { operation } = checks
  const given = readParameters(operation, request)
  const warnings = [...deprecatedParameters(given), ...undocumentedParameters(operation, request.query)]
  const mistaken = given.filter(({ mistake }) => mistake !== undefined)
  if (mistaken.length > 0) {
    const violations = mistaken.map((each) => parameterViolation(each, String(each.mistake)))
    return { violations: [...violations, ...warnings], parameters: {}, places: placesOf(new Map()) }
  }
  const values = new Map(
    given.flatMap((each) => (each.values[0] === undefined ? [] : [[each, each.values[0]] as const])),
  )
  let wrong = check(checks, request, given, values)
  // What may stand for several values is legal if one of them is.
  for (const each of given.filter((candidate) => candidate.values.length > 1)) {
    if (!wrong.some(({ about }) => about === each)) continue
    for (const value of each.values.slice(1)) {
      const tried = check(checks, request, given, new Map(values).set(each, value))
      if (tried.some(({ about }) => about === each)) continue
      values.set(each, value)
      wrong = tried
      break
    }
  }
  const violations = [...bodyViolations(operation, request), ...distinct(wrong), ...warnings]
  const refused = violations.some(({ severity }) => severity === 'Error')
  const parameters: Record<string, ParameterValue> = {}
  if (!refused) for (const [{ parameter }, value] of values) parameters[parameter.name] = value
  return { violations, parameters, places: placesOf(refused ? new Map() : values) }
}

function placesOf(values: ReadonlyMap<GivenParameter, Json>): ParameterPlaces {
  const given = [...values]
  const at = (place: Parameter['in']): Readonly<Record<string, ParameterValue>> =>
    Object.fromEntries(
      given
        .filter(([{ parameter }]) => parameter.in === place)
        .map(([{ parameter }, value]) => [parameter.name, value]),
    )
  return { path: at('path'), query: at('query'), header: at('header'), cookie: at('cookie') }
}

/** A violation, and the parameter that it is about. */
interface Found {
  readonly violation: Violation
  readonly about: GivenParameter | undefined
}

function check(
  checks: CheckedOperation,
  request: OperationRequest,
  given: readonly GivenParameter[],
  values: ReadonlyMap<GivenParameter, Json>,
): Found[] {
  const shown: DecodedRequest = {
    path: {},
    query: {},
    header: {},
    cookie: {},
    // Prism takes null for no body; the double refuses it with a sentence of its own.
    ...(request.body === undefined || request.body === null ? {} : { body: request.body }),
    content: request.content,
  }
  for (const [{ parameter }, value] of values) shown[parameter.in][parameter.name] = value
  return checks.checkRequest(shown).map((violation) => sayOfParameter(violation, given))
}

function sayOfParameter(violation: Violation, given: readonly GivenParameter[]): Found {
  const [, place, name, ...inside] = violation.location
  const missing = name === undefined ? /required property '(.*)'/u.exec(violation.message)?.[1] : undefined
  const about = given.find(({ parameter }) => parameter.in === place && parameter.name === (name ?? missing))
  if (!about) return { violation, about }
  let { schema } = about.parameter
  for (const segment of inside) schema = /^\d+$/u.test(segment) ? itemSchema(schema) : propertySchema(schema, segment)
  const rule = shapesOf(schema)[0] === 'primitive' ? ruleOf(schema) : unspecifiedRule
  const isChoice = partsOf(schema).length > 1
  return {
    violation: parameterViolation(about, String(violation.code), {
      inside,
      rule: rule === unspecifiedRule && !isChoice ? ruleIn(violation) : rule,
    }),
    about,
  }
}

/** What Prism says of a place, as the end of a sentence. */
const ruleIn = ({ message }: Violation): string => /\bmust .*(?=\.$)/su.exec(message)?.[0] ?? unspecifiedRule

function distinct(found: readonly Found[]): Violation[] {
  const byMessage = new Map<string, Violation>()
  for (const { violation } of found) if (!byMessage.has(violation.message)) byMessage.set(violation.message, violation)
  return describeDateTimes([...byMessage.values()])
}

function deprecatedParameters(given: readonly GivenParameter[]): Violation[] {
  return given
    .filter(({ parameter, texts }) => parameter.deprecated && texts.length > 0)
    .map(({ parameter }) => ({
      location: ['request', parameter.in, parameter.name],
      severity: 'Warning',
      code: 'deprecated',
      message: `The ${parameter.in} parameter ${parameter.name} is deprecated.`,
    }))
}

function undocumentedParameters(operation: Operation, query: string): Violation[] {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query').map((parameter) => parameter.name)
  return undocumentedNames(operation, query).map((name) => {
    const documented = known.length > 0 ? `documented: ${known.join(', ')}` : 'it has none'
    const message = `Query parameter ${JSON.stringify(name)} is not documented for ${operation.id} (${documented}).`
    return { location: ['request', 'query', name], severity: 'Warning', code: 'undocumented', message }
  })
}

function bodyViolations(operation: Operation, { body }: OperationRequest): Violation[] {
  const violation = (code: string, message: string): Violation[] => [
    { location: ['request', 'body'], severity: 'Error', code, message },
  ]
  if (body === undefined && operation.requestBody?.required)
    return violation('required', `The request body of ${operation.id} is required. Send what the contract describes.`)
  if (body !== null) return []
  const right = operation.requestBody?.required ? 'what the contract describes' : 'none, or what the contract describes'
  return violation('type', `The request body of ${operation.id} must not be null. Send ${right}.`)
}
