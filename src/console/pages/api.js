/** Talks to the control plane. Every path is relative to the page, so the same page serves the root and every sandbox. */

/** Where the admin token is kept: as long as the tab. */
const tokenKey = 'insights-double-admin-token'

/** An answer that is no success, in the double's own words. */
export class RefusedError extends Error {
  name = 'RefusedError'

  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** The name of the sandbox that the page is about. Undefined for the root. */
export const sandboxName = sandboxIn(location.pathname)

/** The root's base URL, with a slash at its end. */
export const rootUrl = new URL(sandboxName === undefined ? '../' : '../../../', location.href).href

/** The base URL that the page is about, with a slash at its end. */
export const baseUrl = new URL('../', location.href).href

/** @returns {string | null} */
export const adminToken = () => sessionStorage.getItem(tokenKey)

/** @param {string} token - Empty: none. */
export function keepAdminToken(token) {
  if (token === '') sessionStorage.removeItem(tokenKey)
  else sessionStorage.setItem(tokenKey, token)
}

/**
 * Asks the control plane.
 *
 * @param {string} path - Relative to `/__admin/`.
 * @param {{ method?: string, body?: unknown }} [options]
 * @returns What a JSON reply holds. Undefined for a reply without a body.
 * @throws {RefusedError}
 */
export async function ask(path, { body, method = 'GET' } = {}) {
  const token = adminToken()
  const reply = await fetch(path, {
    method,
    cache: 'no-store',
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!reply.ok) throw new RefusedError(reply.status, await messageOf(reply))
  return reply.status === 204 ? undefined : reply.json()
}

/** What went wrong, as a sentence. */
export const sentence = (error) =>
  error instanceof RefusedError ? error.message : 'The double does not answer. It may have been stopped.'

async function messageOf(reply) {
  try {
    const { message } = await reply.json()
    return String(message)
  } catch {
    return `The double answered ${reply.status}.`
  }
}

function sandboxIn(path) {
  const [, name] = /\/sandboxes\/([^/]+)\/__admin\//u.exec(path) ?? []
  return name === undefined ? undefined : decodeURIComponent(name)
}
