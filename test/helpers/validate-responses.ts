/** Validates every response that a test receives, also the parts that the test does not check. A deliberate error must be excused. */
import type { Served } from './double.js'
import type { Reply } from './http.js'
import type { Exchange } from './independent-validator.js'
import { noteForRecording } from './recording-format.js'
import { requestHost, hasHost } from './test-host-client.js'

const specs = new Map<string, string>()
const excuses = new Map<string, string>()

const originOf = ({ url }: Served): string => new URL(url).origin

/** Sets the spec that validates the responses of a new double. @param spec - Undefined: that of the package. */
export function validateWith(double: Served, spec: string | undefined): void {
  const origin = originOf(double)
  // Another double may have used this port before.
  specs.delete(origin)
  excuses.delete(origin)
  if (spec === undefined) return
  specs.set(origin, spec)
  noteForRecording(double.url, 'another contract')
}

/** Turns the validation off for all responses of a double and its sandboxes. @param why - The deliberate error. */
export function excuse(double: Served, why: string): void {
  excuses.set(originOf(double), why)
  noteForRecording(double.url, why)
}

/** The message of a fault. Its status need not be documented. */
export const requestedFault = /"message":"fault-\d+ responds with status \d{3}, as requested\."/u

/** Validates a response. @returns The same response. @throws {Error} It breaks its contract. */
export async function validated(double: Served, method: string, target: string, reply: Reply): Promise<Reply> {
  const origin = originOf(double)
  if (excuses.has(origin) || requestedFault.test(reply.text)) return reply
  const { headers, status, text } = reply
  const wrong = await validate(
    { method, target, status, contentType: headers['content-type'], text, errorCode: headers['x-error-code'] },
    specs.get(origin),
  )
  if (wrong.length === 0) return reply
  throw new Error(
    `The ${status} to ${method} ${target} breaks the contract: ${wrong.join('; ')}\n${text.slice(0, 500)}`,
  )
}

async function validate(exchange: Exchange, spec: string | undefined): Promise<readonly string[]> {
  if (hasHost) return (await requestHost({ validate: { exchange, spec } })) as readonly string[]
  const { validatorOf } = await import('./independent-validator.js')
  return validatorOf(spec)(exchange)
}
