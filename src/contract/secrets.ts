/** Finds the secrets of a spec: names of credentials, parameters and properties with `format: password`, and paths that contain one. */
import { decodePercent } from '../addresses.js'
import { isObject, type JsonObject, listOf, objectAt, objectOf } from '../documents/object.js'
import type { Operation, SecretPath } from './contract.js'
import { oneSchemaKeywords, schemaListKeywords } from './schemas/keywords.js'
import { listInside, objectsIn } from './schemas/read-schema.js'

/** Finds the names of secrets, in lower case, in a dereferenced spec or a part of it. @param isSecretName - Names that are secrets without `format: password`. Default: none. */
export function findSecretNames(document: unknown, isSecretName: (property: string) => boolean = () => false) {
  const names = new Set<string>()
  for (const value of objectsIn(document)) {
    const { in: place, name, properties, type } = value
    if (typeof name === 'string' && typeof place === 'string' && (type === 'apiKey' || isSecretParameter(value)))
      names.add(name.toLowerCase())
    if (!isObject(properties)) continue
    for (const [property, its] of Object.entries(properties))
      if (isSecretName(property) || isPassword(its)) names.add(property.toLowerCase())
  }
  return names
}

/** Tells whether the value of a parameter contains a password: its query, header or cookie is then a secret as a whole. */
export function isSecretParameter({ content, schema }: JsonObject): boolean {
  const media = Object.values(objectOf(content)).map((each) => objectOf(each)['schema'])
  return [schema, ...media].some((each) => isPassword(each, true))
}

/**
 * Tells whether a schema describes a password, or an array, a map or an alternative that contains one. A password in a property counts only if
 * `inProperties` is true, because the property has its own name.
 */
export function isPassword(schema: unknown, inProperties = false): boolean {
  const maps = ['patternProperties', 'dependentSchemas', ...(inProperties ? ['properties'] : [])]
  const parts = listInside(schema, (part) => [
    ...oneSchemaKeywords.filter((keyword) => keyword !== 'not').map((keyword) => part[keyword]),
    ...schemaListKeywords.flatMap((keyword) => listOf(part[keyword])),
    ...maps.flatMap((keyword) => Object.values(objectAt(part, keyword))),
  ])
  return parts.some((part) => part['format'] === 'password')
}

/** Lists the path parameters that are secrets, or those of a kind. An id or a name of a credential, such as `{tokenId}`, is not a secret. */
export const secretPathParameters = ({ parameters }: Operation, key: SecretKind = 'isSecret'): readonly string[] =>
  parameters
    .filter((each) => each.in === 'path' && each[key] && !/(?:id|name)$/iu.test(each.name))
    .map(({ name }) => name)

export type SecretKind = 'isHidden' | 'isSecret'

/** Lists the paths before each secret, from their first literal segment. */
export const secretPathsOf = (operations: readonly Operation[]): readonly SecretPath[] =>
  operations.flatMap((operation) =>
    secretPathParameters(operation).map((name) => {
      const [before = ''] = operation.path.toLowerCase().split(`{${name.toLowerCase()}}`)
      const parts = before.split('/').slice(1, -1)
      const segments = parts.map((part) => (part.includes('{') ? undefined : part))
      const first = segments.findIndex((segment) => segment !== undefined)
      return segments.slice(Math.max(0, first))
    }),
  )

/** Finds the segments behind a secret path, in any case and encoding, as received with their slashes. */
export function segmentsAfter(url: string, secretPaths: readonly SecretPath[]): readonly string[] {
  const path = url.split(/[?#]/u, 1)[0] ?? ''
  const segments = [...path.matchAll(/(?:\/|\\|%(?:25)*(?:2f|5c)|^)((?:(?!%(?:25)*(?:2f|5c))[^/\\])+)/giu)]
  const plain = segments.map(([, each = '']) => (decodePercent(each.replaceAll('%25', '%')) ?? each).toLowerCase())
  const isBehind = (start: number, secretPath: SecretPath): boolean =>
    secretPath.every((segment, index) => segment === undefined || segment === plain[start + index])
  const starts = secretPaths.flatMap((secretPath) => {
    const limit = secretPath.length === 0 ? 1 : plain.length
    const start = plain.findIndex((_, index) => index < limit && isBehind(index, secretPath))
    return start === -1 ? [] : [start + secretPath.length]
  })
  return segments.slice(Math.min(segments.length, ...starts)).map(([whole]) => whole)
}
