import type { Position } from './problem.js'

/** Continues from the previous offset, in either direction: to count from the start for each of many offsets is slow in a large text. */
export function createLineCounter(text: string): (offset: number) => Position {
  let line = 1
  let lineStart = 0
  return (offset) => {
    while (lineStart < offset) {
      const next = text.indexOf('\n', lineStart)
      if (next === -1 || next >= offset) break
      lineStart = next + 1
      line++
    }
    while (lineStart > offset) {
      lineStart = lineStart < 2 ? 0 : text.lastIndexOf('\n', lineStart - 2) + 1
      line--
    }
    return { line, column: offset - lineStart + 1 }
  }
}

/** Creates the hint of the first syntax error of a text: it says how many lines the error hides, which may have errors too. */
export function hintAtSyntaxError(text: string, { line }: Position): string {
  const left = createLineCounter(text)(text.trimEnd().length).line - line + 1
  return `correct the text here; ${left === 1 ? '1 line' : `${left} lines`} from here on could not be read`
}
