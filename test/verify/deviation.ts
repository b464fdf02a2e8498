/** A deviation of the Insights service, and functions that change responses, which deviations share. */
import type { Answer, Asked, Switches } from './insights-service.js'

/** A deviation. */
export interface Deviation {
  readonly name: string
  readonly switches: Switches
  /** True if it needs permission to delete. */
  readonly needsDelete?: boolean
  /** The probe that finds it. */
  readonly probe: string
  /** A part of the line of the spec that the difference names. */
  readonly line: string
  /** The start of the assumption that it refutes. Default: none. */
  readonly refutes?: string
  /** True if `--apply` makes the double agree. Default false. */
  readonly isApplied?: boolean
}

/** Tells whether a response is an error. */
export const isError = ({ status }: Answer): boolean => status >= 400
/** Returns the body of an error. */
export const asError = (answer: Answer): Record<string, unknown> => answer.body as Record<string, unknown>

/** Changes a response. */
export type Change = NonNullable<Switches['change']>

/** Changes the status, and the `error` of an error to the same number. */
export const withStatus =
  (from: number, to: number): Change =>
  (answer) => {
    if (answer.status !== from) return
    answer.status = to
    if (isError(answer)) asError(answer)['error'] = to
  }

/** Changes listings only. */
export const listing =
  (change: (records: Record<string, unknown>[], answer: Answer, asked: Asked) => void): Change =>
  (answer, asked) => {
    if (Array.isArray(answer.body)) change(answer.body as Record<string, unknown>[], answer, asked)
  }
