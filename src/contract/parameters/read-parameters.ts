/** Reads the Parameter Objects of an operation. */
import type { JsonObject } from '../../documents/object.js'
import { isObject } from '../../documents/object.js'
import { isSecretName } from '../../redaction.js'
import type { Parameter } from '../contract.js'
import { isSecretParameter } from '../schemas/find-secret-names.js'
import { listOf } from '../schemas/types-and-properties.js'
import { ruleOf } from './parameter-messages.js'

/** The header parameters that OpenAPI ignores. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type'])

const places = ['path', 'query', 'header', 'cookie'] as const
const styles = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject', 'simple', 'label', 'matrix'] as const

/**
 * Reads the parameters of an operation and of its path item.
 *
 * @param convertSchema - Converts a schema to JSON Schema.
 */
export function readParameters(
  item: JsonObject,
  operation: JsonObject,
  convertSchema: (schema: unknown) => unknown,
): readonly Parameter[] {
  const byKey = new Map<string, Parameter>()
  for (const parameter of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    if (!isObject(parameter)) continue
    const documented = readParameter(parameter, convertSchema)
    const isIgnored = documented?.in === 'header' && ignoredHeaders.has(documented.name.toLowerCase())
    // Parameters of the operation come last and override those of the path item.
    if (documented && !isIgnored) byKey.set(`${documented.in} ${documented.name}`, documented)
  }
  return [...byKey.values()].toSorted((a, b) => places.indexOf(a.in) - places.indexOf(b.in))
}

function readParameter(parameter: JsonObject, convertSchema: (schema: unknown) => unknown): Parameter | undefined {
  const place = places.find((known) => known === parameter['in'])
  if (!place) return undefined
  const [content] = isObject(parameter['content']) ? Object.entries(parameter['content']) : []
  const media = content && isObject(content[1]) ? content[1] : {}
  const schema = convertSchema(content ? media['schema'] : parameter['schema']) ?? {}
  const documented = styles.find((known) => known === parameter['style'])
  const style = documented ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple')
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
    isSecret: place === 'cookie' || isSecretName(String(parameter['name'])) || isSecretParameter(parameter),
    rule: ruleOf(schema),
  }
}
