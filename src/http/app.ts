/**
 * The whole way of a request, in order.
 *
 * Koa carries it as far as the route: open the exchange, answer preflights, pick the sandbox, match the operation. From there one
 * function shows the rest. Whatever goes wrong anywhere is thrown as an error of the table, and becomes a reply in one place.
 */
import { Readable } from 'node:stream'

import Koa from 'koa'
import type { Middleware } from 'koa'

import type { OperationReply, Violation } from '../contract/contract.js'
import { DoubleError, failure } from '../errors.js'
import type { JournalEntry } from '../sandbox/journal.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { malformationOf } from './below.js'
import { corsHeaders, isPreflight, preflightReply } from './cors.js'
import type { Exchange, ExchangeState, Way } from './exchange.js'
import { createExchange, NoReply, toEntry } from './exchange.js'
import { disturb } from './fault.js'
import { landingResponse } from './landing.js'
import { pageHeadersFor } from './page-headers.js'
import type { Plane } from './plane.js'
import { prefer } from './prefer.js'
import type { KnownSecrets, Redaction } from './redaction.js'
import { redactionOf } from './redaction.js'
import { errorReply, violationsHeader, writeReply } from './reply.js'
import { readRequest } from './request.js'
import type { Routes } from './routes.js'
import { routeOperations } from './routes.js'
import { pickSandbox } from './sandbox.js'
import { judge, settle } from './settle.js'
import { originForm } from './target.js'
import { vetHeader } from './vet-header.js'

/** What the app serves, and whom it tells. */
export interface Service {
  /** The package's version. */
  readonly version: string
  readonly sandboxes: Sandboxes
  /** The Insights service as it is now; a changed spec replaces it. */
  readonly insights: () => Plane
  /** Loaded when it is first asked for. */
  readonly control: () => Promise<Plane>
  /** Waited before each reply of the Insights service, milliseconds. */
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
export function createApp(service: Service): Koa<ExchangeState> {
  const app = new Koa<ExchangeState>()
  // All that can still go wrong behind the first step is a client that is gone.
  app.on('error', () => {})
  app.use(openExchange(service))
  app.use(answerPreflights)
  app.use(pickSandbox(service.sandboxes))
  app.use(matchOperation(service))
  return app
}

/** The way of a request from its route on, to the reply that is sent. */
async function serve(service: Service, plane: Plane, way: Way): Promise<OperationReply> {
  const { exchange, operation } = way
  const disturbed = await disturb(service, plane.contract, way)
  if (disturbed) return disturbed

  plane.admit(exchange, operation)

  const request = await readRequest(plane.contract, way)
  const preferred = await prefer(plane.contract, way, request, service.stopping)
  if (preferred) return preferred

  const outcome = plane.handle(exchange, operation, request)
  // Awaiting what is no promise would let another request in between, and a change would be built on a state that is no more.
  return settle(plane.contract, way, outcome instanceof Promise ? await outcome : outcome)
}

/** First and last: a request comes in and a reply goes out, with an id, CORS headers and an entry in the journal, whatever happens. */
function openExchange(service: Service): Middleware<ExchangeState> {
  return async (ctx, next) => {
    const exchange = createExchange(ctx.req, ctx.res, service.sandboxes.root)
    ctx.state.exchange = exchange
    try {
      vetHeader(ctx.req)
      const url = originForm(ctx.url)
      if (url !== ctx.url) ctx.url = url
      await next()
    } catch (error) {
      exchange.reply = errorReply(explain(service, exchange, error))
    }
    const redaction = redactionOf(exchange, service.secrets())
    const reply = exchange.reply && redactReply(exchange.reply, redaction)
    const sent = ctx.req.socket.destroyed ? undefined : reply
    const entry = toEntry(exchange, sent?.status ?? null, redaction)
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
    Object.assign(headers, pageHeadersFor(exchange.isControl, sent.mediaType))
    if (entry.violations.length > 0) headers['sl-violations'] = violationsHeader(entry.violations)
    if (service.stopping.aborted) headers['connection'] = 'close'
    try {
      writeReply(ctx.res, sent, headers)
    } catch (error) {
      // A header field that Node refuses, as an example of a spec may hold one.
      const least = { ...corsHeaders(ctx.req.headers.origin), 'x-request-id': exchange.id }
      writeReply(ctx.res, redactReply(errorReply(explain(service, exchange, error)), redaction), least)
    }
  }
}

const answerPreflights: Middleware<ExchangeState> = async (ctx, next) => {
  if (isPreflight(ctx.req)) ctx.state.exchange.reply = preflightReply(ctx.req)
  else await next()
}

/** One matcher decides. What it does not know goes no further. */
function matchOperation(service: Service): Middleware<ExchangeState> {
  const routesByPlane = new WeakMap<Plane, Routes>()
  return async (ctx) => {
    const { exchange } = ctx.state
    exchange.isControl = /^\/__admin(?:[/?]|$)/u.test(ctx.url)
    if (/^\/__admin(?:\?|$)/u.test(ctx.url)) {
      // The console's address without its slash is what people type.
      const headers = { location: `${exchange.isPrefixed ? exchange.sandbox.basePath : ''}/__admin/` }
      exchange.reply = { status: 308, headers, mediaType: '', body: undefined }
      return
    }
    const plane = exchange.isControl ? await service.control() : service.insights()
    const routes = routesByPlane.get(plane) ?? routeOperations(plane.contract)
    routesByPlane.set(plane, routes)
    const route = await routes.match(ctx)
    const malformation = malformationOf(ctx.req)
    if (malformation) throw malformation
    exchange.route = route
    if (route) {
      exchange.reply = await answer(service, plane, { exchange, ...route })
      return
    }
    const landing = routes.isKnown(ctx) ? undefined : landingResponse(ctx, plane.contract, service.version)
    // Nobody asks the service for it, so like the control plane it is no part of the journal.
    if (landing) exchange.isControl = true
    exchange.reply = landing ?? routes.refuse(ctx)
  }
}

/** Has an operation answer, if only with an error. Whatever it answers has been checked. */
async function answer(service: Service, plane: Plane, way: Way): Promise<OperationReply | undefined> {
  const { exchange } = way
  try {
    return await serve(service, plane, way)
  } catch (thrown) {
    if (thrown instanceof NoReply) {
      exchange.note = thrown.message
      return undefined
    }
    const error = explain(service, exchange, thrown)
    // What never arrived whole is no request to the operation, and what it is told no reply of it.
    const isUnread = error.code === 'request_timeout' || error.code === 'malformed_http'
    return isUnread ? errorReply(error) : judge(plane.contract, way, errorReply(error))
  }
}

/** Makes an error of the table of whatever was thrown, and notes what it says of the request. */
function explain(service: Service, exchange: Exchange, error: unknown): DoubleError {
  const known = error instanceof DoubleError ? error : failure('internal', { id: exchange.id }, { cause: error })
  if (known.status === 500)
    service.onFailure(exchange.id, redactionOf(exchange, service.secrets()).error(known.cause ?? known))
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
function redactReply(reply: OperationReply, redaction: Redaction): OperationReply {
  return reply.headers['x-error-code'] === undefined ? reply : { ...reply, body: redaction.json(reply.body) }
}

function record(service: Service, exchange: Exchange, entry: JournalEntry): void {
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
