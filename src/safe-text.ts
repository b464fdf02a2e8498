/** Texts contain parts of requests, responses and files, which must neither control a terminal nor become markup. */

/** Control characters, line separators, and characters that change the direction of the text around them. */
const controls = /[\p{Cc}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** Escapes a character as in JSON. */
export const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Escapes control characters, also line breaks: the text stays in one line of a log, a terminal or a report. */
export const safeLine = (text: string): string => text.replaceAll(controls, escapeCharacter)

/** Escapes control characters except line breaks and tabs. Of JSON, it changes only strings, and keeps their values. */
export const safeLines = (text: string): string =>
  text.replaceAll(controls, (character) =>
    character === '\n' || character === '\t' ? character : escapeCharacter(character),
  )

/** Writes a value as JSON without control characters. @param indent - The spaces of a level. Default: one line. */
export const safeJson = (value: unknown, indent?: number): string => safeLines(JSON.stringify(value, null, indent))

function markdownCode(text: string): string {
  const line = safeLine(text)
  const longest = Math.max(0, ...[...line.matchAll(/`+/gu)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const space = /^[` ]|[` ]$/u.test(line) ? ' ' : ''
  return line === '' ? '' : fence + space + line + space + fence
}

/** Writes text as code in a cell of a table. A table reads two backslashes before a bar as the end of the cell. */
export const markdownCell = (text: string): string =>
  markdownCode(text.replaceAll('\\|', '\\u007c').replaceAll('|', '\\|'))

export function markdownBlock(language: string, lines: readonly string[]): readonly string[] {
  const safe = lines.map(safeLine)
  const longest = Math.max(2, ...[...safe.join('\n').matchAll(/~+/gu)].map(([run]) => run.length))
  const fence = '~'.repeat(longest + 1)
  return [fence + language, ...safe, fence]
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for XML 1.0. Control characters, and those that XML cannot contain, become U+FFFD. */
export const safeXml = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replaceAll(controls, (character) => (/[\t\n\r]/u.test(character) ? character : '\u{FFFD}'))
    .replaceAll(/[&<>"]/gu, (character) => entities[character] ?? character)
