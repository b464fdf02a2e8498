/**
 * The whole way of a request, in order.
 *
 * Koa carries it as far as the route: open the exchange, answer preflights, pick the sandbox, match the operation. From there one
 * function shows the rest. Whatever goes wrong anywhere is thrown as an error of the table, and becomes a reply in one place.
 */
import Koa from 'koa'
import type { Context, Middleware } from 'koa'

import type { OperationReply, Violation } from '../contract/contract.js'
import { DoubleError, failure } from '../errors.js'
import type { JournalEntry } from '../sandbox/journal.js'
import type { Sandboxes } from '../sandbox/sandboxes.js'
import { answerPreflight, corsHeaders, isPreflight } from './cors.js'
import type { Exchange, ExchangeState, Way } from './exchange.js'
import { createExchange, toEntry } from './exchange.js'
import { disturb } from './fault.js'
import type { Plane } from './plane.js'
import { prefer } from './prefer.js'
import { errorReply, send, violationsHeader } from './reply.js'
import { readRequest } from './request.js'
import { refuseUnrouted, routeOperations } from './routes.js'
import { pickSandbox } from './sandbox.js'
import { judge, settle } from './settle.js'
import { originForm } from './target.js'

/** What the app serves, and whom it tells. */
export interface Service {
  readonly sandboxes: Sandboxes
  /** The Insights service as it is now; a changed spec replaces it. */
  readonly insights: () => Plane
  /** Loaded when it is first asked for. */
  readonly control: () => Promise<Plane>
  /** Waited before each reply of the Insights service, milliseconds. */
  readonly delayMs: number
  /** Hears of every exchange, whatever its sandbox. */
  readonly onExchange: (entry: JournalEntry, isControl: boolean) => void
  /** Hears of what should not have happened. */
  readonly onFailure: (id: string, error: unknown) => void
  /** Aborted when the double stops: then connections are not kept, and nobody is kept waiting. */
  readonly stopping: AbortSignal
}

/** Makes the Koa application that serves both planes, for every sandbox. */
export function createApp(service: Service): Koa<ExchangeState> {
  const app = new Koa<ExchangeState>()
  app.use(openExchange(service))
  app.use(async (ctx, next) => (isPreflight(ctx) ? answerPreflight(ctx) : next()))
  app.use(async (ctx, next) => {
    pickSandbox(ctx, ctx.state.exchange, service.sandboxes)
    await next()
  })
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
    ctx.set(corsHeaders(ctx.req.headers.origin))
    ctx.set('x-request-id', exchange.id)
    try {
      const { expect, host } = ctx.req.headers
      if (host === undefined && ctx.req.httpVersion === '1.1')
        throw failure('malformed_http', { reason: 'the Host header is missing' })
      if (expect !== undefined && expect.toLowerCase() !== '100-continue')
        throw failure('expectation_failed', undefined)
      const url = originForm(exchange.url)
      if (url !== ctx.url) ctx.url = url
      await next()
    } catch (error) {
      send(ctx, errorReply(explain(service, exchange, error)))
    }
    if (exchange.violations.length > 0) ctx.set('sl-violations', violationsHeader(exchange.violations))
    if (service.stopping.aborted) ctx.set('connection', 'close')
    record(service, exchange, ctx)
  }
}

/** One matcher decides. What it does not know goes no further. */
function matchOperation(service: Service): Middleware<ExchangeState> {
  const routed = new WeakMap<Plane, readonly [Middleware<ExchangeState>, (ctx: Context) => void]>()
  const routesOf = (plane: Plane): readonly [Middleware<ExchangeState>, (ctx: Context) => void] => {
    const known = routed.get(plane)
    if (known) return known
    const routes = routeOperations(plane.contract, async (ctx, operation, captured) => {
      const way = { exchange: ctx.state.exchange, operation, captured }
      way.exchange.operation = operation
      const reply = await serve(service, plane, way).catch((thrown: unknown) => {
        const error = explain(service, way.exchange, thrown)
        // What never arrived whole is no request to the operation, and what it is told no reply of it.
        const isUnread = error.code === 'request_timeout' || error.code === 'malformed_http'
        return isUnread ? errorReply(error) : judge(plane.contract, way, errorReply(error))
      })
      if (!way.exchange.disconnected) send(ctx, reply)
    })
    const made = [routes, refuseUnrouted(plane.contract)] as const
    routed.set(plane, made)
    return made
  }
  return async (ctx, next) => {
    const { exchange } = ctx.state
    exchange.isControl = /^\/__admin(?:[/?]|$)/u.test(ctx.url)
    const [routes, refuse] = routesOf(exchange.isControl ? await service.control() : service.insights())
    await routes(ctx, async () => {
      refuse(ctx)
      await next()
    })
  }
}

/** Makes an error of the table of whatever was thrown, and notes what it says of the request. */
function explain(service: Service, exchange: Exchange, error: unknown): DoubleError {
  const known = error instanceof DoubleError ? error : failure('internal', { id: exchange.id }, { cause: error })
  if (known.status >= 500) service.onFailure(exchange.id, known.cause ?? known)
  if (known.note !== undefined) exchange.note = known.note
  if (known.location) {
    const violation: Violation = {
      location: known.location,
      severity: 'Error',
      code: known.code,
      message: known.message,
    }
    exchange.violations.push(violation)
  }
  return known
}

function record(service: Service, exchange: Exchange, ctx: Context): void {
  const isGone = exchange.disconnected || ctx.req.socket.destroyed
  const entry = toEntry(exchange, isGone ? null : ctx.status)
  const { sandbox, operation } = exchange
  sandbox.lastUsed = Date.now()
  if (!exchange.isControl) {
    sandbox.journal.record(entry)
    if (operation && !isGone) sandbox.coverage.count(operation.id, ctx.status)
  }
  service.onExchange(entry, exchange.isControl)
}
