/** Describes the credentials that an operation needs: in messages, and in `WWW-Authenticate`. */
import type { Security, SecurityScheme } from '../contract/security.js'

/** The credentials of an operation, for messages. */
export interface SecurityDescription {
  /** The name of the missing credential, such as `bearer token`. */
  readonly what: string
  /** The credential to send, as the object of a sentence. */
  readonly send: string
  /** The rule for the text of a token, as the end of a sentence. */
  readonly rule: string
}

/** Describes the credentials of an operation. */
export function describeRequiredCredentials(security: Security): SecurityDescription {
  const needed = security.filter((combination) => combination.length > 0)
  const alternatives = needed.map((combination) => combination.map(describeScheme).join(' and '))
  const kinds = needed.flat().map(({ kind }) => kind)
  return {
    what: kinds.every((kind) => kind === 'bearer') ? 'bearer token' : 'credential',
    send: [...new Set(alternatives)].join(', or '),
    rule: kinds.includes('bearer') ? '; a bearer token consists of letters, digits and -._~+/' : '',
  }
}

function describeScheme({ in: place, kind, parameter, prefix }: SecurityScheme): string {
  if (kind === 'bearer') return 'the header Authorization: Bearer <ACCESS_TOKEN>'
  if (kind === 'basic') return 'the header Authorization: Basic <user:password in Base64>'
  if (kind === 'http') return `the header Authorization: ${prefix} <CREDENTIALS>`
  if (place === 'header') return `the header ${parameter}: <API_KEY>`
  return `the ${place === 'query' ? 'query parameter' : 'cookie'} ${parameter}=<API_KEY>`
}

/** Returns the location of the first credential of an operation, for violations. */
export function locationOf(security: Security): readonly string[] {
  const [{ in: place, parameter } = { in: 'header', parameter: 'Authorization' }] = security.flat()
  return place === 'header' ? ['request', 'headers', parameter.toLowerCase()] : ['request', place, parameter]
}

/**
 * Creates the value of `WWW-Authenticate`: a challenge for each scheme.
 *
 * @param isRefused - True if a credential was sent and refused. Only Bearer has an error code for it (RFC 6750).
 */
export function challengesOf(security: Security, isRefused: boolean): string {
  const challenges = security.flat().map(({ in: place, kind, parameter, prefix }) => {
    if (kind === 'bearer') return isRefused ? 'Bearer error="invalid_token"' : 'Bearer'
    if (kind === 'basic') return 'Basic realm="service", charset="UTF-8"'
    if (kind === 'http') return prefix
    // No scheme is registered for API keys, and a 401 must have a challenge (RFC 9110).
    return `ApiKey in="${place}", name="${parameter.replaceAll(/[^ !#-[\]-~]/gu, '')}"`
  })
  return [...new Set(challenges)].join(', ')
}
