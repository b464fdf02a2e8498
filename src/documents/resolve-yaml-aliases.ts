/**
 * The library finds each anchor by a walk through the whole document, so its time grows with the square of the number of aliases, and it
 * accepts any number of merges. This is one walk, with limits.
 */
import { type Alias, type Document, isAlias, isCollection, isPair, type Node, type Pair } from 'yaml'

import { maxDocumentDepth, nestedTooDeep } from './parse-json.js'
import type { Problem } from './problem.js'

/** The values that the aliases of any document may add, even if its text is short. */
const minAddedValues = 100_000

/** The size of a value in which all aliases are replaced. */
interface Extent {
  readonly values: number
  readonly depth: number
}

export interface AliasProblem extends Pick<Problem, 'what' | 'hint'> {
  readonly offset: number
}

/** Replaces all aliases in place. They may add 100,000 values and one more for each character. @returns The problem of the first that cannot. */
export function resolveAliases(document: Document, textLength: number): AliasProblem | undefined {
  const maxAddedValues = minAddedValues + textLength
  const anchors = new Map<string, Node>()
  const extents = new Map<Node, Extent>()
  let added = 0
  let problem: AliasProblem | undefined

  const resolve = (alias: Alias, level: number): Node => {
    const refuse = (what: string, hint: string): Node => {
      problem ??= { what, hint, offset: alias.range?.[0] ?? 0 }
      return alias
    }
    const target = anchors.get(alias.source)
    const name = `alias "${alias.source}"`
    if (!target)
      return refuse(`is not YAML: ${name} has no anchor`, `add the anchor &${alias.source}, or write the value here`)
    const extent = extents.get(target)
    if (!extent) return refuse(`cannot be parsed: ${name} is inside the value that it names`, 'write the value here')
    added += extent.values
    if (added > maxAddedValues)
      return refuse(
        `cannot be parsed: with ${name}, the aliases add more than ${maxAddedValues.toLocaleString('en')} values`,
        'use fewer aliases',
      )
    if (level + extent.depth > maxDocumentDepth) return refuse(nestedTooDeep.what, nestedTooDeep.hint)
    return target
  }
  const walk = (node: unknown, level: number, replace: (target: Node) => void): Extent => {
    if (problem) return { values: 0, depth: 0 }
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
    if (isCollection(node)) {
      for (const [index, item] of node.items.entries()) {
        if (isPair(item)) {
          const pair: Pair = item
          add(pair.key, (target) => (pair.key = target))
          add(pair.value, (target) => (pair.value = target))
        } else add(item, (target) => (node.items[index] = target))
      }
    }
    if (anchor !== undefined) extents.set(node as Node, { values, depth })
    return { values, depth }
  }
  walk(document.contents, 1, () => {})
  return problem
}
