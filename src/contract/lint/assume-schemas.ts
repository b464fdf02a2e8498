/** Reads what documents write in schemas as they mean it, and notes it. */
import { isDeepStrictEqual } from 'node:util'

import { isObject, type JsonObject, listOf, objectAt, objectOf } from '../../documents/object.js'
import type { Cursor } from '../references.js'
import type { Findings } from './findings.js'

/** Changes a schema in place. @param own - The value of the schema. */
export function assumeMeaning(schema: Cursor, own: Record<string, unknown>, findings: Findings): void {
  useInnerSchema(schema, own, findings)
  useRequiredFlags(schema, own, findings)
  useEqualChoices(schema, own, findings)
  useJoinedObjects(schema, own, findings)
  usePatchValues(schema, findings)
  noteMapping(schema, findings)
}

/** Notes that the schemas of a mapping are not followed where the schema does not list them. */
function noteMapping({ path, value }: Cursor, { note }: Findings): void {
  const { anyOf, discriminator, oneOf } = objectOf(value)
  if (anyOf !== undefined || oneOf !== undefined || !isObject(objectOf(discriminator)['mapping'])) return
  const what =
    'the mapping of a discriminator is not followed without oneOf: what only the mapped schemas have is undocumented'
  note([...path, 'discriminator', 'mapping'], what, 'write oneOf with the mapped schemas', 'key')
}

/** Reads a schema in a field `schema` as a part of the schema around it. */
function useInnerSchema(schema: Cursor, own: Record<string, unknown>, { note }: Findings): void {
  const { schema: inner, ...others } = own
  if (!isObject(inner)) return
  const at = [...schema.path, 'schema']
  note(at, '"schema" in a schema counts as a part of it', 'write its keywords in place of it', 'key')
  delete own['schema']
  Object.assign(own, Object.keys(others).length === 0 ? inner : { allOf: [...listOf(own['allOf']), inner] })
}

/** Reads `required: true` of a property as the schema around it has it in its list. */
function useRequiredFlags({ path, value }: Cursor, own: Record<string, unknown>, { note }: Findings): void {
  for (const [name, property] of Object.entries(objectAt(value, 'properties'))) {
    if (!isObject(property) || typeof property['required'] !== 'boolean') continue
    const { required: isRequired } = property
    const at = [...path, 'properties', name, 'required']
    note(at, `required: ${isRequired} of a property counts as in the list around it`, `write required: [${name}] there`)
    Reflect.deleteProperty(property, 'required')
    if (isRequired) own['required'] = [...new Set([...listOf(own['required']), name])]
  }
}

/** Reads the value of an operation of a JSON Patch as of any type: it may be a text. */
function usePatchValues({ path, value }: Cursor, { note }: Findings): void {
  const { op, path: target, value: own } = objectAt(value, 'properties')
  const isOpen = isObject(own) && own['type'] === 'object' && own['properties'] === undefined
  if (!isOpen || op === undefined || target === undefined) return
  note(
    [...path, 'properties', 'value', 'type'],
    'the value of a JSON Patch counts as of any type',
    'leave out the type',
  )
  Reflect.deleteProperty(own, 'type')
}

/** Reads `oneOf` as `anyOf` where each value of one schema fits another one, too, so that none could be valid: an integer is a number; or where a discriminator chooses, and the schemas do not. */
function useEqualChoices(schema: Cursor, own: Record<string, unknown>, { note }: Findings): void {
  if (own['oneOf'] === undefined || own['anyOf'] !== undefined) return
  const choices = schema
    .at('oneOf')
    .items()
    .map(({ value }) => objectOf(value))
  const isOpen = (each: JsonObject): boolean =>
    Object.keys(each).every((key) => /^(?:type|properties|title|description|examples?)$/u.test(key)) &&
    (isObject(each['properties']) || (each['type'] ?? 'object') === 'object')
  const rules = (property: unknown): unknown => ({ ...objectOf(property), description: '', example: '' })
  const isAny = (each: JsonObject, type: string): boolean =>
    each['type'] === type &&
    Object.keys(each).every((key) => /^(?:type|format|title|description|examples?)$/u.test(key))
  const isIn = (one: JsonObject, other: JsonObject): boolean =>
    (isAny(one, 'integer') && isAny(other, 'number')) ||
    (one !== other && one['type'] === 'string' && isAny(other, 'string') && other['format'] === undefined) ||
    (one !== other &&
      isOpen(other) &&
      isObject(one['properties']) &&
      Object.entries(objectAt(other, 'properties')).every(
        ([name, its]) =>
          !Object.hasOwn(objectAt(one, 'properties'), name) ||
          isDeepStrictEqual(rules(its), rules(objectAt(one, 'properties')[name])),
      ))
  // A discriminator chooses, where its property has the same values in two schemas.
  const { mapping, propertyName } = objectOf(own['discriminator'])
  const chosenBy = (each: JsonObject): unknown => objectAt(each, 'properties')[String(propertyName)]
  const isLeftOpen = (one: JsonObject, other: JsonObject): boolean =>
    isObject(mapping) &&
    one !== other &&
    chosenBy(one) !== undefined &&
    isDeepStrictEqual(chosenBy(one), chosenBy(other))
  if (!choices.some((one) => choices.some((other) => isIn(one, other) || isLeftOpen(one, other)))) return
  note(
    [...schema.path, 'oneOf'],
    'oneOf counts as anyOf: what fits one schema fits another',
    'add what each requires',
    'key',
  )
  own['anyOf'] = own['oneOf']
  Reflect.deleteProperty(own, 'oneOf')
}

/** Reads the objects of an `allOf` as open where one of them forbids the properties of another, so that no value could have these. */
function useJoinedObjects(schema: Cursor, own: Record<string, unknown>, { note }: Findings): void {
  // A schema may contain itself.
  const partsOf = (at: Cursor, depth: number): readonly Cursor[] =>
    depth < 4 && Array.isArray(objectOf(at.value)['allOf']) ? at.at('allOf').items() : []
  const ownNames = ({ value }: Cursor): readonly string[] => Object.keys(objectAt(objectOf(value), 'properties'))
  const namesIn = (at: Cursor, depth = 0): readonly string[] => [
    ...ownNames(at),
    ...partsOf(at, depth).flatMap((part) => namesIn(part, depth + 1)),
  ]
  const names = namesIn(schema)
  const forbids = (at: Cursor): boolean => {
    const { additionalProperties, patternProperties } = objectOf(at.value)
    const isClosed = additionalProperties === false && patternProperties === undefined
    return isClosed && names.some((name) => !ownNames(at).includes(name))
  }
  const hasForbidding = (at: Cursor, depth = 0): boolean =>
    forbids(at) || partsOf(at, depth).some((part) => hasForbidding(part, depth + 1))
  if (own['allOf'] === undefined || !hasForbidding(schema)) return
  note(
    [...schema.path, 'allOf'],
    'additionalProperties: false within allOf is not enforced: it forbids the properties of the other schemas',
    'write unevaluatedProperties: false next to allOf',
    'key',
  )
  const opened = (at: Cursor, depth: number): JsonObject => {
    const { additionalProperties: _closed, ...open } = objectOf(at.value)
    const parts = partsOf(at, depth)
    const inside = parts.length > 0 ? { allOf: parts.map((part) => opened(part, depth + 1)) } : {}
    return { ...(forbids(at) ? open : objectOf(at.value)), ...inside }
  }
  const isClosed = forbids(schema)
  own['allOf'] = opened(schema, 0)['allOf']
  if (isClosed) Reflect.deleteProperty(own, 'additionalProperties')
}
