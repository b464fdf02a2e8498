/** An Insights service that follows its document, without the double's code: plain node:http, its own state, and switches. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

import type { ExecutionContext } from 'ava'

import { listen } from '../helpers/port.js'

/** An insight, and the callers that have access to it. */
export interface Insight {
  readonly id: string
  readonly access: readonly string[]
  readonly [property: string]: unknown
}

interface Logged {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

/** The response of the service, before it is written. */
export interface Answer {
  status: number
  headers: Record<string, string>
  /** Undefined: no body. A string is sent as it is. */
  body: unknown
}

/** A request, as a switch gets it. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** The caller of the token. Undefined: none. */
  readonly caller: string | undefined
  readonly insights: Insight[]
  /** The number of earlier requests. */
  readonly count: number
}

/** The switches of the service. Each is one deviation. */
export interface Switches {
  /** Responds instead of the service, unless it returns undefined. */
  readonly instead?: (asked: Asked) => Answer | undefined
  /** Changes a response. */
  readonly change?: (answer: Answer, asked: Asked) => void
  /** Changes an insight in a list. */
  readonly show?: (insight: Record<string, unknown>, asked: Asked) => Record<string, unknown>
  /** Writes the response. False: the service writes it. */
  readonly write?: (response: ServerResponse, asked: Asked) => boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly defaultLimit?: number
  readonly silentCap?: number
  /** Accepts every spelling of an integer that JavaScript's Number accepts. */
  readonly lenientNumbers?: boolean
  readonly repeatedLimit?: boolean
  readonly emptyLimit?: boolean
  readonly offset?: boolean
  readonly deletedStatus?: number
  readonly unknownStatus?: number
  readonly foreignStatus?: number
  readonly secondStatus?: number
  readonly malformedIdStatus?: number
  readonly deletesForeign?: boolean
  readonly deletesForCallerOnly?: boolean
  readonly keepsDeleted?: boolean
  readonly bodyOnGet?: boolean
  readonly bodyOnDelete?: boolean
  readonly strictQuery?: boolean
  readonly credentialFirst?: boolean
  readonly parametersFirst?: boolean
  readonly caseSensitiveScheme?: boolean
}

export interface InsightsService {
  readonly url: string
  readonly log: readonly Logged[]
  readonly insights: readonly Insight[]
  /** False: each request is an error of the test, except GET, HEAD and OPTIONS. */
  mayChange: boolean
  /** Requests that were not permitted, since the start. */
  readonly notPermitted: readonly string[]
  /** Replaces state and switches, and empties the log. */
  reset(insights: readonly Insight[], switches?: Switches): void
  stop(): Promise<void>
}

/** The tokens of the callers of the service. */
export const tokens: Readonly<Record<string, string>> = {
  ada: 'Real-Token-Of-Ada-7f3c',
  grace: 'Real-Token-Of-Grace-91bd',
}

/** The environment and the flags of a command that is to know the callers. */
export const callerEnv = { ADA_TOKEN: tokens['ada'] ?? '', GRACE_TOKEN: tokens['grace'] ?? '' }
export const callerFlags = ['--caller', 'ada=env:ADA_TOKEN', '--caller', 'grace=env:GRACE_TOKEN', '--pace', '10000']

export async function startInsights(insights: readonly Insight[], switches: Switches = {}): Promise<InsightsService> {
  let state = { log: [] as Logged[], insights: [...insights], gone: new Set<string>(), switches }
  const notPermitted: string[] = []
  const server = createServer((request, response) => {
    const { headers, method = '', url = '' } = request
    state.log.push({ method, url, headers })
    if (!service.mayChange && !['GET', 'HEAD', 'OPTIONS'].includes(method)) notPermitted.push(`${method} ${url}`)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { pathname, searchParams } = new URL(url, 'http://service')
      const caller = callerOf(headers.authorization, state.switches)
      const body = Buffer.concat(chunks).toString()
      const sent = { method, path: pathname, query: searchParams, headers, body, caller }
      const asked: Asked = { ...sent, insights: state.insights, count: state.log.length }
      if (state.switches.write?.(response, asked) === true) return
      const answer = state.switches.instead?.(asked) ?? answerTo(asked, state.switches, state.gone)
      state.switches.change?.(answer, asked)
      send(response, method, answer)
    })
  })
  const listening = await listen(server)
  const service: InsightsService = {
    url: listening.url,
    mayChange: false,
    notPermitted,
    get log() {
      return state.log
    },
    get insights() {
      return state.insights
    },
    reset: (next, nextSwitches = {}) => {
      state = { log: [], insights: [...next], gone: new Set(), switches: nextSwitches }
    },
    stop: async () => listening[Symbol.asyncDispose](),
  }
  return service
}

/** Starts the service for a test. It stops with the test, which fails if something was changed without permission. */
export async function serveInsights(
  t: ExecutionContext,
  insights: readonly Insight[] = someInsights(),
  switches: Switches = {},
): Promise<InsightsService> {
  const service = await startInsights(insights, switches)
  t.teardown(async () => {
    await service.stop()
    if (service.notPermitted.length > 0) throw new Error(`Not permitted: ${service.notPermitted.join(', ')}`)
  })
  return service
}

/** Twelve insights: most are shared, some belong to one caller. */
export const someInsights = (): readonly Insight[] =>
  Array.from({ length: 12 }, (_, index) => ({
    id: `in-${index + 1}`,
    content: `Content of insight ${index + 1}`,
    ...(index % 2 === 0 ? { tag: index % 4 === 0 ? 'care' : 'sales' } : {}),
    ...(index % 3 === 0 ? { title: `Title ${index + 1}`, source: 'Support tickets' } : {}),
    createdAt: `2026-01-${String(index + 10)}T09:30:00Z`,
    access: index === 3 ? ['ada'] : index === 7 ? ['grace'] : ['ada', 'grace'],
  }))

/** A record is added during the run. */
export const gainsRecord: Switches = {
  instead: ({ count, insights }) => {
    if (count === 20) insights.push({ id: 'new', content: 'New.', access: ['ada', 'grace'] })
    return undefined
  },
}

function callerOf(header: string | undefined, { caseSensitiveScheme = false }: Switches): string | undefined {
  const [, token] = (caseSensitiveScheme ? /^Bearer +(\S+)$/u : /^bearer +(\S+)$/iu).exec(header ?? '') ?? []
  return Object.keys(tokens).find((name) => tokens[name] === token)
}

/** The Error of the service. */
export const errorAnswer = (status: number, message: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: { error: status, message },
})

function answerTo(asked: Asked, switches: Switches, gone: Set<string>): Answer {
  const { caller, headers, method, path } = asked
  const refusal = (): Answer | undefined => {
    if (caller !== undefined) return undefined
    const isToken = /^bearer +[\w.~+/-]+=*$/iu.test(headers.authorization ?? '')
    const challenge = isToken && !switches.caseSensitiveScheme ? 'Bearer error="invalid_token"' : 'Bearer'
    return errorAnswer(401, 'Who is it?', { 'www-authenticate': challenge })
  }
  if (switches.credentialFirst) {
    const refused = refusal()
    if (refused) return refused
  }
  const [, id] = /^\/insights\/([^/]+)$/u.exec(path) ?? []
  if (path !== '/insights' && id === undefined) return errorAnswer(404, 'No such path.')
  const allowed = id === undefined ? ['GET', 'HEAD'] : ['DELETE']
  if (method === 'OPTIONS')
    return { status: 204, headers: { allow: [...allowed, 'OPTIONS'].join(', ') }, body: undefined }
  if (!allowed.includes(method)) return errorAnswer(405, 'No such method.', { allow: allowed.join(', ') })
  const refused = refusal()
  if (switches.parametersFirst && id === undefined) {
    const invalid = limitOf(asked, switches)
    if (typeof invalid === 'string') return errorAnswer(400, invalid)
  }
  if (refused) return refused
  return id === undefined ? list(asked, switches) : remove(asked, switches, gone, id)
}

/** Reads `limit`. @returns The reason why it is refused. */
function limitOf({ query }: Asked, switches: Switches): number | undefined | string {
  const { maximum = 2_147_483_647, minimum = 1 } = switches
  const given = query.getAll('limit')
  if (given.length > 1 && !switches.repeatedLimit) return 'limit is given more than once.'
  const text = given[0]
  if (text === undefined) return switches.defaultLimit
  if (text === '' && switches.emptyLimit) return undefined
  const isPlain = /^(?:0|-?[1-9]\d*)$/u.test(text)
  const value = Number(text)
  if (switches.lenientNumbers ? text === '' || !Number.isInteger(value) : !isPlain) return 'limit is not an integer.'
  return value < minimum || value > maximum ? 'limit is out of bounds.' : value
}

function list(asked: Asked, switches: Switches): Answer {
  const { body, caller = '', insights, query } = asked
  if (body !== '' && !switches.bodyOnGet) return errorAnswer(400, 'No body, please.')
  if (switches.strictQuery && [...query.keys()].some((name) => name !== 'limit'))
    return errorAnswer(400, 'There is no such parameter.')
  const limit = limitOf(asked, switches)
  if (typeof limit === 'string') return errorAnswer(400, limit)
  const cap = Math.min(limit ?? Infinity, switches.silentCap ?? Infinity)
  const skip = switches.offset ? Number(query.get('offset') ?? 0) : 0
  const seen = insights.filter(({ access }) => access.includes(caller)).slice(skip, skip + Math.max(cap, 0))
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: seen.map(({ access: _access, ...insight }) => switches.show?.(insight, asked) ?? insight),
  }
}

function remove(asked: Asked, switches: Switches, gone: Set<string>, encoded: string): Answer {
  const { body, caller = '', insights } = asked
  let id: string
  try {
    id = decodeURIComponent(encoded)
  } catch {
    return errorAnswer(400, 'The id cannot be decoded.')
  }
  if (body !== '' && !switches.bodyOnDelete) return errorAnswer(400, 'No body, please.')
  if (!/^[A-Za-z0-9._~-]{1,128}$/u.test(id)) return errorAnswer(switches.malformedIdStatus ?? 400, 'That is no id.')
  const at = insights.findIndex((each) => each.id === id)
  const found = insights[at]
  if (!found) {
    const status = (gone.has(id) ? switches.secondStatus : switches.unknownStatus) ?? 404
    return status < 300 ? { status, headers: {}, body: undefined } : errorAnswer(status, 'No such insight.')
  }
  if (!found.access.includes(caller) && !switches.deletesForeign)
    return errorAnswer(switches.foreignStatus ?? 404, 'No such insight.')
  if (switches.deletesForCallerOnly && found.access.length > 1) {
    insights[at] = { ...found, access: found.access.filter((name) => name !== caller) }
  } else if (!switches.keepsDeleted) {
    insights.splice(at, 1)
    gone.add(id)
  }
  return { status: switches.deletedStatus ?? 204, headers: {}, body: undefined }
}

function send(response: ServerResponse, method: string, { body, headers, status }: Answer): void {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(text) }
  response.writeHead(status, { ...headers, ...length })
  response.end(method === 'HEAD' ? undefined : text)
}
