/** The JSON Schema of the callers of a fixture. */
import type { JsonObject } from '../../documents/object.js'
import type { ContractView } from '../contract-view.js'
import { callerNamePattern, maxTokenLength, tokenPattern } from './read-callers.js'

/** Makes the schema of `$callers`. */
export function callersSchema(contract: ContractView, isNeeded: boolean): JsonObject {
  const token = {
    title: 'Token',
    description:
      'What this caller presents, for example in `Authorization: Bearer ada-token`. The token * accepts any token that no other caller has. No two callers may have the same token.',
    type: 'string',
    maxLength: maxTokenLength,
    pattern: `^(\\*|${tokenPattern(contract).source.slice(1, -1)})$`,
    examples: ['ada-token', '*'],
  }
  const schemes = [...contract.securitySchemes.keys()]
  return {
    title: 'Callers',
    description: `Who may call the service: a name for each caller, and the token it presents.${isNeeded ? ' At least one caller.' : ' Omitted: nobody.'} Every name and every token may occur only once.`,
    type: 'object',
    ...(isNeeded ? { minProperties: 1 } : {}),
    propertyNames: { pattern: callerNamePattern.source },
    additionalProperties: {
      title: 'Caller',
      description:
        'One caller of the service, under its name. It has `token`, or `tokens` where the contract combines schemes.',
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      additionalProperties: false,
      properties: {
        token,
        tokens: {
          title: 'Tokens',
          description: 'What this caller presents, by security scheme of the contract.',
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
