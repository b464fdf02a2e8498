/** Validates responses against an OpenAPI document, without any code of the double. */
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'

import { isDateTime } from '../../helpers/date-time.js'
import type { Json, Operation } from './contracts.js'

/** Finds the validator of a response. Undefined: the document has no body for the response. */
export type FindValidator = (operation: Operation, status: number) => ValidateFunction | undefined

const methods = { list: 'get', create: 'post', read: 'get', put: 'put', patch: 'patch', delete: 'delete' }

export function createValidators(document: Json): FindValidator {
  const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false })
  ajv.addFormat('date-time', isDateTime)
  ajv.addSchema(JSON.parse(JSON.stringify(document, withoutWriteOnly)) as Json, 'contract')
  const itemPath = Object.keys(document['paths'] as object).find((path) => path.includes('{')) ?? ''
  return (operation, status) => {
    const path = operation === 'list' || operation === 'create' ? '/things' : itemPath
    const pointer = ['paths', path, methods[operation], 'responses', status, 'content', 'application/json', 'schema']
    const parts = pointer.map((part) => encodeURIComponent(String(part).replaceAll('/', '~1')))
    return ajv.getSchema(`contract#/${parts.join('/')}`)
  }
}

/** Makes `writeOnly` properties optional: they are required in requests only. */
function withoutWriteOnly(_key: string, value: unknown): unknown {
  const { properties, required } = (value ?? {}) as {
    properties?: Readonly<Record<string, { writeOnly?: boolean }>>
    required?: unknown
  }
  if (!properties || !Array.isArray(required)) return value
  const sent = Object.entries(properties).filter(([, property]) => property.writeOnly !== true)
  const names = new Set(sent.map(([name]) => name))
  return {
    ...(value as Json),
    properties: Object.fromEntries(sent),
    required: required.filter((name) => names.has(String(name))),
  }
}
