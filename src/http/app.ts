/**
 * The whole way of a request, in order.
 *
 * Koa carries it as far as the route: open the exchange, answer preflights, pick the sandbox, match the operation. From there one
 * function shows the rest. Whatever goes wrong anywhere is thrown as an error of the table, and becomes a reply in one place.
 */
import { Readable } from 'node:stream'

import Koa from 'koa'
import type { Middleware } from 'koa'

import type { OperationResponse, Violation } from '../contract/contract.js'
import { DoubleError, createError } from '../errors.js'
import type { JournalEntry } from '../sandbox/journal.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { parseErrorOf } from '../server/client-errors.js'
import { applyPreference } from './apply-preference.js'
import { checkHeaders } from './check-headers.js'
import { corsHeaders, isPreflight, preflightResponse } from './cors.js'
import { documentedStatus } from './error-status.js'
import { injectFault } from './inject-fault.js'
import type { Plane } from './plane.js'
import type { KnownSecrets, Redaction } from './redact-request.js'
import { createRedaction } from './redact-request.js'
import type { RequestContext, ExchangeState, Way } from './request-context.js'
import { createContext, ConnectionDropped, toJournalEntry } from './request-context.js'
import { toOriginForm } from './request-target.js'
import type { OperationRouter } from './router.js'
import { createRouter } from './router.js'
import { securityHeaders } from './security-headers.js'
import { selectSandbox } from './select-sandbox.js'
import { errorResponse, violationsHeader, sendResponse } from './send-response.js'
import { indexResponse } from './serve-index.js'
import { validateResponse, validateAndCommit } from './validate-and-commit.js'
import { validateRequest } from './validate-request.js'

/** What the app serves, and whom it tells. */
export interface AppOptions {
  /** The package's version. */
  readonly version: string
  readonly sandboxes: Sandboxes
  /** The service as it is now; a changed spec replaces it. */
  readonly data: () => Plane
  /** Loaded when it is first asked for. */
  readonly control: () => Promise<Plane>
  /** Waited before each reply of the service, milliseconds. */
  readonly delayMs: number
  /** What is secret in every exchange. */
  readonly secrets: () => KnownSecrets
  /** Hears of every exchange, whatever its sandbox; and whether that expects violations. */
  readonly onExchange: (entry: JournalEntry, isControl: boolean, isExpected: boolean) => void
  /** Hears of what should not have happened. */
  readonly onFailure: (id: string, error: unknown) => void
  /** Aborted when the double stops: then connections are not kept, and nobody is kept waiting. */
  readonly stopping: AbortSignal
}

/** Makes the Koa application that serves both planes, for every sandbox. */
export function createApp(service: AppOptions): Koa<ExchangeState> {
  const app = new Koa<ExchangeState>()
  // All that can still go wrong behind the first step is a client that is gone.
  app.on('error', () => {})
  app.use(openExchange(service))
  app.use(answerPreflights)
  app.use(selectSandbox(service.sandboxes))
  app.use(matchOperation(service))
  return app
}

/** The way of a request from its route on, to the reply that is sent. */
async function serve(service: AppOptions, plane: Plane, way: Way): Promise<OperationResponse> {
  const { exchange, operation } = way
  const disturbed = await injectFault(service, plane.contract, way)
  if (disturbed) return disturbed

  plane.authorize(exchange, operation)

  const request = await validateRequest(plane.contract, way)
  const preferred = await applyPreference(plane.contract, way, request, service.stopping)
  if (preferred) return preferred

  const outcome = plane.handle(exchange, operation, request)
  // Awaiting what is no promise would let another request in between, and a change would be built on a state that is no more.
  return validateAndCommit(plane.contract, way, outcome instanceof Promise ? await outcome : outcome)
}

/** First and last: a request comes in and a reply goes out, with an id, CORS headers and an entry in the journal, whatever happens. */
function openExchange(service: AppOptions): Middleware<ExchangeState> {
  return async (ctx, next) => {
    const exchange = createContext(ctx.req, ctx.res, service.sandboxes.root)
    ctx.state.exchange = exchange
    try {
      checkHeaders(ctx.req)
      const url = toOriginForm(ctx.url)
      if (url !== ctx.url) ctx.url = url
      await next()
    } catch (error) {
      exchange.reply = errorResponse(explain(service, exchange, error))
    }
    const redaction = createRedaction(exchange, service.secrets())
    const reply = exchange.reply && redactReply(exchange.reply, redaction)
    const sent = ctx.req.socket.destroyed ? undefined : reply
    const entry = toJournalEntry(exchange, sent?.status ?? null, redaction)
    record(service, exchange, entry)
    // Koa would write the same, one field after the other.
    ctx.respond = false
    if (!sent) {
      if (reply?.body instanceof Readable) reply.body.destroy()
      return
    }
    const headers = corsHeaders(ctx.req.headers.origin)
    headers['x-request-id'] = exchange.id
    if (entry.preference !== null) headers['preference-applied'] = entry.preference
    Object.assign(headers, securityHeaders(exchange.isControl, sent.mediaType))
    if (entry.violations.length > 0) headers['sl-violations'] = violationsHeader(entry.violations)
    if (service.stopping.aborted) headers['connection'] = 'close'
    try {
      sendResponse(ctx.res, sent, headers)
    } catch (error) {
      // A header field that Node refuses, as an example of a spec may hold one.
      const least = { ...corsHeaders(ctx.req.headers.origin), 'x-request-id': exchange.id }
      sendResponse(ctx.res, redactReply(errorResponse(explain(service, exchange, error)), redaction), least)
    }
  }
}

const answerPreflights: Middleware<ExchangeState> = async (ctx, next) => {
  if (isPreflight(ctx.req)) ctx.state.exchange.reply = preflightResponse(ctx.req)
  else await next()
}

/** One matcher decides. What it does not know goes no further. */
function matchOperation(service: AppOptions): Middleware<ExchangeState> {
  const routesByPlane = new WeakMap<Plane, OperationRouter>()
  return async (ctx) => {
    const { exchange } = ctx.state
    exchange.isControl = /^\/__admin(?:[/?]|$)/u.test(ctx.url)
    if (/^\/__admin(?:\?|$)/u.test(ctx.url)) {
      // The console's address without its slash is what people type.
      const headers = { location: `${exchange.isPrefixed ? exchange.sandbox.basePath : ''}/__admin/` }
      exchange.reply = { status: 308, headers, mediaType: '', body: undefined }
      return
    }
    const plane = exchange.isControl ? await service.control() : service.data()
    const routes = routesByPlane.get(plane) ?? createRouter(plane.contract)
    routesByPlane.set(plane, routes)
    const route = await routes.match(ctx)
    const malformation = parseErrorOf(ctx.req)
    if (malformation) throw malformation
    exchange.route = route
    if (route) {
      exchange.reply = await answer(service, plane, { exchange, ...route })
      return
    }
    const landing = routes.isKnown(ctx) ? undefined : indexResponse(ctx, plane.contract, service.version)
    // Nobody asks the service for it, so like the control plane it is no part of the journal.
    if (landing) exchange.isControl = true
    exchange.reply = landing ?? routes.refuse(ctx)
  }
}

/** Has an operation answer, if only with an error. Whatever it answers has been checked. */
async function answer(service: AppOptions, plane: Plane, way: Way): Promise<OperationResponse | undefined> {
  const { exchange } = way
  try {
    return await serve(service, plane, way)
  } catch (thrown) {
    if (thrown instanceof ConnectionDropped) {
      exchange.note = thrown.message
      return undefined
    }
    const error = explain(service, exchange, thrown)
    // What never arrived whole is no request to the operation, and what it is told no reply of it.
    const isUnread = error.code === 'request_timeout' || error.code === 'malformed_http'
    return isUnread
      ? errorResponse(error)
      : validateResponse(plane.contract, way, errorResponse(error, documentedStatus(way.operation, error)))
  }
}

/** Makes an error of the table of whatever was thrown, and notes what it says of the request. */
function explain(service: AppOptions, exchange: RequestContext, error: unknown): DoubleError {
  const known = error instanceof DoubleError ? error : createError('internal', { id: exchange.id }, { cause: error })
  if (known.status === 500)
    service.onFailure(exchange.id, createRedaction(exchange, service.secrets()).error(known.cause ?? known))
  if (known.note !== undefined) exchange.note = known.note
  if (known.location) {
    const violation: Violation = {
      location: known.location,
      // Whether a credential is right is for the state to say, and a login screen has to be tested.
      severity: known.status === 401 ? 'Warning' : 'Error',
      code: known.code,
      message: known.message,
    }
    exchange.violations.push(violation)
  }
  return known
}

/** An error may quote what the client sent. */
function redactReply(reply: OperationResponse, redaction: Redaction): OperationResponse {
  return reply.headers['x-error-code'] === undefined ? reply : { ...reply, body: redaction.json(reply.body) }
}

function record(service: AppOptions, exchange: RequestContext, entry: JournalEntry): void {
  const { route, sandbox } = exchange
  if (!exchange.isControl) {
    sandbox.journal.record(entry)
    if (route && entry.status !== null) sandbox.coverage.count(route.operation.id, entry.status)
  }
  try {
    service.onExchange(entry, exchange.isControl, sandbox.expectsViolations)
  } catch (error) {
    // Whoever listens has a problem of its own, and no part in the reply.
    service.onFailure(exchange.id, error)
  }
}
