/** Parses the `Prefer` header (RFC 7240, section 2). */

/** One preference of a header, with its parameters. */
export interface Preference {
  /** In lower case. */
  readonly name: string
  /** Without quotes. Undefined if there is none or if it is empty. */
  readonly value: string | undefined
  /** Name and value as received, for messages. */
  readonly text: string
  readonly parameters: readonly Omit<Preference, 'parameters'>[]
}

/** A name with an optional value: a token or a quoted string. */
const pair = /[\t ]*([!#$%&'*+.^_`|~\w-]+)(?:[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]*)))?[\t ]*/uy

/** The separator of two pairs. A list may have empty elements (RFC 9110, 5.6.1). */
const separator = /[\t ]*([,;])[\t ,;]*/uy

/**
 * Parses a `Prefer` header. Repeated header fields are joined by commas.
 *
 * @returns Undefined if the header does not follow the grammar.
 */
export function readPreferences(header: string): readonly Preference[] | undefined {
  const found: (Preference & { parameters: Omit<Preference, 'parameters'>[] })[] = []
  const text = header.replace(/^[\t ,;]+/u, '')
  for (let position = 0, isParameter = false; position < text.length;) {
    pair.lastIndex = position
    const [whole = '', name = '', quoted, token] = pair.exec(text) ?? []
    if (name === '') return undefined
    const value = quoted?.replaceAll(/\\(.)/gu, '$1') || token || undefined
    const read = { name: name.toLowerCase(), value, text: whole.trim() }
    const last = found.at(-1)
    if (isParameter && last) last.parameters.push(read)
    else found.push({ ...read, parameters: [] })
    position += whole.length
    if (position === text.length) break
    separator.lastIndex = position
    const [between = '', sign] = separator.exec(text) ?? []
    if (between === '') return undefined
    // A semicolon after a comma has no meaning.
    isParameter = sign === ';' && !between.includes(',')
    position += between.length
  }
  return found
}

/** Formats a preference for `Preference-Applied`: the value is quoted unless it is a token. */
export function writePreference(name: string, value: string): string {
  const isToken = /^[!#$%&'*+.^_`|~\w-]+$/u.test(value)
  return `${name}=${isToken ? value : `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`}`
}
