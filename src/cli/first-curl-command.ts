/** Creates the curl command of the start message. */
import type { ResourcesSummary } from '../resources/explanation.js'
import type { Caller } from '../resources/records/state.js'
import { anyToken } from '../resources/records/state.js'

/** Formats the tokens of a caller: its token, or `scheme=token` for each security scheme. */
export const formatTokens = ({ token, tokens }: Caller): string =>
  tokens === undefined
    ? toSend(token ?? '')
    : [...tokens].map(([scheme, each]) => `${scheme}=${toSend(each)}`).join(' ')

/** Creates a curl command to try: a listing if there is one, with the credentials of a caller. */
export function curlCommand(
  { operations, securitySchemes }: ResourcesSummary,
  url: string,
  caller: Caller | undefined,
): string {
  const plain = operations.filter(({ method, path }) => method === 'GET' && !path.includes('{'))
  const example = plain.find(({ role }) => role === 'list') ?? plain[0]
  const { path = '/', security = [] } = example ?? {}
  const combination = caller && security.find((names) => names.every((name) => tokenOf(caller, name) !== undefined))
  const flags: string[] = []
  const query: string[] = []
  for (const name of combination ?? []) {
    const scheme = securitySchemes.find((each) => each.name === name)
    const token = caller && tokenOf(caller, name)
    if (!scheme || token === undefined) continue
    const { in: place, kind, parameter, prefix } = scheme
    if (kind === 'basic') flags.push(`-u ${quote(token.includes(':') ? token : `${token}:`)}`)
    else if (place === 'header') flags.push(`-H ${quote(`${parameter}: ${prefix === '' ? '' : `${prefix} `}${token}`)}`)
    else if (place === 'cookie') flags.push(`-b ${quote(`${parameter}=${encodeURIComponent(token)}`)}`)
    else query.push(`${encodeURIComponent(parameter)}=${encodeURIComponent(token)}`)
  }
  const target = `${url}${path}`
  return ['curl', ...flags, query.length > 0 ? quote(`${target}?${query.join('&')}`) : target].join(' ')
}

/** Returns the token of a caller for a security scheme. */
function tokenOf({ token, tokens }: Caller, scheme: string): string | undefined {
  const own = tokens === undefined ? token : tokens.get(scheme)
  return own === undefined ? undefined : toSend(own)
}

/** Returns a token to send. A caller with the token `*` accepts any token. */
const toSend = (token: string): string => (token === anyToken ? 'any-token' : token)

/** Quotes an argument for a shell. Double quotes work in every shell, if the text needs no escape. */
const quote = (text: string): string =>
  /["$`\\!]/u.test(text) ? `'${text.replaceAll("'", String.raw`'\''`)}'` : `"${text}"`
