/** The limits of a run against a service: those of all its requests together, and those of one response. */
import { maxDocumentDepth, maxDocumentValues, measureJson } from '../documents/parse-json.js'

/** The error of `pull` and `verify`: a run that cannot start or continue. The message is for the user. */
export class RunError extends Error {
  override readonly name = 'RunError'
}

/** The largest body that is read, in bytes: 10,000 records of 6 KiB. */
export const maxBodyBytes = 64 * 1024 * 1024

/** The deepest nesting of a response. A fixture that has an array of records as a collection is one level deeper. */
const maxDepth = maxDocumentDepth - 1

/** The limits of all requests of a run. Default of each: none. */
export interface RunLimits {
  readonly maxRequests?: number
  /** The bytes of all bodies that are received. */
  readonly maxBytes?: number
  /** The time since the first request, milliseconds. */
  readonly maxMs?: number
}

/** Counts the requests of a run. */
export interface RunCounter {
  /** The number of requests. */
  readonly requests: number
  /** Counts a request, before it is sent. */
  countRequest(): void
  countBytes(received: number): void
  /** Returns what one response may still take. */
  left(): { readonly bytes: number; readonly ms: number }
  /** Returns the limit that was reached, as a clause with its flag. Undefined: none. */
  limitReached(): string | undefined
  /** Says that a limit ended the run, after what, and what to raise, in sentences. Undefined: no limit was reached. */
  describeEnd(): string | undefined
}

/** Creates a counter. */
export function createRunCounter({
  maxBytes = Infinity,
  maxMs = Infinity,
  maxRequests = Infinity,
}: RunLimits): RunCounter {
  let requests = 0
  let bytes = 0
  let startedAt: number | undefined
  const elapsed = (): number => (startedAt === undefined ? 0 : performance.now() - startedAt)
  const limitReached = (): string | undefined => {
    if (requests >= maxRequests) return `the limit of ${maxRequests} requests was reached (--max-requests)`
    if (bytes >= maxBytes) return `the limit of ${inBytes(maxBytes)} for all responses was reached (--max-bytes)`
    return elapsed() < maxMs ? undefined : `the limit of ${maxMs / 1000} s for the run was reached (--max-time)`
  }
  return {
    get requests() {
      return requests
    },
    countRequest: () => {
      startedAt ??= performance.now()
      requests += 1
    },
    countBytes: (received) => {
      bytes += received
    },
    left: () => ({ bytes: maxBytes - bytes, ms: maxMs - elapsed() }),
    limitReached,
    describeEnd: () => {
      const limit = limitReached()
      const read = `${requests} ${requests === 1 ? 'request' : 'requests'}, ${inBytes(bytes)} and ${(elapsed() / 1000).toFixed(1)} s`
      return limit === undefined ? undefined : `The run ended: ${limit} after ${read}. Raise it to read more.`
    },
  }
}

const inBytes = (count: number): string => `${count.toLocaleString('en')} bytes`

/** Returns the reason why a JSON body is not parsed, as a clause after "it". Undefined: it has the limits of files. */
export function whyTooComplex(body: Uint8Array): string | undefined {
  const { depth, values } = measureJson(body)
  if (depth > maxDepth)
    return `sent JSON nested more than ${maxDepth} levels deep; a fixture has at most ${maxDocumentDepth}`
  if (values > maxDocumentValues)
    return `sent JSON of more than ${maxDocumentValues.toLocaleString('en')} values, the maximum`
  return undefined
}
