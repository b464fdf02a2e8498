/** Media types: what they are of, and which of the documented ones is meant. */
interface MediaType {
  readonly type: string
  readonly subtype: string
  readonly parameters: ReadonlyMap<string, string>
}

function parse(text: string): MediaType {
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

/** Reads a parameter of a media type, such as its charset. */
export const parameterOf = (mediaType: string, name: string): string | undefined =>
  parse(mediaType).parameters.get(name)

/** Writes a media type without its parameters. */
export const essenceOf = (mediaType: string): string => mediaType.split(';')[0]?.trim().toLowerCase() ?? ''

/** Whether a media type is JSON, or built on it (`+json`). */
export const isJson = (mediaType: string): boolean =>
  /^[\w!#$&^.-]+\/(?:[\w!#$&^.+-]+\+)?json$/u.test(essenceOf(mediaType))

/**
 * How closely a documented media type, which may be a range and may have parameters, fits one that is sent.
 *
 * @returns Undefined where it does not. More is closer.
 */
function closeness(documented: MediaType, sent: MediaType): number | undefined {
  if (documented.type !== '*' && documented.type !== sent.type) return undefined
  if (documented.subtype !== '*' && documented.subtype !== sent.subtype) return undefined
  for (const [name, value] of documented.parameters) {
    const other = sent.parameters.get(name)
    // Who does not name a charset uses the usual one.
    const isSame = name === 'charset' ? (other ?? value).toLowerCase() === value.toLowerCase() : other === value
    if (!isSame) return undefined
  }
  return (documented.type === '*' ? 0 : documented.subtype === '*' ? 100 : 200) + documented.parameters.size
}

/** Picks the documented media type or range that fits a sent one best. @returns Its position, or -1 where none fits. */
export function pickMediaType(documented: readonly string[], sent: string): number {
  const scores = documented.map((each) => closeness(parse(each), parse(sent)) ?? -1)
  const best = Math.max(-1, ...scores)
  return best === -1 ? -1 : scores.indexOf(best)
}

/** Whether one of several media types or ranges, separated by commas, covers one that is sent. */
export const coversAny = (documented: string, sent: string): boolean =>
  documented.split(',').some((each) => closeness(parse(each), parse(sent)) !== undefined)
