/** The composition root: loads, wires, listens, stops. Everything is put together here, and nowhere else. */
import { setMaxListeners } from 'node:events'
import { resolve } from 'node:path'

import type { Contract } from './contract/contract.js'
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
import { handlers } from './insights/handlers.js'
import { insightRules, loadServiceContract } from './insights/service-contract.js'
import type { DoubleOptions } from './options.js'
import {
  controlSpec,
  defaultFixtures,
  defaultHost,
  defaultMaxSandboxes,
  defaultSandboxIdleMs,
  defaultSpec,
  version,
} from './options.js'
import { createRedactor } from './redaction.js'
import type { JournalEntry } from './sandbox/journal.js'
import { defaultJournalLimits } from './sandbox/journal.js'
import { rootName, Sandbox } from './sandbox/sandbox.js'
import { Sandboxes } from './sandbox/sandboxes.js'
import { listen } from './server/http-server.js'
import type { FixtureLibrary } from './state/fixture-library.js'
import type { InsightRules } from './state/fixtures.js'
import { loadFixture } from './state/fixtures.js'
import { watchFiles } from './watch-files.js'

/** A double that serves. */
export interface Double {
  /** Where it serves, without a slash at the end. */
  readonly url: string
  /** The contract it began with. */
  readonly contract: Contract
  readonly root: Sandbox
  /** Whether a state file was there and is gone on with. */
  readonly continued: boolean
  /** Operations that have no handler and are answered from the spec's examples. */
  readonly mocked: readonly string[]
  /** Stops: requests in flight finish, the state is saved, the state file is let go of. Within 5 seconds. */
  stop(): Promise<void>
}

/** How long requests in flight may take to finish once the double stops, milliseconds. */
const stopWithinMs = 3500

/** How often idle sandboxes are looked for, milliseconds. */
const sweepMs = 60_000

/** The Insights service as a spec describes it. A changed spec replaces it whole. */
interface Served {
  readonly contract: Contract
  readonly rules: InsightRules
  readonly plane: Plane
}

/**
 * Starts a double, and returns once it serves and every check is warm.
 *
 * @throws {ProblemsError} A spec, a fixture or a state file that cannot be trusted.
 * @throws {TypeError} A host that is not loopback, without an admin token.
 * @throws What Node says when the address cannot be had, such as `EADDRINUSE`.
 */
export async function createDouble(options: DoubleOptions = {}): Promise<Double> {
  const { host = defaultHost, onExchange, onFailure, spec = defaultSpec } = options
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
  const { initial, library } = await loadInitialFixture(options, () => service.rules)
  const { file, store } = await openInitialState(initial, service.rules, options)
  try {
    const root = new Sandbox(rootName, store, initial)
    const sandboxes = new Sandboxes(root, {
      maxSandboxes: options.maxSandboxes ?? defaultMaxSandboxes,
      idleMs: options.sandboxIdleMs ?? defaultSandboxIdleMs,
      journal: defaultJournalLimits,
    })
    const stopping = new AbortController()
    // Every delay that is under way listens to it.
    setMaxListeners(0, stopping.signal)
    const control = controlOf(options, {
      version,
      startedAt: performance.now(),
      sandboxes,
      library,
      contract: () => service.contract,
      rules: () => service.rules,
      stopping: stopping.signal,
    })
    const adminToken = options.adminToken === undefined ? undefined : createRedactor([options.adminToken])
    const app = createApp({
      version,
      sandboxes,
      service: () => service.plane,
      control,
      delayMs: options.delayMs ?? 0,
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
      port: options.port ?? 0,
      handle: (request, response) => void callback(request, response),
      respondToClientError: (error) => clientErrorResponse(error, recordClientError),
    })
    prepareControl(controlSpec, stopping.signal)
    // A sandbox that is idle for too long cannot be found any more; this lets go of what it holds.
    const sweeping = setInterval(() => sandboxes.sweep(), sweepMs).unref()
    const stopWatching = options.watch
      ? await takeOverChanges(options, library, root, (next) => (service = next))
      : async (): Promise<void> => {}
    return {
      url: `http://${host.includes(':') ? `[${host}]` : host}:${listening.port}`,
      contract: service.contract,
      root,
      continued: file?.continued ?? false,
      mocked: service.contract.operations.filter(({ id }) => !handlers.has(id)).map(({ id }) => id),
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
  const contract = await loadServiceContract(spec)
  if (strict && contract.diagnostics.length > 0) throw new ProblemsError(contract.diagnostics)
  return { contract, rules: insightRules(contract), plane: createDataPlane(contract) }
}

/** Makes the control plane when it is first asked for. Its contract may have been loaded before, some time after the start. */
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

/** Takes a changed spec over, or a changed fixture where it is the one the root was last reset to. The last good one stays. */
function takeOverChanges(
  { fixtures = defaultFixtures, fixture, onReload, spec = defaultSpec, strict }: DoubleOptions,
  library: FixtureLibrary,
  root: Sandbox,
  onServed: (next: Served) => void,
): Promise<() => Promise<void>> {
  const reload = async (changed: string): Promise<boolean> => {
    const current = (await library.list()).get(root.fixture.name)
    const isFixture = current !== undefined && resolve(current) === changed
    if (!isFixture && changed !== resolve(spec)) return false
    const next = await serve(spec, strict)
    const read = current === undefined ? root.fixture : await loadFixture(current, next.rules)
    onServed(next)
    if (isFixture) await root.reset(read)
    return true
  }
  const onError = (file: string, error: unknown): void =>
    onReload?.(file, error instanceof Error ? error : new Error(String(error)))
  let last = Promise.resolve()
  const onChange = (file: string): void => {
    const before = last
    const takeOver = async (): Promise<void> => {
      // One after the other: a slow reload must not undo a later one.
      await before
      try {
        if (await reload(file)) onReload?.(file, undefined)
      } catch (error) {
        onError(file, error)
      }
    }
    last = takeOver()
  }
  const files = fixture === undefined ? [spec] : [spec, fixture]
  return watchFiles({ files, folders: [fixtures], onChange, onError: (error) => onError(resolve(fixtures), error) })
}
