/** The request that the start message suggests: a listing if there is one, with the credentials of the first caller. */
import type { SecurityScheme } from '../contract/security.js'
import { curlCommand } from '../curl-command.js'
import type { ResourcesSummary } from '../resources/explanation.js'
import { anyToken, type Caller } from '../resources/records/state.js'

/** A credential of a request: a token, and its place. */
interface Credential {
  readonly scheme: SecurityScheme
  readonly token: string
}

export interface FirstRequest {
  readonly path: string
  /** Undefined: the state has no caller. */
  readonly caller: Caller | undefined
  /** Empty: the request needs none, or the caller has none for it. */
  readonly credentials: readonly Credential[]
}

export function findFirstRequest(
  { operations, securitySchemes }: ResourcesSummary,
  caller: Caller | undefined,
): FirstRequest {
  const credentialFor = (name: string): Credential[] => {
    const scheme = securitySchemes.find((each) => each.name === name)
    const token = caller && (caller.tokens === undefined ? caller.token : caller.tokens.get(name))
    return scheme && token !== undefined ? [{ scheme, token: toSend(token) }] : []
  }
  const plain = operations
    .filter(({ method, path }) => method === 'GET' && !path.includes('{'))
    .map(({ path, role, security = [[]] }) => {
      const combinations = security.map((names) => ({ names, credentials: names.flatMap(credentialFor) }))
      // A combination without a credential shows less of the double than one with a credential.
      const sent = combinations
        .filter(({ credentials, names }) => credentials.length === names.length)
        .toSorted((one, other) => Number(other.names.length > 0) - Number(one.names.length > 0))[0]
      return { path, role, sent }
    })
  const possible = plain.filter(({ sent }) => sent)
  const best = possible.find(({ role }) => role === 'list') ?? possible[0] ?? plain[0]
  return { path: best?.path ?? '/', caller, credentials: best?.sent?.credentials ?? [] }
}

/** Returns a token to send. A caller with the token `*` accepts any token. */
const toSend = (token: string): string => (token === anyToken ? 'any-token' : token)

/** Says which token the caller sends, and where, such as `demo-token (demo), as header X-Api-Key`. */
export function describeToken({ securitySchemes }: ResourcesSummary, { caller, credentials }: FirstRequest): string {
  const { name = '', token = '', tokens } = caller ?? {}
  const [first] = credentials
  if (tokens === undefined) return `${toSend(token)} (${name})${first ? `, as ${placeOf(first.scheme)}` : ''}`
  const all = [...tokens].map(([schemeName, each]) => {
    const scheme = securitySchemes.find((known) => known.name === schemeName)
    return `${toSend(each)} as ${scheme ? placeOf(scheme) : schemeName}`
  })
  return `${[...new Set(all)].join(', ')} (${name})`
}

function placeOf({ in: place, kind, parameter, prefix }: SecurityScheme): string {
  if (kind === 'bearer') return 'bearer token'
  if (kind === 'basic') return 'user and password (basic)'
  if (place === 'query') return `query parameter ${parameter}`
  return `${place} ${parameter}${prefix === '' ? '' : `, after ${prefix}`}`
}

/** Writes the request as a command of curl. */
export function tryCommand(url: string, { credentials, path }: FirstRequest): string {
  const headers: [string, string[]][] = []
  const cookies: string[] = []
  const query: string[] = []
  let basic: string | undefined
  for (const { scheme, token } of credentials) {
    const { in: place, kind, parameter, prefix } = scheme
    if (kind === 'basic') basic = token.includes(':') ? token : `${token}:`
    else if (place === 'header') headers.push([parameter, [prefix === '' ? token : `${prefix} ${token}`]])
    else if (place === 'cookie') cookies.push(`${parameter}=${encodeURIComponent(token)}`)
    else query.push(`${encodeURIComponent(parameter)}=${encodeURIComponent(token)}`)
  }
  if (cookies.length > 0) headers.push(['cookie', [cookies.join('; ')]])
  const target = `${url}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`
  return curlCommand({ method: 'GET', url: [target], headers, basic }).join(' ')
}
