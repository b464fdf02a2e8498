/** Applies the `Prefer` header: the response that a client prefers, and the delay before it. Others are ignored. */
import type { MockPreference, Operation, OperationResponse } from '../contract/contract.js'
import { withErrorStatus } from '../contract/errors.js'
import { createError, type DoubleError } from '../http-errors.js'
import { delay, maxDelayMs } from './delay.js'
import type { RequestContext, Step } from './request-context.js'
import { findResponseViolations } from './validate-response.js'

const supported: Readonly<Record<string, RegExp>> = {
  code: /^[1-5]\d\d$/u,
  example: /./u,
  dynamic: /^(?:true|false)$/u,
  'delay-ms': /^\d{1,5}$/u,
}

/** As with Prism, a supported name after the semicolon of another one counts too. @throws {DoubleError} `preference_invalid`. */
function parsePreferences(header: string) {
  const read = readPreferences(header)
  if (!read) throw createError('preference_invalid', { got: header })
  const values = new Map<string, string>()
  for (const { name, text, value = '' } of read) {
    const isValid = supported[name]?.test(value) && (name !== 'delay-ms' || Number(value) <= maxDelayMs)
    if (!isValid) throw createError('preference_invalid', { got: text })
    if (values.has(name)) throw createError('preference_invalid', { got: header })
    values.set(name, value)
  }
  const { code, 'delay-ms': delayMs = 0, dynamic, example } = Object.fromEntries(values)
  const mock: MockPreference = { code: code === undefined ? code : Number(code), dynamic: dynamic === 'true', example }
  return {
    /** Undefined: none, so the service responds. */
    mock: (code ?? dynamic ?? example) ? mock : undefined,
    delayMs: Number(delayMs),
    /** The value of `Preference-Applied`. Empty if there are no preferences. */
    applied: [...values].map(([name, value]) => writePreference(name, value)).join(', '),
  }
}

/** Creates the error for a preference that the contract cannot meet. It lists the statuses and examples of the operation. */
function unmetPreference(operation: Operation, reason: string): DoubleError {
  const known = operation.responses.map(({ examples, status }) =>
    examples.length > 0 ? `${status} (${examples.join(', ')})` : status,
  )
  return createError('preference_unmet', { reason, operation: operation.id, known })
}

/** @returns Undefined: the service responds. @throws {DoubleError} `preference_invalid`, `preference_unmet`. @throws {ConnectionDropped} In the delay. */
export const applyPreference: Step = (context) => {
  const { prefer } = context.request.headers
  return prefer === undefined || context.isControl ? undefined : apply(context, String(prefer))
}

async function apply(context: RequestContext, header: string): Promise<OperationResponse | undefined> {
  const { contract, operation } = context
  const { applied, delayMs, mock } = parsePreferences(header)
  if (delayMs > 0) await delay(delayMs, context)
  const mocked = mock && (await contract.mockResponse(operation, mock))
  if (typeof mocked === 'string') throw unmetPreference(operation, mocked.replace(/\.$/u, ''))
  if (applied !== '') context.preference = applied
  if (!mocked) return undefined
  const body = mocked.status < 400 ? mocked.body : withErrorStatus(operation, mocked)
  const response = { ...mocked, body, headers: { ...mocked.headers, 'x-double': 'mocked' } }
  const [violation] = findResponseViolations(context, response)
  if (violation) throw unmetPreference(operation, `the mocked response breaks the contract (${violation.message})`)
  return response
}

/** A name with an optional value, a token or a quoted string, and what separates it. A list may have empty elements (RFC 9110, 5.6.1). */
const element =
  /^[\t ]*([!#$%&'*+.^_`|~\w-]+)(?:[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]*)))?[\t ]*([,;][\t ,;]*|$)/u

/** Parses a `Prefer` header. Repeated header fields are joined by commas. @returns Undefined if the header does not follow the grammar. */
function readPreferences(header: string) {
  const found = []
  let isParameter = false
  let isOwnerSupported = false
  for (let rest = header.replace(/^[\t ,;]+/u, ''); rest !== '';) {
    const [whole = '', name, quoted, token, between = ''] = element.exec(rest) ?? []
    if (name === undefined) return undefined
    // An empty value counts as none.
    const value = quoted?.replaceAll(/\\(.)/gu, '$1') || token || undefined
    // As received, for messages.
    const text = whole.slice(0, whole.length - between.length).trim()
    const read = { name: name.toLowerCase(), value, text }
    const isSupported = Object.hasOwn(supported, read.name)
    if (!isParameter) isOwnerSupported = isSupported
    if (isSupported && isOwnerSupported) found.push(read)
    // A semicolon after a comma has no meaning.
    isParameter = between.startsWith(';') && !between.includes(',')
    rest = rest.slice(whole.length)
  }
  return found
}

/** Formats a preference for `Preference-Applied`: the value is quoted unless it is a token. */
function writePreference(name: string, value: string): string {
  const isToken = /^[!#$%&'*+.^_`|~\w-]+$/u.test(value)
  return `${name}=${isToken ? value : `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`}`
}
