/** Has every reply that a test sees judged, whatever the test looks at. What is wrong on purpose has to be excused. */
import type { Served } from './double.js'
import { askHost, hasHost } from './hosted.js'
import type { Reply } from './http.js'
import type { Judged } from './judge.js'
import { noteForRecording } from './recording.js'

const specs = new Map<string, string>()
const excuses = new Map<string, string>()

const originOf = ({ url }: Served): string => new URL(url).origin

/** Has the replies of a double judged by the spec that it serves. */
export function judgeBy(double: Served, spec: string): void {
  specs.set(originOf(double), spec)
  noteForRecording(double.url, 'another contract')
}

/** Lets pass whatever a double answers, in all of its sandboxes. @param why - What is wrong with it on purpose. */
export function excuse(double: Served, why: string): void {
  excuses.set(originOf(double), why)
  noteForRecording(double.url, why)
}

/** What a fault that was ordered says of itself. Its status need not be documented. */
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
  const { judgeOf } = await import('./judges.js')
  return judgeOf(spec)(judgedReply)
}
