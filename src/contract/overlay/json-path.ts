/** Finds values by JSONPath (RFC 9535). */
import type { JsonValue } from 'jsonpath-rfc9535'
import { exec } from 'jsonpath-rfc9535'

import type { Segment } from '../../documents/pointer.js'
import { errorMessage } from '../../error-message.js'

/** Finds the paths of all values that a JSONPath selects, each once. @throws {SyntaxError} It cannot be parsed; `describeSyntaxError` says where. */
export function findPaths(document: unknown, jsonPath: string): readonly (readonly Segment[])[] {
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
