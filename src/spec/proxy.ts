/** Finds the proxy of a URL by the usual environment variables. The lower-case ones come first, as in curl. */
import type { Agent } from 'node:http'

import { ProblemsError } from '../documents/problem.js'
import { environmentVariable } from '../node-process.js'

const variable = (name: string): string | undefined =>
  environmentVariable(name.toLowerCase()) ?? environmentVariable(name)

/** @returns Undefined: no proxy. @throws {ProblemsError} The variable is not the URL of a proxy. */
export async function proxyAgent(url: URL): Promise<Agent | undefined> {
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
