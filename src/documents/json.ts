/**
 * Reads JSON by the engine's own parser, and finds out what that one does not say: that a key is given twice, and where a text stops
 * being JSON.
 */
import type { Problem } from './problem.js'

/** The next token: punctuation, a string, or another scalar; with the white space before it. */
const token =
  /([ \t\r\n]*)(?:([{}[\],:])|"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/uy

/** What may come next. `item` and `member` may also be the end of what was just opened. */
type Expected = 'value' | 'item' | 'member' | 'key' | 'colon' | 'more' | 'nothing'

/** The offset of the first thing that JSON would not have there: the end of the text, where something is missing. */
function firstMistake(text: string): number {
  const open: ('[' | '{')[] = []
  let expected: Expected = 'value'
  let end = 0
  for (;;) {
    token.lastIndex = end
    const [whole = '', space = '', mark] = token.exec(text) ?? []
    const start = end + space.length
    if (whole === '') return end + (/^[ \t\r\n]*/u.exec(text.slice(end))?.[0].length ?? 0)
    const next = step(expected, mark, whole.slice(space.length), open)
    if (next === undefined) return start
    expected = next
    end += whole.length
  }
}

/** @returns What may come after a token. Undefined where the token may not come here. */
function step(expected: Expected, mark: string | undefined, text: string, open: ('[' | '{')[]): Expected | undefined {
  const after = (): Expected => (open.length > 0 ? 'more' : 'nothing')
  const isValueDue = expected === 'value' || expected === 'item'
  if (mark === '[' || mark === '{') {
    if (!isValueDue) return undefined
    open.push(mark)
    return mark === '[' ? 'item' : 'member'
  }
  if (mark === ']' || mark === '}') {
    const opening = mark === ']' ? '[' : '{'
    const mayClose = expected === 'more' || expected === (mark === ']' ? 'item' : 'member')
    if (!mayClose || open.pop() !== opening) return undefined
    return after()
  }
  if (mark === ',') return expected === 'more' ? (open.at(-1) === '[' ? 'value' : 'key') : undefined
  if (mark === ':') return expected === 'colon' ? 'value' : undefined
  if (expected === 'key' || expected === 'member') return text.startsWith('"') ? 'colon' : undefined
  return isValueDue ? after() : undefined
}

/** What the engine's own parser makes of a text: it takes the last where a key is given twice, and the slow one has to say where. */
export function parseJson(text: string): { value: unknown } | 'mistaken' | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return countKeys(value) === countWrittenKeys(text) ? { value } : undefined
  } catch (error) {
    // What is nested too deep to be counted is JSON all the same.
    return error instanceof RangeError ? undefined : 'mistaken'
  }
}

/** Says where a text stops being JSON. */
export function notJson(file: string, text: string): Problem {
  const offset = firstMistake(text)
  const before = text.slice(0, offset).split('\n')
  const position = { line: before.length, column: (before.at(-1) ?? '').length + 1 }
  const found = offset < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0)) : 'the end'
  return { file, position, what: `is not JSON: ${found} may not stand there`, remedy: 'mend the text there' }
}

/** Takes JSON's strings one by one, and counts those that a colon follows. */
function countWrittenKeys(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gu)) if (colon !== undefined) count++
  return count
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const children: unknown[] = Object.values(value)
  return (
    (Array.isArray(value) ? 0 : children.length) + children.reduce((sum: number, child) => sum + countKeys(child), 0)
  )
}
