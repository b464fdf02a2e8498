import { setMaxListeners } from 'node:events'

import { isLoopback } from '../addresses.js'
import { addFlagToHints } from '../documents/problem.js'
import { createApp } from '../http/app.js'
import { createLazyControlPlane, prepareControlContract } from '../http/control-plane.js'
import { isBearerToken } from '../http/credentials.js'
import { clientErrorResponse } from '../http/error-response.js'
import { type DoubleOptions, doubleOptions } from '../options.js'
import { controlSpec, readVersion } from '../package-files.js'
import { createRedactor } from '../redaction.js'
import { summarizeResources } from '../resources/explain.js'
import type { RecordedRequest } from '../sandbox/journal-entry.js'
import { Sandbox, Sandboxes, rootName } from '../sandbox/sandbox.js'
import { listen } from '../server/http-server.js'
import type { Store } from '../state/store.js'
import { checkUnits, Variations } from '../vary/variations.js'
import { loadInitialFixture, openInitialState } from './initial-state.js'
import { type DoubleListeners, loadServicePlane, reloadOnChange } from './reload.js'

export type Double = Readonly<Awaited<ReturnType<typeof startInThisThread>>>

/** The longest wait for requests in progress when the double stops, milliseconds. */
const stopWithinMs = 3500

/** The interval at which idle sandboxes are dropped, milliseconds. */
const sweepMs = 60_000

/** Ready when it resolves. @throws {ProblemsError} A file is invalid. @throws Node's error, such as `EADDRINUSE`. */
export async function startInThisThread(options: DoubleOptions & DoubleListeners = {}) {
  const { host = doubleOptions.host.default, onExchange = () => {}, onFailure = () => {} } = options
  checkAdminToken(host, options.adminToken)
  let service = await loadServicePlane(options).catch((error: unknown) => {
    throw options.isSpecArgument ? error : addFlagToHints('--spec', error)
  })
  checkUnits(options.vary ?? [], service)
  const { initial, library } = await loadInitialFixture(options, () => service.resources)
  const { baseline, file, fixture, note, store } = await openInitialState(initial, library, service.resources, options)
  try {
    const sandboxes = createSandboxes(options, store, { fixture, baseline })
    const { root } = sandboxes
    const stopping = new AbortController()
    // Every wait in progress listens to this signal.
    setMaxListeners(0, stopping.signal)
    const { adminOrigins = [], adminToken, allowedHosts = [] } = options
    const double = {
      version: readVersion(),
      startedAt: performance.now(),
      sandboxes,
      library,
      service: () => service,
      stopping: stopping.signal,
    }
    const app = createApp({
      ...double,
      control: createLazyControlPlane(controlSpec, double, { adminOrigins, adminToken, allowedHosts }),
      delayMs: options.delayMs ?? doubleOptions.delayMs.default,
      redactAdminToken: adminToken === undefined ? undefined : createRedactor([adminToken]),
      onExchange,
      evidenceOf: options.evidenceOf,
      onFailure,
    })
    const callback = app.callback()
    const recordClientError = (recorded: RecordedRequest): void => {
      root.journal.record(recorded)
      onExchange(recorded, false, root.test)
    }
    const server = await listen({
      host,
      port: options.port ?? doubleOptions.port.default,
      handle: (request, response) => void callback(request, response),
      respondToClientError: (error) => clientErrorResponse(error, service.contract, recordClientError),
    })
    prepareControlContract(controlSpec, stopping.signal)
    // No request finds an idle sandbox, but it still uses memory.
    const sweepTimer = setInterval(() => sandboxes.sweep(), sweepMs).unref()
    const stopWatching = options.watch
      ? await reloadOnChange(options, library, sandboxes, { get: () => service, set: (next) => (service = next) })
      : undefined
    return {
      /** The base URL, without a slash at the end. */
      url: `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`,
      contract: service.contract,
      root,
      /** True if the state comes from an existing state file. */
      continued: file?.continued ?? false,
      /** A note for the user if the state was not seeded from the current content of the fixture. */
      stateNote: note,
      /** The collections of the state, if it was generated when the double started. Undefined: it comes from a fixture, or is continued. */
      generated: file?.continued ? undefined : initial.generated?.filled,
      summary: summarizeResources(service),
      lockProblems: service.lockProblems,
      /** Stops the double within 5 seconds: waits for requests in progress, saves the state and releases the state file. */
      stop: async (): Promise<void> => {
        stopWatching?.()
        clearInterval(sweepTimer)
        stopping.abort()
        await server.stop(stopWithinMs)
        await store.flush().catch(() => {})
        await file?.release()
      },
    }
  } catch (error) {
    await file?.release()
    throw error
  }
}

/** @throws {TypeError} The host is not loopback and there is no admin token, or the token is not a bearer token. */
function checkAdminToken(host: string, adminToken: string | undefined): void {
  const why = `The host ${host} can be reached from other machines, so the control plane needs an admin token`
  if (!isLoopback(host) && adminToken === undefined)
    throw new TypeError(`${why}; give one with --admin-token, --admin-token-file or INSIGHTS_DOUBLE_ADMIN_TOKEN.`)
  const rule = 'The admin token must contain only letters, digits and -._~+/; give another one with --admin-token.'
  if (adminToken !== undefined && !isBearerToken(adminToken)) throw new TypeError(rule)
}

function createSandboxes(options: DoubleOptions, store: Store, from: Pick<Sandbox, 'baseline' | 'fixture'>): Sandboxes {
  const journal = {
    maxEntries: options.journalEntries ?? doubleOptions.journalEntries.default,
    maxBytes: options.journalBytes ?? doubleOptions.journalBytes.default,
  }
  const now = options.now && new Date(options.now).toISOString()
  const variations = new Variations()
  variations.set(options.vary ?? [])
  return new Sandboxes(new Sandbox(rootName, store, from, { journal, now, variations }), {
    maxSandboxes: options.maxSandboxes ?? doubleOptions.maxSandboxes.default,
    kept: options.keptSandboxes ?? doubleOptions.keptSandboxes.default,
    idleMs: options.sandboxIdleMs ?? doubleOptions.sandboxIdleMs.default,
    journal,
  })
}
