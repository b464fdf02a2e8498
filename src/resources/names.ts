/** Compares names of paths, parameters and properties by their words. */
import { onceForText } from '../once.js'

/** Splits a name into its words in lower case: `taskGid` and `task_gid` are both `task`, `gid`. */
export const wordsOf = onceForText((name): readonly string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== ''),
)

/** Writes the words of a name in lower case, with spaces between them. */
export const inWords = onceForText((name) => wordsOf(name).join(' '))

/** Tells whether two names are equal, ignoring case and separators. */
export const isSameName = (one: string, other: string): boolean => squeeze(one) === squeeze(other)

const squeeze = onceForText((name) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ''))

/** Finds the one of some values that a text names first, in quotes, else as a word; the case and separators do not count. Undefined: none. */
export function namedIn(text: string, values: readonly string[]): string | undefined {
  const quoted = text.match(/(?<=[`"'*])[\w -]+(?=[`"'*])/gu) ?? []
  const words = text.match(/[\w-]+/gu) ?? []
  return [...quoted, ...words].flatMap((word) => values.find((value) => isSameName(value, word)) ?? [])[0]
}

/** Lists the possible singulars of an English plural: `boxes` may be `boxe` or `box`. */
export function singularsOf(plural: string): readonly string[] {
  const singulars = [plural]
  if (/(?<!mov|cook|calor|goal|rook|zomb|self|^[lpt])ies$/iu.test(plural)) singulars.unshift(`${plural.slice(0, -3)}y`)
  // `statuses`, but not `houses`; `matches`, but not `caches`.
  const isLonger = /(?:ss|(?<![oa])us|ias|vas|gas|x|[tz]z|(?<!ca)ch|sh)es$/iu.test(plural)
  if (isLonger) singulars.unshift(plural.slice(0, -2))
  if (/[^s]s$/iu.test(plural)) singulars.push(plural.slice(0, -1))
  if (!isLonger && /[sz]es$/iu.test(plural)) singulars.push(plural.slice(0, -2))
  return singulars
}

export function singularOf(plural: string): string {
  const singulars = singularsOf(plural)
  return singulars[0] === plural ? (singulars[1] ?? plural) : (singulars[0] ?? plural)
}

/** Writes a name in kebab-case: `CareCard` is `care-card`. */
export const kebabCase = (name: string): string => wordsOf(name).join('-')
