/** Explains the role of each operation, the effect of each parameter, and the reasons. */
import type { SecurityScheme, ViewParameter } from './contract-view.js'
import { lastParameterOf } from './infer/paths.js'
import { rolePlaces } from './overrides/read-override.js'
import type { Decision, Resources } from './resources.js'
import type { RoleName } from './roles/role.js'

/** A collection, for people and for generic clients. */
interface ExplainedCollection {
  readonly name: string
  readonly path: string
  readonly itemPath: string
  /** The record property that is the id. */
  readonly id: string
  /** Names of operations by role. */
  readonly operations: Readonly<Partial<Record<RoleName, string>>>
}

/** A parameter, and what it does. */
interface ExplainedParameter {
  readonly name: string
  readonly in: ViewParameter['in']
  /** The effect of the parameter, or `none`. */
  readonly acts: string
}

/** An operation, and what it does. */
interface ExplainedOperation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly role: RoleName | 'mocked'
  /** Why the operation is mocked, as a clause. */
  readonly reason?: string
  /** Line of the spec, from 1. */
  readonly line: number
  /** Properties that are filled from an example. Missing: none. */
  readonly filled?: readonly string[]
  readonly parameters: readonly ExplainedParameter[]
  /** The names of security schemes, by alternative: one of these combinations is needed. Missing: no credential is. */
  readonly security?: readonly (readonly string[])[]
  /** The scopes that the contract requires. They are not checked. Missing: none. */
  readonly scopes?: readonly string[]
}

/** The output of `explain --json` and the response of `GET /__admin/collections`. */
export interface Explanation {
  readonly collections: readonly ExplainedCollection[]
  /** Every operation of the contract, in the spec's order. */
  readonly operations: readonly ExplainedOperation[]
  /** The security schemes that the double checks. */
  readonly securitySchemes: readonly SecurityScheme[]
}

/** Explains the resources of a contract. */
export function explainResources({ collections, contract, decisions }: Resources): Explanation {
  return {
    collections: collections.map(({ model, name, operations }) => ({
      name,
      path: model.path,
      itemPath: model.itemPath,
      id: model.idProperty,
      operations: Object.fromEntries([...operations].map(([role, { id }]) => [role, id])),
    })),
    operations: [...decisions.values()].map(explainOperation),
    securitySchemes: [...contract.securitySchemes.values()],
  }
}

/** Lists the parameters of stateful operations that have no effect, by operation. */
export const notActedOn = (operations: readonly ExplainedOperation[]): readonly string[] =>
  operations.flatMap(({ operation, parameters, role }) => {
    const names = role === 'mocked' ? [] : parameters.filter(({ acts }) => acts === 'none').map(({ name }) => name)
    return names.length > 0 ? [`${operation}: ${names.join(', ')}`] : []
  })

function explainOperation(decision: Decision): ExplainedOperation {
  const { operation, role } = decision
  const { id, line, method, parameters, path, scopes, security } = operation
  const filled = decision.role === 'mocked' ? [] : (decision.match.filled ?? [])
  return {
    operation: id,
    method,
    path,
    role,
    ...(decision.role === 'mocked' ? { reason: decision.reason } : {}),
    line,
    ...(filled.length > 0 ? { filled } : {}),
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      in: parameter.in,
      acts: actsOf(decision, parameter),
    })),
    ...(security.length > 0 ? { security: security.map((combination) => combination.map(({ name }) => name)) } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
  }
}

function actsOf(decision: Decision, { in: place, name }: ViewParameter): string {
  if (decision.role === 'mocked') return 'none'
  if (place === 'path') {
    const isOnItem = rolePlaces[decision.role] === 'item'
    if (isOnItem && lastParameterOf(decision.operation.path) === name) return 'selects the record'
    return decision.role === 'create' ? 'is set in the record' : 'selects by parent'
  }
  return (place === 'query' ? decision.match.acts?.get(name) : undefined) ?? 'none'
}
