/** Checks requests, whose parameters are decoded first, and responses: the rules that Prism does not check, then Prism. */
import { isObject, type JsonObject } from '../documents/object.js'
import { listNames } from '../error-message.js'
import type { Json, Operation, OperationRequest, OperationResponse, ParameterPlaces } from './contract.js'
import { documentedResponse } from './contract.js'
import { coversMediaType, isJson } from './media-types.js'
import { decodeParameters, type PossibleParameterValues, undocumentedNames } from './parameters/decode-parameters.js'
import { parameterViolation, ruleOf, unspecifiedRule } from './parameters/parameter-messages.js'
import type { OperationChecks, SchemaError } from './prism/index.js'
import {
  findKeyword,
  isChoice,
  isNullable,
  itemSchema,
  possibleSchemas,
  propertiesOf,
  propertySchema,
  shapesOf,
} from './schemas/read-schema.js'
import { brokenRule, type Violation } from './violation.js'

/** Never throws. */
export function checkRequest(operation: Operation, checks: OperationChecks, request: OperationRequest) {
  const given = decodeParameters(operation, request)
  const warnings = [...undocumentedParameters(operation, request.query), ...undocumentedProperties(operation, request)]
  const malformed = given.filter((each) => each.malformed !== undefined)
  if (malformed.length > 0) {
    const violations = malformed.map((each) => parameterViolation(each, String(each.malformed)))
    return { violations: [...violations, ...warnings], parameters: placesOf(new Map()) }
  }
  const values = new Map(given.flatMap((each) => each.values.slice(0, 1).map((value) => [each, value] as const)))
  const validate = (decoded: ReadonlyMap<PossibleParameterValues, Json>) => {
    const { body, content } = request
    // Prism treats null as no body. `bodyViolations` refuses it.
    const combined = { ...placesOf(decoded), ...(body === undefined || body === null ? {} : { body }), content }
    return checks.checkRequest(combined).map((error) => findAbout(error, given))
  }
  let found = validate(values)
  // A parameter with several possible values is valid if one of them is.
  for (const each of given.filter((candidate) => candidate.values.length > 1)) {
    if (!found.some(({ about }) => about === each)) continue
    for (const value of each.values.slice(1)) {
      const retried = validate(new Map(values).set(each, value))
      if (retried.some(({ about }) => about === each)) continue
      values.set(each, value)
      found = retried
      break
    }
  }
  const ofBody = bodyViolations(operation, request)
  const violations = [...ofBody, ...distinct(found), ...warnings]
  const isInvalid = violations.some(({ severity }) => severity === 'Error')
  const first = ofBody.length > 0 ? undefined : found.find(({ violation }) => violation.severity === 'Error')
  return { violations, missing: first?.missing, parameters: placesOf(isInvalid ? new Map() : values) }
}

function placesOf(values: ReadonlyMap<PossibleParameterValues, Json>): ParameterPlaces {
  const places = { path: emptyObject(), query: emptyObject(), header: emptyObject(), cookie: emptyObject() }
  for (const [{ parameter }, value] of values) places[parameter.in][parameter.name] = value
  return places
}

/** Creates an object without a prototype: a parameter can be named `__proto__`. */
const emptyObject = (): Record<string, Json> => Object.create(null) as Record<string, Json>

/** Describes an error: by the rule of its parameter, if it is in one. @returns Undefined as `about`: it is in the body. */
function findAbout(error: SchemaError, given: readonly PossibleParameterValues[]) {
  const [place, name = error.missing, ...inside] = error.path
  const about = given.find(({ parameter }) => parameter.in === place && parameter.name === name)
  if (!about) return { violation: toViolation('request', error), about, missing: error.missing }
  let schema = about.parameter.requestSchema
  for (const segment of inside)
    schema = /^\d+$/u.test(segment) ? itemSchema(schema, Number(segment)) : propertySchema(schema, segment)
  const isLength = error.code === 'minLength' || error.code === 'maxLength'
  const rule = shapesOf(schema)[0] === 'primitive' && !isLength ? ruleOf(schema) : unspecifiedRule
  const isSeveral = possibleSchemas(schema).length > 1
  const isRuleKnown = error.code !== 'false schema' && !error.isSentence
  const described = rule === unspecifiedRule && !isSeveral && isRuleKnown ? error.rule : rule
  return { violation: parameterViolation(about, String(error.code), { inside, rule: described }), about }
}

function distinct(found: readonly ReturnType<typeof findAbout>[]): Violation[] {
  const byMessage = new Map<string, Violation>()
  for (const { violation } of found) if (!byMessage.has(violation.message)) byMessage.set(violation.message, violation)
  return [...byMessage.values()]
}

function undocumentedParameters(operation: Operation, query: string): Violation[] {
  const known = operation.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  const documented = known.length > 0 ? `documented: ${known.join(', ')}` : 'it has none'
  return undocumentedNames(operation, query).map((name) => {
    const message = `Query parameter ${JSON.stringify(name)} is not documented for ${operation.id} (${documented}).`
    return brokenRule('Warning', ['request', 'query', name], 'undocumented', message)
  })
}

/** Names the properties that a body may have only because its schema does not say that it has no others. */
function undocumentedProperties({ id }: Operation, { body, content }: OperationRequest): Violation[] {
  const { mediaType = '', schema = {} } = content ?? {}
  return isJson(mediaType) ? undocumentedIn(id, schema, body, []) : []
}

/** @param path - That of an object around the properties, such as `data`. */
function undocumentedIn(id: string, schema: JsonObject, body: unknown, path: readonly string[]): Violation[] {
  const isOpen = ['additionalProperties', 'patternProperties'].some((name) => findKeyword(schema, name) !== undefined)
  const known = propertiesOf(schema)
  if (!isObject(body) || isOpen || isChoice(schema) || known.size === 0) return []
  const [[wrapper, wrapped] = ['', {}]] = known
  const isAround = path.length === 0 && known.size === 1
  const inside = isAround ? undocumentedIn(id, wrapped, body[wrapper], [wrapper]) : []
  const own = Object.keys(body)
    .filter((name) => !known.has(name))
    .map((name) => {
      const message = `Request body property ${JSON.stringify([...path, name].join('.'))} is not documented for ${id} (documented: ${listNames([...known.keys()], 20)}).`
      return brokenRule('Warning', ['request', 'body', ...path, name], 'undocumented', message)
    })
  return [...own, ...inside]
}

function bodyViolations(operation: Operation, { body }: OperationRequest): Violation[] {
  const isRequired = operation.requestBody?.required === true
  if (body !== null && (body !== undefined || !isRequired)) return []
  if (body === null && operation.requestBody?.contents.some(({ schema }) => isNullable(schema))) return []
  const expected = `${isRequired ? '' : 'no body, or '}what the contract describes`
  const rule = body === null ? 'must not be null' : 'is required'
  const message = `The request body of ${operation.id} ${rule}. Send ${expected}.`
  return [brokenRule('Error', ['request', 'body'], body === null ? 'type' : 'required', message)]
}

/** Prism checks the response only if it satisfies the other rules. Never throws. */
export function checkResponse(operation: Operation, checks: OperationChecks, response: OperationResponse) {
  const violations = checkResponseRules(operation, response)
  if (violations.length > 0) return violations
  return checks.checkResponse(response).map((error) => toViolation('response', error))
}

/** Describes an error of a message. The errors of parameters of requests are described by `parameterViolation`. */
function toViolation(side: 'request' | 'response', { code, isSentence, path, rule, severity }: SchemaError): Violation {
  const [place = '', ...inside] = path
  const part = inside.length === 0 ? '' : ` ${place === 'body' ? 'property' : 'parameter'} ${inside.join('.')}`
  const subject = `${side === 'request' ? 'Request' : 'Response'} ${place}${part} `
  return brokenRule(severity, [side, ...path], code, `${isSentence ? '' : subject}${rule}.`)
}

/** Checks what Prism does not: that the status and the media type are documented, and that there is a body exactly if one is documented. */
function checkResponseRules(operation: Operation, response: OperationResponse): Violation[] {
  const documented = documentedResponse(operation, response.status)
  const violation = (place: string, code: string, message: string): Violation[] => [
    brokenRule('Error', ['response', place], code, message),
  ]
  // Where no 2xx is documented, `default` is that of an error.
  const isAssumed = [204, operation.successStatus].includes(response.status) && response.body === undefined
  if (isAssumed && !operation.responses.some(({ status }) => status.startsWith('2'))) {
    const message = `${operation.id} documents no 2xx status, so a ${response.status} without a body is sent.`
    return [brokenRule('Warning', ['response', 'statusCode'], 'undocumented', message)]
  }
  if (!documented) {
    const known = operation.responses.map(({ status }) => status).join(', ')
    const message = `Status ${response.status} is not documented for ${operation.id}. Documented: ${known}.`
    return violation('statusCode', 'undocumented', message)
  }
  const subject = `A ${response.status} of ${operation.id} must`
  const mediaTypes = documented.contents.map(({ mediaType }) => mediaType)
  if (mediaTypes.length === 0 && response.body === undefined) return []
  if (mediaTypes.length === 0) return violation('body', 'undocumented', `${subject} have no body, got one.`)
  if (response.body === undefined) return violation('body', 'required', `${subject} have a body, got none.`)
  if (mediaTypes.some((mediaType) => coversMediaType(mediaType, response.mediaType))) return []
  return violation('headers', 'mediaType', `${subject} be sent as ${mediaTypes.join(', ')}, got ${response.mediaType}.`)
}
