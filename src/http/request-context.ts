/** An exchange: a request on its way to a reply, with all that is learned of it on the way. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Json, OperationResponse, Violation } from '../contract/contract.js'
import type { Caller } from '../resources/records/state.js'
import type { JournalEntry } from '../sandbox/journal.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Redaction } from './redact-request.js'
import type { Route } from './router.js'

/** What is known of an exchange so far. The steps of the way fill it in, each its own part. */
export interface RequestContext {
  /** The reply's `x-request-id`, and the journal's id. */
  readonly id: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  /** The request target as received. */
  readonly url: string
  /** When the request came: milliseconds since 1970, and by a clock that never jumps. */
  readonly receivedAt: number
  readonly started: number
  /** Picked first; until then the root. */
  sandbox: Sandbox
  /** Whether the sandbox was picked by the base URL, and not by the header. */
  isPrefixed: boolean
  /** Whether it is with the control plane. The journal leaves those out: it is about the service. */
  isControl: boolean
  /** Set once the route is known. */
  route: Route | undefined
  /** Set once the bearer token is known. */
  caller: Caller | undefined
  /** Set once the request body is read and parsed. */
  body: Json | undefined
  readonly violations: Violation[]
  /** The id of the fault that was applied. */
  fault: string | undefined
  /** The preferences that were applied. */
  preference: string | undefined
  /** Why, where the reply must not say it. */
  note: string | undefined
  /** What is sent in the end. Undefined: nothing is. */
  reply: OperationResponse | undefined
}

/** Thrown where an exchange has no reply. The message is a note for the journal. */
export class ConnectionDropped extends Error {
  override readonly name = 'NoReply'
}

/** What the steps of the way hand on to each other. */
export interface Way extends Route {
  readonly exchange: RequestContext
}

/** What middleware find in Koa's state. */
export interface ExchangeState {
  exchange: RequestContext
}

const boot = randomBytes(3).toString('hex')
let count = 0

/** A new id, unique in this process and unlike those of others. */
export const nextId = (): string => `${boot}-${(++count).toString(36)}`

/** Opens an exchange for a request that has come in. */
export function createContext(request: IncomingMessage, response: ServerResponse, sandbox: Sandbox): RequestContext {
  return {
    id: nextId(),
    request,
    response,
    method: request.method ?? '',
    url: request.url ?? '',
    receivedAt: Date.now(),
    started: performance.now(),
    sandbox,
    isPrefixed: false,
    isControl: false,
    route: undefined,
    caller: undefined,
    body: undefined,
    violations: [],
    fault: undefined,
    preference: undefined,
    note: undefined,
    reply: undefined,
  }
}

/** The most of a request target that the journal keeps, in characters. */
const maxUrlLength = 2048

/**
 * Writes an exchange down, without its secrets.
 *
 * @param status - What it was answered with; null where it was not.
 */
export function toJournalEntry(exchange: RequestContext, status: number | null, redaction: Redaction): JournalEntry {
  const textOf = (text: string | undefined): string | null => (text === undefined ? null : redaction.text(text))
  return {
    id: exchange.id,
    time: new Date(exchange.receivedAt).toISOString(),
    sandbox: redaction.text(exchange.sandbox.name),
    method: exchange.method,
    url: redaction.url(exchange.url).slice(0, maxUrlLength),
    headers: redaction.headers(exchange.request.headers),
    operation: exchange.route?.operation.id ?? null,
    caller: exchange.caller?.name ?? null,
    status,
    durationMs: Math.round((performance.now() - exchange.started) * 1000) / 1000,
    verdict: exchange.violations.some(({ severity }) => severity === 'Error') ? 'violation' : 'ok',
    violations: redaction.violations(exchange.violations),
    fault: exchange.fault ?? null,
    preference: textOf(exchange.preference),
    note: textOf(exchange.note),
  }
}
