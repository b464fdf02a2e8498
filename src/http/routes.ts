/** From a contract's operations to routes, and what becomes of a request that has none. */
import type { Layer } from '@koa/router'
import { Router } from '@koa/router'
import type { Context, Middleware } from 'koa'

import type { Contract, Operation } from '../contract/contract.js'
import { failure } from '../errors.js'
import type { ExchangeState } from './exchange.js'

/** Answers a request to an operation. @param captured - Path parameters by name, as received. */
export type Answer = (
  ctx: Context & { state: ExchangeState },
  operation: Operation,
  captured: Readonly<Record<string, string>>,
) => Promise<void>

/**
 * Routes each operation of a contract.
 *
 * This is the only place where paths are matched: what is not matched here reaches no handler. Paths are told apart to the letter,
 * trailing slashes included, and a path without parameters goes before one with.
 */
export function routeOperations(contract: Contract, answer: Answer): Middleware<ExchangeState> {
  const router = new Router<ExchangeState>({
    sensitive: true,
    strict: true,
    exclusive: 'specificity',
  })
  for (const operation of contract.operations) {
    const names: string[] = []
    const path = operation.path.split('/').map((segment) => {
      const name = /^\{(.*)\}$/u.exec(segment)?.[1]
      if (name === undefined) return segment.replaceAll(/[(){}[\]*+?!:\\]/gu, String.raw`\$&`)
      return `:p${names.push(name)}`
    })
    router.register(path.join('/'), [operation.method], async (ctx) => {
      const captures: readonly string[] = ctx.captures ?? []
      await answer(ctx, operation, Object.fromEntries(names.map((name, index) => [name, captures[index] ?? ''])))
    })
  }
  return router.routes() as Middleware<ExchangeState>
}

/** Refuses what no route took: 405 where the path is known and the method is not, 404 otherwise. OPTIONS is told what there is. */
export function refuseUnrouted(contract: Contract): (ctx: Context) => void {
  const known = [...new Set(contract.operations.map(({ path }) => path))]
  return (ctx) => {
    const matched: unknown[] = Array.isArray(ctx['matched']) ? ctx['matched'] : []
    const methods = matched.flatMap((layer) => (layer as Layer).methods)
    const allowed = [...new Set([...methods, 'OPTIONS'])].toSorted()
    if (ctx.method === 'OPTIONS' && (methods.length > 0 || ctx.url === '*')) {
      ctx.status = 204
      ctx.set('allow', allowed.join(', '))
      return
    }
    if (methods.length === 0) throw failure('unknown_path', { path: ctx.path, known })
    throw failure(
      'method_not_allowed',
      { method: ctx.method, path: ctx.path, allowed },
      { headers: { allow: allowed.join(', ') } },
    )
  }
}
