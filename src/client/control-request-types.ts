/** A request of a handle to the control plane, and the response. Both are plain data, so that they can be sent to another thread. */

/** A request to the control plane. */
export interface ControlRequest {
  readonly method: string
  /** The whole URL. */
  readonly url: string
  /** The bearer token of the control plane. Undefined: none. */
  readonly adminToken?: string | undefined
  /** JSON text. Undefined: no body. */
  readonly body?: string | undefined
}

/** A response, of a double or of another server. */
export interface ControlResponse {
  readonly status: number
  /** True if it has the header `x-request-id`, which every response of a double has. */
  readonly isFromDouble: boolean
  /** True if the text is JSON. */
  readonly isJson: boolean
  /** The header `x-error-code`. Null if there is none. */
  readonly errorCode: string | null
  readonly text: string
}

/** Sends a request. Rejects with a `NoResponseError` if there is no response. */
export type SendRequest = (request: ControlRequest) => Promise<ControlResponse>
