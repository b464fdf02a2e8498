/** Reads the `Prefer` header by its grammar (RFC 7240, section 2). */

/** One preference of a header, with its parameters. */
export interface Preference {
  /** In lower case. */
  readonly name: string
  /** Without quotes. Undefined where none is given; an empty one counts as none. */
  readonly value: string | undefined
  /** Name and value as they were sent, for messages. */
  readonly text: string
  readonly parameters: readonly Omit<Preference, 'parameters'>[]
}

/** A name, which may have a value: a token or a quoted string. */
const pair = /[\t ]*([!#$%&'*+.^_`|~\w-]+)(?:[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+.^_`|~\w-]*)))?[\t ]*/uy

/** What may stand between two pairs. Empty elements of a list are allowed (RFC 9110, 5.6.1). */
const separator = /[\t ]*([,;])[\t ,;]*/uy

/**
 * Reads a `Prefer` header; several header fields are read as one, joined by commas.
 *
 * @returns Undefined for a text that does not follow the grammar.
 */
export function readPreferences(header: string): readonly Preference[] | undefined {
  const found: (Preference & { parameters: Omit<Preference, 'parameters'>[] })[] = []
  const text = header.replace(/^[\t ,;]+/u, '')
  for (let at = 0, isParameter = false; at < text.length;) {
    pair.lastIndex = at
    const [whole = '', name = '', quoted, token] = pair.exec(text) ?? []
    if (name === '') return undefined
    const value = quoted?.replaceAll(/\\(.)/gu, '$1') || token || undefined
    const read = { name: name.toLowerCase(), value, text: whole.trim() }
    const last = found.at(-1)
    if (isParameter && last) last.parameters.push(read)
    else found.push({ ...read, parameters: [] })
    at += whole.length
    if (at === text.length) break
    separator.lastIndex = at
    const [between = '', sign] = separator.exec(text) ?? []
    if (between === '') return undefined
    // Behind a comma, a semicolon separates nothing.
    isParameter = sign === ';' && !between.includes(',')
    at += between.length
  }
  return found
}

/** Writes a preference as `Preference-Applied` repeats it: quoted where its value is no token. */
export function writePreference(name: string, value: string): string {
  const isToken = /^[!#$%&'*+.^_`|~\w-]+$/u.test(value)
  return `${name}=${isToken ? value : `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`}`
}
