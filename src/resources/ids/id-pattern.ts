/** Creates ids from numbers by a simple pattern, such as `^ord_[a-z0-9]{8}$`. */

/** Creates the id of a number. Undefined: the number is too large for the pattern. */
export type Numbering = (number: number) => string | undefined

/** Characters that are tried as members of a class, in this order. */
const alphabet: readonly string[] = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-.~'.split('')
/** The length of a part without an upper bound, such as `[a-z]+`. */
const openLength = 8

/** One step of a pattern: an escape, a class or a character, and how often it occurs. */
const step = /(\\.|\[(?:\\.|[^\]\\])+\]|[^\\[\](){}|*+?^$])(?:\{(\d+)(?:,(\d*))?\}|([*+?]))?/uy

/** Reads a pattern. @returns Undefined if it has groups or alternatives, or is not anchored. */
export function numberingOf(pattern: string): Numbering | undefined {
  if (!pattern.startsWith('^') || !pattern.endsWith('$')) return undefined
  const body = pattern.slice(1, -1)
  const slots: string[] = []
  step.lastIndex = 0
  while (step.lastIndex < body.length) {
    const found = step.exec(body)
    if (!found) return undefined
    const [, atom = '', least, most, sign] = found
    const members = membersOf(atom)
    if (members === undefined || members === '') return undefined
    const length = lengthOf(least, most, sign)
    for (let count = 0; count < length; count += 1) slots.push(members)
  }
  return (number) => textOf(slots, number)
}

function lengthOf(least: string | undefined, most: string | undefined, sign: string | undefined): number {
  if (sign !== undefined) return sign === '?' ? 1 : openLength
  if (least === undefined) return 1
  if (most === undefined) return Number(least)
  return Math.max(Number(least), Math.min(openLength, most === '' ? openLength : Number(most)))
}

function membersOf(atom: string): string | undefined {
  if (/^[\w~ :/@!#%&=,;'"<>-]$/u.test(atom)) return atom
  try {
    const matcher = new RegExp(`^${atom}$`, 'u')
    return alphabet.filter((character) => matcher.test(character)).join('')
  } catch {
    return undefined
  }
}

function textOf(slots: readonly string[], number: number): string | undefined {
  let rest = number
  const characters = slots.toReversed().map((members) => {
    const character = members[rest % members.length] ?? ''
    rest = Math.floor(rest / members.length)
    return character
  })
  return rest === 0 ? characters.toReversed().join('') : undefined
}
