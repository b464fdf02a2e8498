/** Makes texts that match a pattern. Lookarounds and backreferences are not read, so the caller must validate the texts. */
import { attempt } from '../error-message.js'

/** The characters that a class may choose from, the preferred ones first. */
const alphabet = [...Array.from('a0A-_ .:/@#'), ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))]

/** Makes a text, short by default. @param draw - Returns a number from 0 to `count` - 1. `use` tells them apart. */
export const generateMatchingText = (
  pattern: string,
  openLength = 0,
  draw: (count: number, use: string) => number = () => 0,
): string | undefined =>
  charactersOf(pattern, openLength)
    ?.map((choices, index) => {
      const plain = choices.filter((character) => /[a-z0-9]/u.test(character))
      const from = plain.length > 0 ? plain : choices
      return from[draw(from.length, `character ${index}`)] ?? ''
    })
    .join('')

type Places = readonly (readonly string[])[]

/**
 * Lists the characters that a matching text may have at each place, of the first alternatives. Undefined: the pattern is no regular expression.
 * @param openLength - The length of a part without an upper bound, such as `[a-z]+`, if it allows that length.
 */
export function charactersOf(pattern: string, openLength: number): Places | undefined {
  let rest = pattern
  const take = (expression: RegExp): string | undefined => {
    const found = expression.exec(rest)?.[0]
    rest = rest.slice(found?.length ?? 0)
    return found
  }
  /** Reads up to the end of a group. @returns The places of the first alternative. */
  const alternatives = (): Places => {
    const read: Places[] = [[]]
    while (take(/^(?=[^)])/su) !== undefined) {
      if (take(/^\|/u) === undefined) read.push([...(read.pop() ?? []), ...repeated(atom())])
      else read.push([])
    }
    return read[0] ?? []
  }
  const atom = (): Places => {
    if (take(/^(?:[$^]|\\[bB])/u) !== undefined) return []
    const group = take(/^\((?:\?(?:<?[=!]|:|<[^>]*>))?/u)
    if (group !== undefined) {
      const inside = alternatives()
      take(/^\)/u)
      return /[=!]$/u.test(group) ? [] : inside
    }
    const one = /^(?:\[\^?(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[pP]\{[^}]*\}|\\.|.)/isu
    const taken = take(one) ?? ''
    // A dot alone is most often meant as one, as in `^\d+.\d{2}$`.
    if (taken === '.' && !/^[*+?{]/u.test(rest)) return [['.']]
    const isOne = new RegExp(`^${taken}$`, 'u')
    return [alphabet.filter((character) => isOne.test(character))]
  }
  const repeated = (places: Places): Places => {
    const quantifier = take(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/u) ?? '{1}'
    const [, least = quantifier.startsWith('+') ? '1' : '0', , most = least] =
      /^\{(\d+)(,(\d*))?/u.exec(quantifier) ?? []
    const isOpen = /^[*+]/u.test(quantifier) || most === ''
    const upper = isOpen ? Infinity : quantifier.startsWith('?') ? 1 : Number(most)
    const length = Math.max(Number(least), Math.min(openLength, upper))
    return Array.from({ length }, () => places).flat()
  }
  // A pattern that does not compile is reported by the linter.
  return attempt(() => new RegExp(pattern, 'u')) && attempt(alternatives)
}
