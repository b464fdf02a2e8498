/** Checks the rules that every conversation must satisfy. */
import type { Reply } from '../helpers/http.js'
import { type Exchange, isOutsideContract, type ResponseValidator } from '../helpers/independent-validator.js'
import type { Conversation, Outcome } from './conversation.js'
import type { FuzzRequest } from './requests.js'

/** The part of a journal entry that is checked here. */
export interface Entry {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly status: number | null
  readonly verdict: string
}

export interface Had {
  readonly conversation: Conversation
  readonly outcome: Outcome
}

/** Returns the errors in the number of responses of a conversation: too few, too many, none in time. */
export function checkShape({ conversation, outcome }: Had): readonly string[] {
  const { cutAt, requests } = conversation
  const { endedBy, replies, rest } = outcome
  const wrong: string[] = []
  if (endedBy === 'nobody') wrong.push('the connection got no response and was not closed in time')
  if (outcome.nonsense !== undefined) return [...wrong, outcome.nonsense]
  if (cutAt !== undefined) return wrong
  if (rest.length > 0)
    wrong.push(`an incomplete response is left: ${JSON.stringify(rest.toString('latin1').slice(0, 200))}`)
  for (const [index, request] of requests.entries()) {
    if (request.fate === 'unknown') return wrong
    const reply = replies[index]
    if (!reply) return [...wrong, `request ${index} has no response`]
    const closes = reply.headers['connection'] === 'close'
    if (request.fate === 'closed' && !closes) wrong.push(`response ${index} does not say that it is the last`)
    if (request.fate === 'kept' && closes) wrong.push(`response ${index} closes the connection without a reason`)
    if (!closes && request.fate !== 'ended') continue
    return replies.length > index + 1 ? [...wrong, `${replies.length - index - 1} responses after the last`] : wrong
  }
  if (replies.length > requests.length) wrong.push(`${replies.length} responses to ${requests.length} requests`)
  return wrong
}

/** Returns the errors in each response of a conversation. @param entries - The journal, by id. */
export const checkReplies = (
  { conversation, outcome }: Had,
  entries: ReadonlyMap<string, Entry>,
  validate: ResponseValidator,
): readonly string[] =>
  outcome.replies.flatMap((reply, index) => {
    const request = conversation.requests[index] ?? conversation.requests.at(-1)
    const id = reply.headers['x-request-id']
    if (!request || id === undefined) return [`response ${index} has no x-request-id`]
    const entry = entries.get(id)
    const isUnknownRoot = request.method === '' && isOfRoot(request, reply)
    const invalid = isUnknownRoot ? [] : validate(exchangeOf(request, reply, entry))
    const problems = [...checkReply(reply), ...checkEntry(request, reply, entry), ...invalid]
    return problems.map((problem) => `reply ${index} (${reply.status}): ${problem}`)
  })

function checkReply({ headers, status, text }: Reply): readonly string[] {
  const wrong: string[] = []
  if (status >= 500) wrong.push(`it is a failure: ${text}`)
  if (headers['access-control-allow-origin'] === undefined) wrong.push('a page of another origin cannot read it')
  if (headers['date'] === undefined) wrong.push('it has no date')
  return wrong
}

function checkEntry(request: FuzzRequest, reply: Reply, entry: Entry | undefined): readonly string[] {
  if (request.isControl) return []
  const { status } = reply
  if (isOfRoot(request, reply)) return entry ? ['the journal has a readiness probe'] : []
  if (!entry) return ['the journal does not have it']
  const wrong: string[] = []
  if (entry.status !== status) wrong.push(`the journal says ${entry.status}`)
  if (entry.verdict !== 'ok' && entry.verdict !== 'violation') wrong.push(`its verdict is ${entry.verdict}`)
  if (request.method === '' || entry.method === '') return wrong
  if (entry.method !== request.method) wrong.push(`the journal says ${entry.method}, but ${request.method} was sent`)
  const isWritten = request.target.length <= 2048 && !/token/iu.test(request.target)
  if (isWritten && !isAsSent(entry.url, request))
    wrong.push(`the journal says ${entry.url}, but ${request.target} was sent`)
  return wrong
}

/** Tells whether the journal has the target as it was sent, apart from redacted parts: the user before an @, and the token of the request. */
function isAsSent(url: string, { bytes, target }: FuzzRequest): boolean {
  const presented = [...bytes.toString('latin1').matchAll(/^authorization:.*?([\w*=-]{8,})\r$/gimu)]
  const token = ['[^/@]*(?=@)', ...presented.map(([, value = '']) => escape(value))].join('|')
  const parts = url.split('[redacted]').map(escape)
  return new RegExp(`^${parts.join(`(?:${token})`)}$`, 'u').test(target)
}

const escape = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}/]/gu, String.raw`\$&`)

/** Tells whether a response is the index at the root, the icon or the contract: by the request, or by its body if the request is unknown. */
function isOfRoot({ method, target }: FuzzRequest, { headers, status, text }: Reply): boolean {
  if (method !== '') return isOutsideContract({ method, target, status })
  return (
    (status === 200 && /^(?:\{"name":"insights-double",|\{"openapi":|# The contract of )/u.test(text)) ||
    (status === 302 && /\/__admin\/(?:assets\/icon\.svg)?$/u.test(headers['location'] ?? ''))
  )
}

/** Describes a response by the request that was sent, or by the journal's entry if that is unknown. */
function exchangeOf(request: FuzzRequest, reply: Reply, entry: Entry | undefined): Exchange {
  const isKnown = request.method !== ''
  return {
    method: isKnown ? request.method : (entry?.method ?? ''),
    target: isKnown ? request.target : (entry?.url ?? ''),
    status: reply.status,
    contentType: reply.headers['content-type'],
    text: reply.text,
    errorCode: reply.headers['x-error-code'],
    isGenerated: reply.headers['preference-applied']?.includes('dynamic=true') === true,
  }
}
