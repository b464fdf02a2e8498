/** Lines and columns of a text. */
import type { Position } from './problem.js'

/**
 * Counts lines for offsets of a text. It goes on from the offset before, forwards or backwards: a large text with many places in it is
 * not read from its beginning for each.
 */
export function createLineCounter(text: string): (offset: number) => Position {
  let line = 1
  let reached = 0
  return (offset) => {
    while (reached < offset) {
      const next = text.indexOf('\n', reached)
      if (next === -1 || next >= offset) break
      reached = next + 1
      line++
    }
    while (reached > offset) {
      reached = reached < 2 ? 0 : text.lastIndexOf('\n', reached - 2) + 1
      line--
    }
    return { line, column: offset - reached + 1 }
  }
}
