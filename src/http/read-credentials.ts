/** Reads the credentials of a request, by the security schemes of its operation. */
import type { IncomingMessage } from 'node:http'

import { decodeQueryText, splitPairs } from '../contract/parameters/parameter-styles.js'
import type { CredentialPlace, SecurityScheme } from '../contract/security.js'
import { readBearerToken } from './bearer-token.js'
import { isHeaderRepeated } from './repeated-header.js'

/** The credentials in one place of a request. */
export interface PlacedCredential {
  /** The token that each scheme reads, in the form of the fixture. Empty: no scheme can read the credential. */
  readonly tokens: readonly { readonly scheme: SecurityScheme; readonly token: string }[]
}

/** Reads the credentials of a request from the places of its operation. Leaves out places without a credential. */
export function readCredentials(
  request: IncomingMessage,
  places: readonly CredentialPlace[],
): readonly PlacedCredential[] {
  const found: PlacedCredential[] = []
  for (const place of places) {
    const texts = textsAt(request, place)
    const [text] = texts
    if (text === undefined) continue
    const tokens: { scheme: SecurityScheme; token: string }[] = []
    for (const scheme of place.schemes) {
      const token = texts.length > 1 ? undefined : readToken(scheme, text)
      if (token !== undefined) tokens.push({ scheme, token })
    }
    found.push({ tokens })
  }
  return found
}

/** Finds the texts in the place of a credential. There are several if the request repeats the place. */
function textsAt(request: IncomingMessage, { in: place, name: parameter }: CredentialPlace): readonly string[] {
  const { headers, url = '' } = request
  if (place === 'header') {
    const value = headers[parameter]
    if (value === undefined) return []
    return isHeaderRepeated(request, parameter) ? ['', ''] : [String(value)]
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

/** Reads a token. @returns Undefined if the text is not a credential of the scheme. */
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
