/** From a reply as a value to a reply on the wire. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

import { isJson } from '../contract/bodies/media-types.js'
import type { OperationResponse, Violation } from '../contract/contract.js'
import type { DoubleError } from '../errors.js'

/** The most that `sl-violations` takes of a reply's header, in bytes. */
const maxViolationsBytes = 4096

/** The bytes of replies that cannot change. */
const keptBytes = new WeakMap<object, Buffer>()

/** A reply that says what went wrong, as the contract's Error. @param status - Default: the error's own. */
export function errorResponse(error: DoubleError, status: number = error.status): OperationResponse {
  return {
    status,
    headers: { ...error.headers, 'x-error-code': error.code },
    mediaType: 'application/json',
    body: { error: status, message: error.message },
  }
}

/**
 * Writes a reply, whole.
 *
 * @param fields - Further header fields by lower-case name, to which those of the reply are added. Where both have one, the reply's holds.
 */
export function sendResponse(
  response: ServerResponse,
  reply: OperationResponse,
  fields: Record<string, string | number>,
): void {
  const { body, headers, mediaType, status } = reply
  Object.assign(fields, headers)
  if (body instanceof Readable) {
    fields['content-type'] = mediaType
    response.writeHead(status, fields)
    if (response.req.method === 'HEAD') {
      response.end(() => body.destroy())
      return
    }
    body.pipe(response)
    response.once('close', () => body.destroy())
    // A body that was cut off must not look whole.
    body.once('close', () => {
      if (!body.readableEnded) response.destroy()
    })
    return
  }
  const bytes = body === undefined ? undefined : bytesOf(reply)
  if (bytes) fields['content-type'] = mediaType
  if (status !== 204 && status !== 304) fields['content-length'] = bytes?.length ?? 0
  response.writeHead(status, fields)
  // At the end of the event loop's turn: a client that waits for several replies is then woken once, and not for each of them. That
  // makes for twice as many replies a second.
  setImmediate(() => response.end(bytes))
}

function bytesOf({ body, mediaType, text }: OperationResponse): Buffer {
  if (typeof body === 'string' && !isJson(mediaType)) return Buffer.from(body)
  if (text !== undefined) return Buffer.from(text)
  if (typeof body !== 'object' || body === null || !Object.isFrozen(body)) return Buffer.from(JSON.stringify(body))
  const kept = keptBytes.get(body) ?? Buffer.from(JSON.stringify(body))
  keptBytes.set(body, kept)
  return kept
}

/** Writes violations for the `sl-violations` header, in Prism's shape. What does not fit is counted in a last entry. */
export function violationsHeader(violations: readonly Violation[]): string {
  const shown = violations.map((violation) => asciiJson(violation))
  let size = 2
  let fitting = 0
  for (const text of shown) {
    if (size + text.length + 1 > maxViolationsBytes - 200) break
    size += text.length + 1
    fitting++
  }
  const left = violations.length - fitting
  const rest = {
    location: [],
    severity: 'Warning',
    code: 'cut',
    message: `${left} more; the journal has them all.`,
  }
  return `[${[...shown.slice(0, fitting), ...(left > 0 ? [asciiJson(rest)] : [])].join(',')}]`
}

/** JSON that a header can carry: visible ASCII and nothing else. Without the `u` flag, so that it takes surrogates one by one. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
