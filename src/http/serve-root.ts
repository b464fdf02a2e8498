/** Serves the index, the contract and the icon at the root path. The paths of the contract take precedence. */
import type { OperationResponse } from '../contract/contract.js'
import type { RequestContext } from './request-context.js'
import { requestedHost } from './request-target.js'

/**
 * Serves GET and HEAD of `/`, `/openapi.json`, `/openapi.yaml` and `/favicon.ico`. `/` redirects a browser to the console, and gives any
 * other client a JSON index.
 *
 * @param version - The package's version.
 * @returns Undefined for any other method or path.
 */
export function rootResponse(context: RequestContext, version: string): OperationResponse | undefined {
  const { basePath, contract, koa } = context
  if (koa.method !== 'GET' && koa.method !== 'HEAD') return undefined
  const json = { status: 200, headers: {}, mediaType: 'application/json' }
  if (koa.path === '/openapi.json') return { ...json, body: contract.document }
  if (koa.path === '/openapi.yaml') return { ...json, mediaType: 'application/yaml', body: contract.text }
  const redirect = { status: 302, mediaType: '', body: undefined }
  // Browsers request it for every response that they show.
  if (koa.path === '/favicon.ico') return { ...redirect, headers: { location: `${basePath}/__admin/assets/icon.svg` } }
  if (koa.path !== '/') return undefined
  const headers = { vary: 'Accept, Origin' }
  if (koa.accepts('application/json', 'text/html') === 'text/html')
    return { ...redirect, headers: { ...headers, location: `${basePath}/__admin/` } }
  const host = requestedHost(context.target, context.request.headers.host)
  const url = (path: string): string => `${host === '' ? '' : `http://${host}`}${basePath}${path}`
  const body = {
    name: 'insights-double',
    version,
    console: url('/__admin/'),
    reference: url('/__admin/docs'),
    contract: url('/openapi.json'),
  }
  return { ...json, headers, body }
}
