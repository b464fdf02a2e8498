/** Finds the properties that only the response to a create shows: secrets. */
import { descriptionOf, scalarType } from '../../contract/schemas/read-schema.js'
import type { JsonObject } from '../../documents/object.js'
import { isSecretName } from '../../redaction.js'
import { wordsOf } from '../names.js'

/** Says that something is shown on creation and never later. */
const isToldOnce =
  /\bonly (?:be )?(?:returned|shown|visible|displayed|available|present|included) (?:at|after|during|in|on|upon|when)\b[^.]*\bcreat|\b(?:returned|shown|visible|displayed) only (?:once|(?:at|after|during|in|on|upon|when)\b[^.]*\bcreat)|\bnever again\b|\b(?:cannot be|not possible to) (?:retrieve|view|show)/iu

/**
 * Finds the texts that only the response to a create shows: those whose description or whose create says so, and secrets that no other response has.
 *
 * @param properties - Those of the record.
 * @param shown - The names of the properties in reads and listings.
 * @param required - The names of the properties that these require. They are always shown.
 * @param texts - The texts of the creates.
 */
export function findShownOnce(
  properties: ReadonlyMap<string, JsonObject>,
  shown: ReadonlySet<string>,
  required: ReadonlySet<string>,
  texts: readonly string[],
): ReadonlySet<string> {
  const told = texts.flatMap((text) => text.split('. ')).filter((sentence) => isToldOnce.test(sentence))
  const isTold = (name: string): boolean =>
    told.some((sentence) => name === 'value' || (isSecretName(name) && sentence.includes(wordsOf(name).at(-1) ?? '')))
  const found = [...properties].filter(
    ([name, schema]) =>
      scalarType(schema) === 'string' &&
      !required.has(name) &&
      (isToldOnce.test(descriptionOf(schema)) || isTold(name) || (isSecretName(name) && !shown.has(name))),
  )
  return new Set(found.map(([name]) => name))
}
