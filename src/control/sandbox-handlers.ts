import { createError } from '../http-errors.js'
import { callersDocument } from '../resources/document/write.js'
import { countRecords } from '../resources/records/state.js'
import { type NewSandboxOptions, rootName, type Sandbox } from '../sandbox/sandbox.js'
import type { AdminHandler } from './admin-handler-types.js'
import type { SandboxSummary } from './document-types.js'
import { resolveFixture } from './state-handlers.js'

const listSandboxes: AdminHandler = ({ double, origin }) => ({
  body: double.sandboxes.list().map((sandbox) => summarize(sandbox, origin)),
})

const createSandbox: AdminHandler = async ({ body, double, origin }) => {
  const { root } = double.sandboxes
  // The contract has validated the body as a SandboxRequest.
  const options = (body ?? {}) as NewSandboxOptions
  const fixture = await resolveFixture(double, body, root.fixture, options.now ?? root.settings.now)
  const sandbox = await double.sandboxes.prepare(fixture, options)
  const summary = summarize(sandbox, origin)
  return {
    body: sandbox.settings.uniqueTokens ? { ...summary, callers: callersDocument(sandbox.store.committed) } : summary,
    commit: () => double.sandboxes.add(sandbox),
  }
}

const dropSandbox: AdminHandler = ({ double, parameters: { name = '' } }) => {
  if (name === rootName || !double.sandboxes.list().some((sandbox) => sandbox.name === name))
    throw createError('unknown_sandbox', { name })
  return { commit: () => double.sandboxes.drop(name) }
}

function summarize(sandbox: Sandbox, origin: string): SandboxSummary {
  return {
    name: sandbox.name,
    url: origin + sandbox.basePath,
    fixture: sandbox.fixture.name,
    createdAt: sandbox.createdAt,
    expectViolations: sandbox.settings.expectsViolations === true,
    collections: countRecords(sandbox.store.committed),
    idleMs: Math.max(0, Date.now() - sandbox.lastUsed),
  }
}

export const sandboxHandlers = { listSandboxes, createSandbox, dropSandbox }
