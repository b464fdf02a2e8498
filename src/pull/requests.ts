import type { Contract, Operation, Parameter } from '../contract/contract.js'
import { generateMinimalValue, type ValueUse } from '../contract/generate.js'
import { fillTemplate } from '../contract/path-template.js'
import { examplesAt } from '../contract/references.js'
import { type CredentialParts, placeToken, type SecurityScheme } from '../contract/security.js'
import { parameterCursor } from '../contract/spec-places.js'
import type { JsonObject } from '../documents/object.js'

/** Replaces the parameters of a path template by values, percent-encoded. Others stay. */
export const fillPath = (template: string, values: JsonObject): string =>
  fillTemplate(template, (name) =>
    Object.hasOwn(values, name) ? encodeURIComponent(String(values[name])) : `{${name}}`,
  )

/** The values of `--value`, by the name of the parameter. */
export type GivenValues = ReadonlyMap<string, string>

/** Tells whether a value can be a segment of a path: a client would drop an empty one, and resolve dots. */
export const isSegment = (value: unknown): value is number | string =>
  (typeof value === 'string' || typeof value === 'number') && !/^\.{0,2}$/u.test(String(value))

/** Joins queries that have no leading `?`. Leaves out empty ones. */
export const joinQueries = (...queries: readonly string[]): string => queries.filter((part) => part !== '').join('&')

/** Adds queries to a path, which may have a query already. Leaves out empty ones. */
export function withQuery(path: string, ...queries: readonly string[]): string {
  const query = joinQueries(...queries)
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`
}

const queryPair = (name: string, value: string): string => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`

/** Creates the query of the required parameters, without a leading `?`. Empty if there are none. @param use - That of generated values. */
export const requiredQuery = (contract: Contract, operation: Operation, given?: GivenValues, use?: ValueUse): string =>
  joinQueries(
    ...operation.parameters
      .filter(({ in: place, required }) => place === 'query' && required)
      .map((parameter) => {
        const value = given?.get(parameter.name) ?? possibleValue(contract, operation, parameter, use)
        return queryPair(parameter.name, typeof value === 'string' ? value : JSON.stringify(value))
      }),
  )

/** Returns a value that a parameter may have: its first example, otherwise a generated one. */
export function possibleValue(contract: Contract, operation: Operation, parameter: Parameter, use?: ValueUse): unknown {
  const at = parameterCursor(contract, operation, parameter.in, parameter.name)
  return (at && examplesAt(at)[0]) ?? generateMinimalValue(contract.document, parameter.schema, use)
}

export const noCredential: CredentialParts = { headers: {}, query: {} }

/** Returns the schemes of the first alternative that needs a credential. Empty: the operation needs none. */
export const requiredSchemes = ({ security }: Operation): readonly SecurityScheme[] =>
  security.find(({ length }) => length > 0) ?? []

/** Creates the credential of a request. @param token - That of its caller. Undefined: it has none. */
export const credentialFor = (operation: Operation, token: string | undefined): CredentialParts =>
  token === undefined ? noCredential : placeToken(requiredSchemes(operation), token)

export const withCredential = (target: string, { query }: CredentialParts): string =>
  withQuery(target, ...Object.entries(query).map(([name, value]) => queryPair(name, value)))

/** Creates the token that replaces a caller's real one in a fixture. */
export function standInToken({ operations }: Contract, caller: string): string {
  const isBasic = operations.flatMap(requiredSchemes).some(({ kind }) => kind === 'basic')
  return isBasic ? `${caller}:${caller}-token` : `${caller}-token`
}
