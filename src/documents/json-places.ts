/**
 * Finds the places of values in a JSON text that is known to be right. Only the objects and arrays on the way to a place are read, each
 * of them once.
 */
import { createLineCounter } from './lines.js'
import type { Segment } from './pointer.js'
import type { Position } from './problem.js'

/** Where a key and its value begin. Items of arrays have no key. */
interface Place {
  readonly key: number | undefined
  readonly value: number
}

/** Prepares to find places, as `Source.locate` does. Nothing is read before the first call. */
export function createJsonLocator(text: string): (path: readonly Segment[], at?: 'key' | 'value') => Position {
  const positionOf = createLineCounter(text)
  const read = new Map<number, ReadonlyMap<string, Place>>()
  const childrenOf = (offset: number): ReadonlyMap<string, Place> => {
    const known = read.get(offset) ?? readChildren(text, offset)
    read.set(offset, known)
    return known
  }
  return (path, at = 'value') => {
    let offset = skipSpace(text, 0)
    for (const [depth, segment] of path.entries()) {
      const place = childrenOf(offset).get(String(segment))
      if (!place) break
      const wantsKey = at === 'key' && depth === path.length - 1
      offset = (wantsKey ? place.key : undefined) ?? place.value
    }
    return positionOf(offset)
  }
}

/** @returns The places of what an object or array holds, by key or index. Empty for anything else. */
function readChildren(text: string, offset: number): Map<string, Place> {
  const places = new Map<string, Place>()
  const isObject = text[offset] === '{'
  if (!isObject && text[offset] !== '[') return places
  let at = skipSpace(text, offset + 1)
  while (at < text.length && text[at] !== '}' && text[at] !== ']') {
    let key: number | undefined
    let name = String(places.size)
    if (isObject) {
      key = at
      at = endOfString(text, at)
      name = JSON.parse(text.slice(key, at)) as string
      at = skipSpace(text, skipSpace(text, at) + 1)
    }
    places.set(name, { key, value: at })
    at = skipSpace(text, endOfValue(text, at))
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return places
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
