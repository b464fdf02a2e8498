import { randomBytes } from 'node:crypto'

import { onceForObject } from '../once.js'
import { anyToken, type Caller, type State } from '../resources/records/state.js'

/** Callers by scheme and token. A list of callers is immutable, so its index stays valid. */
const indexOf = onceForObject((callers: readonly Caller[]) => {
  const keysOf = ({ tokens }: Caller): readonly string[] => [...tokens].map((each) => indexKey(...each))
  return new Map(callers.flatMap((caller) => keysOf(caller).map((key) => [key, caller] as const)))
})

export function callerWithToken(callers: readonly Caller[], scheme: string, token: string): Caller | undefined {
  const index = indexOf(callers)
  for (const each of token === anyToken ? [anyToken] : [token, anyToken]) {
    const caller = index.get(indexKey(scheme, each)) ?? index.get(indexKey('', each))
    if (caller) return caller
  }
  return undefined
}

const indexKey = (scheme: string, token: string): string => `${scheme} ${token}`

export type SandboxTokens = ReturnType<typeof createSandboxTokens>

/** Creates tokens that callers have in one sandbox only. The token of a request then determines its sandbox. */
export function createSandboxTokens(sandbox: string) {
  const prefix = `${sandbox}.${randomBytes(12).toString('hex')}`
  /** By caller and security scheme. A caller keeps its token over resets. */
  const known = new Map<string, string>()
  const tokenOf = (caller: string, scheme: string, original: string): string => {
    const key = JSON.stringify([caller, scheme])
    // The token of HTTP basic is `user:password`. The user stays.
    const user = original.slice(0, original.indexOf(':') + 1)
    const token = known.get(key) ?? `${user}${prefix}-${known.size + 1}`
    known.set(key, token)
    return token
  }
  return {
    applyTo: (state: State): State => {
      const callers = state.callers.map((caller): Caller => {
        const own = Array.from(caller.tokens, ([scheme, each]) => [scheme, tokenOf(caller.name, scheme, each)] as const)
        return { ...caller, tokens: new Map(own) }
      })
      return { ...state, callers }
    },
    has: (token: string): boolean => token.slice(token.indexOf(':') + 1).startsWith(`${prefix}-`),
  }
}

/** Reads the name of the sandbox in a token. @returns Undefined if it is not one of `createSandboxTokens`. */
export const sandboxOfToken = (token: string) => /^(?:[^:]*:)?([^:]+)\.[0-9a-f]{24}-\d+$/u.exec(token)?.[1]
