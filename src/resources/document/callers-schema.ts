/** The JSON Schema of the callers of a fixture. */
import type { JsonObject } from '../../documents/object.js'
import type { ContractView } from '../contract-view.js'
import { callerNamePattern, maxTokenLength, tokenPattern } from './read-callers.js'

/** Makes the schema of `$callers`. */
export function callersSchema(contract: ContractView, isNeeded: boolean): JsonObject {
  const token = {
    title: 'Token',
    description:
      'The token of this caller, for example in `Authorization: Bearer ada-token`. The token * accepts any token that no other caller has. Two callers cannot have the same token.',
    type: 'string',
    maxLength: maxTokenLength,
    pattern: `^(\\*|${tokenPattern(contract).source.slice(1, -1)})$`,
    examples: ['ada-token', '*'],
  }
  const schemes = [...contract.securitySchemes.keys()]
  return {
    title: 'Callers',
    description: `The callers of the service: a name and a token for each.${isNeeded ? ' At least one caller.' : ' Omitted: no callers.'} Names and tokens are unique.`,
    type: 'object',
    ...(isNeeded ? { minProperties: 1 } : {}),
    propertyNames: { pattern: callerNamePattern.source },
    additionalProperties: {
      title: 'Caller',
      description: 'A caller of the service. It has `token`, or `tokens` if the contract combines security schemes.',
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      properties: {
        token,
        tokens: {
          title: 'Tokens',
          description: 'The tokens of this caller, by security scheme of the contract.',
          type: 'object',
          minProperties: 1,
          additionalProperties: false,
          properties: Object.fromEntries(schemes.map((scheme) => [scheme, token])),
        },
      },
      examples: [{ token: 'ada-token' }],
    },
    examples: [{ ada: { token: 'ada-token' }, grace: { token: 'grace-token' } }],
  }
}
