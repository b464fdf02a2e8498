/** Finds the positions of values in a valid JSON text. It scans only the arrays and objects around a requested value, each once. */
import { onceFor } from '../once.js'
import { createLineCounter } from './lines.js'
import type { Locate } from './problem.js'

/** The start offsets of a key and its value. Array items have no key. */
interface Offsets {
  readonly key: number | undefined
  readonly value: number
}

/** Creates `Source.locate` for a JSON text. Nothing is scanned before the first call. */
export function createJsonLocator(file: string, text: string): Locate {
  const positionOf = createLineCounter(text)
  const childrenOf = onceFor((offset: number) => scanChildren(text, offset))
  return (path, at = 'value') => {
    let offset = skipSpace(text, 0)
    for (const [depth, segment] of path.entries()) {
      const child = childrenOf(offset).get(String(segment))
      if (!child) break
      const wantsKey = at === 'key' && depth === path.length - 1
      offset = (wantsKey ? child.key : undefined) ?? child.value
    }
    return { file, ...positionOf(offset) }
  }
}

/** @returns The offsets of the members of an object or the items of an array, by key or index. Empty for any other value. */
function scanChildren(text: string, offset: number): Map<string, Offsets> {
  const children = new Map<string, Offsets>()
  const isObject = text[offset] === '{'
  if (!isObject && text[offset] !== '[') return children
  let at = skipSpace(text, offset + 1)
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    let key: number | undefined
    let name = String(children.size)
    if (isObject) {
      key = at
      at = endOfString(text, at)
      name = JSON.parse(text.slice(key, at)) as string
      at = skipSpace(text, skipSpace(text, at) + 1)
    }
    children.set(name, { key, value: at })
    at = skipSpace(text, endOfValue(text, at))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return children
}

function endOfValue(text: string, offset: number): number {
  let open = 0
  for (let at = offset; at < text.length;) {
    const character = text[at] ?? ''
    if (open === 0 && ',]} \t\r\n'.includes(character)) return at
    at = character === '"' ? endOfString(text, at) : at + 1
    if (character === '{' || character === '[') open++
    else if (character === '}' || character === ']') open--
    if (open === 0 && '"]}'.includes(character)) return at
  }
  return text.length
}

function endOfString(text: string, offset: number): number {
  for (let at = offset + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function skipSpace(text: string, offset: number): number {
  let at = offset
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? '')) at++
  return at
}
