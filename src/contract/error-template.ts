/** The bodies of errors that `x-double` gives to a response: JSON whose texts have `{name}`, `{value}` and `{id}` in place of what was sent. */
import { isObject, mapValues } from '../documents/object.js'
import type { ErrorPlaces } from '../http-errors.js'

const mapTexts = (value: unknown, map: (text: string) => string): unknown => {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, map))
  return isObject(value) ? mapValues(value, (each) => mapTexts(each, map)) : value
}

/** @returns Undefined: it has a place that the error does not have. */
export function fillErrorTemplate(template: unknown, places: ErrorPlaces): unknown {
  let isFilled = true
  const body = mapTexts(template, (text) =>
    text.replaceAll(/\{(name|value|id)\}/gu, (whole, place: keyof ErrorPlaces) => {
      isFilled &&= places[place] !== undefined
      return places[place] ?? whole
    }),
  )
  return isFilled ? body : undefined
}

const isWord = /[\p{L}\p{N}{]/u

/** Makes a template of the body of an error, the reverse of `fillErrorTemplate`. */
export const toErrorTemplate = (body: unknown, places: ErrorPlaces): unknown =>
  mapTexts(body, (text) =>
    (['value', 'id', 'name'] as const).reduce((template, place) => {
      const sent = places[place] ?? ''
      // The `id` in "invalid" is none.
      const isPart = (at: number): boolean =>
        isWord.test(template[at - 1] ?? '') || isWord.test(template[at + sent.length] ?? '')
      return sent.length > 1
        ? template.replaceAll(sent, (found, at: number) => (isPart(at) ? found : `{${place}}`))
        : template
    }, text),
  )
