/** The `Prefer` header: what a client would like the reply to be, as with Prism, and how long it would like to wait for it. */
import type { Contract, MockPreference, OperationReply } from '../contract/contract.js'
import { failure } from '../errors.js'
import { delay, maxDelayMs } from './delay.js'
import type { Way } from './exchange.js'
import type { AllowedRequest } from './plane.js'

/** What a request prefers. */
interface Preference {
  /** What Prism's negotiator is asked for. Undefined: the service answers. */
  readonly mock: MockPreference | undefined
  /** Milliseconds, 0 to 60,000. */
  readonly delayMs: number
  /** What `Preference-Applied` says of it. */
  readonly applied: string
}

/**
 * Reads a `Prefer` header.
 *
 * @throws {DoubleError} `preference_invalid` for what is not one of ours: it would be ignored without a word.
 */
function readPreference(header: string): Preference {
  const mock: { code?: number; example?: string; dynamic?: boolean } = {}
  let delayMs = 0
  const applied: string[] = []
  for (const part of header.split(/[,;]/u).map((text) => text.trim())) {
    if (part === '') continue
    const [, name = '', quoted, bare] = /^([a-z-]+)\s*=\s*(?:"([^"]*)"|([^\s"]+))$/iu.exec(part) ?? []
    const value = quoted ?? bare ?? ''
    const key = name.toLowerCase()
    const isRepeated = applied.some((other) => other.startsWith(`${key}=`))
    if (isRepeated) throw failure('preference_invalid', { got: header })
    if (key === 'code' && /^[1-5]\d\d$/u.test(value)) mock.code = Number(value)
    else if (key === 'example' && value !== '') mock.example = value
    else if (key === 'dynamic' && /^(?:true|false)$/u.test(value)) mock.dynamic = value === 'true'
    else if (key === 'delay-ms' && /^\d{1,5}$/u.test(value) && Number(value) <= maxDelayMs) delayMs = Number(value)
    else throw failure('preference_invalid', { got: part })
    applied.push(`${key}=${value}`)
  }
  return { mock: Object.keys(mock).length > 0 ? mock : undefined, delayMs, applied: applied.join(', ') }
}

/**
 * Waits as long as the client would like, and has Prism's negotiator answer where it would like that.
 *
 * @returns Undefined: the service answers.
 * @throws {DoubleError} `preference_invalid`, `preference_unmet`.
 * @throws {NoReply} The client has gone.
 */
export async function prefer(
  contract: Contract,
  way: Way,
  request: AllowedRequest,
  stopping: AbortSignal,
): Promise<OperationReply | undefined> {
  const { exchange, operation } = way
  const header = exchange.request.headers['prefer']
  if (header === undefined || exchange.isControl) return undefined
  const { applied, delayMs, mock } = readPreference(String(header))
  if (delayMs > 0) await delay(delayMs, exchange.request.socket, stopping)
  const headers = { accept: exchange.request.headers.accept }
  const reply = mock && (await contract.mock(operation, { ...request, headers }, mock))
  if (typeof reply === 'string') throw failure('preference_unmet', { reason: reply })
  if (applied !== '') exchange.preference = applied
  if (!reply) return undefined
  const made = { ...reply, ...truthful(contract, reply), headers: { ...reply.headers, 'x-double': 'mocked' } }
  const [wrong] = contract.checkReply(operation, made)
  if (wrong) throw failure('preference_unmet', { reason: `what Prism makes up breaks the contract (${wrong.message})` })
  return made
}

/** An Error says the status, and has nothing that the contract does not name, also where the rest of it is made up. */
function truthful(contract: Contract, { body, status }: OperationReply): Partial<OperationReply> {
  if (status < 400 || typeof body !== 'object' || body === null || !('error' in body)) return {}
  const named = contract.propertiesOf('Error')
  const fields = Object.entries(body).filter(([name]) => named.includes(name))
  return { body: { ...Object.fromEntries(fields), error: status } }
}
