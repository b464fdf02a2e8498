/** The handle sends HTTP requests only, so it is the same for every double and every sandbox. */
import type * as control from '../control/document-types.js'
import type { ConnectOptions, SandboxOptions, WaitOptions } from '../options.js'
import type { Explanation } from '../resources/explanation.js'
import type { CoverageRow } from '../sandbox/coverage-row.js'
import type { Fault, FaultRequest } from '../sandbox/faults.js'
import type { JournalEntry, JournalFilter } from '../sandbox/journal-entry.js'
import type { TestResult } from '../sandbox/test-result.js'
import { validateOptions } from '../validate-options.js'
import { isGoneError, readControlResponse, type SendRequest } from './control-request.js'
import { faultOptions, filterOptions, sandboxOptions, serializeArgument, waitOptions } from './handle-arguments.js'
import { RequestsNotSeenError, type RootRequests } from './requests-not-seen-error.js'

/** A handle on a sandbox. */
export interface SandboxHandle extends DoubleHandle {
  /** The sandbox's name, for the header `Insights-Sandbox`. */
  readonly name: string
  /** The callers with the tokens that they have in this sandbox only. Empty without `uniqueTokens`. */
  readonly callers: Readonly<Record<string, control.FixtureCaller>>
  /** Sets the result of the test that the sandbox is for, which the console and reports show. It may be dropped already. */
  setResult(result: TestResult): Promise<void>
}

/** The health of a double. */
export interface Health {
  readonly status: 'ok'
  /** The package's version. */
  readonly version: string
  /** Time since the start, milliseconds. */
  readonly uptimeMs: number
  /** The number of validators of the service's contract that are compiled. A validator is compiled when it is first needed. */
  readonly compiledValidators: number
}

/**
 * A handle on a double or on a sandbox. Every method throws a `DoubleError` if the double responds with an error, and a `TypeError` if an
 * option is unknown or has the wrong type, or if no double responds.
 */
export interface DoubleHandle {
  /** The base URL of the service, without a slash at the end. */
  readonly url: string
  /** Returns the health of the double. */
  health(): Promise<Health>
  /**
   * Resets to a fixture: state, journal, faults and coverage, in one atomic step.
   *
   * @param fixture - Its name, or an inline fixture. Default: the fixture of the last reset.
   * @throws {DoubleError} `unknown_fixture`; `invalid_state` if the fixture is invalid.
   */
  reset(fixture?: string | control.FixtureDocument): Promise<control.ResetSummary>
  /** Returns the whole state as a fixture document. */
  state(): Promise<control.StateDocument>
  /** Replaces the whole state. Journal, faults and coverage stay. @throws {DoubleError} `invalid_request` or `invalid_state`, with all problems. Nothing is changed then. */
  setState(document: control.FixtureDocument): Promise<void>
  /** Returns the changes since the last reset or the last replacement of the state. */
  diff(): Promise<control.StateDiff>
  /** Returns the collections, and the role of each operation of the contract. */
  collections(): Promise<Explanation>
  /** Returns all fixtures. */
  fixtures(): Promise<readonly control.FixtureSummary[]>
  /** Returns the journal entries that match a filter, oldest first. @param filter - Default: all entries. @throws {DoubleError} `unknown_operation`, `unknown_caller`. */
  requests(filter?: JournalFilter): Promise<control.RequestListing>
  /**
   * Waits until enough requests match.
   *
   * @throws {RequestsNotSeenError} The time limit has passed. The error has the entries that are nearest to the filter.
   * @throws {DoubleError} `unknown_operation`, `unknown_caller`.
   *
   * @example
   * const { entries } = await double.waitForRequests({ operation: 'deleteOrder', atLeast: 1, withinMs: 2000 })
   */
  waitForRequests(options?: WaitOptions): Promise<control.RequestListing>
  /** Returns an entry of the journal. @throws {DoubleError} `unknown_request`. */
  request(id: string): Promise<JournalEntry>
  /**
   * Returns the request of an entry as a command of `curl`, a call of `fetch` for Node, or a test. Redacted parts are environment variables, such
   * as `$ADA_TOKEN`. As `fault`, returns a fault for `addFault` that repeats the response.
   *
   * @throws {DoubleError} `unknown_request`; `not_repeatable` if the request could not be parsed, or its response was cut.
   */
  requestAs(id: string, as: 'curl' | 'fetch' | 'playwright' | 'vitest'): Promise<string>
  requestAs(id: string, as: 'fault'): Promise<FaultRequest>
  /** Removes all entries of the journal. */
  clearRequests(): Promise<void>
  /** Returns the faults that still affect requests. */
  faults(): Promise<readonly Fault[]>
  /**
   * Adds a fault: the next matching requests get a delayed, different or partial response, or none. A fault has a number of times, and no
   * random effect.
   *
   * @returns The stored fault with its id.
   * @throws {DoubleError} `unknown_operation`, `unknown_parameter`, `unknown_caller`; `invalid_request`, `invalid_fault`.
   *
   * @example
   * await double.addFault({ operation: 'listOrders', times: 2, status: 400 })
   * ;(await fetch(`${double.url}/orders`)).status // 400
   */
  addFault(fault: FaultRequest): Promise<Fault>
  /** Removes a fault. @throws {DoubleError} `unknown_fault`. */
  removeFault(id: string): Promise<void>
  /** Removes all faults. */
  clearFaults(): Promise<void>
  /** Returns the number of responses for each operation and status since the last reset. */
  coverage(): Promise<readonly CoverageRow[]>
  /** Returns the variations that were and could be applied to the responses so far. Those of the root include those of its sandboxes. */
  variations(): Promise<readonly control.VariationSummary[]>
  /** Sets the variations that are on, such as `order listOrders 200`. @throws {DoubleError} `unknown_variation`. */
  setVariations(units: readonly string[]): Promise<void>
  /** Returns the sandboxes that are not dropped. Only for the handle of the root. */
  sandboxes(): Promise<readonly control.SandboxSummary[]>
  /**
   * Creates a sandbox with its own state, journal, faults and coverage. The `stop` of its handle drops it.
   *
   * @throws {DoubleError} `sandbox_exists`, `too_many_sandboxes`, `unknown_fixture`.
   */
  sandbox(options?: SandboxOptions): Promise<SandboxHandle>
  /** Stops a double that `startDouble` started, or drops a sandbox. Does nothing for the handle of `connectDouble`, or when it is called again. */
  stop(): Promise<void>
  /** Calls `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface HandleOptions extends ConnectOptions {
  readonly send: SendRequest
  /** Default: nothing is stopped. */
  readonly onStop?: () => Promise<void>
  /** Returns the requests that the root got while the sandbox existed. Undefined for the root. */
  readonly rootRequests?: () => Promise<RootRequests>
}

/** `Symbol.asyncDispose`, which realms of test runners may lack. `await using` does not work there. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')

/** Creates a handle. @param url - Without a slash at the end. */
export function createHandle(url: string, options: HandleOptions): DoubleHandle {
  const { adminToken, onStop = async () => {} } = options
  const send = async <T>(method: string, path: string, body?: string): Promise<T> => {
    const request = { method, url: `${url}/__admin${path}`, adminToken, body }
    // The double has validated the body, so its type is safe.
    return readControlResponse(request, await options.send(request)) as T
  }
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> =>
    (stopped ??= onStop().catch((error: unknown) => {
      if (!isGoneError(error)) throw error
    }))
  const requests = (query: object): Promise<control.RequestListing> => send('GET', `/requests${queryString(query)}`)
  return {
    url,
    health: () => send('GET', '/health'),
    reset: async (fixture) => {
      const given = fixture === undefined ? '' : `"fixture":${serializeArgument('reset', 'fixture', fixture)}`
      return send('POST', '/reset', `{${given}}`)
    },
    state: () => send('GET', '/state'),
    setState: async (document) => send('PUT', '/state', serializeArgument('setState', 'document', document)),
    diff: () => send('GET', '/state/diff'),
    collections: () => send('GET', '/collections'),
    fixtures: () => send('GET', '/fixtures'),
    requests: async (filter = {}) => {
      validateOptions('requests', filter, filterOptions)
      return requests(filter)
    },
    waitForRequests: async (wait = {}) => {
      validateOptions('waitForRequests', wait, waitOptions)
      const { atLeast = 1, withinMs = 2000, ...filter } = wait
      const listing = await requests({ ...filter, atLeast, withinMs })
      if (listing.satisfied) return listing
      // A double that has stopped cannot list the other requests.
      const all = await requests({}).catch(() => listing)
      const root = all.entries.length === 0 ? await options.rootRequests?.().catch(() => undefined) : undefined
      throw new RequestsNotSeenError({ filter, atLeast, withinMs }, listing, all.entries, root)
    },
    request: (id) => send('GET', `/requests/${encodeURIComponent(id)}`),
    requestAs: <T>(id: string, as: string) =>
      send<T>('GET', `/requests/${encodeURIComponent(id)}${queryString({ as })}`),
    clearRequests: () => send('DELETE', '/requests'),
    faults: () => send('GET', '/faults'),
    addFault: async (fault) => {
      validateOptions('addFault', fault, faultOptions)
      return send('POST', '/faults', serializeArgument('addFault', undefined, fault))
    },
    removeFault: (id) => send('DELETE', `/faults/${encodeURIComponent(id)}`),
    clearFaults: () => send('DELETE', '/faults'),
    coverage: () => send('GET', '/coverage'),
    variations: () => send('GET', '/variations'),
    setVariations: async (units) => send('PUT', '/variations', serializeArgument('setVariations', 'units', units)),
    sandboxes: async () => {
      const all = await send<readonly control.SandboxSummary[]>('GET', '/sandboxes')
      return all.filter(({ droppedAt }) => droppedAt === undefined)
    },
    sandbox: async (settings = {}) => {
      validateOptions('sandbox', settings, sandboxOptions)
      const body = serializeArgument('sandbox', undefined, settings)
      const { callers = {}, createdAt, name } = await send<control.SandboxSummary>('POST', '/sandboxes', body)
      const path = `/sandboxes/${encodeURIComponent(name)}`
      const drop = (): Promise<void> => send('DELETE', path)
      const setResult = async (result: TestResult): Promise<void> =>
        send('PUT', `${path}/result`, serializeArgument('setResult', 'result', result))
      // A preflight cannot name a sandbox.
      const rootRequests = async (): Promise<RootRequests> => {
        const { entries } = await requests({})
        return { url, entries: entries.filter(({ method, time }) => method !== 'OPTIONS' && time >= createdAt) }
      }
      const own = createHandle(`${url}/sandboxes/${name}`, { ...options, onStop: drop, rootRequests })
      return Object.assign(own, { callers, name, setResult })
    },
    stop,
    [asyncDispose]: stop,
  }
}

function queryString(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length > 0 ? `?${new URLSearchParams(given).toString()}` : ''
}
