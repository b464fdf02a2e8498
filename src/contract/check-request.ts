/** Checks a request: decodes its parameters, validates the values with Prism, and adds each parameter's rule to the violations. */
import { toViolation } from './check-response.js'
import type { Json, Operation, OperationRequest, ParameterPlaces, RequestValidation } from './contract.js'
import { decodeParameters, type PossibleParameterValues, undocumentedNames } from './parameters/decode-parameters.js'
import { parameterViolation, ruleOf, unspecifiedRule } from './parameters/parameter-messages.js'
import type { DecodedRequest, OperationChecks, SchemaError } from './prism/index.js'
import { itemSchema, possibleSchemas, propertySchema, shapesOf } from './schemas/read-schema.js'
import type { Violation } from './violation.js'

/** Validates a request against its operation. Never throws. */
export function checkRequest(
  operation: Operation,
  checks: OperationChecks,
  request: OperationRequest,
): RequestValidation {
  const given = decodeParameters(operation, request)
  const warnings = [...deprecatedParameters(given), ...undocumentedParameters(operation, request.query)]
  const malformed = given.filter((each) => each.malformed !== undefined)
  if (malformed.length > 0) {
    const violations = malformed.map((each) => parameterViolation(each, String(each.malformed)))
    return { violations: [...violations, ...warnings], parameters: placesOf(new Map()) }
  }
  const values = new Map(
    given.flatMap((each) => (each.values[0] === undefined ? [] : [[each, each.values[0]] as const])),
  )
  let found = validateValues(checks, request, given, values)
  // A parameter with several possible values is valid if one of them is.
  for (const each of given.filter((candidate) => candidate.values.length > 1)) {
    if (!found.some(({ about }) => about === each)) continue
    for (const value of each.values.slice(1)) {
      const retried = validateValues(checks, request, given, new Map(values).set(each, value))
      if (retried.some(({ about }) => about === each)) continue
      values.set(each, value)
      found = retried
      break
    }
  }
  const violations = [...bodyViolations(operation, request), ...distinct(found), ...warnings]
  const isInvalid = violations.some(({ severity }) => severity === 'Error')
  return { violations, parameters: placesOf(isInvalid ? new Map() : values) }
}

function placesOf(values: ReadonlyMap<PossibleParameterValues, Json>): ParameterPlaces {
  const places = { path: emptyObject(), query: emptyObject(), header: emptyObject(), cookie: emptyObject() }
  for (const [{ parameter }, value] of values) places[parameter.in][parameter.name] = value
  return places
}

/** Creates an object without a prototype: a parameter can be named `__proto__`. */
const emptyObject = (): Record<string, Json> => Object.create(null) as Record<string, Json>

interface Found {
  readonly violation: Violation
  /** Undefined: the violation is in the body. */
  readonly about: PossibleParameterValues | undefined
}

function validateValues(
  checks: OperationChecks,
  request: OperationRequest,
  given: readonly PossibleParameterValues[],
  values: ReadonlyMap<PossibleParameterValues, Json>,
): Found[] {
  const decoded: DecodedRequest = {
    ...placesOf(values),
    // Prism treats null as no body. `bodyViolations` refuses it.
    ...(request.body === undefined || request.body === null ? {} : { body: request.body }),
    content: request.content,
  }
  return checks.checkRequest(decoded).map((error) => findAbout(error, given))
}

/** Describes an error: by the rule of its parameter, if it is in one. */
function findAbout(error: SchemaError, given: readonly PossibleParameterValues[]): Found {
  const [place, name = error.missing, ...inside] = error.path
  const about = given.find(({ parameter }) => parameter.in === place && parameter.name === name)
  if (!about) return { violation: toViolation('request', error), about }
  let schema = about.parameter.requestSchema
  for (const segment of inside)
    schema = /^\d+$/u.test(segment) ? itemSchema(schema, Number(segment)) : propertySchema(schema, segment)
  const isLength = error.code === 'minLength' || error.code === 'maxLength'
  const rule = shapesOf(schema)[0] === 'primitive' && !isLength ? ruleOf(schema) : unspecifiedRule
  const isChoice = possibleSchemas(schema).length > 1
  const isRuleKnown = error.code !== 'false schema' && !error.isSentence
  const described = rule === unspecifiedRule && !isChoice && isRuleKnown ? error.rule : rule
  return { violation: parameterViolation(about, String(error.code), { inside, rule: described }), about }
}

function distinct(found: readonly Found[]): Violation[] {
  const byMessage = new Map<string, Violation>()
  for (const { violation } of found) if (!byMessage.has(violation.message)) byMessage.set(violation.message, violation)
  return [...byMessage.values()]
}

function deprecatedParameters(given: readonly PossibleParameterValues[]): Violation[] {
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
  const known = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const documented = known.length > 0 ? `documented: ${known.join(', ')}` : 'it has none'
  return undocumentedNames(operation, query).map((name) => {
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
  const expected = `${operation.requestBody?.required ? '' : 'no body, or '}what the contract describes`
  return violation('type', `The request body of ${operation.id} must not be null. Send ${expected}.`)
}
