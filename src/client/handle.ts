import type {
  FixtureSummary,
  RequestListing,
  ResetSummary,
  SandboxSummary,
  StateDiff,
} from '../control/admin-context.js'
import type { FixtureDocument, StateDocument } from '../control/fixture-document.js'
/**
 * The handle on a double: its control plane, from code. It speaks HTTP and nothing else, so it is the same for a double in this
 * process, in another, and for a sandbox.
 */
import type { ErrorCode } from '../errors.js'
import { DoubleError } from '../errors.js'
import type { Explanation } from '../resources/explain.js'
import type { CoverageRow } from '../sandbox/coverage.js'
import type { Fault, FaultRequest } from '../sandbox/faults.js'
import type { JournalEntry, JournalFilter } from '../sandbox/journal.js'
import { validateOptions } from '../validate-options.js'
import {
  checkedUrl,
  connectOptions,
  faultOptions,
  filterOptions,
  sandboxOptions,
  waitOptions,
} from './handle-options.js'

/** How to reach a double. */
export interface ConnectOptions {
  /** The bearer token of its control plane, where it was started with one. Default: none. */
  readonly adminToken?: string | undefined
}

/** Which requests to wait for, and for how long. */
export interface WaitOptions extends JournalFilter {
  /** How many must match, from 0. Default 1. */
  readonly atLeast?: number
  /** How long to wait for them, milliseconds, 0 to 60,000. Default 2,000. */
  readonly withinMs?: number
}

/** What a sandbox begins with. */
export interface SandboxOptions {
  /** 1 to 64 of the characters `A-Za-z0-9._~-`, the first a letter or digit. Default: a new name. */
  readonly name?: string
  /** The name of a fixture, or a fixture itself. Default: the one the root was last reset to. */
  readonly fixture?: string | FixtureDocument
  /** Whether its violations are meant: `--fail-on-violation` and the report then leave them out. Default false. */
  readonly expectViolations?: boolean
}

/** What the double says of itself. */
export interface Health {
  readonly status: 'ok'
  /** The package's version. */
  readonly version: string
  /** For how long it has served, milliseconds. */
  readonly uptimeMs: number
}

/**
 * A double, or a sandbox of one. Every method throws a `DoubleError` where the double refuses, and a `TypeError` for an option that is
 * unknown or of the wrong type.
 */
export interface DoubleHandle {
  /** The base URL of the service, without a slash at the end. */
  readonly url: string
  /** Whether it serves. */
  health(): Promise<Health>
  /**
   * Goes back to a fixture: state, journal, faults and coverage, in one step.
   *
   * @param fixture - Its name, or the fixture itself. Default: that of the last reset.
   * @throws {DoubleError} `unknown_fixture`; `invalid_state` when the fixture is wrong.
   */
  reset(fixture?: string | FixtureDocument): Promise<ResetSummary>
  /** The whole state, as a fixture document. */
  state(): Promise<StateDocument>
  /**
   * Replaces the whole state. Journal and faults stay.
   *
   * @throws {DoubleError} `invalid_request` or `invalid_state`, with every problem; nothing is changed.
   */
  setState(document: FixtureDocument): Promise<void>
  /** What changed since the last reset, or since the state was replaced. */
  diff(): Promise<StateDiff>
  /** What the double does with each operation of the contract. */
  collections(): Promise<Explanation>
  /** The fixtures there are. */
  fixtures(): Promise<readonly FixtureSummary[]>
  /** What was asked, oldest first. @param filter - Default: all. */
  requests(filter?: JournalFilter): Promise<RequestListing>
  /**
   * Waits until enough requests match. Returns as soon as they do, or when the time is up: `satisfied` says which.
   *
   * @example
   * const { satisfied } = await double.waitForRequests({ operation: 'deleteOrder', atLeast: 1, withinMs: 2000 })
   */
  waitForRequests(options?: WaitOptions): Promise<RequestListing>
  /** One entry of the journal. @throws {DoubleError} `unknown_request`. */
  request(id: string): Promise<JournalEntry>
  /** Forgets every entry of the journal. */
  clearRequests(): Promise<void>
  /** The faults that are not spent. */
  faults(): Promise<readonly Fault[]>
  /**
   * Makes the next matching exchanges misbehave. Faults are counted, never random: the same calls give the same results.
   *
   * @returns The fault as the double keeps it, with its id.
   * @throws {DoubleError} `unknown_operation` when the contract has no such operationId; `invalid_request`, `invalid_fault`.
   *
   * @example
   * await double.addFault({ operation: 'listOrders', times: 2, status: 400 })
   * ;(await fetch(`${double.url}/orders`)).status // 400
   */
  addFault(fault: FaultRequest): Promise<Fault>
  /** Removes a fault. @throws {DoubleError} `unknown_fault`. */
  removeFault(id: string): Promise<void>
  /** Removes every fault. */
  clearFaults(): Promise<void>
  /** How often each documented status of each operation was answered since the last reset. */
  coverage(): Promise<readonly CoverageRow[]>
  /** The sandboxes there are. Only the root has any. */
  sandboxes(): Promise<readonly SandboxSummary[]>
  /**
   * Makes a sandbox: the same methods, on a state, journal and faults of its own. Its `stop` drops it.
   *
   * @throws {DoubleError} `sandbox_exists`, `too_many_sandboxes`, `unknown_fixture`.
   */
  sandbox(options?: SandboxOptions): Promise<DoubleHandle & { readonly name: string }>
  /**
   * Ends what this handle began: a double that `startDouble` started is stopped, a sandbox is dropped. A double that runs elsewhere
   * goes on. Calling it again does nothing.
   */
  stop(): Promise<void>
  /** The same as `stop`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Gets a handle on a double that runs elsewhere. Nothing is sent yet.
 *
 * @param url - Its base URL, or that of a sandbox, such as `http://127.0.0.1:4010`.
 * @throws {TypeError} What is no such URL, or an option that is unknown or of the wrong type.
 */
export function connectDouble(url: string, options: ConnectOptions = {}): DoubleHandle {
  const base = checkedUrl(url)
  validateOptions('connectDouble', options, connectOptions)
  return createHandle(base, options, async () => {})
}

/** Makes a handle. @param url - Without a slash at its end. @param end - What `stop` does, once. */
export function createHandle(url: string, options: ConnectOptions, end: () => Promise<void>): DoubleHandle {
  const call = caller(url, options)
  let ended: Promise<void> | undefined
  const stop = (): Promise<void> => (ended ??= end())
  const requests = (query: object): Promise<RequestListing> => call('GET', `/requests${search(query)}`)
  const handle: DoubleHandle = {
    url,
    health: () => call('GET', '/health'),
    reset: (fixture) => call('POST', '/reset', fixture === undefined ? {} : { fixture }),
    state: () => call('GET', '/state'),
    setState: (document) => call('PUT', '/state', document),
    diff: () => call('GET', '/state/diff'),
    collections: () => call('GET', '/collections'),
    fixtures: () => call('GET', '/fixtures'),
    requests: async (filter = {}) => {
      validateOptions('requests', filter, filterOptions)
      return requests(filter)
    },
    waitForRequests: async (wanted = {}) => {
      validateOptions('waitForRequests', wanted, waitOptions)
      const { atLeast = 1, withinMs = 2000, ...filter } = wanted
      return requests({ ...filter, atLeast, withinMs })
    },
    request: (id) => call('GET', `/requests/${encodeURIComponent(id)}`),
    clearRequests: () => call('DELETE', '/requests'),
    faults: () => call('GET', '/faults'),
    addFault: async (fault) => {
      validateOptions('addFault', fault, faultOptions)
      return call('POST', '/faults', fault)
    },
    removeFault: (id) => call('DELETE', `/faults/${encodeURIComponent(id)}`),
    clearFaults: () => call('DELETE', '/faults'),
    coverage: () => call('GET', '/coverage'),
    sandboxes: () => call('GET', '/sandboxes'),
    sandbox: async (wanted = {}) => {
      validateOptions('sandbox', wanted, sandboxOptions)
      const { name } = await call<SandboxSummary>('POST', '/sandboxes', wanted)
      const drop = (): Promise<void> => call('DELETE', `/sandboxes/${encodeURIComponent(name)}`)
      return Object.assign(createHandle(`${url}/sandboxes/${name}`, options, drop), { name })
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
  return handle
}

function search(query: object): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return parameters.size > 0 ? `?${parameters.toString()}` : ''
}

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

/** Calls the control plane. What comes back has been checked against `spec/control.yaml` by the double before it was sent. */
function caller(url: string, { adminToken }: ConnectOptions): Call {
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await reach(`${url}/__admin${path}`, {
      method,
      headers: {
        ...(adminToken === undefined ? {} : { authorization: `Bearer ${adminToken}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.headers.has('x-request-id')) throw stranger(response, text)
    if (!response.ok) throw refusal(response, text)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }
}

/** Sends a request. `fetch` itself says only that it failed. */
async function reach(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
    throw new TypeError(`No double answers at ${url} (${reason}). Start one there, or name another (--url).`, {
      cause: error,
    })
  }
}

function stranger({ status, url }: Response, text: string): TypeError {
  return new TypeError(`${url} is not a double: it answered ${status} ${text.slice(0, 200)}`)
}

function refusal(response: Response, text: string): Error {
  const code = response.headers.get('x-error-code')
  if (code === null) return stranger(response, text)
  const { message } = JSON.parse(text) as { message: string }
  return new DoubleError(code as ErrorCode, message, { status: response.status, location: undefined }, {})
}
