/** The types of probes. A probe is a sequence of requests that tests one behaviour of the service and of a private double. */
import type { BodyContent, Json, Operation, Parameter } from '../contract/contract.js'
import { isJson } from '../contract/media-types.js'
import type { CredentialParts } from '../contract/security.js'
import type { SpecPath } from '../contract/spec-places.js'
import type { Collection } from '../resources/resources.js'
import type { Decision } from '../resources/roles/role.js'

/** Creates the credential of a request. @param tokenOf - Returns the token of a caller, for the service that the request is for. */
export type Credential = (tokenOf: (caller: string) => string) => CredentialParts

/** The placeholder in a path for the id of the record that the probe created. */
export const createdIdPlaceholder = '{created}'

export interface ProbedOperation {
  readonly operation: Operation
  readonly decision: Decision
  readonly collection: Collection | undefined
  /** True for GET, HEAD and OPTIONS, which need no permission. */
  readonly isSafe: boolean
  /** True if it is safe, or if `--may` names it. */
  readonly isPermitted: boolean
  /** The parameter of its path of which no value is known. Such an operation is not in `operations`. */
  readonly unfilled: string | undefined
  /** The path with the values of parents, and without the id of a record. */
  readonly path: string
  readonly query: string
  readonly cap: Parameter | undefined
  readonly credential: Credential
}

export interface ProbeStep {
  readonly method: string
  /** Path and query, percent-encoded, from the base URL. */
  readonly target: string
  /** Undefined: the contract has no operation for the request. */
  readonly probed?: ProbedOperation | undefined
  readonly credential: Credential
  /** Header fields by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Bodies that are sent to the service in turn if it refuses this one. The double gets the first that is accepted. */
  readonly otherBodies?: readonly string[]
  /** Bodies made of `body` and each of `otherBodies` of the creation: the one is sent that is made of the accepted body. Default: `body`. */
  readonly variants?: readonly string[]
  /** The place of the spec that the status and the selected records test. */
  readonly tests: SpecPath
  /** The compared parts. `status`: also media type and headers, and bodies by their schema. Default: everything. */
  readonly compares?: 'everything' | 'status'
  /** False if the responses must agree in any case, so that agreement is not evidence. Default: true. */
  readonly isEvidence?: boolean
  /** True if the request creates a record whose id later steps use. */
  readonly isCreation?: boolean
  /** True if the same body was sent before. */
  readonly isRepeated?: boolean
  readonly removal?: ProbeStep | undefined
  /** The ids of the records that the service had before. One that a creation answers with is not of this run, and is never removed. */
  readonly knownIds?: readonly string[]
  /** A part of the ids that the run has made up. */
  readonly madeUp?: string
  /** True if the request may be sent again to find noise, although its method is not safe. */
  readonly isRepeatable?: boolean
  /** The tested value of a parameter, for the edit of a difference. */
  readonly parameter?: { readonly name: string; readonly case: string; readonly value: string }
}

export interface Probe {
  /** Unique: `operation:what`, without spaces. */
  readonly name: string
  /** The id of the operation. Undefined: the probe belongs to no operation. */
  readonly operation: string | undefined
  readonly steps: readonly ProbeStep[]
  /** For a probe with two errors: the probe with the first error alone. A difference that both show is not about the order of the errors. */
  readonly baseline?: string
  readonly skipped?: string
}

export const isSafeMethod = (method: string): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(method)

export const mayChange = (steps: readonly ProbeStep[]): boolean => steps.some(({ method }) => !isSafeMethod(method))

/** Creates a request to an operation, as the main caller. */
export function stepOf(probed: ProbedOperation, target: string, tests: SpecPath): ProbeStep {
  const { credential, operation } = probed
  return { method: operation.method, target, probed, credential, tests }
}

/** @param probed - Undefined: the probe belongs to no operation. */
export function probeOf(probed: ProbedOperation | undefined, name: string, ...steps: ProbeStep[]) {
  const operation = probed?.operation.id
  return { name: `${operation ?? 'service'}:${name}`, operation, steps }
}

export const skippedProbe = (probed: ProbedOperation, name: string, skipped: string): Probe => {
  return { ...probeOf(probed, name), skipped }
}

export const jsonContent = ({ requestBody }: Operation): BodyContent | undefined =>
  requestBody?.contents.find(({ mediaType }) => isJson(mediaType))

/** Returns the bodies and the content type of a step. Empty if there is no body. */
export function bodyParts({ operation }: ProbedOperation, bodies: readonly Json[]): Partial<ProbeStep> {
  const mediaType = jsonContent(operation)?.mediaType
  const [body, ...otherBodies] = new Set(bodies.map((each) => JSON.stringify(each)))
  if (body === undefined || mediaType === undefined) return {}
  return { body, otherBodies, headers: { 'content-type': mediaType } }
}
