/** Control of sandboxes: make, list, drop. They are the root's to give. */
import { createError } from '../errors.js'
import { countRecords } from '../resources/records/state.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { rootName } from '../sandbox/sandbox.js'
import type { AdminHandler, SandboxSummary } from './admin-context.js'
import { fixtureFor, textIn } from './state-handlers.js'

/** The sandboxes beside the root. */
export const listSandboxes: AdminHandler = ({ double, origin }) => ({
  body: double.sandboxes.list().map((sandbox) => summarize(sandbox, origin)),
})

/** Makes a sandbox. */
export const createSandbox: AdminHandler = async ({ body, double, origin }) => {
  const { root } = double.sandboxes
  const fixture = await fixtureFor(double, body, root.fixture)
  // The contract has checked it to be a SandboxRequest.
  const { expectViolations = false } = (body ?? {}) as { readonly expectViolations?: boolean }
  const sandbox = await double.sandboxes.prepare(fixture, { name: textIn(body, 'name'), expectViolations })
  return { body: summarize(sandbox, origin), commit: () => double.sandboxes.add(sandbox) }
}

/** Drops a sandbox. */
export const dropSandbox: AdminHandler = ({ double, parameters }) => {
  const name = String(parameters['name'])
  if (name === rootName || !double.sandboxes.list().some((sandbox) => sandbox.name === name))
    throw createError('unknown_sandbox', { name })
  return { commit: () => double.sandboxes.drop(name) }
}

function summarize(sandbox: Sandbox, origin: string): SandboxSummary {
  return {
    name: sandbox.name,
    url: origin + sandbox.basePath,
    fixture: sandbox.fixture.name,
    expectViolations: sandbox.expectsViolations,
    collections: countRecords(sandbox.store.committed),
    idleMs: Math.max(0, Date.now() - sandbox.lastUsed),
  }
}
