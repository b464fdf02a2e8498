/** Reads the credentials of a request, by the security schemes of its operation. */
import type { IncomingMessage } from 'node:http'

import { decodeQueryText, splitPairs } from '../contract/parameters/parameter-styles.js'
import type { Security, SecurityScheme } from '../resources/contract-view.js'
import { isRepeated, readBearerToken } from './bearer-token.js'

/** A place of credentials in a request, with what each scheme reads there. */
export interface PlacedCredential {
  /** The tokens by scheme: what the fixture calls the caller's token. Empty: no scheme can read what is there. */
  readonly tokens: ReadonlyMap<SecurityScheme, string>
}

/** Reads the credentials of a request. Places without any are left out. */
export function readCredentials(request: IncomingMessage, security: Security): readonly PlacedCredential[] {
  const places = new Map<string, { texts: readonly string[]; tokens: Map<SecurityScheme, string> }>()
  for (const scheme of new Set(security.flat())) {
    const key = `${scheme.in} ${scheme.in === 'header' ? scheme.parameter.toLowerCase() : scheme.parameter}`
    const place = places.get(key) ?? { texts: textsAt(request, scheme), tokens: new Map() }
    places.set(key, place)
    const [text] = place.texts
    const token = text === undefined || place.texts.length > 1 ? undefined : readToken(scheme, text)
    if (token !== undefined) place.tokens.set(scheme, token)
  }
  return [...places.values()].filter(({ texts }) => texts.length > 0)
}

/** Finds the texts in the place of a credential. Several: the place is given more than once. */
function textsAt(request: IncomingMessage, { in: place, parameter }: SecurityScheme): readonly string[] {
  const { headers, url = '' } = request
  if (place === 'header') {
    const name = parameter.toLowerCase()
    const value = headers[name]
    if (value === undefined) return []
    return isRepeated(request, name) ? ['', ''] : [String(value)]
  }
  const start = url.indexOf('?')
  const pairs =
    place === 'query' ? splitPairs(start === -1 ? '' : url.slice(start + 1)) : splitPairs(headers.cookie ?? '', /; */u)
  return pairs
    .filter(({ name }) => name === parameter)
    .map(({ raw }) => (place === 'query' ? decodeQueryText(raw) : decodeCookie(raw)))
}

/** Decodes a cookie. Quotes around it do not count. Invalid percent-encoding stays as it is. */
function decodeCookie(raw: string): string {
  const text = raw.replace(/^"(.*)"$/u, '$1')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads a token. @returns Undefined if the text is no credential of the scheme. */
function readToken({ kind, prefix }: SecurityScheme, text: string): string | undefined {
  if (kind === 'apiKey') return text === '' ? undefined : text
  if (kind === 'bearer') return readBearerToken(text)
  const { length } = prefix
  if (text.slice(0, length).toLowerCase() !== prefix.toLowerCase() || text[length] !== ' ') return undefined
  const credential = text.slice(length).trim()
  if (kind === 'http') return credential === '' ? undefined : credential
  // RFC 7617: user and password in Base64. Only the password may contain a colon.
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(credential)) return undefined
  const pair = Buffer.from(credential, 'base64').toString()
  return pair.includes(':') ? pair : undefined
}
