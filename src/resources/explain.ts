/** Explains the role of each operation, the effect of each parameter, and the reasons. */
import type { Parameter } from '../contract/contract.js'
import type { ExplainedOperation, Explanation, OperationSummary, ResourcesSummary } from './explanation.js'
import { effectOfHeader } from './http-effects.js'
import { lastParameterOf } from './infer/collection-paths.js'
import { successResponseOf } from './infer/success-response.js'
import type { Service } from './load-service.js'
import type { QueryEffect, Decision } from './roles/role.js'

/** The handlers of the user take precedence over roles. */
type Explained = Pick<Service, 'resources'> & Partial<Pick<Service, 'userHandlers'>>

/** An explanation also has lines and filled properties, which take long in a large contract. */
export const summarizeResources = ({ resources, userHandlers }: Explained): ResourcesSummary => ({
  operations: [...resources.decisions.values()].map((decision) => summarizeOperation(decision, handled(userHandlers))),
  securitySchemes: [...resources.contract.securitySchemes.values()],
})

const handled = (userHandlers: Explained['userHandlers']): Handled => userHandlers?.byOperation ?? new Map()

/** By operation. */
type Handled = ReadonlyMap<string, unknown>

export function explainResources({
  resources: { collections, contract, decisions },
  userHandlers,
}: Explained): Explanation {
  const handlers = handled(userHandlers)
  return {
    collections: collections.map(({ model, name, operations }) => ({
      name,
      path: model.path,
      ...(model.itemPath === undefined ? {} : { itemPath: model.itemPath }),
      id: model.idPath.join('.'),
      operations: Object.fromEntries(
        [...operations].filter(([, { id }]) => !handlers.has(id)).map(([role, { id }]) => [role, id]),
      ),
    })),
    operations: [...decisions.values()].map((decision) => explainOperation(decision, contract.file, handlers)),
    securitySchemes: [...contract.securitySchemes.values()],
  }
}

/** Lists the parameters of stateful operations that have no effect, by operation. */
export const ineffectiveParameters = (operations: readonly OperationSummary[]): readonly string[] =>
  operations.flatMap(({ operation, parameters, role }) => {
    const names = role === 'mocked' ? [] : parameters.filter(({ acts }) => acts === 'none').map(({ name }) => name)
    return names.length > 0 ? [`${operation}: ${names.join(', ')}`] : []
  })

function explainOperation(decision: Decision, contractFile: string, handlers: Handled): ExplainedOperation {
  const { place, scopes } = decision.operation
  const summary = summarizeOperation(decision, handlers)
  const stateful = decision.role === 'mocked' || summary.role === 'handler' ? undefined : decision
  const filled = stateful ? filledBy(stateful) : []
  const notStored = stateful?.match.notStored ?? []
  return {
    ...summary,
    ...(decision.role === 'mocked' && summary.role === 'mocked' ? { reason: decision.reason } : {}),
    ...('match' in decision && summary.role !== 'handler' ? { basis: decision.match.basis ?? 'certain' } : {}),
    line: place.line,
    ...(place.file === contractFile ? {} : { file: place.file }),
    ...(filled.length > 0 ? { filled } : {}),
    ...(notStored.length > 0 ? { notStored } : {}),
    ...(stateful && stateful.httpEffects.length > 0 ? { effects: stateful.httpEffects } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
  }
}

function summarizeOperation(decision: Decision, handlers: Handled): OperationSummary {
  const { id, method, parameters, path, security } = decision.operation
  const role = handlers.has(id) ? 'handler' : decision.role
  return {
    operation: id,
    method,
    path,
    role,
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      acts: role === 'handler' ? 'is given to the handler' : actsOf(decision, parameter),
    })),
    ...(security.length > 0 ? { security: security.map((combination) => combination.map(({ name }) => name)) } : {}),
  }
}

/** Lists what is filled from examples: properties, and headers that the response must have. */
function filledBy({ httpEffects, match, operation }: Exclude<Decision, { role: 'mocked' }>): readonly string[] {
  const headers = Object.keys(successResponseOf(operation).headers).filter((name) => !effectOfHeader(httpEffects, name))
  return [...(match.filled?.() ?? []), ...headers.map((name) => `header ${name}`)]
}

function actsOf(decision: Decision, { in: place, name }: Parameter): string {
  if (decision.role === 'mocked') return 'none'
  if (place === 'path') {
    const isOnCollection = ['list', 'create', 'singleton'].includes(decision.role)
    if (!isOnCollection && lastParameterOf(decision.operation.path) === name) return 'selects the record'
    return decision.role === 'create' ? 'is set in the record' : 'selects by parent'
  }
  if (place === 'header') return effectOfHeader(decision.httpEffects, name) ?? 'none'
  const effect = place === 'query' ? decision.match.effects?.get(name) : undefined
  return effect ? describeEffect(effect) : 'none'
}

function describeEffect(effect: QueryEffect): string {
  if (effect.kind === 'select') return `selects by ${effect.property}`
  if (effect.kind === 'page') return `counts pages from ${effect.first}`
  return effect.kind === 'cap' ? 'caps' : 'skips'
}
