import type { Alias, Document, Node, Pair, YAMLParseError } from 'yaml'
import { Composer, isAlias, isCollection, isMap, isNode, isPair, isScalar, Lexer, Parser } from 'yaml'

import { errorMessage } from '../error-message.js'
import { maxDocumentDepth, nestedTooDeep } from './parse-json.js'
import type { Segment } from './pointer.js'
import { createLineCounter, type Locate, type Problem, ProblemsError, syntaxErrorHint } from './problem.js'

type PositionOf = ReturnType<typeof createLineCounter>

/** Parses a YAML text. @throws {ProblemsError} If the text is invalid or nested too deep, or if its aliases are undefined or too many. */
export function parseYaml(file: string, text: string): { value: unknown; locate: Locate } {
  try {
    const tree = parseTree(file, text)
    return { value: tree.document.toJS(), locate: createYamlLocator(file, text, new WeakRef(tree)) }
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    // It merges a value that is not a map, for example.
    throw new ProblemsError([{ file, what: `cannot be parsed: ${errorMessage(error)}`, hint: 'use plain YAML' }])
  }
}

type Tree = ReturnType<typeof parseTree>

function parseTree(file: string, text: string) {
  const positionOf = createLineCounter(text)
  const composed = new Composer({ strict: true, merge: true }).compose(
    tokensOf(file, text, positionOf),
    true,
    text.length,
  )
  const [document, another]: readonly Document.Parsed[] = [...composed]
  if (document && document.errors.length > 0) throw new ProblemsError(findYamlErrors(file, text, document.errors))
  if (!document || another) {
    const position = positionOf(another?.range[0] ?? 0)
    const what = 'is not YAML of one document: another starts here'
    throw new ProblemsError([{ file, position, what, hint: 'keep one, and remove the lines "---"' }])
  }
  resolveAliases(file, document, text.length, positionOf)
  return { document, positionOf }
}

/** Yields the tokens of a text. The library has no limit of depth, and reads each level by a recursive call. */
function* tokensOf(file: string, text: string, positionOf: PositionOf) {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    if (parser.stack.length <= maxDocumentDepth) continue
    throw new ProblemsError([{ file, position: positionOf(parser.offset), ...nestedTooDeep }])
  }
  yield* parser.end()
}

/** @param tree - It needs more memory than the value, so it may be garbage-collected. The text is then parsed again. */
function createYamlLocator(file: string, text: string, tree: WeakRef<Tree>): Locate {
  let cached = tree
  return (path, at = 'value') => {
    const current = cached.deref() ?? parseTree(file, text)
    cached = new WeakRef(current)
    return { file, text, ...current.positionOf(offsetOf(current.document, path, at)) }
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
    } else if (isCollection(node)) node = node.items[Number(segment)]
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

const maxProblems = 100

/** Lists the repeated keys of a text up to its first syntax error, and that error: later ones are its consequences. */
function findYamlErrors(file: string, text: string, errors: readonly YAMLParseError[]): Problem[] {
  const positionOf = createLineCounter(text)
  const sorted = errors.toSorted((one, other) => one.pos[0] - other.pos[0])
  const first = sorted.findIndex(({ code }) => code !== 'DUPLICATE_KEY')
  const repeated = first === -1 ? sorted : sorted.slice(0, first)
  return [...repeated.slice(0, maxProblems), ...sorted.slice(first, first + 1)].map((error) => ({
    file,
    position: positionOf(error.pos[0]),
    what: `is not YAML: ${error.message.split('\n')[0] ?? ''}`,
    hint: error.code === 'DUPLICATE_KEY' ? 'remove one of them' : syntaxErrorHint,
  }))
}

/** The size of a value in which all aliases are replaced. */
type Extent = Readonly<Record<'depth' | 'values', number>>

/** Replaces all aliases in place. They may add 100,000 values and one more for each character. @throws {ProblemsError} They add more, or one is not valid. */
function resolveAliases(file: string, document: Document, textLength: number, positionOf: PositionOf): void {
  const maxAddedValues = 100_000 + textLength
  const most = maxAddedValues.toLocaleString('en')
  const anchors = new Map<string, Node>()
  const extents = new Map<Node, Extent>()
  let added = 0

  const resolve = (alias: Alias, level: number): Node => {
    const { source } = alias
    const fail = (what: string, hint: string): never => {
      throw new ProblemsError([{ file, position: positionOf(alias.range?.[0] ?? 0), what, hint }])
    }
    const target = anchors.get(source)
    if (!target)
      return fail(`is not YAML: alias "${source}" has no anchor`, `add the anchor &${source}, or write the value here`)
    const extent = extents.get(target)
    const isInside = `cannot be parsed: alias "${source}" is inside the value that it names`
    if (!extent) return fail(isInside, 'write the value here')
    added += extent.values
    const tooMany = `cannot be parsed: with alias "${source}", the aliases add more than ${most} values`
    if (added > maxAddedValues) return fail(tooMany, 'use fewer aliases')
    if (level + extent.depth > maxDocumentDepth) return fail(nestedTooDeep.what, nestedTooDeep.hint)
    return target
  }
  const walk = (node: unknown, level: number, replace: (target: Node) => void): Extent => {
    if (isAlias(node)) {
      const target = resolve(node, level)
      replace(target)
      return extents.get(target) ?? { values: 0, depth: 0 }
    }
    const { anchor } = (node ?? {}) as { readonly anchor?: string }
    if (anchor !== undefined) anchors.set(anchor, node as Node)
    let values = 1
    let depth = 0
    const add = (inner: unknown, put: (target: Node) => void): void => {
      const extent = walk(inner, level + 1, put)
      values += extent.values
      depth = Math.max(depth, extent.depth + 1)
    }
    if (isCollection(node))
      for (const [index, item] of node.items.entries())
        if (isPair(item)) {
          const pair: Pair = item
          add(pair.key, (target) => (pair.key = target))
          add(pair.value, (target) => (pair.value = target))
        } else add(item, (target) => (node.items[index] = target))
    if (anchor !== undefined) extents.set(node as Node, { values, depth })
    return { values, depth }
  }
  walk(document.contents, 1, () => {})
}
