/** Creates services of the engine, without HTTP. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { readDocument } from '#src/resources/document/read.js'
import { explainResources } from '#src/resources/explain.js'
import type { ExplainedOperation } from '#src/resources/explanation.js'
import { loadService } from '#src/resources/load-service.js'
import type { State } from '#src/resources/records/state.js'
import type { Resources } from '#src/resources/resources.js'
import type { RoleOutcome, ResourceRequest, ResourceResponse } from '#src/resources/roles/role.js'

import { createTemporaryFolder } from '../helpers/files.js'
import type { Json } from './plants-contract.js'

/** A service of the engine for a contract and a fixture. Requests change its state. */
export interface TestService {
  readonly resources: Resources
  state: State
  send(operation: string, request?: Partial<ResourceRequest>, caller?: string, url?: string): RoleOutcome
  /** Sends a request that must succeed. */
  ok(operation: string, request?: Partial<ResourceRequest>, caller?: string, url?: string): ResourceResponse
  role(operation: string): string
  reason(operation: string): string
  explain(operation: string): ExplainedOperation
}

const usualUrl = 'http://double.test/v1/plants?limit=2'

/** The time of the tests. */
export const now = '2026-01-05T09:30:00Z'

/** Creates a service. @throws {Error} The fixture is invalid. */
export async function serviceOf(document: unknown, fixture: Json = {}): Promise<TestService> {
  await using folder = await createTemporaryFolder()
  const spec = join(folder.path, 'spec.json')
  await writeFile(spec, JSON.stringify(document))
  const { contract, resources } = await loadService(spec)
  const $callers = { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }
  const read = readDocument({ $callers, ...fixture }, resources)
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  const decisionOf = (id: string) => {
    const found = [...resources.decisions.values()].find(({ operation }) => operation.id === id)
    if (!found) throw new Error(`no operation ${id}`)
    return found
  }
  const explain = (id: string): ExplainedOperation => {
    const found = explainResources({ resources }).operations.find(({ operation }) => operation === id)
    if (!found) throw new Error(`no operation ${id}`)
    return found
  }
  const service: TestService = {
    resources,
    state: read.state,
    send: (id, request = {}, caller = 'ada', url = usualUrl) => {
      const decision = decisionOf(id)
      if (decision.role === 'mocked') throw new Error(`${id} is mocked: ${decision.reason}`)
      const who = service.state.callers.find(({ name }) => name === caller)
      const outcome = decision.handler(service.state, who, { path: {}, query: {}, ...request }, { clock: { now }, url })
      if (!('error' in outcome) && outcome.next) service.state = outcome.next
      return outcome
    },
    ok: (id, request, caller, url) => {
      const outcome = service.send(id, request, caller, url)
      if ('error' in outcome) throw new Error(JSON.stringify(outcome))
      const response = { ...outcome, mediaType: outcome.mediaType ?? 'application/json' }
      const violations = contract.checkResponse(decisionOf(id).operation, response)
      for (const { message, severity } of violations) if (severity === 'Error') throw new Error(message)
      return outcome
    },
    role: (id) => decisionOf(id).role,
    reason: (id) => explain(id).reason ?? '',
    explain,
  }
  return service
}
