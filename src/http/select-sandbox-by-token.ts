/** Selects the sandbox by the token of a request to the root, if the token belongs to one sandbox only. */
import type { Sandbox } from '../sandbox/sandbox.js'
import type { AppOptions } from './app-options.js'
import { readCredentials } from './read-credentials.js'
import type { RequestContext } from './request-context.js'
import { enterSandbox } from './select-sandbox-by-url-or-header.js'

/** Selects the sandbox. The root serves an operation that needs no credential. */
export function selectSandboxByToken(context: RequestContext, { sandboxes }: AppOptions): undefined {
  if (!sandboxes.hasUniqueTokens || context.isControl || context.sandbox !== sandboxes.root) return
  const [sandbox] = findSandboxes(context, sandboxes)
  if (sandbox) enterSandbox(context, sandbox)
}

function findSandboxes({ operation, request }: RequestContext, sandboxes: AppOptions['sandboxes']): readonly Sandbox[] {
  const tokens = readCredentials(request, operation.credentialPlaces).flatMap(({ tokens: read }) =>
    read.map(({ token }) => token),
  )
  return tokens.flatMap((token) => sandboxes.findByToken(token) ?? [])
}
