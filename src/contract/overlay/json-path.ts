/** Finds values by JSONPath (RFC 9535). */
import type { JsonValue } from 'jsonpath-rfc9535'
import { exec } from 'jsonpath-rfc9535'

import type { Segment } from '../../documents/pointer.js'

/** Finds the paths of all values that a JSONPath selects, each once. @throws {SyntaxError} It cannot be parsed. */
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
