/** Builds the violations of parameters: the expected value, and the received one. */
import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { redacted } from '../../redaction.js'
import { describeValue } from '../../validate-options.js'
import type { Parameter } from '../contract.js'
import { formatExactly } from '../parse-large-integers.js'
import { dateTimePattern } from '../schemas/patterns.js'
import { typesOf } from '../schemas/read-schema.js'
import { brokenRule, type Violation } from '../violation.js'
import type { FoundParameter } from './parameter-styles.js'

/** Creates a violation of a parameter, with its name, its rule and the received texts. */
export function parameterViolation(
  { malformed, parameter, texts }: Pick<FoundParameter, 'malformed' | 'texts'> & { readonly parameter: Parameter },
  code: string,
  { inside = [], rule = parameter.rule }: { inside?: readonly string[]; rule?: string } = {},
): Violation {
  const path = inside.map((segment) => (/^\d+$/u.test(segment) ? `[${segment}]` : `.${segment}`)).join('')
  const name = `${parameter.in[0]?.toUpperCase()}${parameter.in.slice(1)} parameter ${parameter.name}${path}`
  const got = parameter.isHidden ? redacted : texts.map(describeValue).join(', ')
  const message =
    texts.length === 0
      ? `${name} is required${parameter.rule === unspecifiedRule ? '' : `, and ${parameter.rule}`}.`
      : malformed === 'repeated'
        ? `${name} must be given once, got ${texts.length}: ${got}.`
        : `${name} ${malformed === 'style' ? styleRule(parameter) : rule}, got ${got}.`
  return brokenRule('Error', ['request', parameter.in, parameter.name, ...inside], code, message)
}

const styleRule = ({ explode, mediaType, style }: Parameter): string =>
  mediaType === undefined ? `must be written in style ${style} with explode: ${explode}` : `must be ${mediaType}`

/** The rule for a schema that is too complex for one sentence. */
export const unspecifiedRule = 'must be what the contract allows'

/** Describes the values that a schema allows, as the end of a sentence. */
export function ruleOf(schema: unknown): string {
  const { const: only, enum: values, format, pattern }: JsonObject = objectOf(schema)
  if (only !== undefined) return `must be ${JSON.stringify(only)}`
  if (Array.isArray(values)) return `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  const types = new Set(typesOf(schema))
  types.delete('null')
  if (types.size === 1 && types.has('boolean')) return 'must be true or false'
  const isNumber = types.delete('number')
  if (types.size === 1 && types.has('integer') && isObject(schema)) return numberRule(schema, isNumber)
  if (pattern === dateTimePattern) return 'must be an RFC 3339 date-time such as 2026-01-05T09:30:00Z'
  if (typeof pattern === 'string') return `must match ${pattern}`
  if (typeof format === 'string') return `must be a ${format}`
  return unspecifiedRule
}

function numberRule({ exclusiveMaximum, exclusiveMinimum, maximum, minimum }: JsonObject, isNumber: boolean): string {
  const kind = isNumber ? 'a number' : 'an integer'
  // For integers, less than 2^63 means at most 2^63 - 1.
  const below = !isNumber && typeof exclusiveMaximum === 'number' ? BigInt(Math.ceil(exclusiveMaximum)) - 1n : undefined
  const least = typeof minimum === 'number' ? formatExactly(minimum) : undefined
  const most = typeof maximum === 'number' ? formatExactly(maximum) : below?.toString()
  if (least !== undefined && most !== undefined) return `must be ${kind} from ${least} to ${most}`
  const above = typeof exclusiveMinimum === 'number' && `more than ${formatExactly(exclusiveMinimum)}`
  const under = !most && typeof exclusiveMaximum === 'number' && `less than ${formatExactly(exclusiveMaximum)}`
  const bounds = [least && `at least ${least}`, above, most && `at most ${most}`, under]
  return [`must be ${kind}`, ...bounds.filter(Boolean)].join(', ')
}
