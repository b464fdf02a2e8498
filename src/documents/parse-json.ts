/** Parses JSON with `JSON.parse`. It also refuses repeated keys and texts whose values would need far more memory than the text. */
import { visit } from 'jsonc-parser'

import { attempt } from '../error-message.js'
import { onceFor } from '../once.js'
import { createLineCounter, type Locate, type Problem, ProblemsError, syntaxErrorHint } from './problem.js'

/** The maximum number of values in a JSON document: ten million, about 1,000,000 records. An empty object needs 30 times the memory of its text. */
export const maxDocumentValues = 10_000_000

/** The maximum nesting depth of arrays and objects in a file: twice that of most request bodies. Recursive functions need a limit. */
export const maxDocumentDepth = 1000

export const nestedTooDeep = {
  what: `cannot be parsed: it is nested more than ${maxDocumentDepth} levels deep`,
  hint: `use at most ${maxDocumentDepth} levels`,
}

/** @throws {ProblemsError} It is not JSON, repeats a key, has a number that is too large, has too many values or is nested too deep. */
export function parseJson(file: string, bytes: Uint8Array, text: string): unknown {
  const { depth, keys, values } = measureJson(bytes)
  if (values > maxDocumentValues) {
    const what = `has more than ${maxDocumentValues.toLocaleString('en')} values, the maximum`
    throw new ProblemsError([{ file, what, hint: 'make the file smaller' }])
  }
  if (depth > maxDocumentDepth) throw new ProblemsError([{ file, ...nestedTooDeep }])
  const value = jsonIn(text)
  // JSON.parse keeps only the last of several equal keys, so the value has fewer keys than the text. NaN equals no number.
  if (value === undefined || countKeys(value) !== keys) throw new ProblemsError(findJsonErrors(file, text))
  return value
}

/** Parses a text as `JSON.parse` does. @returns Undefined: it is not JSON. */
export const jsonIn = (text: string): unknown => attempt((): unknown => JSON.parse(text))

/** Counts the keys of a JSON text, repeated ones too, its values, at most, with arrays and objects, and its depth. It need not be valid. */
export function measureJson(bytes: Uint8Array): Readonly<Record<'depth' | 'keys' | 'values', number>> {
  let keys = 0
  let values = 1
  let open = 0
  let depth = 0
  let isString = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isString) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) isString = false
    } else if (byte === 0x22) isString = true
    else if (byte === 0x3a) keys++
    else if (byte === 0x2c) values++
    else if (byte === 0x5b || byte === 0x7b) {
      values++
      depth = Math.max(depth, ++open)
    } else if (byte === 0x5d || byte === 0x7d) open--
  }
  return { keys, values, depth }
}

/** Equal keys count once: the parser keeps the last. @returns NaN if a number was too large: the parser returns Infinity, which JSON does not have. */
export function countKeys(value: unknown): number {
  if (value === Infinity || value === -Infinity) return NaN
  if (typeof value !== 'object' || value === null) return 0
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value)
  let count = Array.isArray(value) ? 0 : children.length
  for (const child of children) count += countKeys(child)
  return count
}

/** Creates `Source.locate` for a JSON text. Nothing is scanned before the first call. */
export function createJsonLocator(file: string, text: string): Locate {
  const positionOf = createLineCounter(text)
  const childrenOf = onceFor((offset: number) => scanChildren(text, offset))
  return (path, at = 'value') => {
    let offset = text.search(/\S/u)
    for (const [depth, segment] of path.entries()) {
      const child = childrenOf(offset).get(String(segment))
      if (!child) break
      offset = (at === 'key' && depth === path.length - 1 ? child.key : undefined) ?? child.value
    }
    return { file, text, ...positionOf(offset) }
  }
}

/** @returns The start offsets of the members of an object or the items of an array, by key or index. Empty for any other value. */
function scanChildren(text: string, offset: number) {
  const children = new Map<string, { readonly key: number | undefined; readonly value: number }>()
  let depth = 0
  let key: { readonly name: string; readonly at: number } | undefined
  const onValue = (at: number): void => {
    if (depth !== 1) return
    children.set(key?.name ?? String(children.size), { key: key?.at, value: offset + at })
    key = undefined
  }
  const begin = (at: number): void => {
    onValue(at)
    depth++
  }
  const end = (): void => void depth--
  visit(text.slice(offset), {
    onObjectBegin: begin,
    onObjectEnd: end,
    onArrayBegin: begin,
    onArrayEnd: end,
    onObjectProperty: (name, at) => {
      if (depth === 1) key = { name, at: offset + at }
    },
    onLiteralValue: (_value, at) => onValue(at),
  })
  return children
}

const maxProblems = 100

/** Lists the repeated keys and too large numbers of a text up to its first syntax error, and that error. */
export function findJsonErrors(file: string, text: string): Problem[] {
  const problems: Problem[] = []
  const positionOf = createLineCounter(text)
  const open: Set<string>[] = []
  let end: number | undefined
  const report = (offset: number, what: string, hint: string): void => {
    if (problems.length < maxProblems && end === undefined)
      problems.push({ file, position: positionOf(offset), what: `is not JSON: ${what}`, hint })
  }
  visit(
    text,
    {
      onObjectBegin: () => void open.push(new Set()),
      onObjectEnd: () => void open.pop(),
      onObjectProperty: (key, at, length) => {
        const known = open.at(-1)
        if (known?.has(key)) report(at, `key ${text.slice(at, at + length)} is not unique`, 'remove one of them')
        known?.add(key)
      },
      onLiteralValue: (value, at, length) => {
        if (typeof value !== 'number' || Number.isFinite(value)) return
        const shown = text.slice(at, at + Math.min(length, 40))
        report(at, `the number ${shown} is too large`, `use at most ${Number.MAX_VALUE}`)
      },
      onError: (_error, at) => {
        const found = at < text.length ? JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0)) : 'the end'
        report(at, `${found} is not allowed here`, syntaxErrorHint)
        end ??= at
      },
    },
    { disallowComments: true },
  )
  return problems
}
