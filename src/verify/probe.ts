/** The types of probes. A probe is a sequence of requests that tests one behaviour of the service and of a private double. */
import type { Operation } from '../contract/contract.js'
import type { CredentialParts } from '../pull/place-token.js'
import type { SpecPath } from './spec-places.js'

/** Creates the credential of a request. @param tokenOf - Returns the token of a caller, for the service that the request is for. */
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
  /** The operation of the request. Undefined: the contract has none. */
  readonly operation: Operation | undefined
  readonly credential: Credential
  /** Header fields by lower-case name. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The place of the spec that the status and the selected records test. */
  readonly tests: SpecPath
  /**
   * The compared parts. `status`: also media type and headers, and bodies by their schema. `nothing`: the request only prepares other requests.
   * Default: everything.
   */
  readonly compares?: 'everything' | 'status' | 'nothing'
  /** False if the responses must agree in any case, so that agreement is not evidence. Default: true. */
  readonly isEvidence?: boolean
  /** True if the request creates a record whose id later steps use. */
  readonly isCreation?: boolean
  /** True if the request may be sent again to find noise. Default: true for GET, HEAD and OPTIONS. */
  readonly isRepeatable?: boolean
  /** The tested parameter, for the edit of a difference. */
  readonly parameter?: TestedParameter
}

/** A tested value of a parameter. */
interface TestedParameter {
  readonly name: string
  readonly case: string
  readonly value: string
}

/** A sequence of requests that tests one behaviour. */
export interface Probe {
  /** Unique: `operation:what`, without spaces. */
  readonly name: string
  /** The meaning of an agreement, as a sentence without a full stop. */
  readonly title: string
  /** The id of the operation. Undefined: the probe belongs to no operation. */
  readonly operation: string | undefined
  readonly steps: readonly ProbeStep[]
  /** For a probe with two errors: the probe with the first error alone. A difference that both show is not about the order of the errors. */
  readonly baseline?: string
  /** The reason why the probe cannot be sent, as a clause. Undefined: it can be sent. */
  readonly skipped?: string | undefined
}
