/** Walks a schema and makes a believable value. The caller validates it: `not`, conditions and dependencies are not read. */
import { JSONSchemaFaker } from 'json-schema-faker'

import { charactersOf, mergeSchemas } from '../../contract/generate.js'
import { listOf } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { isObject, objectAt } from '../../documents/object.js'
import { singularOf } from '../names.js'
import { numberAt } from './number-values.js'
import { likeExample, mayBeReal, otherText, sentenceAt, textsByFormat, textsByNameAt } from './text-values.js'
import type { ValuePlace } from './value-place.js'

/** What a walk knows besides the schema. */
export interface Walk {
  /** Returns the value of a property that refers to a record. Null: there is no record yet. Undefined: it refers to none. */
  readonly refer: (schema: JsonObject, at: ValuePlace, walk: Walk) => unknown
  /** Returns the name of a schema, as a discriminator has it. */
  readonly schemaName: (schema: JsonObject) => string | undefined
  /** The schemas of the value and of those around it: one that contains itself ends. */
  readonly inside: readonly JsonObject[]
}

/** Objects and lists that are optional are left out below this depth. */
const maxOptionalDepth = 4
/** Of a hundred optional properties, so many are present. */
const presentPercent = 90
/** Optional properties that every record has. */
const alwaysPresent = /^(?:\w+ )?(?:id|name|title|status|state|e ?mail|price|created at|updated at)$/u

/** Properties that a new record does not have: false, null or absent. */
const freshWords =
  /^(?:is |was |has been )?(?:archived|deleted|removed|blocked|banned|suspended|locked|disabled|cancell?ed|closed|hidden|trashed|trash|revoked|expired|spam|failed|rejected|deactivated|terminated|discarded|muted|frozen|inactive|deprecated|withdrawn|voided|refunded|obsolete)(?: (?:at|on|date|time|by|reason))?$/u
/** Flags that a new record has. */
const usualWords =
  /\b(?:active|enabled|available|visible|in stock|verified|confirmed|valid|public|published|success|ok)$/u

/** Makes the value of a property. @returns Undefined: it is left out. @param isRequired - False: it may be left out. */
export function walkProperty(given: unknown, at: ValuePlace, walk: Walk, isRequired: boolean): unknown {
  const schema = isObject(given) ? given : {}
  const referred = walk.refer(schema, at, walk)
  if (referred !== undefined && referred !== null) return referred
  const flat = flatten(schema, at, walk)
  const types = typesOf(flat)
  const isOptionalNull = types.includes('null') || flat['nullable'] === true
  if (freshWords.test(at.words) && flat['const'] === undefined) {
    if (types.includes('boolean')) return false
    if (isOptionalNull) return null
    if (!isRequired) return undefined
  }
  if (referred === null && isOptionalNull) return null
  if (referred === null && !isRequired) return undefined
  const isDeep = walk.inside.includes(schema) || walk.inside.length >= maxOptionalDepth
  const isNested = ['object', 'array'].includes(typeOf(flat))
  if (isDeep && isNested && (!isRequired || walk.inside.length > 3 * maxOptionalDepth)) return undefined
  if (isDeep && isNested && isOptionalNull) return null
  const isUsual = alwaysPresent.test(at.words) && flat['deprecated'] !== true
  if (!isRequired && !isUsual && (flat['deprecated'] === true || at.below(100, 'present') >= presentPercent))
    return undefined
  if (isOptionalNull && !alwaysPresent.test(at.words) && at.below(100, 'null') >= presentPercent) return null
  return walkValue(flat, at, { ...walk, inside: [...walk.inside, schema] })
}

function walkValue(schema: JsonObject, at: ValuePlace, walk: Walk): unknown {
  if ('const' in schema) return schema['const']
  const values = listOf(schema['enum'])
  if (values.length > 0) {
    const some = values.filter((value) => value !== null && value !== '')
    // The country, the currency and the language of an object agree.
    const agreed = /\b(?:country|currency|language|locale)\b/u.test(at.words)
      ? textsByNameAt(at).find((text) => some.includes(text))
      : undefined
    return agreed ?? (some.length > 0 ? at.spread(some) : values[0])
  }
  switch (typeOf(schema)) {
    case 'object':
      return walkObject(schema, at.of(nounOf(at)), walk)
    case 'array':
      return walkArray(schema, at, walk)
    case 'boolean':
      if (typeof schema['default'] === 'boolean') return schema['default']
      return usualWords.test(at.words) || at.spread([false, true])
    case 'integer':
    case 'number':
      return walkNumber(schema, at)
    case 'null':
      return null
    default:
      return walkText(schema, at)
  }
}

/** An object in one of these properties is a part of the thing around it, not another thing. */
const partWords =
  /^(?:attributes|content|data|details?|fields|info|information|meta|metadata|properties|spec|values?)$/u
const nounOf = (at: ValuePlace): string => (partWords.test(at.words) ? at.noun : singularOf(at.words))

/** Makes an object. @param fixed - Properties whose values are known. */
export function walkObject(schema: JsonObject, at: ValuePlace, walk: Walk, fixed: JsonObject = {}): JsonObject {
  const properties = objectAt(schema, 'properties')
  const required = new Set(listOf(schema['required']).map(String))
  const entries = new Map<string, unknown>()
  for (const name of new Set([...Object.keys(properties), ...required])) {
    const property = Object.hasOwn(properties, name) ? properties[name] : {}
    if (Object.hasOwn(fixed, name)) entries.set(name, fixed[name])
    else if (isObject(property) && property['writeOnly'] === true) continue
    else {
      const value = walkProperty(property, at.at(name), walk, required.has(name))
      if (value !== undefined) entries.set(name, value)
    }
  }
  const least = Number(schema['minProperties'] ?? 0)
  const others = schema['additionalProperties']
  const isMap = Object.keys(properties).length === 0 && isObject(others) && walk.inside.length < maxOptionalDepth
  for (const name of ['source', 'region', 'channel', 'team', 'phase', 'series']) {
    if (entries.size >= Math.max(least, isMap ? Math.min(2, Number(schema['maxProperties'] ?? 2)) : 0)) break
    if (!entries.has(name) && (isObject(others) || least > entries.size))
      entries.set(name, walkProperty(others, at.at(name), walk, true))
  }
  return Object.fromEntries(entries)
}

function walkArray(schema: JsonObject, at: ValuePlace, walk: Walk): unknown[] {
  const least = Number(schema['minItems'] ?? 0)
  const most = Number(schema['maxItems'] ?? Infinity)
  const prefix = listOf(schema['prefixItems'])
  const isDeep = walk.inside.length >= maxOptionalDepth || (!schema['items'] && prefix.length === 0)
  const wanted = Math.min(most, Math.max(least, prefix.length, isDeep ? 0 : 1 + at.below(3, 'items')))
  const items: unknown[] = []
  const seen = new Set<string>()
  // Of some items few values exist, so there is a limit of attempts.
  for (let index = 0; items.length < wanted && index < least + wanted + 10; index += 1) {
    const item = prefix[index] ?? schema['items']
    const value = walkProperty(item, at.at(index), walk, items.length < least)
    const text = JSON.stringify(value)
    const mayRepeat = schema['uniqueItems'] !== true && index >= wanted + 10
    if (value === undefined || value === null || (seen.has(text) && !mayRepeat)) continue
    seen.add(text)
    items.push(value)
  }
  return items
}

function walkNumber(schema: JsonObject, at: ValuePlace): number {
  const isInteger = typeOf(schema) === 'integer'
  const step = numberIn(schema, 'multipleOf') ?? (isInteger ? 1 : 0.01)
  const minimum = numberIn(schema, 'minimum')
  const maximum = numberIn(schema, 'maximum')
  const above = schema['exclusiveMinimum'] === true ? minimum : numberIn(schema, 'exclusiveMinimum')
  const below = schema['exclusiveMaximum'] === true ? maximum : numberIn(schema, 'exclusiveMaximum')
  // In steps, so that each value is a multiple.
  const least = Math.max(
    ...[
      minimum === undefined ? [] : Math.ceil(minimum / step),
      above === undefined ? [] : Math.floor(above / step) + 1,
      -Infinity,
    ].flat(),
  )
  const most = Math.min(
    ...[
      maximum === undefined ? [] : Math.floor(maximum / step),
      below === undefined ? [] : Math.ceil(below / step) - 1,
      Infinity,
    ].flat(),
  )
  const wanted = numberAt(at, isInteger)
  let steps = Math.round(wanted / step)
  const isWithin = steps >= least && steps <= most
  if (!isWithin && Number.isFinite(least) && Number.isFinite(most))
    steps = least + at.below(Math.min(most - least + 1, 1000), 'within')
  else if (steps < least) steps = least + at.below(20, 'within')
  else if (steps > most) steps = most - at.below(20, 'within')
  return Number((steps * step).toFixed(10))
}

function walkText(schema: JsonObject, at: ValuePlace): string {
  const { pattern, format } = schema
  const expression = typeof pattern === 'string' ? compile(pattern) : undefined
  const least = numberIn(schema, 'minLength') ?? 0
  const most = numberIn(schema, 'maxLength') ?? Infinity
  const isFit = (text: string): boolean =>
    text.length >= least && text.length <= most && (expression?.test(text) ?? true)
  const made = typeof format === 'string' ? textsByFormat[format]?.(at) : undefined
  const named = made === undefined ? textsByNameAt(at) : [made].flat()
  const examples = [schema['example'], ...listOf(schema['examples'])].filter((each) => typeof each === 'string')
  const harmless = examples.filter((each) => each !== '' && !mayBeReal(each))
  const stated = harmless.length > 0 ? [likeExample(at, at.spread(harmless)), at.spread(harmless)] : []
  const state =
    /\b(?:status|state)$/u.test(at.words) && typeof schema['default'] === 'string' ? [schema['default']] : []
  const texts = [...state, ...(named.length > 0 ? [...named, ...stated] : stated)]
  const fallback = texts[0] ?? otherText(at)
  const found = [...texts, fallback].find(isFit)
  if (found !== undefined) return found
  if (typeof pattern === 'string') return textOfPattern(pattern, at, isFit, schema)
  let text = fallback
  for (let part = 0; text.length < least; part += 1) text = `${text} ${sentenceAt(at, part)}`
  // A cut at a space keeps whole words.
  return text.slice(0, most).replace(/\s+$/u, 'x').padEnd(least, 'x')
}

function textOfPattern(pattern: string, at: ValuePlace, isFit: (text: string) => boolean, schema: JsonObject): string {
  const least = numberIn(schema, 'minLength') ?? 0
  for (const length of [6, least, 1, 0, 12]) {
    const text = charactersOf(pattern, length)
      ?.map((choices, index) => {
        const plain = choices.filter((character) => /[a-z0-9]/u.test(character))
        const from = plain.length > 0 ? plain : choices
        return from[at.below(from.length, `character ${index}`)] ?? ''
      })
      .join('')
    if (text !== undefined && isFit(text)) return text
  }
  // Its texts may miss what the pattern looks ahead for.
  const drawn = Array.from({ length: 8 }, (_, attempt) => generateByFaker(schema, at.at(`draw ${attempt}`)))
  return drawn.filter((text) => typeof text === 'string').find(isFit) ?? ''
}

/** Makes a text with json-schema-faker, which reads every pattern. Undefined: it cannot. */
function generateByFaker({ maxLength, minLength, pattern }: JsonObject, at: ValuePlace): unknown {
  let draw = 0
  // Its options are global, and mocked responses use them too.
  JSONSchemaFaker.option({ random: () => at.below(2 ** 32, `draw ${(draw += 1)}`) / 2 ** 32 })
  try {
    return JSONSchemaFaker.generate({ type: 'string', maxLength, minLength, pattern } as Parameters<
      typeof JSONSchemaFaker.generate
    >[0])
  } catch {
    return undefined
  } finally {
    JSONSchemaFaker.option({ random: Math.random })
  }
}

function compile(pattern: string): RegExp | undefined {
  for (const flags of ['u', ''])
    try {
      return new RegExp(pattern, flags)
    } catch {
      // Some patterns are valid without the flag only.
    }
  return undefined
}

const numberIn = (schema: JsonObject, key: string): number | undefined => {
  const value = schema[key]
  return typeof value === 'number' ? value : undefined
}

const typesOf = (schema: JsonObject): readonly unknown[] => [schema['type']].flat()

function typeOf(schema: JsonObject): string {
  const type = typesOf(schema).find((each) => each !== 'null' && each !== undefined)
  if (typeof type === 'string') return type
  if (schema['type'] !== undefined) return 'null'
  if (['properties', 'additionalProperties', 'required'].some((key) => key in schema)) return 'object'
  if ('items' in schema) return 'array'
  return 'minimum' in schema || 'maximum' in schema ? 'number' : 'string'
}

/** The flat form of schemas that have no alternatives. */
const flattened = new WeakMap<JsonObject, JsonObject>()

/** Merges a schema with all of `allOf`, and one of `oneOf` and of `anyOf`: records take turns. */
export function flatten(schema: JsonObject, at: ValuePlace, walk: Walk, depth = 0): JsonObject {
  if (!['allOf', 'anyOf', 'oneOf'].some((key) => key in schema) || depth > 20) return schema
  const known = flattened.get(schema)
  if (known) return known
  const { allOf, anyOf, oneOf, ...own } = schema
  const chosen = [anyOf, oneOf].flatMap((choices) => chooseOne(listOf(choices).filter(isObject), at))
  const discriminated = chosen.map((each) => withDiscriminator(each, own, walk))
  const parts = [...listOf(allOf).filter(isObject), ...discriminated]
  const nullable = [anyOf, oneOf].some((choices) => listOf(choices).some(isNull)) ? { nullable: true } : {}
  const flat = parts.map((part) => flatten(part, at, walk, depth + 1)).reduce(mergeSchemas, { ...own, ...nullable })
  if (!JSON.stringify([isChoice(schema), ...parts.map(isChoice)]).includes('true')) flattened.set(schema, flat)
  return flat
}

const isChoice = (schema: JsonObject): boolean =>
  'anyOf' in schema || 'oneOf' in schema || listOf(schema['allOf']).some((part) => isObject(part) && isChoice(part))

const isNull = (schema: unknown): boolean => isObject(schema) && (schema['type'] === 'null' || schema['const'] === null)

function chooseOne(choices: readonly JsonObject[], at: ValuePlace): readonly JsonObject[] {
  const some = choices.filter((each) => !isNull(each))
  const required = some.filter((each) => Object.keys(each).every((key) => key === 'required'))
  // `anyOf: [{required: [a]}, {required: [b]}]` only says which properties are needed.
  if (some.length === 0) return choices.slice(0, 1)
  return [required.length === some.length ? (some[0] ?? {}) : at.spread(some, `${at.path.at(-1) ?? ''} choice`)]
}

/** Adds the value of the discriminator to the schema that was chosen. */
function withDiscriminator(chosen: JsonObject, { discriminator }: JsonObject, { schemaName }: Walk): JsonObject {
  if (!isObject(discriminator)) return chosen
  const { mapping, propertyName } = discriminator
  const name = schemaName(chosen)
  if (typeof propertyName !== 'string' || name === undefined) return chosen
  const known = Object.entries(isObject(mapping) ? mapping : {}).find(
    ([, target]) => typeof target === 'string' && target.split('/').at(-1) === name,
  )
  return {
    allOf: [{ properties: { [propertyName]: { const: known?.[0] ?? name } }, required: [propertyName] }, chosen],
  }
}
