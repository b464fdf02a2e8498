/** Finds the status that a contract has for an error by the text of a response: `405: Invalid input`, `403: Invalid API token`, `422: Cannot cancel it in its current status`. */
import { textOf } from '../documents/object.js'
import { documentedResponse, type Operation, responseObject } from './contract.js'
import { examplesIn } from './references.js'
import { allowedValues, findKeyword, propertiesOf } from './schemas/read-schema.js'

/** A clash with the records: what a create would add exists already, or an action cannot follow from the state of its record. */
export const clashes = {
  taken: /\balready\b|\bexists\b|\bduplicate|\b(?:taken|in use)\b|\bunique constraint\b/iu,
  state:
    /\balready\b|\b(?:cannot|can't|can not) be \w+ed\b|\b(?:current|wrong|invalid|this|its) (?:status|state)\b|\bnot (?:in (?:an? )?)?(?:pending|active|running|open|paused|draft)\b/iu,
}

const tellings = {
  /** Of a request that is not valid. */
  400: {
    statuses: /^4(?:02|05|06|12|18|2[0-5])$/u,
    words: [/\binvalid (?:input|request|body|data|payload|param\w*)\b|\bvalidation\b|\bcould not be validated\b/iu],
  },
  /** Of a credential that is missing or wrong. */
  401: {
    statuses: /^403$/u,
    words: [/\b(?:invalid|missing|no|wrong|expired)\b[^.]*\b(?:tokens?|credentials?|api.?keys?)\b/iu],
  },
  409: { statuses: /^4(?:09|00|22)$/u, words: Object.values(clashes) },
}

/** Returns what a response says: its description, and of its examples "The name has already been taken", as Laravel and Rails write it. */
export function textOfResponse(operation: Operation, status: string): string {
  const response = responseObject(operation, status)
  const text = textOf(response['description'])
  if (!tellings[409].statuses.test(status)) return text
  const shown = documentedResponse(operation, Number(status))?.contents.flatMap(({ schema }) =>
    [...propertiesOf(schema).values()].map((each) => textOf(findKeyword(each, 'example'))),
  )
  const said = JSON.stringify([examplesIn(response), shown])
  // What is before the words names a property, and so does what follows "UNIQUE constraint failed".
  const clashing =
    /(?<=")[^"]*\b(?:has already been taken|already exists|is already \w+ed)\b|\bunique constraint failed\b[^"]*/giu
  return [text, ...(said.match(clashing) ?? [])].join(', ')
}

/** Returns the documented status whose text tells an error of another status. Undefined: none does. @param words - Default: all that tell the error. */
export function toldStatus(operation: Operation, status: number, words?: RegExp): number | undefined {
  const telling = new Map(Object.entries(tellings)).get(String(status))
  if (!telling) return undefined
  const told = words ? [words] : telling.words
  const found = operation.responses.flatMap(({ contents, status: documented }) => {
    if (!telling.statuses.test(documented)) return []
    const codes = contents.flatMap(({ schema }) => [...propertiesOf(schema).values()].flatMap(allowedValues))
    const text = [textOfResponse(operation, documented), ...codes].join(', ')
    return told.some((own) => own.test(text)) ? Number(documented) : []
  })
  return found.includes(status) ? status : found[0]
}

/** Statuses with the same meaning, the preferred one first. */
const alternatives: ReadonlyMap<number, readonly number[]> = new Map([
  [400, [400, 422]],
  [413, [413, 400]],
  [415, [415, 400]],
  [422, [422, 409]],
])

/** Returns the status of an error as an operation documents it: its own, one of the same meaning, or one whose text tells it. @param isElse - True if the text of its own is about something else. */
export function statusOfError(operation: Operation, status: number, isElse = false): number {
  const documented = (alternatives.get(status) ?? [status]).find((each) => documentedResponse(operation, each))
  const told = documented === undefined || isElse ? toldStatus(operation, status) : undefined
  return (isElse ? told : undefined) ?? documented ?? told ?? status
}

/** Tells whether the text of the 400 of an operation is about something else than a place of the request: a state, or the id in its path alone. @param isJson - False if the body is malformed. */
export function isOfOther(operation: Operation, place: unknown, isJson: boolean): boolean {
  const text = textOf(responseObject(operation, '400')['description'])
  const isOfId = /^\W*invalid (?:[\w-]+ )?(?:id|identifier|username)\b(?!.*\b(?:or|and)\b)/iu.test(text)
  // "A problem reading or understanding the request" is no JSON; "Request was not successful" says nothing.
  if (/\breading or understanding\b|^request was not successful\.?$/iu.test(text)) return isJson
  if (tellings[401].words.some((each) => each.test(text)) && !/request|body|input|param|payload|data/iu.test(text))
    return true
  const isOfRequest =
    /invalid|incorrect|wrong|bad|malformed|validat|missing|required|error|request|body|input|param|payload|data|format|field/iu
  return (isOfId && place === 'body') || (text !== '' && !isOfRequest.test(text))
}
