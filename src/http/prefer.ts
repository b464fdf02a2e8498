/** The `Prefer` header: what a client would like the reply to be, as with Prism, and how long it would like to wait for it. */
import type { Context } from 'koa'

import type { Contract, MockPreference, OperationReply } from '../contract/contract.js'
import { failure } from '../errors.js'
import { delay, maxDelayMs } from './delay.js'
import type { Way } from './exchange.js'
import type { AllowedRequest } from './plane.js'
import { judge } from './settle.js'

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
    if (key === 'code' && /^[1-5]\d\d$/u.test(value)) mock.code = Number(value)
    else if (key === 'example' && value !== '') mock.example = value
    else if (key === 'dynamic' && /^(?:true|false)$/u.test(value)) mock.dynamic = value === 'true'
    else if (key === 'delay-ms' && /^\d{1,5}$/u.test(value) && Number(value) <= maxDelayMs)
      delayMs = Number(value)
    else throw failure('preference_invalid', { got: part })
    applied.push(`${key}=${value}`)
  }
  return { mock: Object.keys(mock).length > 0 ? mock : undefined, delayMs, applied: applied.join(', ') }
}

/** Has Prism's negotiator answer, where the client would like that. */
export async function prefer(
  contract: Contract,
  ctx: Context,
  { exchange, operation }: Way,
  request: AllowedRequest,
): Promise<OperationReply | undefined> {
  const header = exchange.request.headers['prefer']
  if (header === undefined || exchange.isControl) return undefined
  const preference = readPreference(String(header))
  exchange.preference = preference.applied
  await delay(preference.delayMs, ctx.res)
  const headers = { accept: exchange.request.headers.accept }
  const reply = preference.mock && (await contract.mock(operation, { ...request, headers }, preference.mock))
  if (typeof reply === 'string') throw failure('preference_unmet', { reason: reply })
  ctx.set('preference-applied', preference.applied)
  return (
    reply &&
    judge(
      contract,
      { exchange, operation },
      { ...reply, headers: { ...reply.headers, 'x-double': 'mocked' } },
    )
  )
}
