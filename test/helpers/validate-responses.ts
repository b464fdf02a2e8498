/** Judges every reply that a test receives, also the parts that the test does not check. A deliberate error must be excused. */
import type { Served } from './double.js'
import type { Reply } from './http.js'
import type { Judged } from './independent-validator.js'
import { noteForRecording } from './recording.js'
import { askHost, hasHost } from './test-host-client.js'

const specs = new Map<string, string>()
const excuses = new Map<string, string>()

const originOf = ({ url }: Served): string => new URL(url).origin

/** Has the replies of a double that was just started judged by the spec that it serves. @param spec - Undefined: that of the package. */
export function judgeBy(double: Served, spec: string | undefined): void {
  const origin = originOf(double)
  // Another double may have had this port before.
  specs.delete(origin)
  excuses.delete(origin)
  if (spec === undefined) return
  specs.set(origin, spec)
  noteForRecording(double.url, 'another contract')
}

/** Excuses all replies of a double, in all of its sandboxes. @param why - The deliberate error. */
export function excuse(double: Served, why: string): void {
  excuses.set(originOf(double), why)
  noteForRecording(double.url, why)
}

/** The text of a fault about itself. Its status need not be documented. */
export const orderedFault = /"message":"fault-\d+ responds with status \d{3}, as requested\."/u

/** Judges a reply. @returns The same. @throws {Error} It breaks its contract. */
export async function judged(double: Served, method: string, target: string, reply: Reply): Promise<Reply> {
  const origin = originOf(double)
  if (excuses.has(origin) || orderedFault.test(reply.text)) return reply
  const { headers, status, text } = reply
  const wrong = await judge(
    { method, target, status, contentType: headers['content-type'], text, errorCode: headers['x-error-code'] },
    specs.get(origin),
  )
  if (wrong.length === 0) return reply
  throw new Error(
    `The ${status} to ${method} ${target} breaks the contract: ${wrong.join('; ')}\n${text.slice(0, 500)}`,
  )
}

async function judge(judgedReply: Judged, spec: string | undefined): Promise<readonly string[]> {
  if (hasHost) return (await askHost({ judge: { judged: judgedReply, spec } })) as readonly string[]
  const { judgeOf } = await import('./validators.js')
  return judgeOf(spec)(judgedReply)
}
