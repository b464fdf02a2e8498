/** The context of a request: the request and the results of the steps. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Context } from 'koa'

import type { Contract, Json, Operation, OperationResponse } from '../contract/contract.js'
import type { Violation } from '../contract/violation.js'
import type { Caller } from '../resources/records/state.js'
import type { Fault } from '../sandbox/faults.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Plane, ValidRequest } from './plane.js'
import type { Route } from './router.js'

/** Thrown if a request gets no response. The message is a note for the journal. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

const processId = randomBytes(3).toString('hex')
let count = 0

/** Creates a request id that is unique in this process, and almost certainly among processes. */
export const createRequestId = (): string => `${processId}-${(++count).toString(36)}`

/** A plane that serves requests. */
export type ServedPlane = Plane<RequestContext>

/** The context of a request. The steps in `app.ts` fill it. */
export class RequestContext {
  /** The response's `x-request-id` and the id of the journal entry. */
  readonly id = createRequestId()
  readonly request: IncomingMessage
  readonly serverResponse: ServerResponse
  readonly method: string
  /** The request target as received. */
  readonly target: string
  /** Time of arrival, milliseconds since 1970. */
  readonly receivedAt = Date.now()
  /** Time of arrival by `performance.now()`, for durations. */
  readonly startedAt = performance.now()
  readonly violations: Violation[] = []
  /** Koa's context. Its `url` and `path` become relative to the sandbox. */
  readonly koa: Context
  /** Set by `selectSandboxByUrlOrHeader`. Default: the root. */
  sandbox: Sandbox
  /** True if the base URL selected the sandbox, not the header. */
  isPrefixed = false
  /** The base path of the contract's servers that the request begins with, such as `/v1`. Empty: none. Set by `matchOperation`. */
  serverPath = ''
  /** True if the request is for the control plane or the index. The journal does not record it. */
  isControl = false
  /** Set by `authorize`. Undefined if the operation needs no credential. */
  caller: Caller | undefined
  /** The request body, parsed. Set by `validateRequest`. */
  body: Json | undefined
  /** The request body as received, or its start if it was refused. Undefined for requests to the control plane. */
  requestBytes: Buffer | undefined
  /** The id of the record that the request has created. */
  createdId: string | undefined
  /** The injected fault. */
  fault: Fault | undefined
  /** The preferences that were applied. */
  preference: string | undefined
  /** An explanation for the journal that the response must not reveal. */
  note: string | undefined
  /** Set by `matchOperation`. Undefined if no operation matches. */
  route: Route | undefined
  #plane: ServedPlane | undefined
  #validRequest: ValidRequest | undefined

  constructor(koa: Context, root: Sandbox) {
    this.koa = koa
    this.request = koa.req
    this.serverResponse = koa.res
    this.method = koa.req.method ?? ''
    this.target = koa.req.url ?? ''
    this.sandbox = root
  }

  /** The path prefix of links in the response: that of the request. */
  get basePath(): string {
    return (this.isPrefixed ? this.sandbox.basePath : '') + this.serverPath
  }

  /** Set by `selectPlane`. */
  get plane(): ServedPlane {
    return this.#plane ?? stepMissing('selectPlane')
  }

  set plane(plane: ServedPlane) {
    this.#plane = plane
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
export type Step<Options> = (
  context: RequestContext,
  options: Options,
) => OperationResponse | undefined | Promise<OperationResponse | undefined>
