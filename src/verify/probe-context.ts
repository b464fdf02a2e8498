/** Creates the context of probes: the contract, the pulled state, the callers and the permissions. */
import type { Contract, Operation } from '../contract/contract.js'
import type { JsonObject } from '../documents/object.js'
import { isObject } from '../documents/object.js'
import type { CredentialParts } from '../pull/place-token.js'
import { noCredential, placeToken, requiredSchemes } from '../pull/place-token.js'
import type { PulledState, PulledListing } from '../pull/pull.js'
import { fillPath } from '../pull/pull.js'
import { pagingOf } from '../pull/read-listing.js'
import { exampleOrGeneratedValue, requiredQuery } from '../pull/required-query.js'
import type { Service } from '../resources/load-service.js'
import type { Collection } from '../resources/resources.js'
import type { Decision } from '../resources/roles/role.js'
import type { Permissions } from './permissions.js'
import type { Credential } from './probe.js'
import { isSafe } from './probe.js'

/** An operation, with its role and a valid request for it. */
export interface ProbedOperation {
  readonly operation: Operation
  readonly decision: Decision
  readonly collection: Collection | undefined
  /** True for GET, HEAD and OPTIONS, which need no permission. */
  readonly isSafe: boolean
  /** The path with the values of parents, and without the id of a record. */
  readonly path: string
  /** The query of its required parameters. */
  readonly query: string
  /** The credential of the main caller. */
  readonly credential: Credential
  /** A query that makes listings short. Equal to `query` if there is no cap. */
  readonly shortQuery: string
}

/** A record of the service, and the callers that see it. */
interface KnownRecord {
  readonly id: string
  readonly record: JsonObject
  /** Names of callers. Empty: no credential is needed. */
  readonly seenBy: readonly string[]
}

/** The sources of probes. */
export interface ProbeContext {
  readonly contract: Contract
  readonly service: Service
  readonly pulled: PulledState
  readonly callers: readonly string[]
  readonly permissions: Permissions
  /** Every operation for which a request can be created, in the order of the spec. */
  readonly operations: readonly ProbedOperation[]
  /** Returns the credential of a caller for an operation. */
  credentialOf(operation: Operation, caller: string | undefined): Credential
  /** Returns the first listing of a collection. */
  listingOf(collection: Collection): PulledListing | undefined
  /** Returns the records of a collection under the parents of its first listing. */
  recordsOf(collection: Collection): readonly KnownRecord[]
  /** Returns an id that is valid by the contract and that no record has. Undefined: none is known. */
  madeUpId(probed: ProbedOperation): string | undefined
  /** Returns ids that break the contract. */
  malformedIds(probed: ProbedOperation): readonly string[]
  /** Returns the path of an operation with an id, percent-encoded. */
  itemTarget(probed: ProbedOperation, id: string): string
}

/** Creates the context. @param nonce - A part of made-up ids, so that each run uses other ids. */
export function createProbeContext(
  service: Service,
  pulled: PulledState,
  callers: readonly string[],
  permissions: Permissions,
  nonce: string,
): ProbeContext {
  const { contract } = service
  const credentialOf = (operation: Operation, caller: string | undefined): Credential => {
    const schemes = requiredSchemes(operation)
    return (tokenOf): CredentialParts =>
      caller === undefined || !operation.secured ? noCredential : placeToken(schemes, tokenOf(caller))
  }
  const listingOf = (collection: Collection): PulledListing | undefined =>
    pulled.listings.find(({ source }) => source.collection === collection)
  const recordsOf = (collection: Collection): readonly KnownRecord[] =>
    knownRecords(collection, listingOf(collection), pulled, callers)
  const parameterOf = ({ collection }: ProbedOperation): string => collection?.model.parameter.name ?? ''
  const isValidId = (probed: ProbedOperation, id: string): boolean => {
    const values = { ...pathValues(contract, probed.operation), [parameterOf(probed)]: encodeURIComponent(id) }
    const { violations } = contract.checkRequest(probed.operation, { path: values, query: probed.query, headers: {} })
    return !violations.some(({ location, severity }) => severity === 'Error' && location.includes(parameterOf(probed)))
  }
  const context: ProbeContext = {
    contract,
    service,
    pulled,
    callers,
    permissions,
    operations: [],
    credentialOf,
    listingOf,
    recordsOf,
    madeUpId: (probed) => {
      const taken = new Set(probed.collection ? recordsOf(probed.collection).map(({ id }) => id) : [])
      return madeUpIds(nonce).find((id) => isValidId(probed, id) && !taken.has(id))
    },
    malformedIds: (probed) => malformed.filter((id) => !isValidId(probed, id)).slice(0, 2),
    itemTarget: ({ collection, path }, id) =>
      path.replace(`{${collection?.model.parameter.name ?? ''}}`, encodeURIComponent(id).replaceAll("'", '%27')),
  }
  return { ...context, operations: contract.operations.flatMap((operation) => probedOperation(context, operation)) }
}

/** Creates ids of every common format. The numbers are far from those in use. */
const madeUpIds = (nonce: string): readonly string[] => [
  `verify-${nonce}`,
  String(900_000_000 + (Number.parseInt(nonce, 16) % 90_000_000)),
  `00000000-0000-4000-8000-${nonce.padStart(12, '0').slice(-12)}`,
  nonce.padStart(24, '0').slice(-24),
  `verify${nonce}`,
]

const malformed = ['a b', 'x'.repeat(300), 'not!an!id', 'abc', '-1']

function probedOperation(context: ProbeContext, operation: Operation): readonly ProbedOperation[] {
  const { callers, contract, credentialOf, listingOf, service } = context
  const decision = service.decisionFor(operation)
  const collection =
    decision.role === 'mocked'
      ? undefined
      : service.resources.collections.find(({ name }) => name === decision.collection)
  const listing = collection && listingOf(collection)
  // A nested collection without any parent has no path.
  if (collection && collection.model.parents.length > 0 && !listing) return []
  const id = collection?.model.parameter.name
  const values = { ...pathValues(contract, operation), ...parentValues(listing) }
  const filled = Object.fromEntries(
    Object.entries(values).filter(([name]) => name !== id || decision.role === 'mocked'),
  )
  const query = requiredQuery(contract, operation)
  const cap = decision.role === 'list' ? pagingOf(decision).cap : undefined
  return [
    {
      operation,
      decision,
      collection,
      isSafe: isSafe(operation.method),
      path: fillPath(operation.path, filled),
      query,
      shortQuery: cap ? [query, `${cap.name}=2`].filter((part) => part !== '').join('&') : query,
      credential: credentialOf(operation, callers[0]),
    },
  ]
}

/** Returns a value for each path parameter: its example, or a generated value. */
const pathValues = (contract: Contract, operation: Operation): Readonly<Record<string, string>> =>
  Object.fromEntries(
    operation.parameters
      .filter(({ in: place }) => place === 'path')
      .map((parameter) => [parameter.name, String(exampleOrGeneratedValue(contract, operation, parameter))]),
  )

/** Returns the values of the parents in the path of a listing. */
function parentValues(listing: PulledListing | undefined): Readonly<Record<string, string>> {
  if (!listing) return {}
  const { operation, path } = listing.source
  const names = operation.path.split('/')
  const values = path.split('/')
  return Object.fromEntries(
    names.flatMap((name, index) =>
      /^\{.*\}$/u.test(name) ? [[name.slice(1, -1), decodeURIComponent(values[index] ?? '')]] : [],
    ),
  )
}

function knownRecords(
  { model, name }: Collection,
  listing: PulledListing | undefined,
  { document, listings }: PulledState,
  callers: readonly string[],
): readonly KnownRecord[] {
  const records = document[name]
  const own = listings.filter(({ source }) => source.path === listing?.source.path)
  const listed = new Set(own.flatMap(({ ids }) => ids))
  return (Array.isArray(records) ? (records as unknown[]) : []).filter(isObject).flatMap((record) => {
    const id = record[model.idProperty]
    if ((typeof id !== 'string' && typeof id !== 'number') || !listed.has(JSON.stringify(id))) return []
    const seenBy = own.flatMap(({ caller, ids }) => (caller && ids.includes(JSON.stringify(id)) ? [caller.name] : []))
    const { $access: _access, $parents: _parents, ...properties } = record
    return [{ id: String(id), record: properties, seenBy: callers.length === 0 ? [] : seenBy }]
  })
}
