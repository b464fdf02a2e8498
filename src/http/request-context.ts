/** A request and all that the steps learn about it. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Context } from 'koa'

import type { Contract, Json, Operation, OperationResponse, Violation } from '../contract/contract.js'
import type { Caller } from '../resources/records/state.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import type { Plane, ValidRequest } from './plane.js'

/** The operation that a request is for. */
export interface Route {
  readonly operation: Operation
  /** Path parameters by name, as received. */
  readonly pathParameters: Readonly<Record<string, string>>
}

/** Thrown where a request gets no response. The message is a note for the journal. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

const processId = randomBytes(3).toString('hex')
let count = 0

/** Creates a request id: unique in this process, and unlike those of other processes. */
export const nextId = (): string => `${processId}-${(++count).toString(36)}`

/** A request on its way through the steps of `app.ts`. Each step sets its own part. */
export class RequestContext {
  /** The response's `x-request-id`, and the id of the journal's entry. */
  readonly id = nextId()
  readonly request: IncomingMessage
  readonly serverResponse: ServerResponse
  readonly method: string
  /** The request target as received. */
  readonly target: string
  /** When the request arrived: milliseconds since 1970. */
  readonly receivedAt = Date.now()
  /** The same by the clock of `performance.now()`, which never jumps. */
  readonly startedAt = performance.now()
  readonly violations: Violation[] = []
  /** Koa's context. Its `url` and `path` become relative to the sandbox. */
  readonly koa: Context
  /** Set by `selectSandbox`. Default: the root. */
  sandbox: Sandbox
  /** Whether the base URL selected the sandbox, and not the header. */
  isPrefixed = false
  /** Whether the journal leaves the request out: it is for the control plane, or for an address of the double itself. */
  isControl = false
  /** Set by `authorize`. Undefined where the operation needs no credential. */
  caller: Caller | undefined
  /** The request body, parsed. Set by `validateRequest`. */
  body: Json | undefined
  /** The id of the fault that was injected. */
  fault: string | undefined
  /** The preferences that were applied. */
  preference: string | undefined
  /** A reason for the journal that the response must not give. */
  note: string | undefined
  #plane: Plane | undefined
  #route: Route | undefined
  #validRequest: ValidRequest | undefined

  constructor(koa: Context, root: Sandbox) {
    this.koa = koa
    this.request = koa.req
    this.serverResponse = koa.res
    this.method = koa.req.method ?? ''
    this.target = koa.req.url ?? ''
    this.sandbox = root
  }

  /** The path that links in the response begin with: that of the sandbox, where the request's URL had it. */
  get basePath(): string {
    return this.isPrefixed ? this.sandbox.basePath : ''
  }

  /** Set by `selectPlane`. */
  get plane(): Plane {
    return this.#plane ?? stepMissing('selectPlane')
  }

  set plane(plane: Plane) {
    this.#plane = plane
  }

  get contract(): Contract {
    return this.plane.contract
  }

  /** Set by `matchOperation`. Undefined where no operation matches. */
  get route(): Route | undefined {
    return this.#route
  }

  set route(route: Route | undefined) {
    this.#route = route
  }

  get operation(): Operation {
    return this.#route?.operation ?? stepMissing('matchOperation')
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

/** A step: answers the request, or passes it on by returning undefined. It refuses by throwing an error of the table. */
export type Step<Options> = (
  context: RequestContext,
  options: Options,
) => OperationResponse | undefined | Promise<OperationResponse | undefined>
