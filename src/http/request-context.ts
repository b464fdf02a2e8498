import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Context } from 'koa'

import type { Contract, Json, Operation, OperationRequest, OperationResponse } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import type { AdminContext } from '../control/admin-handler-types.js'
import type { Problem } from '../documents/problem.js'
import type { Redact } from '../redaction.js'
import type { Service } from '../resources/load-service.js'
import type { StateChange } from '../resources/records/diff.js'
import type { Caller } from '../resources/records/state.js'
import type { Fault } from '../sandbox/faults.js'
import type { RecordedRequest, RequestSummary } from '../sandbox/journal-entry.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { SandboxTest } from '../sandbox/test-result.js'
import type { RequestHead } from './request-head.js'
import type { OperationRouter, Route } from './router.js'

/** Thrown if a request gets no response. The message is a note for the journal. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

const processId = randomBytes(3).toString('hex')
let count = 0

/** Creates a request id that is unique in this process, and almost certainly among processes. */
export const createRequestId = (): string => `${processId}-${(++count).toString(36)}`

export class RequestContext {
  /** The response's `x-request-id` and the id of the journal entry. */
  readonly id = createRequestId()
  readonly request: IncomingMessage
  readonly head: RequestHead
  readonly serverResponse: ServerResponse
  readonly receivedAt = Date.now()
  /** Time of arrival by `performance.now()`, for durations. */
  readonly startedAt = performance.now()
  readonly violations: Violation[] = []
  /** Koa's context. Its `url` and `path` become relative to the sandbox. */
  readonly koa: Context
  readonly options: AppOptions
  /** The host that the request is for, with its port if one is given. Empty: the request names none. Set by `normalizeTarget`. */
  host = ''
  /** Set by `selectSandboxByUrlOrHeader`. Default: the root. */
  sandbox: Sandbox
  /** True if the base URL selected the sandbox, not the header. */
  isPrefixed = false
  /** The base path of the contract's servers that the request begins with, such as `/v1`. Empty: none. Set by `matchOperation`. */
  serverPath = ''
  /** True if the request is for the control plane or the index. The journal does not record it. */
  isControl = false
  /** Set by `authorize`, or by `matchOperation` if no operation matches. Undefined: the request needs or has no credential. */
  caller: Caller | undefined
  /** The request body, parsed. Set by `validateRequest`. */
  body: Json | undefined
  /** The request body as received, or its start if it was refused. Undefined for requests to the control plane. */
  requestBytes: Buffer | undefined
  createdId: string | undefined
  /** The states before and after the request. Undefined: it has changed nothing. */
  change: StateChange | undefined
  fault: Fault | undefined
  preference: string | undefined
  readonly variations: string[] = []
  /** An explanation for the journal that the response must not reveal. */
  note: string | undefined
  /** Set by `matchOperation`. Undefined if no operation matches. */
  route: Route | undefined
  /** That of the service, until `selectPlane` selects another one. */
  plane: Plane
  #validRequest: ValidRequest | undefined

  constructor(koa: Context, head: RequestHead, options: AppOptions) {
    this.koa = koa
    this.options = options
    this.request = koa.req
    this.head = head
    this.serverResponse = koa.res
    this.sandbox = options.sandboxes.root
    this.plane = options.service().plane
  }

  /** The path prefix of links in the response: that of the request. */
  get basePath(): string {
    return (this.isPrefixed ? this.sandbox.basePath : '') + this.serverPath
  }

  /** The base URL of absolute links in the response. */
  get baseUrl(): string {
    return `${this.origin}${this.basePath}`
  }

  /** The scheme, the host and the port that the request is for. */
  get origin(): string {
    return `http://${this.host === '' ? `localhost:${this.request.socket.localPort ?? 80}` : this.host}`
  }

  /** The parts of the request that the body of an error may tell. */
  get occurrence() {
    const [, ...place] = this.violations.find(({ severity }) => severity === 'Error')?.location ?? []
    const path = this.head.url.split('?', 1)[0] ?? ''
    return { now: this.sandbox.now, path, place, requestId: this.id, url: `${this.origin}${path}` }
  }

  get contract(): Contract {
    return this.plane.contract
  }

  get operation(): Operation {
    return this.route?.operation ?? stepMissing('matchOperation')
  }

  /** Set by `validateRequest`. */
  get validRequest(): ValidRequest {
    return this.#validRequest ?? stepMissing('validateRequest')
  }

  set validRequest(request: ValidRequest) {
    this.#validRequest = request
  }
}

function stepMissing(step: string): never {
  throw new TypeError(`${step} has not run yet`)
}

/** A step. Returns a response, or undefined to pass the request on. Throws an error from `http-errors.ts` to refuse it. */
export type Step = (context: RequestContext) => OperationResponse | undefined | Promise<OperationResponse | undefined>

/** A request that the contract allows: the same value for equal requests without a body. Path and query are as received, for mocked responses. */
export interface ValidRequest extends OperationRequest, ReturnType<Contract['checkRequest']> {
  /** The body for handlers, if it has files or is binary. Undefined: they get `body`. */
  readonly withBytes: unknown
}

/** The result of a handler. The change is not committed yet. */
export interface OperationResult {
  readonly response: OperationResponse
  /** Commits the change, or waits for pending changes that the response depends on. It commits synchronously, before any other request runs. */
  readonly commit?: (() => Promise<void>) | undefined
  readonly note?: string | undefined
}

/** A contract with its router and handlers. The double has two: the service and the control plane. */
export interface Plane {
  readonly contract: Contract
  readonly router: OperationRouter
  authorize(context: RequestContext): undefined
  /**
   * A result that is not a promise is built on the current state, so it must be committed synchronously. A promise resolves to a result, or to a
   * function that creates one on the then current state. @throws {DoubleError} The error of the handler.
   */
  handle(context: RequestContext): OperationResult | Promise<OperationResult | (() => OperationResult)>
}

/** A service with its plane. A reload replaces both. */
export interface ServedService extends Service {
  /** The roles and effects that are not as in the lock of the contract. */
  readonly lockProblems: readonly Problem[]
  readonly plane: Plane
}

export interface AppOptions extends Omit<AdminContext, 'control' | 'eventStreams' | 'service'> {
  readonly service: () => ServedService
  /** Returns the control plane, which is loaded on first use. */
  readonly control: () => Promise<Plane>
  /** Delay before each response of the service, milliseconds. */
  readonly delayMs: number
  readonly redactAdminToken: Redact | undefined
  /** Called for every request of every sandbox. */
  readonly onExchange: (recorded: RecordedRequest, isControl: boolean, test: SandboxTest) => void
  /** Finds what is known of the response to a request. Undefined: no evidence is given. @param target - Path and query. */
  readonly evidenceOf:
    | ((operation: Operation, status: number, target: string) => RequestSummary['evidence'])
    | undefined
  /** Called for every unexpected error, with the id of its request. */
  readonly onFailure: (id: string, error: unknown) => void
}
