/** Finds callers by their tokens. */
import type { Caller, State } from '../resources/records/state.js'
import { anyToken } from '../resources/records/state.js'

/** Returns all tokens of a caller. */
export const tokensOf = ({ token, tokens }: Caller): readonly string[] =>
  tokens === undefined ? [token ?? ''] : [...tokens.values()]

/** Callers by scheme and token. A token for every scheme has an empty scheme. */
const tokenIndexes = new WeakMap<readonly Caller[], ReadonlyMap<string, Caller>>()

/** Finds the caller that has a token for a security scheme. */
export function callerWithToken({ callers }: State, scheme: string, token: string): Caller | undefined {
  // A list of callers is immutable, so its index stays valid.
  let index = tokenIndexes.get(callers)
  if (!index) {
    index = new Map(callers.flatMap((caller) => indexKeys(caller).map((key) => [key, caller] as const)))
    tokenIndexes.set(callers, index)
  }
  for (const each of token === anyToken ? [anyToken] : [token, anyToken]) {
    const caller = index.get(indexKey(scheme, each)) ?? index.get(indexKey('', each))
    if (caller) return caller
  }
  return undefined
}

const indexKey = (scheme: string, token: string): string => `${scheme} ${token}`

const indexKeys = ({ token, tokens }: Caller): readonly string[] =>
  tokens === undefined ? [indexKey('', token ?? '')] : [...tokens].map(([scheme, each]) => indexKey(scheme, each))
