/** Sends requests to the control plane. Paths are relative to the page, so the same page works for the root and for every sandbox. */

/** Key of the admin token in the session storage, which the browser clears when the tab is closed. */
const tokenKey = 'insights-double-admin-token'

/** An error response, with its message. The status is 0 if there was no response. */
export class RefusedError extends Error {
  name = 'RefusedError'

  /** @param {string | null} code - The `x-error-code` of the response. */
  constructor(status, code, message) {
    super(message)
    this.status = status
    this.code = code
  }
}

const [, encodedName] = /\/sandboxes\/([^/]+)\/__admin\//u.exec(location.pathname) ?? []

/** The name of the sandbox that the page shows. Undefined for the root. */
export const sandboxName = encodedName && decodeURIComponent(encodedName)

/** The base URL of the root, with a slash at its end. */
export const rootUrl = new URL(sandboxName === undefined ? '../' : '../../../', location.href).href

/** The base URL of the root or sandbox that the page shows, with a slash at its end. */
export const baseUrl = new URL('../', location.href).href

/** Returns the admin token. @returns {string | null} Null: none. */
export const adminToken = () => sessionStorage.getItem(tokenKey)

/** Stores the admin token. @param {string} token - Empty: removes it. */
export function keepAdminToken(token) {
  if (token === '') sessionStorage.removeItem(tokenKey)
  else sessionStorage.setItem(tokenKey, token)
}

/**
 * Sends a request to the control plane.
 *
 * @param {string} path - Relative to `/__admin/`.
 * @param {{ method?: string, body?: unknown }} [options]
 * @returns The JSON body of the response. Undefined for a 204.
 * @throws {RefusedError}
 */
export async function ask(path, { body, method = 'GET' } = {}) {
  const token = adminToken()
  const response = await fetch(path, {
    method,
    cache: 'no-store',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    // The error of `fetch` does not tell the user what to do.
    throw new RefusedError(0, null, 'The double does not respond. Start it again if it was stopped.')
  })
  if (!response.ok)
    throw new RefusedError(response.status, response.headers.get('x-error-code'), await messageOf(response))
  if (response.status === 204) return undefined
  return response.headers.get('content-type')?.startsWith('application/json') ? response.json() : response.text()
}

/** Adds a query to a path. Omits empty and undefined values. */
export function withQuery(path, query) {
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''))
  return search.size === 0 ? path : `${path}?${search}`
}

export const errorText = (error) =>
  error instanceof RefusedError ? error.message : `The page has an internal error: ${String(error)}`

const messageOf = (response) =>
  response
    .json()
    .then(({ message }) => String(message))
    .catch(() => `The double sent status ${response.status}.`)
