/** The composition root: loads, connects, starts and stops all parts of a double. */
import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'

import type { Contract } from './contract/contract.js'
import type { Service } from './contract/load-service.js'
import { loadService } from './contract/load-service.js'
import type { AdminContext } from './control/admin-context.js'
import { EventStreams } from './control/event-streams.js'
import { ProblemsError, addFlagToHints } from './documents/problem.js'
import { createApp } from './http/app.js'
import { isLoopback } from './http/authorize-admin.js'
import { isBearerToken } from './http/bearer-token.js'
import { clientErrorResponse } from './http/client-error-response.js'
import { createControlPlane } from './http/control-plane.js'
import { createDataPlane } from './http/data-plane.js'
import type { Plane } from './http/plane.js'
import { loadControl, prepareControl } from './http/prepare-control-plane.js'
import { loadInitialFixture, openInitialState } from './initial-state.js'
import { migrateStates } from './migrate-states.js'
import type { DoubleOptions } from './options.js'
import { controlSpec, doubleOptions, version } from './options.js'
import { createRedactor } from './redaction.js'
import type { Explanation } from './resources/explain.js'
import { explainResources } from './resources/explain.js'
import type { JournalEntry } from './sandbox/journal.js'
import { defaultJournalLimits } from './sandbox/journal.js'
import { rootName, Sandbox } from './sandbox/sandbox.js'
import { Sandboxes } from './sandbox/sandboxes.js'
import { listen } from './server/http-server.js'
import type { FixtureLibrary } from './state/fixture-library.js'
import { loadFixture } from './state/fixtures.js'
import { watchFiles } from './watch-files.js'

/** A running double. */
export interface Double {
  /** The base URL, without a slash at the end. */
  readonly url: string
  /** The contract at the start. */
  readonly contract: Contract
  readonly root: Sandbox
  /** Whether the state comes from an existing state file. */
  readonly continued: boolean
  /** A note for the user if the state was seeded from something other than the current fixture. */
  readonly stateNote: string | undefined
  /** What the double does with each operation. */
  readonly explanation: Explanation
  /** Stops the double within 5 seconds: waits for requests in progress, saves the state and releases the state file. */
  stop(): Promise<void>
}

/** The longest wait for requests in progress when the double stops, milliseconds. */
const stopWithinMs = 3500

/** The interval at which idle sandboxes are dropped, milliseconds. */
const sweepMs = 60_000

/** A service and its plane. A reload of the spec replaces both. */
interface Served extends Service {
  readonly plane: Plane
}

/**
 * Starts a double. It is ready to serve when the promise resolves, and all validators are compiled.
 *
 * @throws {ProblemsError} The spec, the fixture or the state file is invalid.
 * @throws {TypeError} The host is not loopback and there is no admin token, or the token is not a bearer token.
 * @throws Node's error if the address is not available, such as `EADDRINUSE`.
 */
export async function createDouble(options: DoubleOptions = {}): Promise<Double> {
  const { host = doubleOptions.host.default, onExchange, onFailure, spec = doubleOptions.spec.default } = options
  if (!isLoopback(host) && options.adminToken === undefined) {
    throw new TypeError(
      `host ${host} can be reached from other machines, so the control plane needs an admin token; give one with --admin-token`,
    )
  }
  if (options.adminToken !== undefined && !isBearerToken(options.adminToken)) {
    throw new TypeError('the admin token must be made of letters, digits and -._~+/ only, or it could never be sent')
  }
  let service = await serve(spec, options.strict).catch((error: unknown) => {
    throw addFlagToHints('--spec', error)
  })
  const { initial, library } = await loadInitialFixture(options, () => service.resources)
  const { baseline, file, note, store } = await openInitialState(initial, library, service.resources, options)
  try {
    const root = new Sandbox(rootName, store, { fixture: initial, baseline })
    const sandboxes = new Sandboxes(root, {
      maxSandboxes: options.maxSandboxes ?? doubleOptions.maxSandboxes.default,
      idleMs: options.sandboxIdleMs ?? doubleOptions.sandboxIdleMs.default,
      journal: defaultJournalLimits,
    })
    const stopping = new AbortController()
    // Every wait in progress listens to this signal.
    setMaxListeners(0, stopping.signal)
    const control = controlOf(options, {
      version,
      startedAt: performance.now(),
      sandboxes,
      library,
      service: () => service,
      stopping: stopping.signal,
    })
    const adminToken = options.adminToken === undefined ? undefined : createRedactor([options.adminToken])
    const app = createApp({
      version,
      sandboxes,
      service: () => service.plane,
      control,
      delayMs: options.delayMs ?? doubleOptions.delayMs.default,
      secrets: () => ({ root, adminToken, secretNames: service.contract.secretNames }),
      onExchange: (entry, isControl, isExpected) => onExchange?.(entry, isControl, isExpected),
      onFailure: (id, error) => onFailure?.(id, error),
      stopping: stopping.signal,
    })
    const callback = app.callback()
    const recordClientError = (entry: JournalEntry): void => {
      root.journal.record(entry)
      onExchange?.(entry, false, false)
    }
    const listening = await listen({
      host,
      port: options.port ?? doubleOptions.port.default,
      handle: (request, response) => void callback(request, response),
      respondToClientError: (error) => clientErrorResponse(error, recordClientError),
    })
    prepareControl(controlSpec, stopping.signal)
    // Requests cannot find an idle sandbox. This frees its memory.
    const sweeping = setInterval(() => sandboxes.sweep(), sweepMs).unref()
    const stopWatching = options.watch
      ? await takeOverChanges(options, library, sandboxes, (next) => (service = next))
      : async (): Promise<void> => {}
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`,
      contract: service.contract,
      root,
      continued: file?.continued ?? false,
      stateNote: note,
      explanation: explainResources(service.resources),
      stop: async () => {
        await stopWatching()
        clearInterval(sweeping)
        stopping.abort()
        await listening.stop(stopWithinMs)
        await store.flush().catch(() => {})
        await file?.release()
      },
    }
  } catch (error) {
    await file?.release()
    throw error
  }
}

async function serve(spec: string, strict = false): Promise<Served> {
  const service = await loadService(spec)
  const { diagnostics } = service.contract
  if (strict && diagnostics.length > 0) throw new ProblemsError(diagnostics)
  return { ...service, plane: createDataPlane(service) }
}

/** Creates the control plane on first use. `prepareControl` may have loaded its contract before. */
function controlOf(
  options: DoubleOptions,
  double: Omit<AdminContext, 'control' | 'eventStreams'>,
): () => Promise<Plane> {
  const load = async (): Promise<Plane> => {
    const contract = await loadControl(controlSpec, { forRequest: true })
    const { adminOrigins = [], adminToken, allowedHosts = [] } = options
    return createControlPlane(
      contract,
      { ...double, control: () => contract, eventStreams: new EventStreams() },
      { adminOrigins, adminToken, allowedHosts },
    )
  }
  let plane: Promise<Plane> | undefined
  return () => (plane ??= load())
}

/** Reloads a changed spec, and a changed fixture if it is the current one of the root. An invalid file changes nothing. */
function takeOverChanges(
  {
    fixtures = doubleOptions.fixtures.default,
    fixture,
    onReload,
    spec = doubleOptions.spec.default,
    strict,
  }: DoubleOptions,
  library: FixtureLibrary,
  sandboxes: Sandboxes,
  onServed: (next: Served) => void,
): Promise<() => Promise<void>> {
  const { root } = sandboxes
  const reload = async (changed: string): Promise<boolean> => {
    const { name } = root.fixture
    const current = name === null ? undefined : (await library.list()).get(name)
    const isFixture = current !== undefined && resolve(current) === changed
    if (!isFixture && changed !== resolve(spec)) return false
    const next = await serve(spec, strict)
    const read = current === undefined ? root.fixture : await loadFixture(current, next.resources)
    if (isFixture) {
      onServed(next)
      await root.reset(read)
    } else {
      await root.store.flush()
      // From here on nothing is awaited until the states are in place: a request in between would see one contract and the other's state.
      const commit = migrateStates([root, ...sandboxes.list()], next)
      onServed(next)
      await commit()
    }
    return true
  }
  const onError = (file: string, error: unknown): void =>
    onReload?.(file, error instanceof Error ? error : new Error(String(error)))
  let last = Promise.resolve()
  const onChange = (file: string): void => {
    const before = last
    const takeOver = async (): Promise<void> => {
      // Reload in order: a slow reload must not replace a later one.
      await before
      try {
        if (await reload(file)) onReload?.(file, undefined)
      } catch (error) {
        onError(file, error)
      }
    }
    last = takeOver()
  }
  const files = typeof fixture === 'string' ? [spec, fixture] : [spec]
  return watchFiles({ files, folders: [fixtures], onChange, onError: (error) => onError(resolve(fixtures), error) })
}
