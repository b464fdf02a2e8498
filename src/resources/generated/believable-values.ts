/** Makes believable values by schemas: names, formats and examples choose them, and a new record has no end of its life. */
import { JSONSchemaFaker } from 'json-schema-faker'

import type { Contract } from '../../contract/contract.js'
import { type Chooser, leftOut, numberIn, typeOf } from '../../contract/generate.js'
import { generateMatchingText } from '../../contract/matching-text.js'
import { descriptionOf, isNullable } from '../../contract/schemas/read-schema.js'
import { toldConstant, toldValues } from '../../contract/told-values.js'
import { listOf } from '../../documents/object.js'
import { attempt } from '../../error-message.js'
import { inNotationOf, isRfc2822, isToldTime } from '../roles/fresh-values.js'
import type { ValuePlace } from './value-place.js'
import { longText, otherText, valuesByName } from './values-by-name.js'

/** Objects and lists that are optional are left out below this depth. */
const maxOptionalDepth = 4
const alwaysPresent = /^(?:\w+ )?(?:id|name|title|status|state|e ?mail|price|created at|updated at)$/u
/** Properties that a new record does not have: false, null or absent. */
const freshWords =
  /^(?:is |was |has been )?(?:archived|deleted?|removed|blocked|banned|suspended|locked|disabled|cancell?ed|closed|hidden|trashed|trash|revoked|expired|spam|failed|rejected|deactivated|terminated|discarded|muted|frozen|inactive|deprecated|withdrawn|voided|refunded|obsolete)(?: (?:at|on|date|time|by|reason))?$/u
const usualWords =
  /\b(?:active|enabled|available|visible|in stock|verified|confirmed|valid|public|published|success|ok)$/u
/** Examples that may lead to a real host, an address or a telephone. */
const mayBeReal =
  /:\/\/|@|www\.|\b[\w-]+\.(?:ai|app|biz|ch|co|com|de|dev|edu|eu|fr|gov|info|io|net|org|ru|uk|us|xyz)\b|\d{3}[-.\s)]+\d{3,}|^\+?\d{7,}$|\d+\.\d+\.\d+\.\d+/iu

/**
 * Creates the chooser.
 *
 * @param refer - Returns the value of a property that refers to a record. Null: there is no record yet. Undefined: it refers to none.
 */
export const believable = (contract: Contract, refer: Chooser<ValuePlace>['choose']): Chooser<ValuePlace> => ({
  root: contract.document,
  schemaName: contract.schemaName,
  at: (place, name, siblings) => place.at(name, siblings),
  draw: (place, count, use) => place.draw(count, use),
  lengthOf: (place, least, depth) =>
    depth > maxOptionalDepth ? least : Math.max(least, place.between(1, 3, 'length')),
  choose(schema, at, surroundings) {
    const referred = refer(schema, at, surroundings)
    if (referred !== undefined && referred !== null) return referred
    const { given, inside, isRequired } = surroundings
    const type = typeOf(schema)
    const values = listOf(schema['enum'])
    const mayBeNull = isNullable(schema) && (values.length === 0 || values.includes(null))
    const nothing = mayBeNull ? null : isRequired ? undefined : leftOut
    const isFresh = freshWords.test(at.words) && !('const' in schema)
    if (isFresh && type === 'boolean') return false
    const isDeep =
      (type === 'object' || type === 'array') && (inside.includes(given) || inside.length > maxOptionalDepth)
    if ((isFresh || referred === null || isDeep) && nothing !== undefined) return nothing
    if (isDeep && inside.length > 3 * maxOptionalDepth) return leftOut
    const isUnusual = schema['deprecated'] === true
    const isSparse = isUnusual || !alwaysPresent.test(at.words)
    if (!isRequired && isSparse && (isUnusual || at.draw(10, 'present') === 0)) return leftOut
    if (mayBeNull && isSparse && at.draw(10, 'null') === 0) return null
    const some = 'const' in schema ? [] : values.filter((value) => value !== null && value !== '')
    // The country, the currency and the language of an object agree.
    const isAgreed = /\b(?:country|currency|language|locale)\b/u.test(at.words)
    if (some.length > 0) return (isAgreed && valuesByName(at).find((each) => some.includes(each))) || at.pick(some)
    if (type !== 'boolean' || 'const' in schema) return undefined
    // One record is the primary one.
    if (/\b(?:primary|default)\b/u.test(at.words)) return at.record.position === 0
    return typeof schema['default'] === 'boolean' ? schema['default'] : usualWords.test(at.words) || at.draw(2) === 1
  },
  *candidates(schema, at) {
    const { default: usual, example, examples, format, pattern } = schema
    if (/\b(?:status|state)$/u.test(at.words)) yield* [usual, example].filter((each) => typeof each === 'string')
    const description = descriptionOf(schema)
    const told = toldValues(description, at.words)
    const constant = toldConstant(description)
    if (constant !== undefined) yield constant
    if (format === undefined && told.length > 0) yield at.pick(told)
    if (format === undefined && isToldTime(example))
      yield inNotationOf(example, String(valuesByName(at, 'date-time')[0]))
    const stated = [example, ...listOf(examples)].filter((each) => typeof each === 'string' && !mayBeReal.test(each))
    // The items of a list are those of its example.
    if (typeof at.name === 'number' && stated.length > 0) yield String(at.pick(stated))
    // "Number of contacts created" is no time.
    if (/^\W*(?:the )?(?:total )?(?:number|count) of\b/iu.test(description)) yield at.between(1, 50)
    const isInMs = /\bmillisec|\bin ms\b/iu.test(description) || (typeof example === 'number' && example > 1e11)
    if (/\be-?mail address/iu.test(description) && !at.words.endsWith('name')) yield* valuesByName(at, 'email')
    if (/\bISO.?8601\b.*\bduration/iu.test(description)) yield* valuesByName(at, 'duration')
    const byName = valuesByName(at, isRfc2822(schema) ? 'rfc-2822' : format)
    // Where the example is no URL, no value is. What looks like the name of an algorithm, such as RS256, stays.
    const isAsStated = String(byName[0]).startsWith('https:') || /^[A-Z]{1,3}-?\d{3}$/u.test(String(stated[0]))
    if (isAsStated) yield* stated.map(String)
    yield* byName.map((each) => (isInMs && typeof each === 'number' && each > 1e9 ? each * 1000 : each))
    if (stated.length > 0) {
      const text = String(at.pick(stated))
      // Words stay, numbers differ.
      if (!/\s/u.test(text)) yield text.replaceAll(/[1-9]/gu, (_, part) => String(at.between(1, 9, `digit ${part}`)))
      yield text
    }
    yield* [otherText(at), longText(at, numberIn(schema, 'minLength') ?? 0)]
    if (typeOf(schema) !== 'string') yield at.between(1, 50)
    if (typeof pattern !== 'string') return
    // A pattern of a number may allow many digits.
    yield* [String(at.between(1, 500)), (at.between(100, 90_000) / 100).toFixed(2)]
    for (const length of [6, 1, 0, 12, numberIn(schema, 'minLength') ?? 0])
      yield generateMatchingText(pattern, length, (count, use) => at.draw(count, use)) ?? ''
    let draw = 0
    // It reads what patterns look ahead for and refer back to. Its options are global, and mocked responses use them too.
    JSONSchemaFaker.option({ random: () => at.draw(2 ** 32, `draw ${(draw += 1)}`) / 2 ** 32 })
    const makeText = (): unknown => JSONSchemaFaker.generate({ type: 'string', pattern })
    // Undefined: it cannot read the pattern either.
    const texts = attempt(() => Array.from({ length: 20 }, makeText).map(String))
    JSONSchemaFaker.option({ random: Math.random })
    yield* texts ?? []
  },
})
