/**
 * Serves HTTP requests: the steps, in order, from the first byte to the journal. A step returns a response, or undefined to pass the request on,
 * or refuses the request by throwing an error from `http-errors.ts`. The first response is recorded and sent.
 */
import Koa from 'koa'

import type { OperationResponse } from '../contract/contract.js'
import { onceForObject } from '../once.js'
import { applyPreference } from './apply-preference.js'
import { injectFault } from './inject-fault.js'
import { mayHaveBody } from './read-body.js'
import { recordRequest } from './record-request.js'
import { createRedaction } from './redact-request.js'
import { type AppOptions, RequestContext, type ServedService, type Step } from './request-context.js'
import { RequestHeads } from './request-head.js'
import { checkRequestLineAndHeaders, normalizeTarget } from './request-line.js'
import { answerPreflight } from './response-headers.js'
import { matchOperation, selectPlane, selectSandboxByToken, selectSandboxByUrlOrHeader } from './route-request.js'
import { encodeResponse, sendResponse, toErrorResponse } from './send-response.js'
import { validateRequest } from './validate-request.js'
import { callHandlerAndCommit } from './validate-response.js'
import { slowDown, varyMessage, varyResponse } from './vary-response.js'

const authorize: Step = (context) => context.plane.authorize(context)

/** The parser then finds a malformed body in the same packet before there is a response. */
const waitForParser: Step = ({ request }) => (mayHaveBody(request) ? Promise.resolve(undefined) : undefined)

const steps: readonly Step[] = [
  waitForParser,
  checkRequestLineAndHeaders, // 400, 417: requests that Node accepts and other software does not
  normalizeTarget, // absolute form → path and query
  answerPreflight, // CORS
  selectSandboxByUrlOrHeader, // by base URL or header, else the root
  selectPlane, // the service or the control plane
  matchOperation, // the only router: 404, 405, and the index
  selectSandboxByToken, // if a sandbox has unique tokens
  injectFault,
  slowDown,
  authorize, // 401, 403
  validateRequest, // 400, 413, 415
  applyPreference,
  callHandlerAndCommit, // 404, 409; validates the response, then commits the change
]

export function createApp(options: AppOptions): Koa {
  const app = new Koa()
  const headsOf = onceForObject((_service: ServedService) => new RequestHeads())
  // Only the error of a client that has disconnected reaches Koa.
  app.on('error', () => {})
  app.use(async (koa) => {
    // `sendResponse` writes the response, not Koa.
    koa.respond = false
    const heads = headsOf(options.service())
    const context = new RequestContext(koa, heads.of(koa.req), options)
    let answered: OperationResponse | undefined
    try {
      // By index: in an asynchronous function, V8 makes an object for each turn of an iterator.
      for (let at = 0; at < steps.length && !answered; at++) {
        const result = steps[at]?.(context)
        // Most steps respond at once: each wait would take a while.
        answered = result instanceof Promise ? await result : result
      }
      if (!answered) throw new TypeError('No step has returned a response')
    } catch (error) {
      answered = toErrorResponse(context, error)
    }
    const response = answered && varyResponse(context, answered)
    const redaction = createRedaction(context, response)
    // Only a message to the client itself contains what its path has in a place that may be a secret by its name.
    const { secretPaths } = options.service().contract
    const toClient = secretPaths.length > 0 ? createRedaction(context, response, 'isHidden') : redaction
    const encoded = response && varyMessage(context, response, encodeResponse(context, response, toClient), redaction)
    recordRequest(context, redaction, encoded)
    if (!redaction.hasOwnSecrets) heads.keep(context.head)
    sendResponse(context, redaction, encoded)
  })
  return app
}
