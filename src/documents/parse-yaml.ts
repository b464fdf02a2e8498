import type { CST, Document, Node } from 'yaml'
import { Composer, isMap, isNode, isScalar, isSeq, Lexer, LineCounter, Parser } from 'yaml'

import { errorMessage } from '../error-message.js'
import { findYamlErrors } from './find-yaml-errors.js'
import { maxDocumentDepth, nestedTooDeep } from './parse-json.js'
import type { Segment } from './pointer.js'
import { type Locate, type Position, ProblemsError } from './problem.js'
import { resolveAliases } from './resolve-yaml-aliases.js'

/** Parses a YAML text. @throws {ProblemsError} If the text is invalid or nested too deep, or if its aliases are undefined or too many. */
export function parseYaml(file: string, text: string): { value: unknown; locate: Locate } {
  const tree = parseTree(file, text)
  try {
    return { value: tree.document.toJS(), locate: createYamlLocator(file, text, new WeakRef(tree)) }
  } catch (error) {
    // It merges a value that is not a map.
    throw unparsable(file, error)
  }
}

const unparsable = (file: string, error: unknown): ProblemsError =>
  new ProblemsError([{ file, what: `cannot be parsed: ${errorMessage(error)}`, hint: 'use plain YAML' }])

interface Tree {
  readonly document: Document
  positionOf(offset: number): Position
}

function parseTree(file: string, text: string): Tree {
  const lines = new LineCounter()
  const positionOf = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  let documents: readonly Document.Parsed[]
  try {
    const tokens = tokensOf(file, text, lines, positionOf)
    documents = [...new Composer({ strict: true }).compose(tokens, true, text.length)]
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    throw unparsable(file, error)
  }
  const [document, another] = documents
  if (document && document.errors.length > 0) {
    throw new ProblemsError(findYamlErrors(file, text, document.errors, positionOf))
  }
  if (!document || another) {
    const position = positionOf(another?.range[0] ?? 0)
    const what = 'is not YAML of one document: another starts here'
    throw new ProblemsError([{ file, position, what, hint: 'keep one, and remove the lines "---"' }])
  }
  const problem = resolveAliases(document, text.length)
  if (problem)
    throw new ProblemsError([{ file, position: positionOf(problem.offset), what: problem.what, hint: problem.hint }])
  return { document, positionOf }
}

/** Yields the tokens of a text. The library has no limit of depth, and reads each level by a recursive call. */
function* tokensOf(
  file: string,
  text: string,
  lines: LineCounter,
  positionOf: Tree['positionOf'],
): Generator<CST.Token, void> {
  const parser = new Parser(lines.addNewLine)
  lines.addNewLine(0)
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length <= maxDocumentDepth) continue
    throw new ProblemsError([{ file, position: positionOf(parser.offset), ...nestedTooDeep }])
  }
  yield* parser.end()
}

/** @param tree - It needs more memory than the value, so it may be garbage-collected. The text is then parsed again. */
export function createYamlLocator(file: string, text: string, tree?: WeakRef<Tree>): Locate {
  let cached = tree
  return (path, at = 'value') => {
    const current = cached?.deref() ?? parseTree(file, text)
    cached = new WeakRef(current)
    return { file, ...current.positionOf(offsetOf(current.document, path, at)) }
  }
}

function offsetOf(document: Document, path: readonly Segment[], at: 'key' | 'value'): number {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
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
      offset = startOf(key) ?? offset
      break
    }
    const wantsKey = at === 'key' && depth === path.length - 1
    offset = (wantsKey ? startOf(key) : undefined) ?? startOf(node) ?? offset
  }
  return offset
}

const startOf = (node: unknown): number | undefined => (isNode(node) ? (node as Node).range?.[0] : undefined)
