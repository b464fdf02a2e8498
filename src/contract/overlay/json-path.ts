/** Finds values by JSONPath (RFC 9535). */
import type { JsonValue } from 'jsonpath-rfc9535'
import { exec } from 'jsonpath-rfc9535'

import type { Segment } from '../../documents/pointer.js'
import { errorMessage } from '../../error-message.js'
import { runWithTimeLimit, TimeLimitError } from '../../run-with-time-limit.js'

/** The shortest time after which a JSONPath is ended, milliseconds: a regular expression in a filter may not end. */
const minMs = 2000

/** Thrown if a JSONPath reads too much. The message is the end of a sentence. */
export class TooManyStepsError extends Error {
  override readonly name = 'TooManyStepsError'
}

/**
 * Finds the paths of all values that a JSONPath selects, each once.
 *
 * @throws {SyntaxError} It cannot be parsed; `describeSyntaxError` says where.
 * @param maxSteps - The maximum number of values that it may read. A filter in a filter reads the whole document for each of its values.
 * @throws {TooManyStepsError} It reads more.
 */
export function findPaths(document: unknown, jsonPath: string, maxSteps: number): readonly (readonly Segment[])[] {
  // A value takes about a thousandth of a millisecond, and ten times as long on a busy machine.
  const limitMs = minMs + Math.ceil(maxSteps / 100)
  try {
    return runWithTimeLimit(limitMs, () => selectPaths(withCountedReads(document, maxSteps), jsonPath))
  } catch (error) {
    throw error instanceof TimeLimitError ? new TooManyStepsError(`takes longer than ${limitMs} ms`) : error
  }
}

/** Wraps a JSON value so that reading its parts is counted. The library has no limit. */
function withCountedReads(document: unknown, maxSteps: number): unknown {
  let steps = 0
  const wrappers = new WeakMap<object, object>()
  const wrap = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    const wrapper = wrappers.get(value) ?? new Proxy(value, { get: read })
    wrappers.set(value, wrapper)
    return wrapper
  }
  const read = (target: object, key: string | symbol): unknown => {
    if (++steps > maxSteps)
      throw new TooManyStepsError(`reads more than ${maxSteps.toLocaleString('en')} values of the document`)
    return wrap(Reflect.get(target, key))
  }
  return wrap(document)
}

function selectPaths(document: unknown, jsonPath: string): readonly (readonly Segment[])[] {
  const found = new Map<string, readonly Segment[]>()
  exec(document as JsonValue, jsonPath, (_value, path) => {
    const segments = path.map((segment) => (typeof segment === 'string' ? unescape(segment) : segment))
    found.set(JSON.stringify(segments), segments)
  })
  return [...found.values()]
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Returns the key of a segment of a normalized path. */
const unescape = (segment: string): string =>
  segment.replaceAll(/\\(?:u([\da-f]{4})|(.))/gu, (_escape, code: string | undefined, character: string) =>
    code === undefined ? (escapes[character] ?? character) : String.fromCodePoint(parseInt(code, 16)),
  )

/** Describes the error of a JSONPath that cannot be parsed. The parser's own message lists every character that would be allowed. */
export function describeSyntaxError(error: unknown, jsonPath: string): string {
  const { location } = error as { readonly location?: { readonly start: { readonly offset: number } } }
  if (!location) return errorMessage(error)
  const { offset } = location.start
  if (offset >= jsonPath.length) return 'it ends too early'
  return `it is wrong at character ${offset + 1}: ${JSON.stringify(jsonPath.slice(offset, offset + 20))}`
}
