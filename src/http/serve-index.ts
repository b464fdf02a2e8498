/**
 * What stands at the root of a double for people and for tools that look whether it is there: an index, and the contract. Paths of the
 * contract take precedence over these.
 */
import type { Context } from 'koa'

import type { Contract, OperationResponse } from '../contract/contract.js'
import type { ExchangeState } from './request-context.js'
import { requestedHost } from './request-target.js'

/**
 * Answers GET and HEAD of `/`, `/openapi.json` and `/openapi.yaml`: a browser at `/` is redirected to the console, any other client gets
 * a small JSON index.
 *
 * @param ctx - Its path is relative to the sandbox.
 * @param version - The package's version.
 * @returns Undefined for any other method or path.
 */
export function indexResponse(
  ctx: Context & { state: ExchangeState },
  contract: Contract,
  version: string,
): OperationResponse | undefined {
  if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return undefined
  const { exchange } = ctx.state
  const json = { status: 200, headers: {}, mediaType: 'application/json' }
  if (ctx.path === '/openapi.json') return { ...json, body: contract.document }
  if (ctx.path === '/openapi.yaml') return { ...json, mediaType: 'application/yaml', body: contract.text }
  if (ctx.path !== '/') return undefined
  const base = exchange.isPrefixed ? exchange.sandbox.basePath : ''
  const headers = { vary: 'Accept, Origin' }
  if (ctx.accepts('application/json', 'text/html') === 'text/html') {
    return { status: 302, headers: { ...headers, location: `${base}/__admin/` }, mediaType: '', body: undefined }
  }
  const host = requestedHost(exchange.url, ctx.req.headers.host)
  const url = (path: string): string => `${host === '' ? '' : `http://${host}`}${base}${path}`
  const body = {
    name: 'insights-double',
    version,
    console: url('/__admin/'),
    reference: url('/__admin/docs'),
    contract: url('/openapi.json'),
  }
  return { ...json, headers, body }
}
