/** Generates a short text that matches a regular expression. It ignores lookarounds and backreferences, so the caller must validate the text. */

/** The characters that a class may choose from, the preferred ones first. */
const alphabet = [
  ...Array.from('a0A-_ .:/@#'),
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
]

/**
 * Generates a text that matches a pattern.
 *
 * @param preferred - Returned if it matches. Default: none, so that the text is generated.
 * @returns Undefined if the pattern is not a regular expression.
 */
export function generateMatchingText(pattern: string, preferred?: string): string | undefined {
  try {
    const expression = new RegExp(pattern, 'u')
    return preferred !== undefined && expression.test(preferred) ? preferred : new Reader(pattern).alternatives()
  } catch {
    // A pattern that does not compile is reported by the linter.
    return undefined
  }
}

/** Reads a pattern from left to right. */
class Reader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  /** Reads up to the end of a group. @returns The text of the first alternative. */
  alternatives(): string {
    const [first = ''] = this.#sequences()
    return first
  }

  #sequences(): readonly string[] {
    const texts = ['']
    while (this.#at < this.#pattern.length && this.#pattern[this.#at] !== ')') {
      if (this.#take('|')) texts.push('')
      else texts.push((texts.pop() ?? '') + this.#repeated(this.#atom()))
    }
    return texts
  }

  #take(text: string): boolean {
    const isThere = this.#pattern.startsWith(text, this.#at)
    if (isThere) this.#at += text.length
    return isThere
  }

  #match(expression: RegExp): string | undefined {
    const found = expression.exec(this.#pattern.slice(this.#at))?.[0]
    this.#at += found?.length ?? 0
    return found
  }

  #atom(): string {
    if (this.#take('^') || this.#take('$')) return ''
    if (this.#match(/^\\[bB]/u) !== undefined) return ''
    const look = this.#match(/^\(\?<?[=!]/u)
    if (look !== undefined || this.#match(/^\((?:\?:|\?<[^>]*>)?/u) !== undefined) {
      const text = this.alternatives()
      this.#take(')')
      return look === undefined ? text : ''
    }
    const single =
      this.#match(/^(?:\[\^?(?:\\.|[^\]\\])*\]|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[pP]\{[^}]*\}|\\.|.)/isu) ??
      ''
    const isOne = new RegExp(`^${single}$`, 'u')
    return alphabet.find((character) => isOne.test(character)) ?? ''
  }

  /** Repeats a text as often as the quantifier after it requires at least. */
  #repeated(text: string): string {
    const quantifier = this.#match(/^(?:[*+?]|\{\d+(?:,\d*)?\})\??/u) ?? '{1}'
    if (/^[*?]/u.test(quantifier)) return ''
    return text.repeat(quantifier.startsWith('+') ? 1 : Number(/\d+/u.exec(quantifier)?.[0]))
  }
}
