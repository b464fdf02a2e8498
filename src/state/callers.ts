/** Finds callers by their tokens. */
import type { Caller, State } from '../resources/records/state.js'

/** The token of a caller that accepts every token that no other caller has. */
export const anyToken = '*'

/** Returns all tokens of a caller. */
export const tokensOf = ({ token, tokens }: Caller): readonly string[] =>
  tokens === undefined ? [token ?? ''] : [...tokens.values()]

const tokenIndexes = new WeakMap<readonly Caller[], ReadonlyMap<string, Caller>>()

/** Finds the caller of a bearer token. */
export function callerWithToken({ callers }: State, token: string): Caller | undefined {
  // A list of callers is immutable, so its index stays valid.
  let byToken = tokenIndexes.get(callers)
  if (!byToken) {
    byToken = new Map(callers.flatMap((caller) => tokensOf(caller).map((each) => [each, caller] as const)))
    tokenIndexes.set(callers, byToken)
  }
  return token === anyToken ? byToken.get(anyToken) : (byToken.get(token) ?? byToken.get(anyToken))
}
