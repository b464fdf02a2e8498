/** Finds the syntax errors, repeated keys and too large numbers of a JSON text. It runs only after one of them was detected. */
import { createLineCounter, hintAtSyntaxError } from './lines.js'
import type { Problem } from './problem.js'
import { scanJson } from './scan-json.js'

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
