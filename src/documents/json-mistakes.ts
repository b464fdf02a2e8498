/** Finds where a text breaks the rules of JSON. It runs only once the engine's parser has refused the text, or found a repeated key. */
import { createLineCounter } from './lines.js'
import type { Problem } from './problem.js'

/** The most mistakes that are listed of one text. */
const maxMistakes = 100

/** A scalar other than a string. */
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy
const space = /[ \t\r\n]*/uy
/** A part of a string, and what may stand between two parts. A loop over these needs no stack, however long the string is. */
const plainPart = /[^"\\\p{Cc}]*/uy
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\u007f-\u009f]/uy

/** What may come next. `item` and `member` may also be the end of what was just opened. */
type Expected = 'value' | 'item' | 'member' | 'key' | 'colon' | 'more' | 'nothing'

/** An array, or an object with the keys that it has so far. */
type Open = '[' | Set<string>

/**
 * Lists the repeated keys of a text up to its first syntax error, and that error.
 *
 * @returns At least one problem where the text is not JSON or repeats a key.
 */
export function findJsonMistakes(file: string, text: string): Problem[] {
  const problems: Problem[] = []
  const positionOf = createLineCounter(text)
  const report = (offset: number, what: string, hint: string): void => {
    problems.push({ file, position: positionOf(offset), what: `is not JSON: ${what}`, hint })
  }
  const open: Open[] = []
  let expected: Expected = 'value'
  let at = endOf(space, text, 0)
  while (problems.length < maxMistakes) {
    const end = endOfToken(text, at)
    const token = end === undefined ? '' : text.slice(at, end)
    const top = open.at(-1)
    const isKey = (expected === 'key' || expected === 'member') && token.startsWith('"')
    if (isKey && top instanceof Set) {
      const key = JSON.parse(token) as string
      if (top.has(key)) report(at, `key ${token} is not unique`, 'leave one out')
      top.add(key)
    }
    const next: Expected | undefined = end === undefined ? undefined : step(expected, token, open)
    if (next === undefined) {
      if (expected === 'nothing' && at === text.length) return problems
      const found = at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : 'the end'
      report(at, `${found} may not stand there`, 'mend the text there')
      return problems
    }
    expected = next
    at = endOf(space, text, end ?? at)
  }
  return problems
}

/** @returns What may come after a token. Undefined where the token may not come here. */
function step(expected: Expected, token: string, open: Open[]): Expected | undefined {
  const after = (): Expected => (open.length > 0 ? 'more' : 'nothing')
  const isValueDue = expected === 'value' || expected === 'item'
  if (token === '[' || token === '{') {
    if (!isValueDue) return undefined
    open.push(token === '[' ? '[' : new Set())
    return token === '[' ? 'item' : 'member'
  }
  if (token === ']' || token === '}') {
    const mayClose = expected === 'more' || expected === (token === ']' ? 'item' : 'member')
    if (!mayClose || (open.pop() === '[') !== (token === ']')) return undefined
    return after()
  }
  if (token === ',') return expected === 'more' ? (open.at(-1) === '[' ? 'value' : 'key') : undefined
  if (token === ':') return expected === 'colon' ? 'value' : undefined
  if (expected === 'key' || expected === 'member') return token.startsWith('"') ? 'colon' : undefined
  return isValueDue ? after() : undefined
}

/** @returns The offset behind the token that begins at `at`. Undefined where there is none. */
function endOfToken(text: string, at: number): number | undefined {
  const first = text[at]
  if (first === undefined) return undefined
  if ('{}[],:'.includes(first)) return at + 1
  if (first !== '"') {
    const end = endOf(scalar, text, at)
    return end > at ? end : undefined
  }
  for (let end = at + 1; ;) {
    end = endOf(plainPart, text, end)
    if (text[end] === '"') return end + 1
    const next = endOf(escape, text, end)
    if (next === end) return undefined
    end = next
  }
}

/** @returns The offset behind a match of a sticky pattern; `at` where there is none. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
