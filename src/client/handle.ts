/**
 * The handle: the control plane of a double as JavaScript methods. It uses HTTP only, so it is the same for a double in this process, a
 * double in another process and a sandbox.
 */
import type { FixtureSummary, RequestListing, ResetSummary, SandboxSummary, StateDiff } from '../control/admin-types.js'
import type { FixtureDocument, StateDocument } from '../control/fixture-types.js'
import type { ErrorCode } from '../errors.js'
import { DoubleError } from '../errors.js'
import type { Explanation } from '../resources/explain.js'
import type { CoverageRow } from '../sandbox/coverage.js'
import type { Fault, FaultRequest } from '../sandbox/faults.js'
import type { JournalEntry, JournalFilter } from '../sandbox/journal.js'
import { validateOptions } from '../validate-options.js'
import {
  normalizeUrl,
  connectOptions,
  faultOptions,
  filterOptions,
  sandboxOptions,
  waitOptions,
} from './handle-option-rules.js'

/** The options of `connectDouble`. */
export interface ConnectOptions {
  /** The bearer token of the control plane. Default: none. */
  readonly adminToken?: string | undefined
}

/** The options of `waitForRequests`: a filter, a number and a time limit. */
export interface WaitOptions extends JournalFilter {
  /** Number of requests that must match, from 0. Default 1. */
  readonly atLeast?: number
  /** The longest wait, milliseconds, 0 to 60,000. Default 2,000. */
  readonly withinMs?: number
}

/** The options of a new sandbox. */
export interface SandboxOptions {
  /** 1 to 64 of the characters `A-Za-z0-9._~-`, the first a letter or digit. Default: a random name. */
  readonly name?: string
  /** The name of a fixture, or an inline fixture. Default: the fixture of the root's last reset. */
  readonly fixture?: string | FixtureDocument
  /** True if violations are expected. `--fail-on-violation` and the report then ignore them. Default false. */
  readonly expectViolations?: boolean
}

/** The health of a double. */
export interface Health {
  readonly status: 'ok'
  /** The package's version. */
  readonly version: string
  /** Time since the start, milliseconds. */
  readonly uptimeMs: number
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
   * @param fixture - The name of a fixture, or an inline fixture. Default: the fixture of the last reset.
   * @throws {DoubleError} `unknown_fixture`; `invalid_state` if the fixture is invalid.
   */
  reset(fixture?: string | FixtureDocument): Promise<ResetSummary>
  /** Returns the whole state as a fixture document. */
  state(): Promise<StateDocument>
  /**
   * Replaces the whole state. Journal, faults and coverage stay.
   *
   * @throws {DoubleError} `invalid_request` or `invalid_state`, with all problems. Nothing is changed then.
   */
  setState(document: FixtureDocument): Promise<void>
  /** Returns the changes since the last reset or the last replacement of the state. */
  diff(): Promise<StateDiff>
  /** Returns the collections, and the role of each operation of the contract. */
  collections(): Promise<Explanation>
  /** Returns all fixtures. */
  fixtures(): Promise<readonly FixtureSummary[]>
  /** Returns the journal entries that match a filter, oldest first. @param filter - Default: all entries. */
  requests(filter?: JournalFilter): Promise<RequestListing>
  /**
   * Waits until enough requests match, or until the time limit. `satisfied` is false after the time limit.
   *
   * @example
   * const { satisfied } = await double.waitForRequests({ operation: 'deleteOrder', atLeast: 1, withinMs: 2000 })
   */
  waitForRequests(options?: WaitOptions): Promise<RequestListing>
  /** Returns an entry of the journal. @throws {DoubleError} `unknown_request`. */
  request(id: string): Promise<JournalEntry>
  /** Removes all entries of the journal. */
  clearRequests(): Promise<void>
  /** Returns the faults that still affect requests. */
  faults(): Promise<readonly Fault[]>
  /**
   * Adds a fault: the next matching requests get a delayed, different or no response. Faults are counted, never random.
   *
   * @returns The stored fault with its id.
   * @throws {DoubleError} `unknown_operation` if the contract has no such operationId; `invalid_request`, `invalid_fault`.
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
  /** Returns all sandboxes. Only for the handle of the root. */
  sandboxes(): Promise<readonly SandboxSummary[]>
  /**
   * Creates a sandbox with its own state, journal, faults and coverage. The `stop` of its handle drops it.
   *
   * @throws {DoubleError} `sandbox_exists`, `too_many_sandboxes`, `unknown_fixture`.
   */
  sandbox(options?: SandboxOptions): Promise<DoubleHandle & { readonly name: string }>
  /**
   * Stops a double that `startDouble` started, or drops a sandbox. Does nothing for the handle of `connectDouble`, or when it is called
   * again.
   */
  stop(): Promise<void>
  /** Calls `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates a handle on a double in another process. Sends no request.
 *
 * @param url - The base URL of the double or of a sandbox, such as `http://127.0.0.1:4010`.
 * @throws {TypeError} The URL is invalid, or an option is unknown or has the wrong type.
 */
export function connectDouble(url: string, options: ConnectOptions = {}): DoubleHandle {
  const base = normalizeUrl(url)
  validateOptions('connectDouble', options, connectOptions)
  return createHandle(base, options, async () => {})
}

/** Creates a handle. @param url - Without a slash at the end. @param onStop - Called by the first `stop`. */
export function createHandle(url: string, options: ConnectOptions, onStop: () => Promise<void>): DoubleHandle {
  const send = createSender(url, options)
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => (stopped ??= onStop())
  const requests = (query: object): Promise<RequestListing> => send('GET', `/requests${queryString(query)}`)
  const handle: DoubleHandle = {
    url,
    health: () => send('GET', '/health'),
    reset: (fixture) => send('POST', '/reset', fixture === undefined ? {} : { fixture }),
    state: () => send('GET', '/state'),
    setState: (document) => send('PUT', '/state', document),
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
      return requests({ ...filter, atLeast, withinMs })
    },
    request: (id) => send('GET', `/requests/${encodeURIComponent(id)}`),
    clearRequests: () => send('DELETE', '/requests'),
    faults: () => send('GET', '/faults'),
    addFault: async (fault) => {
      validateOptions('addFault', fault, faultOptions)
      return send('POST', '/faults', fault)
    },
    removeFault: (id) => send('DELETE', `/faults/${encodeURIComponent(id)}`),
    clearFaults: () => send('DELETE', '/faults'),
    coverage: () => send('GET', '/coverage'),
    sandboxes: () => send('GET', '/sandboxes'),
    sandbox: async (settings = {}) => {
      validateOptions('sandbox', settings, sandboxOptions)
      const { name } = await send<SandboxSummary>('POST', '/sandboxes', settings)
      const drop = (): Promise<void> => send('DELETE', `/sandboxes/${encodeURIComponent(name)}`)
      return Object.assign(createHandle(`${url}/sandboxes/${name}`, options, drop), { name })
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
  return handle
}

function queryString(query: object): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size > 0 ? `?${parameters.toString()}` : ''
}

type Send = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** Creates a function that sends requests to the control plane. The double has validated the response body, so its type is safe. */
function createSender(url: string, { adminToken }: ConnectOptions): Send {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetchOrExplain(`${url}/__admin${path}`, {
      method,
      headers: {
        ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.headers.has('x-request-id')) throw notADouble(response, text)
    if (!response.ok) throw toError(response, text)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
}

/** Sends a request. The error of `fetch` alone has no reason and no URL. */
async function fetchOrExplain(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new TypeError(`No double responds at ${url} (${reason}). Start one there, or name another (--url).`, {
      cause: error,
    })
  }
}

function notADouble({ status, url }: Response, text: string): TypeError {
  return new TypeError(`${url} is not a double: it responded with ${status} ${text.slice(0, 200)}`)
}

function toError(response: Response, text: string): Error {
  const code = response.headers.get('x-error-code')
  if (code === null) return notADouble(response, text)
  const { message } = JSON.parse(text) as { message: string }
  return new DoubleError(code as ErrorCode, message, { status: response.status, location: undefined }, {})
}
