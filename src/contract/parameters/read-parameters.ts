/** The parameters of an operation, as its spec describes them. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { isSecretName } from '../../redaction.js'
import type { Parameter } from '../contract.js'
import { isPassword } from '../schemas/secret-names.js'
import { ruleOf } from './parameter-messages.js'

/** Header parameters that OpenAPI tells to ignore. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type'])

const places = ['path', 'query', 'header', 'cookie'] as const
const styles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'simple', 'label', 'matrix'] as const

/**
 * Reads the Parameter Objects of an operation.
 *
 * @param prepare - Prepares a schema for checking.
 */
export function toParameters(
  item: JsonObject,
  operation: JsonObject,
  prepare: (schema: unknown) => unknown,
): readonly Parameter[] {
  const byKey = new Map<string, Parameter>()
  for (const parameter of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    if (!isObject(parameter)) continue
    const described = toParameter(parameter, prepare)
    const isIgnored = described?.in === 'header' && ignoredHeaders.has(described.name.toLowerCase())
    // Those of the operation come last and win over those of its path.
    if (described && !isIgnored) byKey.set(`${described.in} ${described.name}`, described)
  }
  return [...byKey.values()].toSorted((a, b) => places.indexOf(a.in) - places.indexOf(b.in))
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function toParameter(parameter: JsonObject, prepare: (schema: unknown) => unknown): Parameter | undefined {
  const place = places.find((known) => known === parameter['in'])
  if (!place) return undefined
  const [content] = isObject(parameter['content']) ? Object.entries(parameter['content']) : []
  const media = content && isObject(content[1]) ? content[1] : {}
  const schema = prepare(content ? media['schema'] : parameter['schema']) ?? {}
  const own = styles.find((known) => known === parameter['style'])
  const style = own ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
  const { explode } = parameter
  return {
    name: String(parameter['name']),
    in: place,
    required: parameter['required'] === true,
    deprecated: parameter['deprecated'] === true,
    allowEmptyValue: place === 'query' && parameter['allowEmptyValue'] === true,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form' || style === 'deepObject',
    mediaType: content?.[0],
    schema,
    isSecret: place === 'cookie' || isSecretName(String(parameter['name'])) || isPassword(schema),
    rule: ruleOf(schema),
  }
}
