import { type Layer, Router } from '@koa/router'
import type { Context, Middleware } from 'koa'

import type { Contract, Operation, OperationResponse } from '../contract/contract.js'
import { parameterNames } from '../contract/path-template.js'
import { groupBy } from '../documents/object.js'
import { createError } from '../http-errors.js'
import { onceFor } from '../once.js'

export interface Route {
  readonly operation: Operation
  /** Path parameters by name, as received. */
  readonly pathParameters: Readonly<Record<string, string>>
}

type RouterState = { route?: Route }

export type OperationRouter = ReturnType<typeof createRouter>

/**
 * The only router: a request that it does not match reaches no handler.
 *
 * Paths match exactly, trailing slashes included. The path with the fewest segments that are a whole parameter takes precedence, then the one
 * with the fewest that contain a parameter, then the one with the fewest parameters, then the one with the first literal segment: `/pets/mine`
 * over `/pets/{from}...{to}` over `/pets/{petId}`, and `/pets/mine.{format}` over `/pets/{petId}.{format}`.
 */
export function createRouter(contract: Contract) {
  const byPath = groupBy(contract.operations, ({ path }) => path)
  const paths = [...byPath.keys()]
  const findPaths = createPathIndex(paths)
  // @koa/router tries one route after the other: each router has only the routes that a path may match.
  const routerOf = onceFor((found: string) =>
    createKoaRouter(found.split('\n').flatMap((each) => byPath.get(each) ?? [])),
  )
  return {
    match: async (ctx: Context): Promise<Route | undefined> => {
      const found = findPaths(ctx.path)
      if (found.length > 0) await routerOf(found.join('\n'))(ctx, async () => {})
      const { route }: RouterState = ctx.state
      return route
    },
    /** Tells whether the contract has the path, with any method. Call `match` first. */
    hasPath: (ctx: Context): boolean => methodsOf(ctx).length > 0,
    /** 405 if the contract has the path, else 404. OPTIONS gets the allowed methods. @throws {DoubleError} `unknown_path`, `method_not_allowed`. */
    refuse: (ctx: Context): OperationResponse => refuse(ctx, paths),
  }
}

/** Creates a router of @koa/router. Of the routes that match, the last counts. */
function createKoaRouter(operations: readonly Operation[]): Middleware<RouterState> {
  const router = new Router<RouterState>({ sensitive: true, strict: true, exclusive: true })
  for (const operation of operations.toSorted(byPrecedence).toReversed()) {
    const names: string[] = []
    const path = operation.path.replaceAll(/\{([^}]*)\}|[()[\]*+?!:\\]/gu, (part, name?: string) =>
      name === undefined ? `\\${part}` : `:"p${names.push(name)}"`,
    )
    router.register(path, [operation.method], (ctx) => {
      const captures: readonly string[] = ctx.captures ?? []
      const pathParameters = Object.fromEntries(names.map((name, index) => [name, captures[index] ?? '']))
      ctx.state.route = { operation, pathParameters }
    })
  }
  return router.routes() as Middleware<RouterState>
}

/** Compares operations: the one that takes precedence comes first. @koa/router routes HEAD to GET too, so HEAD comes before it. */
const byPrecedence = (one: Operation, other: Operation): number =>
  countSegments(one.path, /^\{[^{}]*\}$/u) - countSegments(other.path, /^\{[^{}]*\}$/u) ||
  countSegments(one.path, /\{/u) - countSegments(other.path, /\{/u) ||
  parameterNames(one.path).length - parameterNames(other.path).length ||
  Number(other.method === 'HEAD') - Number(one.method === 'HEAD')

const countSegments = (path: string, pattern: RegExp): number =>
  path.split('/').filter((segment) => pattern.test(segment)).length

function methodsOf(ctx: Context): readonly string[] {
  const matched: unknown[] = Array.isArray(ctx['matched']) ? ctx['matched'] : []
  return matched.flatMap((layer) => (layer as Layer).methods)
}

function refuse(ctx: Context, paths: readonly string[]): OperationResponse {
  const methods = methodsOf(ctx)
  const { method, path } = ctx
  const allowed = [...new Set([...methods, 'OPTIONS'])].toSorted()
  const headers = { allow: allowed.join(', ') }
  if (method === 'OPTIONS' && (methods.length > 0 || path === '*'))
    return { status: 204, headers, mediaType: '', body: undefined }
  if (methods.length === 0) throw createError('unknown_path', { path, known: nearest(path, paths) })
  throw createError('method_not_allowed', { method, path, allowed }, { headers })
}

/** The most paths that a message lists. */
const maxListed = 20

/** Lists the paths that have the most segments of another one, and says how many more there are. */
function nearest(path: string, paths: readonly string[]): readonly string[] {
  if (paths.length <= maxListed) return paths
  const asked = new Set(path.split('/'))
  const counted = paths.map((each) => ({ each, shared: each.split('/').filter((part) => asked.has(part)).length }))
  const listed = counted.toSorted((one, other) => other.shared - one.shared).slice(0, maxListed)
  return [...listed.map(({ each }) => each), `${paths.length - maxListed} more`]
}

/** A segment of templates, with those that end there. */
interface Node {
  readonly literals: Map<string, Node>
  /** The segments that contain a parameter. */
  parameter: Node | undefined
  readonly templates: string[]
}

const createNode = (): Node => ({ literals: new Map(), parameter: undefined, templates: [] })

/** @returns A function that finds the templates, such as `/pets/{petId}`, whose number of segments and literal segments are those of a path. */
export function createPathIndex(templates: Iterable<string>): (path: string) => readonly string[] {
  const root = createNode()
  for (const template of templates) {
    let node = root
    for (const segment of template.split('/')) {
      const isLiteral = !segment.includes('{')
      const next = (isLiteral ? node.literals.get(segment) : node.parameter) ?? createNode()
      if (isLiteral) node.literals.set(segment, next)
      else node.parameter = next
      node = next
    }
    node.templates.push(template)
  }
  return (path) => find(root, path.split('/'), 0)
}

function find(node: Node, segments: readonly string[], at: number): readonly string[] {
  const segment = segments[at]
  if (segment === undefined) return node.templates
  const literal = node.literals.get(segment)
  const byLiteral = literal ? find(literal, segments, at + 1) : []
  const byParameter = node.parameter ? find(node.parameter, segments, at + 1) : []
  return byLiteral.length === 0 ? byParameter : [...byLiteral, ...byParameter]
}
