import type { ErrorDefinition } from './http-error-table.js'
import { errorTable } from './http-error-table.js'

/** The code of an error, for programs. */
export type ErrorCode = keyof typeof errorTable

export type ErrorDetails<C extends ErrorCode> = Parameters<(typeof errorTable)[C]['message']>[0]

export interface CreateErrorOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The place in the request. Default: that of the table. */
  readonly location?: readonly string[]
  /** An explanation for the journal that the response must not reveal. */
  readonly note?: string
  readonly cause?: unknown
}

/** An error of a request. */
export class DoubleError extends Error {
  override readonly name = 'DoubleError'
  /** The code of an error, for programs. */
  readonly code: ErrorCode
  /** HTTP status, 400 to 599. */
  readonly status: number
  /** Response headers of the error. */
  readonly headers: Readonly<Record<string, string>>
  /** An explanation for the journal that the response must not reveal. */
  readonly note: string | undefined
  /** The place in the request that breaks the contract. Undefined if the error is not a violation, or is recorded as one already. */
  readonly location: readonly string[] | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { status, location }: Omit<ErrorDefinition<never>, 'message'>,
    options: CreateErrorOptions,
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.status = status
    this.location = options.location ?? location
    this.headers = options.headers ?? {}
    this.note = options.note
  }
}

/**
 * Creates an error.
 *
 * @example
 * throw createError('unexpected_body', { operation: 'getHealth' })
 */
export function createError<C extends ErrorCode>(
  code: C,
  details: ErrorDetails<C>,
  options: CreateErrorOptions = {},
): DoubleError {
  // The compiler checks the details at every call. Here C is generic, so it cannot select the entry.
  const found = errorTable[code] as ErrorDefinition<ErrorDetails<C>>
  return new DoubleError(code, found.message(details), found, options)
}
