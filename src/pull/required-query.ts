/** Creates the query that an operation requires, with values that the contract allows. */
import type { Contract, Operation, Parameter } from '../contract/contract.js'
import { generateMinimalValue } from '../contract/generate.js'
import { examplesAt, Cursor } from '../contract/references.js'
import { isObject } from '../documents/object.js'

/** Creates the query of the required parameters, without a leading `?`. Empty if there are none. */
export const requiredQuery = (contract: Contract, operation: Operation): string =>
  operation.parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map((parameter) => {
      const value = valueText(exampleOrGeneratedValue(contract, operation, parameter))
      return `${encodeURIComponent(parameter.name)}=${encodeURIComponent(value)}`
    })
    .join('&')

/** Returns a value that a parameter may have: its first example, otherwise a generated one. */
export function exampleOrGeneratedValue(contract: Contract, operation: Operation, parameter: Parameter): unknown {
  const at = parameterCursor(contract, operation, parameter)
  return (at && examplesAt(at)[0]) ?? generateMinimalValue(contract.document, parameter.schema)
}

/** Finds a parameter in the spec. @returns Undefined if the spec does not have it. */
export function parameterCursor(
  { document }: Contract,
  { method, path }: Operation,
  { in: place, name }: Pick<Parameter, 'in' | 'name'>,
): Cursor | undefined {
  const item = Cursor.top(document).at('paths').at(path)
  const lists = [item.at(method.toLowerCase()).at('parameters'), item.at('parameters')]
  return lists
    .flatMap((list) => list.children())
    .map(([, child]) => child)
    .find(({ value }) => isObject(value) && value['name'] === name && value['in'] === place)
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
