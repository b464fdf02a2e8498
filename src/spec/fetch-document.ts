/** Reads one document from a URL: within limits, by a proxy if there is one, with redirects of the same origin. */
import type { Agent } from 'node:http'

import { ProblemsError } from '../documents/problem.js'
import { environmentVariable } from '../node-process.js'
import { type ReceivedResponse, sendRequest } from '../send-request.js'

/** The bytes and the time that the documents of a spec may take together: 64 MiB and 30 s. They are used up. @param stop - Ends the requests. */
export function createLimits(maxBytes = 64 * 1024 * 1024, maxMs = 30_000, stop?: AbortSignal) {
  return { maxBytes, bytes: 0, endsAt: performance.now() + maxMs, stop }
}

export type FetchLimits = ReturnType<typeof createLimits>

/** A response with its URL after redirects. */
export type FetchedDocument = ReceivedResponse & { readonly url: string }

const maxRedirects = 5

/** @param headers - They are sent to the origin of the URL only. @throws {ProblemsError} The proxy is not valid. */
export async function fetchDocument(start: string, headers: Readonly<Record<string, string>>, limits: FetchLimits) {
  let url = new URL(start)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const received = await fetchOnce(url, headers, limits)
    if (!('status' in received)) return received
    const { location } = received.headers
    if (![301, 302, 303, 307, 308].includes(received.status) || location === undefined)
      return { ...received, url: url.href }
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined
    if (next?.origin !== url.origin) {
      const what = `redirects to ${next ? next.origin + next.pathname : 'a URL that is not valid'}`
      return failure(what, 'name that URL directly: other origins are not followed')
    }
    next.username = ''
    next.password = ''
    url = next
  }
  return failure(`redirects more than ${maxRedirects} times`, 'name the URL where the redirects end')
}

/** @param what - The end of a sentence that begins with the URL. @param isUnreachable - True if the host may answer later, so that a kept copy may stand for the document. */
const failure = (what: string, hint: string, isUnreachable = false) => ({ what, hint, isUnreachable })

async function fetchOnce(url: URL, headers: Readonly<Record<string, string>>, limits: FetchLimits) {
  const left = limits.endsAt - performance.now()
  const agent = await proxyAgent(url)
  const received = await sendRequest(
    new URL(url.origin),
    {
      method: 'GET',
      target: url.pathname + url.search,
      headers: {
        accept: 'application/json, application/yaml;q=0.9, */*;q=0.8',
        'accept-encoding': 'identity',
        ...headers,
      },
    },
    Math.max(1, Math.ceil(left)),
    limits.maxBytes - limits.bytes,
    () => {},
    { agent, stop: limits.stop },
  )
  if ('failure' in received) {
    if (received.isTooLarge) {
      const what = `has, with the documents that it names, more than ${limits.maxBytes / 1024 / 1024} MiB, the maximum`
      return failure(what, 'check that the URL is that of a contract')
    }
    const hint = agent ? 'check the host and the proxy' : 'check the host, and whether it needs a proxy (HTTPS_PROXY)'
    return failure(`cannot be read: ${url.host} ${received.failure}`, hint, true)
  }
  const { bytes, status } = received
  limits.bytes += bytes.length
  if (status === 429 || status >= 500)
    return failure(`cannot be read: ${url.host} answers ${status}`, 'try again later', true)
  return received
}

const variable = (name: string) => environmentVariable(name.toLowerCase()) ?? environmentVariable(name)

/** @returns Undefined: no proxy. @throws {ProblemsError} The variable is not the URL of a proxy. */
async function proxyAgent(url: URL): Promise<Agent | undefined> {
  const name = `${url.protocol.slice(0, -1).toUpperCase()}_PROXY`
  const proxy = variable(name)
  if (proxy === undefined || isExcluded(url)) return undefined
  const address = proxy.includes('://') ? proxy : `http://${proxy}`
  if (!URL.canParse(address) || !/^https?:$/u.test(new URL(address).protocol)) {
    // It may contain a password.
    const what = `cannot be read: the environment variable ${name} is not the URL of an HTTP proxy`
    throw new ProblemsError([{ file: url.href, what, hint: 'write such as http://proxy.example:3128' }])
  }
  // Loaded on use: few specs need a proxy.
  const agent =
    url.protocol === 'http:'
      ? new (await import('http-proxy-agent')).default.HttpProxyAgent(address)
      : new (await import('https-proxy-agent')).default.HttpsProxyAgent(address)
  // Node calls `addRequest` only, so the agents of these packages have no other methods of Node's class.
  return agent as unknown as Agent
}

/** Tells whether `NO_PROXY` lists a host: its name, a domain above it (with or without a dot or `*.` in front), with or without a port, or `*`. */
function isExcluded({ hostname, port, protocol }: URL): boolean {
  const host = hostname.replaceAll(/[[\]]/gu, '')
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  const listed = (variable('NO_PROXY') ?? '').toLowerCase().split(/[\s,]+/u)
  return listed.some((entry) => {
    const [, name = '', only] = /^(?:\*?\.)?(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/u.exec(entry) ?? []
    const domain = name.replaceAll(/[[\]]/gu, '')
    if (domain === '' || (only !== undefined && only !== ownPort)) return false
    return domain === '*' || host === domain || host.endsWith(`.${domain}`)
  })
}
