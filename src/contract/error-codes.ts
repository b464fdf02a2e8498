/** Finds the codes of errors: numbers and names that tell a status or a credential. */
import { STATUS_CODES } from 'node:http'

import { isObject, type JsonObject } from '../documents/object.js'
import type { OccurredError } from './contract.js'
import { comparedType } from './schemas/read-schema.js'

const numberNames = /^(?:error|status)?code$|^error$|^status$/u

/** Returns the 422 that the body of an error says to be its status. Undefined: it says none, or another one. */
export function statusIn(body: unknown): 422 | undefined {
  if (!isObject(body)) return undefined
  const says = ([name, value]: readonly [string, unknown]): boolean =>
    value === 422 ? numberNames.test(plainLettersOf(name)) : statusIn(value) !== undefined
  return Object.entries(body).some(says) ? 422 : undefined
}

export const isStatus = (name: string, schema: JsonObject): boolean =>
  comparedType(schema) === 'number' && numberNames.test(plainLettersOf(name))

/** Tells whether a body has the code of another status, such as `UNAUTHORIZED` of a 404. */
export const hasOtherCode = (body: unknown, status: number): boolean =>
  isObject(body) &&
  Object.entries(body).some(([name, value]) => {
    if (name === 'status' && Number(value) > 399) return value !== status && statusIn(body) === undefined
    if (typeof value !== 'string' || !isCodeName(name)) return hasOtherCode(value, status)
    const letters = plainLettersOf(value)
    const isOf = ([, words]: readonly [string, RegExp]): boolean => words.test(letters)
    return Object.entries(codes).some(isOf) && codes[status]?.test(letters) === false
  })

const isWrong = /\b(?:invalid|unknown|expired|revoked|wrong|malformed|bad)\b/iu

/** The words by which the examples and codes of a contract tell errors of the double. */
const conditions: Readonly<Record<string, RegExp>> = {
  missing_token: /\b(?:missing|absent|no|not (?:given|provided|sent|set)|without|required|none)\b/iu,
  malformed_token: isWrong,
  unknown_token: isWrong,
  mixed_tokens: isWrong,
}

/** The words of codes for a status, without separators. */
const codes: Readonly<Record<number, RegExp>> = {
  400: /badrequest|invalid|validation|malformed/u,
  401: /auth|token|credential|apikey/u,
  403: /forbidden|denied|permission/u,
  404: /notfound|notexist|unknown|missing/u,
  409: /conflict|(?<!not)exist|duplicate/u,
  415: /unsupported|mediatype/u,
  422: /unprocessable|invalid|validation/u,
  429: /toomany|ratelimit/u,
  500: /internal|servererror/u,
}

export const toldCode =
  /\bmachine.readable\b|\berror type\b|\btype of (?:the )?error\b|\bsnake.?case\b|\berror code\b/iu
export const isCodeName = (name: string): boolean =>
  /code$|^(?:error|errorname|reason|type)$/u.test(plainLettersOf(name))

const credentialCode =
  /^(?:auth|login)?(?:invalid|missing|expired|bad|no)(?:access|auth|api)?(?:token|key|credentials?)$/u

/**
 * Returns the example of a code in the words of a status, in the same form, if it names another status.
 *
 * @param isOfAll - True if it is the example of every status: a code of several words is that of another error, too.
 */
export function codeLike(text: string, status: number, isOfAll: boolean): string {
  const names = Object.entries(STATUS_CODES).flatMap(([code, name = '']) => (code > '399' ? plainLettersOf(name) : []))
  // An example of all errors may be that of a credential.
  const letters = plainLettersOf(text)
  const isFit = codes[status]?.test(letters) === true
  const isOfCredential = isFit && status !== 401 && credentialCode.test(letters)
  const isCode = (isOfAll || isOfCredential) && /^(?:[a-z]+(?:_[a-z]+)+|[A-Z]+(?:_[A-Z]+)+)$/u.test(text)
  if (!(names.includes(letters) || isCode) || (isFit && !isOfCredential)) return text
  const separator = /[a-z]([^a-z])[a-z]/iu.exec(text)?.[1] ?? '_'
  const name = wordsOfStatus(status, separator)
  return text === text.toUpperCase() ? name.toUpperCase() : text === text.toLowerCase() ? name.toLowerCase() : name
}

export const wordsOfStatus = (status: number, separator: string): string =>
  (STATUS_CODES[status] ?? 'Error').replaceAll(/[^a-z]+/giu, separator)

interface CodedError extends Pick<OccurredError, 'code' | 'status'> {
  readonly onUnknownValue?: () => void
}

/** Finds the code of a status among allowed values: its name, else that of the example, else one with a word of it. Undefined: none is. */
export function codeFor(
  { code, onUnknownValue, status }: CodedError,
  allowed: readonly unknown[],
  shown: unknown,
): unknown {
  const name = plainLettersOf(STATUS_CODES[status] ?? '')
  const isTold = (value: unknown): boolean =>
    tellsCondition(code, String(value)) && codes[401]?.test(plainLettersOf(String(value))) === true
  const told = isTold(shown) ? shown : allowed.find(isTold)
  if (told !== undefined) return told
  const fitting = allowed.filter((value) => codes[status]?.test(plainLettersOf(String(value))) === true)
  // The example tells which of them.
  if (fitting.length > 1) onUnknownValue?.()
  const named = allowed.filter((value) => name !== '' && plainLettersOf(String(value)).endsWith(name))
  const exact = named.find((value) => plainLettersOf(String(value)) === name)
  // What is no code of this status may be one of all invalid requests.
  const general = status < 500 ? allowed.find((value) => /invalid.?request/iu.test(String(value))) : undefined
  return exact ?? fitting.find((value) => value === shown) ?? named[0] ?? fitting[0] ?? general
}

/** Tells whether a text tells the error that has a code of the double. */
export const tellsCondition = (code = '', text: string): boolean => conditions[code]?.test(spaced(text)) === true

/** Writes a name such as `missing_token` or `missingToken` with spaces between its words. */
const spaced = (name: string): string => name.replaceAll(/([a-z])([A-Z])/gu, '$1 $2').replaceAll(/[_-]+/gu, ' ')

export function plainLettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/gu, '')
}
