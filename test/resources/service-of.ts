/** Creates services of the engine, without HTTP. */
import type { Contract } from '#src/contract/contract.js'
import { lintSpec } from '#src/contract/lint/lint-spec.js'
import { buildContract } from '#src/contract/load-contract.js'
import type { JsonObject } from '#src/documents/object.js'
import { readDocument } from '#src/resources/document/read.js'
import type { State } from '#src/resources/records/state.js'
import type { Resources } from '#src/resources/resources.js'
import { inferResources } from '#src/resources/resources.js'
import type { RoleOutcome, ResourceRequest, ResourceResponse } from '#src/resources/roles/role.js'

import type { Json } from './plants-contract.js'

/** A service of the engine for a contract and a fixture. Requests change its state. */
export interface TestService {
  readonly contract: Contract
  readonly resources: Resources
  state: State
  /** Sends a request, and sets the next state. */
  send(operation: string, request?: Partial<ResourceRequest>, caller?: string): RoleOutcome
  /** Sends a request that must succeed. */
  ok(operation: string, request?: Partial<ResourceRequest>, caller?: string): ResourceResponse
  role(operation: string): string
  reason(operation: string): string
}

/** The time of the tests. */
export const now = '2026-01-05T09:30:00Z'

/** Creates the contract of an OpenAPI object. */
function contractOf(document: unknown): Contract {
  const file = 'contract.json'
  const source = { file, text: JSON.stringify(document), value: document, locate: () => ({ file, line: 1, column: 1 }) }
  const linted = lintSpec(source)
  return buildContract(source, linted.document as JsonObject, linted.diagnostics)
}

/** Creates a service. @throws {Error} The fixture is invalid. */
export function serviceOf(document: unknown, fixture: Json = {}): TestService {
  const contract = contractOf(document)
  const resources = inferResources(contract)
  const $callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }
  const read = readDocument({ $callers, ...fixture }, resources)
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  const decisionOf = (id: string) => {
    const found = [...resources.decisions.values()].find(({ operation }) => operation.id === id)
    if (!found) throw new Error(`no operation ${id}`)
    return found
  }
  const service: TestService = {
    contract,
    resources,
    state: read.state,
    send: (id, request = {}, caller = 'ada') => {
      const decision = decisionOf(id)
      if (decision.role === 'mocked') throw new Error(`${id} is mocked: ${decision.reason}`)
      const who = service.state.callers.find(({ name }) => name === caller)
      const outcome = decision.handler(service.state, who, { path: {}, query: {}, ...request }, { now })
      if (!('error' in outcome) && outcome.next) service.state = outcome.next
      return outcome
    },
    ok: (id, request, caller) => {
      const outcome = service.send(id, request, caller)
      if ('error' in outcome) throw new Error(JSON.stringify(outcome))
      return outcome
    },
    role: (id) => decisionOf(id).role,
    reason: (id) => {
      const decision = decisionOf(id)
      return decision.role === 'mocked' ? decision.reason : ''
    },
  }
  return service
}
