/** The JSON Schema of the callers of a fixture. */
import type { JsonObject } from '../../documents/object.js'
import type { ContractView } from '../contract-view.js'
import { callerNamePattern, maxTokenLength, tokenPattern } from './read-callers.js'

/** Creates the schema of `$callers`. */
export function callersSchema(contract: ContractView, isNeeded: boolean): JsonObject {
  const [first] = contract.securitySchemes.values()
  const isBasic = first?.kind === 'basic'
  const token = tokenSchema(contract, '')
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
          properties: Object.fromEntries(schemes.map((scheme) => [scheme, tokenSchema(contract, scheme)])),
        },
      },
      examples: [{ token: isBasic ? 'ada:password' : 'ada-token' }],
    },
    examples: [
      isBasic
        ? { ada: { token: 'ada:password' }, grace: { token: 'grace:password' } }
        : { ada: { token: 'ada-token' }, grace: { token: 'grace-token' } },
    ],
  }
}

/** Creates the schema of a token. @param scheme - The security scheme. Empty: a token for every scheme of the contract. */
function tokenSchema(contract: ContractView, scheme: string): JsonObject {
  const { kind = 'bearer', parameter = '' } =
    contract.securitySchemes.get(scheme) ?? [...contract.securitySchemes.values()][0] ?? {}
  const uses = {
    bearer: 'for example in `Authorization: Bearer ada-token`',
    basic: 'user:password of HTTP Basic authentication',
    apiKey: `the value of ${parameter}`,
    http: 'the text after the name of the scheme in the Authorization header',
  }
  return {
    title: 'Token',
    description: `The token of this caller, ${uses[kind]}. The token * accepts any token that no other caller has. Two callers cannot have the same token.`,
    type: 'string',
    maxLength: maxTokenLength,
    pattern: `^(\\*|${tokenPattern(contract, scheme).source.slice(1, -1)})$`,
    examples: [kind === 'basic' ? 'ada:password' : 'ada-token', '*'],
  }
}
