/** Finds the caller of a request to the service. */
import type { Security, SecurityScheme } from '../contract/security.js'
import type { CreateErrorOptions, DoubleError } from '../http-errors.js'
import { createError } from '../http-errors.js'
import type { Caller, State } from '../resources/records/state.js'
import { callerWithToken } from '../state/find-caller-by-token.js'
import { challengesOf, describeRequiredCredentials, locationOf } from './describe-required-credentials.js'
import type { PlacedCredential } from './read-credentials.js'
import { readCredentials } from './read-credentials.js'
import type { RequestContext } from './request-context.js'

/**
 * Checks the credentials of a request and sets the caller. All credentials must belong to one caller.
 *
 * @throws {DoubleError} `missing_token`, `malformed_token`, `unknown_token`, `mixed_tokens`.
 */
export function authorizeCaller(context: RequestContext, state: State): void {
  const { credentialPlaces, security } = context.operation
  if (security.length === 0) return
  const credentials = readCredentials(context.request, credentialPlaces)
  if (credentials.some(({ tokens }) => tokens.length === 0))
    throw createError('malformed_token', describeRequiredCredentials(security), challenge(security, false))
  if (!security.some((combination) => isPresented(combination, credentials)))
    throw createError('missing_token', describeRequiredCredentials(security), challenge(security, false))
  if (credentials.length > 0) context.caller = findCaller(security, credentials, state)
}

/** Creates the error for a credential that no caller has. */
export const createUnknownTokenError = (security: Security): DoubleError =>
  createError('unknown_token', describeRequiredCredentials(security), challenge(security, true))

const challenge = (security: Security, isRefused: boolean): CreateErrorOptions => ({
  headers: { 'www-authenticate': challengesOf(security, isRefused) },
  location: locationOf(security),
})

/** Tells whether a request presents every credential of a combination. */
const isPresented = (combination: readonly SecurityScheme[], credentials: readonly PlacedCredential[]): boolean =>
  combination.every((scheme) => credentials.some(({ tokens }) => tokens.some((token) => token.scheme === scheme)))

/** Finds the caller that has all credentials, and every credential of a combination. */
function findCaller(security: Security, credentials: readonly PlacedCredential[], state: State): Caller {
  const holders = credentials.map(({ tokens }) =>
    tokens.map(({ scheme, token }) => ({ scheme, caller: callerWithToken(state, scheme.name, token) })),
  )
  if (holders.some((found) => found.every(({ caller }) => caller === undefined)))
    throw createUnknownTokenError(security)
  const hasAll = (caller: Caller): boolean =>
    holders.every((found) => found.some((holder) => holder.caller === caller)) &&
    security.some((combination) =>
      combination.every((scheme) =>
        holders.some((found) => found.some((holder) => holder.scheme === scheme && holder.caller === caller)),
      ),
    )
  for (const found of holders) for (const { caller } of found) if (caller && hasAll(caller)) return caller
  throw createError('mixed_tokens', undefined, challenge(security, true))
}
