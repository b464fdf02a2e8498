/** Creates the bodies of errors: JSON that fits the contract's schema for the status. */
import { STATUS_CODES } from 'node:http'

import {
  groupBy,
  type JsonObject,
  isObject,
  listOf,
  mapValues,
  objectAt,
  objectOf,
  textOf,
} from '../documents/object.js'
import { once } from '../once.js'
import type { Contract, DocumentedResponse, OccurredError, Operation, OperationResponse } from './contract.js'
import { documentedResponse, responseObject } from './contract.js'
import {
  codeFor,
  codeLike,
  hasOtherCode,
  isCodeName,
  isStatus,
  plainLettersOf,
  tellsCondition,
  toldCode,
  wordsOfStatus,
} from './error-codes.js'
import { generateMinimalValue } from './generate.js'
import { jsonTypeIn } from './media-types.js'
import { examplesIn } from './references.js'
import {
  descriptionOf,
  findKeyword,
  isChoice,
  isFreeText,
  itemsOf,
  objectSchema,
  propertiesOf,
  scalarType,
} from './schemas/read-schema.js'
import { toldValues } from './told-values.js'

type ErrorSource = Pick<Contract, 'example' | 'operations' | 'schemaName' | 'validate'>

type DocumentedError = ReturnType<typeof errorsOf>[number]

/**
 * Creates a function that creates the bodies of errors. The body of an undocumented status is that of the documented error nearest in status,
 * or of the contract's most frequent error, if that has a place for the status or the message; else a problem detail (RFC 9457).
 */
export function createErrorContent(contract: ErrorSource): Contract['errorContent'] {
  let frequent: readonly DocumentedError[] | undefined
  // What one operation alone has may be about its records.
  const shared = once(() => {
    const all = contract.operations.flatMap((operation) => nearestErrors(contract, operation, 0))
    return [...groupBy(all, ({ response }) => response).values()].flatMap(([first, ...others]) =>
      first && others.length > 0 ? first : [],
    )
  })
  const sameStatus = (schema: JsonObject, status: number): DocumentedError | undefined =>
    shared().find((each) => each.schema === schema && each.status === String(status))
  return (operation, error) => {
    const { message, status } = error
    const documented = operation && documentedResponse(operation, status)
    if (documented?.contents.length === 0) return { mediaType: '', body: undefined }
    const isDocumented = operation !== undefined && documented !== undefined
    const known = isDocumented
      ? errorsOf(contract, operation, documented, error.code)
      : [...(operation ? nearestErrors(contract, operation, status) : []), ...(frequent ??= frequentErrors(contract))]
    for (const each of known) {
      // Other operations may show what the code of this status is.
      const same = isDocumented ? undefined : sameStatus(each.schema, status)
      const body = findBody(contract, same ?? each, error)
      const isFit = isDocumented || (describes(body, error) && !hasOtherCode(body, status))
      if (body !== undefined && isFit) return { mediaType: each.mediaType, body }
    }
    const first = documented?.contents[0]?.mediaType
    if (first?.startsWith('text/')) return { mediaType: first, body: message }
    const example = operation && contract.example(operation, documented?.status)
    if (first !== undefined && typeof example === 'string') return { mediaType: first, body: example }
    return { mediaType: problemType, body: problemOf(error) }
  }
}

const problemType = 'application/problem+json'

interface ErrorValues extends OccurredError {
  /** Called for a required property whose name does not determine its value. */
  readonly onUnknownValue?: () => void
  /** The code that the description of the response tells. Undefined: none. */
  readonly namedCode?: string | undefined
  /** The numbers in its example that are no status, by name. */
  readonly ownCodes?: JsonObject
  /** True in an item of a list that names the place of each error. */
  readonly isPlaced?: boolean
  /** True if the schema has a name, so that its examples belong to no status. */
  readonly isShared?: boolean
}

/** Tells whether a response is an error. `default` alone may be the success. */
const isError = ({ status }: DocumentedResponse, _: number, all: readonly unknown[]): boolean =>
  /^[45]/u.test(status) || (status === 'default' && all.length > 1)

const describes = (body: unknown, { message, status }: OccurredError): boolean =>
  typeof body === 'object' && body !== null
    ? Object.values(body).some((value) => describes(value, { message, status }))
    : body === message || body === status || body === String(status)

/**
 * Lists the JSON of a documented error, each with a function that returns the body that a mocked response would have.
 *
 * @param code - That of the double: of several examples, the one that tells it is the first.
 */
const errorsOf = (contract: ErrorSource, operation: Operation, { contents, status }: DocumentedResponse, code = '') =>
  contents.flatMap(({ mediaType: documented, schema }) => {
    const mediaType = jsonTypeIn(documented)
    if (mediaType === undefined) return []
    const response = responseObject(operation, status)
    const described = objectAt(objectAt(response, 'content'), documented)
    const namedCode = codeInText.exec(textOf(response['description']))?.[1]
    const named = Object.entries(objectAt(described, 'examples')).find(([name, each]) =>
      tellsCondition(code, `${name} ${textOf(objectOf(each)['summary'])}`),
    )
    const example = (): unknown => objectOf(named?.[1])['value'] ?? contract.example(operation, status)
    // A code of the service is no status.
    const isOwnCode = ([key, value]: readonly [string, unknown]): boolean =>
      /code$/iu.test(key) && typeof value === 'number' && (value < 100 || value > 599)
    const ownCodes = Object.fromEntries(Object.entries(objectOf(examplesIn(response)[0])).filter(isOwnCode))
    return [{ mediaType, schema, status, response, example, codes: { namedCode, ownCodes } }]
  })

/** `USER_NOT_FOUND: there is no such user`. */
const codeInText = /(?:^\W*|[`"'])([A-Z][A-Z\d]*(?:_[A-Z\d]+)+)\b/u

/** Lists the documented errors of an operation, the status nearest in kind first. */
function nearestErrors(contract: ErrorSource, operation: Operation, status: number): readonly DocumentedError[] {
  const distance = (response: DocumentedResponse) => Math.abs(Number(response.status.replace('XX', '00')) - status)
  return operation.responses
    .filter(isError)
    .toSorted((one, other) => distance(one) - distance(other))
    .flatMap((response) => errorsOf(contract, operation, response))
}

function frequentErrors(contract: ErrorSource): readonly DocumentedError[] {
  const errors = contract.operations.flatMap((operation) =>
    operation.responses.filter(isError).flatMap((response) => errorsOf(contract, operation, response)),
  )
  const bySchema = [...groupBy(errors, ({ schema }) => schema).values()]
  const [most = []] = bySchema.toSorted((one, other) => other.length - one.length)
  // One of many operations may have a code of its own.
  return most.length > 1 || contract.operations.length < 6 ? most.slice(0, 1) : []
}

/** Finds the first valid body: one that describes the error, else the example. */
function findBody(contract: ErrorSource, documented: DocumentedError, error: OccurredError): unknown {
  const { codes, example, mediaType, schema } = documented
  const alternatives = ['oneOf', 'anyOf'].flatMap((name) => listOf(schema[name]).filter(isObject))
  // If each status has its own schema, the name may contain the status, as in `error_404`.
  const isOfStatus = (each: JsonObject): boolean => contract.schemaName(each)?.includes(String(error.status)) ?? false
  const isNamed = (each: JsonObject): boolean => contract.schemaName(each) !== undefined
  const choices = [schema, ...alternatives.filter(isOfStatus), ...alternatives.filter((each) => !isOfStatus(each))]
  const makers = [
    ...(mediaType.startsWith(problemType) ? [() => problemOf(error)] : []),
    // An example takes long to find, so it is used only if names do not determine every value.
    ...choices.map((choice) => () => buildByNames(choice, { ...error, ...codes })),
    ...choices.map((choice) => () => build(choice, { ...error, isShared: isNamed(choice), ...codes }, example(), 0)),
    example,
  ]
  let empty: unknown
  for (const make of makers) {
    const body = make()
    if (body === undefined || contract.validate(schema, body).length > 0) continue
    if (!isObject(body) || Object.keys(body).length > 0) return body
    // An example may say more.
    empty ??= body
  }
  return empty
}

/** Returns the body of a mocked error in which the properties that are named like the status have the status. */
export function withErrorStatus(operation: Operation, { body, mediaType, status }: OperationResponse): unknown {
  const contents = documentedResponse(operation, status)?.contents
  const schema = contents?.find((content) => content.mediaType === mediaType)?.schema
  const known = schema && !isChoice(schema) ? objectSchema(schema) : undefined
  if (!known || !isObject(body)) return body
  return mapValues(body, (value, key) => {
    const property = known.properties.get(key)
    return typeof value === 'number' && property && isStatus(key, property) ? status : value
  })
}

function problemOf({ message, status }: OccurredError): JsonObject {
  return { type: 'about:blank', title: STATUS_CODES[status] ?? 'Error', status, detail: message }
}

const textNames = /^(?:error|long)?(?:description|detail|message|msg|summary|title)$|^(?:error|fault)(?:string)?$/u
const isToldText = /\b(?:describing|description of|describes|reason for) (?:the|an?) error\b/iu
/** Signs that a response of HTTP does not have a property. */
const isOfWebhook = /\bonly\b[^.]*\bwebhooks?\b/iu
const maxDepth = 4

/** Builds a value that describes an error, by the names of properties. @returns Undefined if a name does not determine a required value. */
function buildByNames(schema: JsonObject, error: ErrorValues): unknown {
  let isKnown = true
  const body = build(schema, { ...error, onUnknownValue: () => (isKnown = false) }, undefined, 0)
  return isKnown ? body : undefined
}

/** Builds a value that describes an error, by the names of properties. @param example - It has the values that no name determines. */
function build(schema: JsonObject, error: ErrorValues, example: unknown, depth: number): unknown {
  const known = isChoice(schema) ? undefined : objectSchema(schema)
  if (!known) {
    const items = itemsOf(schema)
    const first: unknown = Array.isArray(example) ? (example as unknown[])[0] : undefined
    const names = [...propertiesOf(items ?? {}).keys()]
    // The example of RFC 9457 has a `name` and a `reason`.
    const isPlaced =
      names.some((name) => placeNames.test(plainLettersOf(name))) ||
      (names.includes('name') && names.includes('reason'))
    const isElsewhere = placeOf(error) === ''
    // A list of places, without codes, has none of what is not about a place.
    if (isPlaced && isElsewhere && !names.some(isCodeName)) return []
    const inside = { ...error, isPlaced: isPlaced && !isElsewhere }
    if (items && depth < maxDepth)
      return [scalarType(items) === 'string' ? error.message : build(items, inside, first, depth + 1)]
    if (depth === 0 && scalarType(schema) === 'string') return error.message
    error.onUnknownValue?.()
    return example === undefined ? generateMinimalValue({}, schema) : example
  }
  const hasText = [...known.properties].some(
    ([name, property]) => textNames.test(plainLettersOf(name)) && scalarType(property) === 'string',
  )
  const entries = [...new Set([...known.properties.keys(), ...known.required])].flatMap((name) => {
    const property = known.properties.get(name) ?? {}
    if (!known.required.has(name) && isOfWebhook.test(descriptionOf(property))) return []
    const own: unknown = isObject(example) && Object.hasOwn(example, name) ? example[name] : undefined
    const shown = own === '' ? undefined : own
    const label = textOf(shown ?? findKeyword(property, 'example'))
    const isLabel = /^(?:error|title)$/u.test(name) && hasMessage(name, known.properties)
    // Only an example tells whether it is a label, or a code that need not be sent.
    if (example === undefined && (isLabel || isCodeName(name)) && isFreeText(property)) error.onUnknownValue?.()
    const isPhrase = hasMessage(name, known.properties) && phrases.has(plainLettersOf(label))
    const byField = errorByField(name, property, error, shown)
    const value = byField ?? (isPhrase ? codeLike(label, error.status, false) : valueOf(name, property, error, shown))
    if (value !== undefined) return [[name, value] as const]
    const isOfAll = error.isShared === true && findKeyword(property, 'example') === shown && isCodeName(name)
    const isUnknownCode =
      shown === undefined &&
      isCodeName(name) &&
      isFreeText(property) &&
      findKeyword(property, 'maxLength') === undefined
    const code = typeof shown === 'string' ? codeLike(shown, error.status, isOfAll) : shown
    const inner = isUnknownCode ? wordsOfStatus(error.status, '_').toLowerCase() : code
    // A list of errors is left out where a message is next to it.
    const wrapped = hasText ? property : (itemsOf(property) ?? property)
    const isWrapper = objectSchema(wrapped) !== undefined && /^(?:detail|error)s?$/u.test(name)
    const isShownCode = typeof shown === 'string' && isCodeName(name)
    const isBuilt = known.required.has(name) || isShownCode || (isWrapper && depth < maxDepth)
    return isBuilt ? [[name, build(property, error, inner, depth + 1)] as const] : []
  })
  return withOwnCode(Object.fromEntries(entries), objectOf(example))
}

/** Puts the code of an error in place of that of its example, in the other texts of the example: `https://docs.test/errors#not_found`. */
function withOwnCode(body: JsonObject, example: JsonObject): JsonObject {
  const name = Object.keys(body).find((each) => isCodeName(each) && body[each] !== example[each]) ?? ''
  const [code, old] = [textOf(body[name]), textOf(example[name])]
  if (code === '' || old.length < 4) return body
  return mapValues(body, (value, key) =>
    typeof value === 'string' && value === example[key] ? value.replaceAll(old, () => code) : value,
  )
}

/** Names of the place that an item of a list of errors is about. */
const placeNames = /^(?:field(?:name)?|param(?:eter)?|property|pointer|path)$/u

/** Returns the place in the body or among the parameters, with dots. Empty: the error is about none. */
const placeOf = ({ place = [] }: OccurredError): string => place.slice(1).join('.')

/** Makes a map such as `{email: ["is invalid"]}`, and no validation errors of what is no invalid request. Undefined: the property is none, or the error is about no field. */
function errorByField(name: string, schema: JsonObject, error: ErrorValues, shown: unknown): unknown {
  const isOfRequest = error.status === 400 || error.status === 422
  if (/validation/iu.test(name) && itemsOf(schema) && !isOfRequest) return []
  const field = placeOf(error)
  const values = objectOf(findKeyword(schema, 'additionalProperties'))
  const isMap =
    /^(?:errors|details|fields|violations)$/u.test(plainLettersOf(name)) &&
    propertiesOf(schema).size === 0 &&
    itemsOf(schema) === undefined &&
    scalarType(schema) === undefined &&
    (shown !== undefined || itemsOf(values) !== undefined || /\bfields?\b|\bvalidation\b/iu.test(descriptionOf(schema)))
  if (!isMap || field === '') return undefined
  const isText =
    scalarType(values) === 'string' ||
    Object.values(objectOf(shown ?? findKeyword(schema, 'example'))).some((each) => typeof each === 'string')
  return { [field]: isText ? error.message : [error.message] }
}

const phrases: ReadonlySet<string> = new Set(Object.values(STATUS_CODES).map((phrase = '') => plainLettersOf(phrase)))

/** Tells whether the message is in another property than a label such as `title: Not Found`. */
const hasMessage = (name: string, all: ReadonlyMap<string, JsonObject>): boolean =>
  [...all.keys()].some((other) => other !== name && /^(?:detail|message)$/iu.test(other))

/** Returns the value that the name of a property determines. Undefined: none. */
function valueOf(name: string, schema: JsonObject, error: ErrorValues, shown: unknown): unknown {
  const { message, now, path, place = [], requestId, status, namedCode, url } = error
  if (name === 'loc' && itemsOf(schema)) return place
  if (error.isPlaced && isFreeText(schema)) {
    if (name === 'name' || placeNames.test(plainLettersOf(name))) return placeOf(error)
    if (/^(?:reason|issue|problem)$/u.test(plainLettersOf(name))) return message
  }
  const constant = findKeyword(schema, 'const')
  if (constant !== undefined) return constant
  if (findKeyword(schema, 'example') === null) return null
  const allowed = findKeyword(schema, 'enum')
  const isAllowed = !Array.isArray(allowed) || allowed.includes(status)
  if (isAllowed && isStatus(name, schema)) return error.ownCodes?.[name] ?? status
  // A list of statuses that lacks 400 has 422 for what is not valid.
  if (Array.isArray(allowed) && isStatus(name, schema) && status === 400 && allowed.includes(422)) return 422
  // "One of: "Success" or "Failure"".
  const told = scalarType(schema) === 'string' ? toldValues(descriptionOf(schema), name) : []
  const listed = Array.isArray(allowed) ? allowed : told
  const failing = listed.find((each) => /^(?:fail(?:ed|ure)?|error(?:ed)?|unsuccessful|false)$/iu.test(String(each)))
  if (failing !== undefined && listed.some((each) => /^(?:success(?:ful)?|succeeded|ok|true)$/iu.test(String(each))))
    return failing
  if (Array.isArray(allowed)) return allowed.length === 1 ? (allowed[0] as unknown) : codeFor(error, allowed, shown)
  if (scalarType(schema) === 'boolean' && /^(?:is_?)?(?:success(?:ful)?|ok)$/iu.test(name)) return false
  if (scalarType(schema) !== 'string') return undefined
  if (namedCode !== undefined && isCodeName(name) && isFreeText(schema)) return namedCode
  // `error` may be a code.
  const label = textOf(shown ?? findKeyword(schema, 'example'))
  const isShownAsCode =
    name === 'error' && /^[a-z]+(?:_[a-z]+)+$/iu.test(label) && !/\bmessage\b/iu.test(descriptionOf(schema))
  if (isCodeName(name) && (toldCode.test(descriptionOf(schema)) || isShownAsCode))
    return label === '' ? wordsOfStatus(status, '_').toLowerCase() : codeLike(label, status, true)
  if (findKeyword(schema, 'format') === 'date-time') return now
  if (name === 'path') return path
  if (name === 'instance') return findKeyword(schema, 'format') === 'uri' ? url : path
  if (/\burl that originated\b/iu.test(descriptionOf(schema))) return url
  if (/^(?:correlation|request|trace)id$/u.test(plainLettersOf(name)) && isFreeText(schema)) return requestId
  if (!textNames.test(plainLettersOf(name)) && !isToldText.test(descriptionOf(schema))) return undefined
  const most = findKeyword(schema, 'maxLength')
  return typeof most === 'number' ? message.slice(0, most) : message
}
