/** Creates the query that an operation requires, with values that the contract allows. */
import type { Contract, Operation } from '../contract/contract.js'
import { generateMinimalValue } from '../contract/generate-minimal-value.js'
import { Cursor } from '../contract/references.js'
import { isObject } from '../documents/object.js'

/** Creates the query of the required parameters, without a leading `?`. Empty if there are none. */
export const requiredQuery = (contract: Contract, operation: Operation): string =>
  operation.parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(
      ({ name }) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(valueText(exampleOrGeneratedValue(contract, operation, name)))}`,
    )
    .join('&')

/** Returns a value that a parameter may have: its example, otherwise a generated one. */
export function exampleOrGeneratedValue(contract: Contract, operation: Operation, name: string): unknown {
  const parameter = operation.parameters.find((each) => each.name === name)
  const at = parameterCursor(contract, operation, name)
  const node = isObject(at?.value) ? at.value : {}
  if (node['example'] !== undefined) return node['example']
  const schema = isObject(parameter?.schema) ? parameter.schema : {}
  return schema['example'] ?? generateMinimalValue(contract.document, schema)
}

/** Finds a parameter in the spec. @returns Undefined if the spec does not have it. */
export function parameterCursor({ document }: Contract, { method, path }: Operation, name: string): Cursor | undefined {
  const item = Cursor.top(document).at('paths').at(path)
  const lists = [item.at(method.toLowerCase()).at('parameters'), item.at('parameters')]
  return lists
    .flatMap((list) => list.children())
    .map(([, child]) => child)
    .find(({ value }) => isObject(value) && value['name'] === name)
}

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
