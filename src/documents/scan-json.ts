/** Scans a JSON text token by token, without parsing it: for the positions of tokens, and for texts that are cut. */
import { createLineCounter, hintAtSyntaxError, type Problem } from './problem.js'

/** A scalar other than a string. */
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy
const space = /[ \t\r\n]*/uy
/** A part of a string without escapes. A loop over the parts needs no stack, even for a very long string. */
const plainPart = /[^"\\\p{Cc}]*/uy
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|[\u007f-\u009f]/uy

/** The tokens allowed next. `item` and `member` also allow the closing bracket of an empty array or object. */
type Expected = 'value' | 'item' | 'member' | 'key' | 'colon' | 'more' | 'nothing'

/** An open array, or an open object with the keys that the callback has added. */
type Open = '[' | Set<string>

export interface JsonToken {
  readonly text: string
  /** The offset of its first character. */
  readonly at: number
  readonly isKey: boolean
  /** The arrays and objects around it, from the outside. The next token changes them. */
  readonly open: readonly Open[]
}

/**
 * @param start - The offset of the value. Default: the text is the value.
 * @returns The offset of the first token that JSON does not allow there, else of the end; and true if the text is JSON.
 */
export function scanJson(text: string, onToken: (token: JsonToken) => void, start = 0) {
  const open: Open[] = []
  let expected: Expected = 'value'
  let at = endOf(space, text, start)
  for (;;) {
    const end = endOfToken(text, at)
    if (end === undefined) return { end: at, isComplete: expected === 'nothing' && at === text.length }
    const token = text.slice(at, end)
    const isKey = (expected === 'key' || expected === 'member') && token.startsWith('"')
    onToken({ text: token, at, isKey, open })
    const next = step(expected, token, open)
    if (next === undefined) return { end: at, isComplete: false }
    expected = next
    at = endOf(space, text, end)
  }
}

/** Updates the open arrays and objects. @returns The tokens that may follow. Undefined if the token is not allowed. */
function step(expected: Expected, token: string, open: Open[]): Expected | undefined {
  const after = (): Expected => (open.length > 0 ? 'more' : 'nothing')
  const isValueExpected = expected === 'value' || expected === 'item'
  if (token === '[' || token === '{') {
    if (!isValueExpected) return undefined
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
  return isValueExpected ? after() : undefined
}

/** @returns The offset after the token that starts at `at`. Undefined if there is none. */
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

/** @returns The offset after a match of a sticky pattern at `at`. `at` if there is no match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

const maxProblems = 100

/** Lists the repeated keys and too large numbers of a text up to its first syntax error, and that error. */
export function findJsonErrors(file: string, text: string): Problem[] {
  const problems: Problem[] = []
  const positionOf = createLineCounter(text)
  const report = (offset: number, what: string, hint: string): void => {
    problems.push({ file, position: positionOf(offset), what: `is not JSON: ${what}`, hint })
  }
  const { end, isComplete } = scanJson(text, ({ at, isKey, open, text: token }) => {
    if (problems.length === maxProblems) return
    const top = open.at(-1)
    if (isKey && top instanceof Set) {
      const key = JSON.parse(token) as string
      if (top.has(key)) report(at, `key ${token} is not unique`, 'remove one of them')
      top.add(key)
    }
    if (/^-?\d/u.test(token) && !Number.isFinite(Number(token)))
      report(at, `the number ${token.slice(0, 40)} is too large`, `use at most ${Number.MAX_VALUE}`)
  })
  if (isComplete || problems.length === maxProblems) return problems
  const found = end < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(end) ?? 0)) : 'the end'
  report(end, `${found} is not allowed here`, hintAtSyntaxError(text, positionOf(end)))
  return problems
}
