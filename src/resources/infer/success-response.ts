/** Finds the success response of an operation, and the JSON content of a body. */
import {
  type BodyContent,
  type Content,
  type DocumentedResponse,
  type Operation,
  responseObject,
  responseOverrideOf,
} from '../../contract/contract.js'
import { essenceOf, jsonTypeIn } from '../../contract/media-types.js'
import { textOf } from '../../documents/object.js'

const conditional = /\b(?:if|when)[ `]+(\w+)[ `]*=/iu

/**
 * Finds the success response: a documented 2xx; else `default`, sent as 200; else 204 without a body.
 *
 * @param preferred - Statuses in order: the first that is documented is used. Default: the first 2xx of the spec.
 */
export function successResponseOf(operation: Operation, ...preferred: readonly string[]) {
  const { responses } = operation
  // "If `envelope=true` is sent" is another response than that of most requests.
  const isConditional = ({ status }: DocumentedResponse): boolean => {
    const [, name] = conditional.exec(textOf(responseObject(operation, status)['description'])) ?? []
    return operation.parameters.some((each) => each.in === 'query' && each.name === name)
  }
  const isError = ({ status }: DocumentedResponse): boolean =>
    responses.length > 1 &&
    /^\W*(?:unexpected )?error\b/iu.test(textOf(responseObject(operation, status)['description']))
  const all = responses.filter(({ status }) => status.startsWith('2'))
  const others = all.length > 1 ? all.filter((each) => !isConditional(each)) : all
  const successes = others.length > 0 ? others : all
  const found =
    all.find((each) => responseOverrideOf(each).includes('usual')) ??
    preferred.map((name) => successes.find(({ status }) => status === name)).find((each) => each !== undefined) ??
    successes[0] ??
    responses.find((each) => each.status === 'default' && !isError(each))
  const { contents = [], headers = [], requiredHeaders = {}, status: documented } = found ?? {}
  const json = jsonContentOf(contents)
  return {
    status: documented === undefined ? 204 : /^\d+$/u.test(documented) ? Number(documented) : 200,
    /** The status in the spec. Undefined: no success response is documented. */
    documented,
    json,
    /** The content of a body that is a text. Undefined: there is none, or it may be JSON. */
    text: json ? undefined : contents.find(({ mediaType }) => /^text\//iu.test(mediaType)),
    description: textOf(responseObject(operation, documented)['description']),
    hasBody: contents.length > 0,
    hasLocation: headers.includes('location'),
    hasLink: headers.includes('link'),
    /** The names of the headers that tell the number of all records. */
    totals: headers.filter((name) => /^(?:x-)?(?:[\w-]+-)?total(?:-(?:count|items|results|records))?$/u.test(name)),
    /** Values of the required headers without `Location`. */
    headers: requiredHeaders,
  }
}

/** JSON that the double cannot create from a record. */
const otherJson: ReadonlySet<string> = new Set(['application/json-patch+json', 'application/problem+json'])

/** Finds the JSON content of a body, with its concrete media type: `application/json` if it is documented, else the first. */
export function jsonContentOf(contents: readonly Content[]): Content | undefined {
  const found = contents.flatMap(({ mediaType: documented, schema }) => {
    const mediaType = jsonTypeIn(documented)
    return mediaType === undefined || otherJson.has(essenceOf(mediaType)) ? [] : [{ documented, mediaType, schema }]
  })
  return found.find(({ documented }) => documented.startsWith('application/json')) ?? found[0]
}

const formTypes: ReadonlySet<string> = new Set(['application/x-www-form-urlencoded', 'multipart/form-data'])

/** Returns the content of a request body that may be a record: JSON, else a form. */
export function requestContentOf({ requestBody }: Operation): BodyContent | undefined {
  const contents = requestBody?.contents ?? []
  const json = jsonContentOf(contents)
  const form = contents.find(({ mediaType }) => formTypes.has(essenceOf(mediaType)))
  return contents.find(({ schema }) => schema === json?.schema) ?? form
}
