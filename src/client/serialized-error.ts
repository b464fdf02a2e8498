/** Errors as plain data. An error that is sent to another thread loses its class; the receiver creates it again. */
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import { NoResponseError } from './no-response-error.js'

/** An error as plain data. */
export interface SerializedError {
  readonly kind: 'problems' | 'noResponse' | 'type' | 'other'
  readonly message: string
  /** The problems of a `ProblemsError`. */
  readonly problems?: readonly Problem[]
  /** The properties of a system error, such as `code` and `syscall`. */
  readonly properties?: Readonly<Record<string, unknown>>
}

/** Turns an error into plain data. */
export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { kind: 'other', message: String(error) }
  const { message } = error
  if (error instanceof ProblemsError) return { kind: 'problems', message, problems: error.problems }
  if (error instanceof NoResponseError) return { kind: 'noResponse', message }
  const scalars = Object.entries(error).filter(([, value]) => typeof value === 'string' || typeof value === 'number')
  return { kind: error instanceof TypeError ? 'type' : 'other', message, properties: Object.fromEntries(scalars) }
}

/** Creates the error again. */
export function deserializeError({ kind, message, problems = [], properties = {} }: SerializedError): Error {
  if (kind === 'problems') return new ProblemsError(problems)
  if (kind === 'noResponse') return new NoResponseError(message)
  return Object.assign(kind === 'type' ? new TypeError(message) : new Error(message), properties)
}
