/** Finds callers by what they present, and what of a caller is secret. */
import type { Caller, State } from '../resources/records/state.js'

/** The token that stands for any token that no other caller has. */
export const anyToken = '*'

/** Everything that a caller presents. */
export const tokensOf = ({ token, tokens }: Caller): readonly string[] =>
  tokens === undefined ? [token ?? ''] : [...tokens.values()]

const byCallers = new WeakMap<readonly Caller[], ReadonlyMap<string, Caller>>()

/** Finds the caller that a bearer token belongs to. */
export function callerWithToken({ callers }: State, token: string): Caller | undefined {
  // A list of callers is never changed, only replaced, so its index stays true.
  let byToken = byCallers.get(callers)
  if (!byToken) {
    byToken = new Map(callers.flatMap((caller) => tokensOf(caller).map((each) => [each, caller] as const)))
    byCallers.set(callers, byToken)
  }
  return token === anyToken ? byToken.get(anyToken) : (byToken.get(token) ?? byToken.get(anyToken))
}
