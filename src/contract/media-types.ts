/** Parses media types, and compares them with the media types and ranges that a spec documents. */
import { isObject } from '../documents/object.js'

type MediaType = ReturnType<typeof parse>

function parse(text: string) {
  const [essence = '', ...rest] = text.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/u)
  const [type = '', subtype = ''] = essence.trim().toLowerCase().split('/')
  const parameters = rest.flatMap((part) => {
    const at = part.indexOf('=')
    if (at === -1) return []
    const value = part.slice(at + 1).trim()
    return [[part.slice(0, at).trim().toLowerCase(), value.replace(/^"(.*)"$/u, '$1')] as const]
  })
  return { type, subtype, parameters: new Map(parameters) }
}

/** Returns a parameter of a media type, such as its charset. Undefined if it is absent. */
export const mediaTypeParameter = (mediaType: string, name: string) => parse(mediaType).parameters.get(name)

/** Returns a media type in lower case and without parameters. */
export const essenceOf = (mediaType: string): string => mediaType.split(';')[0]?.trim().toLowerCase() ?? ''

/** Tells whether a media type is JSON or has the suffix `+json`. */
export const isJson = (mediaType: string): boolean =>
  mediaType === 'application/json' || /^[\w!#$&^.-]+\/(?:[\w!#$&^.+-]+\+)?json$/u.test(essenceOf(mediaType))

/** Returns the JSON that a documented media type or range allows, such as `application/json` for `*\/*`. Undefined: none. */
export function jsonTypeIn(documented: string): string | undefined {
  if (/^(?:\*|application)\/\*$/u.test(essenceOf(documented))) return 'application/json'
  return isJson(documented) ? documented : undefined
}

/** Tells whether a documented media type or range, also `application/*+json`, covers another one. Ignores parameters such as charset. */
export const coversMediaType = (documented: string, mediaType: string): boolean =>
  coversType(parse(documented), parse(mediaType))

const coversType = (documented: MediaType, { subtype, type }: MediaType): boolean =>
  (documented.type === '*' || documented.type === type) &&
  (documented.subtype.startsWith('*') ? subtype.endsWith(documented.subtype.slice(1)) : documented.subtype === subtype)

/** Rates how specific the match with a documented media type or range is. Parameters must be equal. Undefined: none. */
function specificity(documented: MediaType, mediaType: MediaType): number | undefined {
  if (!coversType(documented, mediaType)) return undefined
  for (const [name, value] of documented.parameters) {
    const other = mediaType.parameters.get(name)
    // A media type without a charset matches every documented charset.
    const isSame = name === 'charset' ? (other ?? value).toLowerCase() === value.toLowerCase() : other === value
    if (!isSame) return undefined
  }
  return (documented.type === '*' ? 0 : documented.subtype.startsWith('*') ? 100 : 200) + documented.parameters.size
}

/** Finds the most specific documented media type or range that matches. @returns Its index, or -1 if none matches. */
export function pickMediaType(documented: readonly string[], mediaType: string): number {
  const scores = documented.map((each) => specificity(parse(each), parse(mediaType)) ?? -1)
  const best = Math.max(-1, ...scores)
  return best === -1 ? -1 : scores.indexOf(best)
}

/** Tells whether one of several media types or ranges, separated by commas, matches a media type with its parameters. */
export const matchesAnyMediaType = (documented: string, mediaType: string): boolean =>
  documented.split(',').some((each) => specificity(parse(each), parse(mediaType)) !== undefined)

/** Tells whether the schema of a body is enforced. JSON and forms are validated as values, all other media types as strings. */
export function isEnforced(mediaType: string, schema: unknown): boolean {
  const structured = /^(?:\*\/\*|application\/(?:\*|x-www-form-urlencoded)|multipart\/.+|.*[/+-]json)$/u
  if (structured.test(essenceOf(mediaType)) || !isObject(schema)) return true
  return Object.keys(schema).length === 0 || [schema['type']].flat().includes('string')
}
