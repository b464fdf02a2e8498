/** From a contract's operations to routes, and what becomes of a request that has none. */
import type { Layer } from '@koa/router'
import { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'

import type { Contract, Operation, OperationResponse } from '../contract/contract.js'
import { createError } from '../errors.js'
import type { ExchangeState } from './request-context.js'

/** Where a request leads. */
export interface Route {
  readonly operation: Operation
  /** Path parameters by name, as received. */
  readonly captured: Readonly<Record<string, string>>
}

/** Matches the requests of a contract. */
export interface OperationRouter {
  /** Finds the route of a request. @returns Undefined where there is none. */
  match(ctx: Context & { state: ExchangeState }): Promise<Route | undefined>
  /** Tells whether the contract has the path of a request that `match` was asked about, whatever its method. */
  isKnown(ctx: Context): boolean
  /**
   * What a request without a route is told: 405 where the path is known and the method is not, 404 otherwise. OPTIONS is told what
   * there is.
   *
   * @throws {DoubleError} `unknown_path`, `method_not_allowed`.
   */
  refuse(ctx: Context): OperationResponse
}

/**
 * Routes each operation of a contract.
 *
 * This is the only place where paths are matched: what is not matched here reaches no handler. Paths are told apart to the letter,
 * trailing slashes included, and a path without parameters goes before one with.
 */
export function createRouter(contract: Contract): OperationRouter {
  const router = new Router<ExchangeState>({ sensitive: true, strict: true, exclusive: 'specificity' })
  for (const operation of contract.operations) {
    const names: string[] = []
    const path = operation.path.replaceAll(/\{([^}]*)\}|[()[\]*+?!:\\]/gu, (part, name?: string) =>
      name === undefined ? `\\${part}` : `:"p${names.push(name)}"`,
    )
    router.register(path, [operation.method], (ctx) => {
      const captures: readonly string[] = ctx.captures ?? []
      const captured = Object.fromEntries(names.map((name, index) => [name, captures[index] ?? '']))
      ctx.state.exchange.route = { operation, captured }
    })
  }
  const dispatch = router.routes() as Middleware<ExchangeState>
  const paths = [...new Set(contract.operations.map(({ path }) => path))]
  // A path without parameters leads to the same route every time.
  const fixed = new Map<string, Route>()
  return {
    match: async (ctx) => {
      const { url } = ctx
      const query = url.indexOf('?')
      const key = `${ctx.method} ${query === -1 ? url : url.slice(0, query)}`
      const known = fixed.get(key)
      if (known) return known
      await dispatch(ctx, async () => {})
      const { route } = ctx.state.exchange
      if (route && Object.keys(route.captured).length === 0) fixed.set(key, route)
      return route
    },
    isKnown: (ctx) => methodsOf(ctx).length > 0,
    refuse: (ctx) => refuse(ctx, paths),
  }
}

/** The methods that the contract has for the path of a request. */
function methodsOf(ctx: Context): readonly string[] {
  const matched: unknown[] = Array.isArray(ctx['matched']) ? ctx['matched'] : []
  return matched.flatMap((layer) => (layer as Layer).methods)
}

function refuse(ctx: Context, paths: readonly string[]): OperationResponse {
  const methods = methodsOf(ctx)
  const { method, path } = ctx
  const allowed = [...new Set([...methods, 'OPTIONS'])].toSorted()
  const headers = { allow: allowed.join(', ') }
  if (method === 'OPTIONS' && (methods.length > 0 || path === '*')) {
    return { status: 204, headers, mediaType: '', body: undefined }
  }
  if (methods.length === 0) throw createError('unknown_path', { path, known: paths })
  throw createError('method_not_allowed', { method, path, allowed }, { headers })
}
