/**
 * The `Prefer` header: what a client would like the response to be, as with Prism, and how long it would like to wait for it. Preferences
 * of other vocabularies, such as `return=minimal`, are ignored (RFC 7240, section 2).
 */
import type { Contract, MockPreference, Operation, OperationResponse } from '../contract/contract.js'
import { documentedResponse } from '../contract/response-rules.js'
import type { DoubleError } from '../errors.js'
import { createError } from '../errors.js'
import { delay, maxDelayMs } from './delay.js'
import type { ValidRequest } from './plane.js'
import { readPreferences, writePreference } from './prefer-header.js'
import type { Way } from './request-context.js'

/** What a request prefers. */
interface Preferred {
  /** What Prism's negotiator is asked for. Undefined: the service answers. */
  readonly mock: MockPreference | undefined
  /** Milliseconds, 0 to 60,000. */
  readonly delayMs: number
  /** What `Preference-Applied` says of it. */
  readonly applied: string
}

/** The preferences that are honoured, and what their values look like. */
const honoured: Readonly<Record<string, RegExp>> = {
  code: /^[1-5]\d\d$/u,
  example: /./u,
  dynamic: /^(?:true|false)$/u,
  'delay-ms': /^\d{1,5}$/u,
}

/**
 * Reads a `Prefer` header. A known name behind the semicolon of another known one counts as a preference, as it does with Prism.
 *
 * @throws {DoubleError} `preference_invalid` for a header that cannot be read, and for a known preference whose value is none of its kind
 *   or that is given twice.
 */
function readPreferred(header: string): Preferred {
  const isHonoured = ({ name }: { name: string }): boolean => Object.hasOwn(honoured, name)
  const read = readPreferences(header)
  if (!read) throw createError('preference_invalid', { got: header })
  const known = read.filter(isHonoured).flatMap(({ parameters, ...own }) => [own, ...parameters.filter(isHonoured)])
  const values = new Map<string, string>()
  for (const { name, text, value = '' } of known) {
    const isValid = honoured[name]?.test(value) && (name !== 'delay-ms' || Number(value) <= maxDelayMs)
    if (!isValid) throw createError('preference_invalid', { got: text })
    if (values.has(name)) throw createError('preference_invalid', { got: header })
    values.set(name, value)
  }
  const [code, example, dynamic] = [values.get('code'), values.get('example'), values.get('dynamic')]
  const mock = {
    ...(code === undefined ? {} : { code: Number(code) }),
    ...(example === undefined ? {} : { example }),
    ...(dynamic === undefined ? {} : { dynamic: dynamic === 'true' }),
  }
  return {
    mock: Object.keys(mock).length > 0 ? mock : undefined,
    delayMs: Number(values.get('delay-ms') ?? 0),
    applied: [...values].map(([name, value]) => writePreference(name, value)).join(', '),
  }
}

/** Makes the error for a preference that cannot be met. It lists the codes and the examples that the operation has. */
function unmetPreference(operation: Operation, reason: string): DoubleError {
  const known = operation.responses.map(({ examples, status }) =>
    examples.length > 0 ? `${status} (${examples.join(', ')})` : status,
  )
  return createError('preference_unmet', { reason, operation: operation.id, known })
}

/** Says why the contract cannot meet a preference. Undefined: it can, as far as is known without asking Prism. */
function reasonAgainst(operation: Operation, { code, example }: MockPreference): string | undefined {
  const reply = code === undefined ? undefined : documentedResponse(operation, code)
  if (code !== undefined && !reply) return `status ${code} is not documented`
  const candidates = reply ? [reply] : operation.responses
  if (example === undefined || candidates.some(({ examples }) => examples.includes(example))) return undefined
  return `there is no example ${JSON.stringify(example)}${code === undefined ? '' : ` for status ${code}`}`
}

/**
 * Waits as long as the client would like, and has Prism's negotiator answer where it would like that.
 *
 * @returns Undefined: the service answers.
 * @throws {DoubleError} `preference_invalid`, `preference_unmet`.
 * @throws {NoReply} The client has gone.
 */
export async function applyPreference(
  contract: Contract,
  way: Way,
  request: ValidRequest,
  stopping: AbortSignal,
): Promise<OperationResponse | undefined> {
  const { exchange, operation } = way
  const header = exchange.request.headers['prefer']
  if (header === undefined || exchange.isControl) return undefined
  const { applied, delayMs, mock } = readPreferred(String(header))
  if (delayMs > 0) await delay(delayMs, exchange.request.socket, stopping)
  const reason = mock && reasonAgainst(operation, mock)
  if (reason !== undefined) throw unmetPreference(operation, reason)
  const headers = { accept: exchange.request.headers.accept }
  const reply = mock && (await contract.mockResponse(operation, { ...request, headers }, mock))
  if (typeof reply === 'string') throw unmetPreference(operation, reply.replace(/\.$/u, ''))
  if (applied !== '') exchange.preference = applied
  if (!reply) return undefined
  const made = { ...reply, ...truthful(contract, reply), headers: { ...reply.headers, 'x-double': 'mocked' } }
  const [wrong] = contract.checkResponse(operation, made)
  if (wrong) throw unmetPreference(operation, `what Prism makes up breaks the contract (${wrong.message})`)
  return made
}

/** An Error says the status, and has nothing that the contract does not name, also where the rest of it is made up. */
function truthful(contract: Contract, { body, status }: OperationResponse): Partial<OperationResponse> {
  if (status < 400 || typeof body !== 'object' || body === null || !('error' in body)) return {}
  const named = contract.propertiesOf('Error')
  const fields = Object.entries(body).filter(([name]) => named.includes(name))
  return { body: { ...Object.fromEntries(fields), error: status } }
}
