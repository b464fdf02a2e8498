/** Probes: sequences of requests that show one thing, sent to the service and to a private double. */
import type { Operation } from '../contract/contract.js'
import type { CredentialParts } from '../pull/place-token.js'
import type { SpecPath } from './spec-places.js'

/** Creates the credential of a request. @param tokenOf - The token of a caller, on the side that the request goes to. */
export type Credential = (tokenOf: (caller: string) => string) => CredentialParts

/** The placeholder in a path for the id of the record that the probe created. */
export const createdIdPlaceholder = '{created}'

/** Tells whether a method only reads. */
export const isSafe = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method)

/** One request of a probe. */
export interface ProbeStep {
  readonly method: string
  /** Path and query, percent-encoded, from the base URL. */
  readonly target: string
  /** The operation that it is for. Undefined: the contract has none. */
  readonly operation: Operation | undefined
  readonly credential: Credential
  /** Header fields by lower-case name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The place of the spec that the status and the selection of records test. */
  readonly tests: SpecPath
  /**
   * The compared parts. `status`: also media type and headers, and bodies by their schema. `nothing`: the request only prepares others.
   * Default: everything.
   */
  readonly compares?: 'everything' | 'status' | 'nothing'
  /** False if the agreement could not have failed, so that it is no evidence. Default: true. */
  readonly isEvidence?: boolean
  /** True if the request creates a record whose id further steps use. */
  readonly isCreation?: boolean
  /** True if the request may be sent again to tell noise. Default: for GET, HEAD and OPTIONS. */
  readonly isRepeatable?: boolean
  /** For the edit of a difference: the parameter, and how its value relates to its schema. */
  readonly parameter?: TestedParameter
}

/** A tested value of a parameter. */
interface TestedParameter {
  readonly name: string
  readonly case: string
  readonly value: string
}

/** A sequence of requests that shows one thing. */
export interface Probe {
  /** Unique: `operation:what`, without spaces. */
  readonly name: string
  /** The meaning of an agreement, as a sentence without a full stop. */
  readonly title: string
  /** The operation's id. Undefined: it belongs to no operation. */
  readonly operation: string | undefined
  readonly steps: readonly ProbeStep[]
  /** The probe of the first of two errors in a request. A difference that it shows too is not about their order. */
  readonly baseline?: string
  /** The reason why it cannot be sent, as a clause. Undefined: it can. */
  readonly skipped?: string | undefined
}
