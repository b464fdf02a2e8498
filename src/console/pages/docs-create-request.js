/** The request of an operation that "Try it" sends. */
import { adminToken, baseUrl, rootUrl } from './api.js'
import { resolve } from './docs-resolve-reference.js'

/**
 * Creates the URL and the options of `fetch`. Optional parameters without a value are not sent.
 *
 * @param {{ parameter: object, value: string }[]} values - By parameter.
 * @param {object} [caller] - As `GET /__admin/callers` describes one. Undefined: no credential.
 * @returns {{ url: string, cookies: string[], init: RequestInit & { headers: Headers } }} `cookies` must be set during this request.
 */
export function createRequest(place, operation, values, caller) {
  const headers = new Headers()
  const query = new URLSearchParams()
  let path = operation.path
  for (const { parameter, value } of values) {
    const { in: where, name, required } = parameter
    if (where === 'path') path = path.replaceAll(`{${name}}`, encodeURIComponent(value))
    else if (value === '' && !required) continue
    else if (where === 'header') headers.set(name, value)
    else for (const [key, item] of queryItems(parameter, value)) query.append(key, item)
  }
  if (place.name === 'control' && adminToken() !== null) headers.set('authorization', `Bearer ${adminToken()}`)
  const cookies = caller ? addCredentials(place.document, operation, caller, headers, query) : []
  const base = (operation.isRootOnly ? rootUrl : baseUrl).replace(/\/$/u, '')
  const url = `${base}${path}${query.size === 0 ? '' : `?${query}`}`
  return { url, cookies, init: { method: operation.method.toUpperCase(), headers, cache: 'no-store' } }
}

/** Splits the text of a query parameter by its style. Arrays and objects are written as JSON. */
function queryItems({ explode, name, style = 'form' }, text) {
  let value
  try {
    value = /^[[{]/u.test(text) ? JSON.parse(text) : text
  } catch {
    value = text
  }
  if (typeof value !== 'object') return [[name, text]]
  if (style === 'deepObject') return Object.entries(value).map(([key, item]) => [`${name}[${key}]`, String(item)])
  if (explode === false)
    return [
      [
        name,
        Object.entries(value)
          .flatMap(([key, item]) => (Array.isArray(value) ? [item] : [key, item]))
          .join(','),
      ],
    ]
  return Object.entries(value).map(([key, item]) => [Array.isArray(value) ? name : key, String(item)])
}

/** Adds the credentials for the first security requirement of the operation. @returns The cookies to set. */
function addCredentials(document, { security }, caller, headers, query) {
  const needed = security.find((requirement) => Object.keys(requirement).length > 0) ?? {}
  const cookies = []
  for (const name of Object.keys(needed)) {
    const scheme = resolve(document, document.components?.securitySchemes?.[name])
    const token = caller.tokens?.[name] ?? caller.token ?? ''
    // Any token that no other caller has is accepted.
    const value = token === '*' ? 'any-other-token' : token
    if (scheme.type !== 'apiKey') {
      const { scheme: prefix = 'Bearer' } = scheme
      headers.set('authorization', `${prefix} ${prefix.toLowerCase() === 'basic' ? btoa(value) : value}`)
    } else if (scheme.in === 'header') headers.set(scheme.name, value)
    else if (scheme.in === 'query') query.set(scheme.name, value)
    else cookies.push(`${scheme.name}=${encodeURIComponent(value)}`)
  }
  return cookies
}
