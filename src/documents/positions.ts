/** Reads YAML with the parser that knows where each part of the text stands. */
import type { Document, Node } from 'yaml'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml'

import { errorMessage } from '../error-message.js'
import type { Segment } from './pointer.js'
import type { Position, Problem } from './problem.js'
import { ProblemsError } from './problem.js'

/** A text whose parts can be found. */
export interface Positions {
  /** What the text says. @throws {ProblemsError} An alias leads nowhere, or to far too much. */
  value(): unknown
  /** As `Source` does. */
  locate(path: readonly Segment[], at?: 'key' | 'value'): Position
}

/**
 * Reads a text.
 *
 * @throws {ProblemsError} Every mistake in it, with its place.
 */
export function readPositions(file: string, text: string): Positions {
  const lines = new LineCounter()
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  let document: Document
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true })
  } catch (error) {
    throw new ProblemsError([
      {
        file,
        what: `cannot be parsed: ${errorMessage(error)}`,
        hint: 'make it plain YAML, not nested so deep',
      },
    ])
  }
  if (document.errors.length > 0) {
    throw new ProblemsError(
      document.errors.map((error): Problem => ({
        file,
        position: position(error.pos[0]),
        what: `is not YAML: ${error.message.split('\n')[0] ?? ''}`,
        hint: 'mend the text there',
      })),
    )
  }
  const locate = (path: readonly Segment[], at: 'key' | 'value' = 'value'): Position =>
    position(offsetOf(document, path, at))
  const value = (): unknown => {
    try {
      return document.toJS()
    } catch (error) {
      throw new ProblemsError([aliasProblem(file, document, position, error)])
    }
  }
  return { value, locate }
}

function offsetOf(document: Document, path: readonly Segment[], at: 'key' | 'value'): number {
  let node: unknown = document.contents
  let offset = start(node) ?? 0
  for (const [depth, segment] of path.entries()) {
    let key: unknown
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(segment))
      if (!pair) break
      key = pair.key
      node = pair.value
    } else if (isSeq(node)) {
      node = node.items[Number(segment)]
    }
    if (!isNode(node)) {
      offset = start(key) ?? offset
      break
    }
    const wantsKey = at === 'key' && depth === path.length - 1
    offset = (wantsKey ? start(key) : undefined) ?? start(node) ?? offset
  }
  return offset
}

const start = (node: unknown): number | undefined => (isNode(node) ? (node as Node).range?.[0] : undefined)

/** An alias is the one thing that only fails when it is followed. */
function aliasProblem(
  file: string,
  document: Document,
  locateOffset: (offset: number) => Position,
  error: unknown,
): Problem {
  let offset: number | undefined
  let name = ''
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document)) return undefined
      offset = alias.range?.[0]
      name = alias.source
      return visit.BREAK
    },
  })
  if (offset === undefined) return { file, what: errorMessage(error), hint: 'use fewer aliases' }
  return {
    file,
    position: locateOffset(offset),
    what: `is not YAML: alias "${name}" has no anchor`,
    hint: 'anchor what it means',
  }
}
