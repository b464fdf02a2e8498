/**
 * Parses JSON with the engine's own parser, and adds what that one does not do: it refuses a key that is given twice, and texts that would
 * take far more memory than their size suggests.
 */
import { findJsonMistakes } from './json-mistakes.js'
import { ProblemsError } from './problem.js'

/** The most values that a JSON file may hold: ten million, about those of 1,000,000 records. An empty object takes 30 times its text. */
const maxFileValues = 10_000_000

/** How deep arrays and objects of a file may be nested: twice as deep as those of most request bodies. A recursive walk needs a bound. */
export const maxJsonDepth = 1000

/** What a JSON text is made of, counted without parsing it. */
export interface JsonSize {
  /** Keys of objects, repeated ones included. */
  readonly keys: number
  /** Values, arrays and objects included. An upper bound. */
  readonly values: number
  /** How deep arrays and objects are nested. */
  readonly depth: number
}

/**
 * Parses a JSON file.
 *
 * @param bytes - UTF-8.
 * @throws {ProblemsError} It is not JSON, repeats a key, or holds too much.
 */
export function parseJson(file: string, bytes: Uint8Array, text: string): unknown {
  const { depth, keys, values } = measureJson(bytes)
  if (values > maxFileValues) {
    const what = `holds more than the ${maxFileValues.toLocaleString('en')} values that are read`
    throw new ProblemsError([{ file, what, hint: 'make it smaller' }])
  }
  if (depth > maxJsonDepth) {
    const what = `cannot be parsed: it is nested more than ${maxJsonDepth} levels deep`
    throw new ProblemsError([{ file, what, hint: 'nest it less' }])
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ProblemsError(findJsonMistakes(file, text))
  }
  // The engine keeps the last of equal keys, so there are fewer in the value than in the text.
  if (countKeys(value) !== keys) throw new ProblemsError(findJsonMistakes(file, text))
  return value
}

/** Measures a JSON text. It need not be valid. */
export function measureJson(bytes: Uint8Array): JsonSize {
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

/** Counts the keys of all objects in a value. The parser keeps the last of equal keys, so these count once. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const children: unknown[] = Array.isArray(value) ? value : Object.values(value)
  let count = Array.isArray(value) ? 0 : children.length
  for (const child of children) count += countKeys(child)
  return count
}
