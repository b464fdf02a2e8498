/** JSON whose texts have `{name}` in place of a value, as `x-double` gives it. */
import { isObject, mapValues } from './object.js'

const mapTexts = (value: unknown, map: (text: string) => unknown): unknown => {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((each: unknown) => mapTexts(each, map))
  return isObject(value) ? mapValues(value, (each) => mapTexts(each, map)) : value
}

const placeholder = /\{([^{}]+)\}/gu

/** Lists the names in a template, each as often as it is there. */
export function namesInTemplate(template: unknown): readonly string[] {
  const names: string[] = []
  mapTexts(template, (text) => names.push(...Array.from(text.matchAll(placeholder), ([, name = '']) => name)))
  return names
}

/**
 * Puts values in place of names. A text that is one name alone becomes its value, which may be no text.
 *
 * @returns Undefined: a name has no value.
 */
export function fillPlaces(template: unknown, valueOf: (name: string) => unknown): unknown {
  let isFilled = true
  const find = (name: string): unknown => {
    const value = valueOf(name)
    isFilled &&= value !== undefined
    return value
  }
  const filled = mapTexts(template, (text) => {
    const [, only] = /^\{([^{}]+)\}$/u.exec(text) ?? []
    return only === undefined ? text.replaceAll(placeholder, (_, name: string) => String(find(name))) : find(only)
  })
  return isFilled ? filled : undefined
}

const isWord = /[\p{L}\p{N}{]/u

/** Makes a template of a value, the reverse of `fillPlaces`. @param places - Names and their values, of a digit, or of two characters or more. The first ones come first. */
export const toTemplate = (value: unknown, places: readonly (readonly [name: string, value: string])[]): unknown =>
  mapTexts(value, (text) =>
    places.reduce((template, [name, sent]) => {
      // The `id` in "invalid" is none.
      const isPart = (at: number): boolean =>
        isWord.test(template[at - 1] ?? '') || isWord.test(template[at + sent.length] ?? '')
      return sent.length > 1 || /^\d$/u.test(sent)
        ? template.replaceAll(sent, (found, at: number) => (isPart(at) ? found : `{${name}}`))
        : template
    }, text),
  )
