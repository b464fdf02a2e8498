/**
 * Reads a JSON or YAML file into a value that knows where each part of it stands.
 *
 * JSON is read by the engine's own parser, which is a hundred times as fast as a parser that keeps positions. That one reads the
 * text a second time, and only when somebody asks for a position.
 */
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'

import type { Document, Node } from 'yaml'
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

import type { Segment } from './pointer.js'
import type { Position, Problem } from './problem.js'
import { ProblemsError } from './problem.js'

/** The largest file that is read: 8 MiB, room for some 25,000 insights. A larger one is refused before it is read. */
const maxSourceBytes = 8 * 1024 * 1024

/** File name endings that are read. */
export const sourceExtensions: readonly string[] = ['.json', '.yaml', '.yml']

/** A document together with the text it was read from. */
export interface Source {
  /** The file's path, as the user named it. */
  readonly file: string
  readonly text: string
  /** What the text says. Not checked yet. */
  readonly value: unknown
  /**
   * Finds a place in the text. Where there is none, as for a key that is missing, it is that of the nearest thing around it.
   *
   * @param at - Whether to point at the value or at the key that names it. Default: the value.
   */
  locate(path: readonly Segment[], at?: 'key' | 'value'): Position
}

/**
 * Reads and parses a file.
 *
 * @throws {ProblemsError} It cannot be read, is too large, or is not JSON or YAML.
 */
export async function readSource(file: string): Promise<Source> {
  try {
    const { size } = await stat(file)
    if (size > maxSourceBytes) throw tooLarge(file, size)
    return parseSource(file, await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    throw new ProblemsError([
      { file, what: `cannot be read: ${reason(error)}`, remedy: 'check the path and its permissions' },
    ])
  }
}

/**
 * Parses a text as what its file name says it is: JSON for `.json`, YAML for all else.
 *
 * @throws {ProblemsError} Every mistake in the text, with its place.
 */
function parseSource(file: string, text: string): Source {
  if (text.trim() === '') {
    throw new ProblemsError([
      { file, position: { line: 1, column: 1 }, what: 'is empty', remedy: 'restore its content' },
    ])
  }
  const isJson = extname(file) === '.json'
  const json = isJson ? parseJson(text) : undefined
  if (json && 'value' in json) {
    let positions: Positions | undefined
    return {
      file,
      text,
      value: json.value,
      locate: (path, at) => (positions ??= readPositions(file, text)).locate(path, at),
    }
  }
  const { document, locate } = readPositions(file, text)
  // YAML takes more than JSON does, such as a comma too many.
  if (json) throw new ProblemsError([notJson(file, text, json.error)])
  try {
    return { file, text, value: document.toJS(), locate }
  } catch (error) {
    throw new ProblemsError([{ file, what: reason(error), remedy: 'use fewer aliases' }])
  }
}

interface Positions {
  readonly document: Document
  locate(path: readonly Segment[], at?: 'key' | 'value'): Position
}

/** @returns Undefined for what says a key twice: the engine's parser takes the last, and the slow one has to say where. */
function parseJson(text: string): { value: unknown } | { error: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return countKeys(value) === countWrittenKeys(text) ? { value } : undefined
  } catch (error) {
    return { error }
  }
}

function notJson(file: string, text: string, error: unknown): Problem {
  const [, offset = '0'] = /at position (\d+)/u.exec(reason(error)) ?? []
  const before = text.slice(0, Number(offset)).split('\n')
  const position = { line: before.length, column: (before.at(-1) ?? '').length + 1 }
  return { file, position, what: `is not JSON: ${reason(error)}`, remedy: 'mend the text there' }
}

/** Takes JSON's strings one by one, and counts those that a colon follows. */
function countWrittenKeys(text: string): number {
  let count = 0
  for (const [, colon] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/gu)) if (colon !== undefined) count++
  return count
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const children: unknown[] = Object.values(value)
  return (
    (Array.isArray(value) ? 0 : children.length) + children.reduce((sum: number, child) => sum + countKeys(child), 0)
  )
}

function readPositions(file: string, text: string): Positions {
  const lines = new LineCounter()
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  let document: Document
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, strict: true })
  } catch (error) {
    throw new ProblemsError([
      {
        file,
        what: `cannot be parsed: ${reason(error)}`,
        remedy: 'make it plain JSON or YAML, not nested so deep',
      },
    ])
  }
  if (document.errors.length > 0) {
    throw new ProblemsError(
      document.errors.map((error): Problem => ({
        file,
        position: position(error.pos[0]),
        what: `is not ${extname(file) === '.json' ? 'JSON' : 'YAML'}: ${error.message.split('\n')[0] ?? ''}`,
        remedy: 'mend the text there',
      })),
    )
  }
  const locate = (path: readonly Segment[], at: 'key' | 'value' = 'value'): Position =>
    position(offsetOf(document, path, at))
  return { document, locate }
}

function offsetOf(document: Document, path: readonly Segment[], at: 'key' | 'value'): number {
  let node: unknown = document.contents
  let offset = start(node) ?? 0
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
      offset = start(key) ?? offset
      break
    }
    const wantsKey = at === 'key' && depth === path.length - 1
    offset = (wantsKey ? start(key) : undefined) ?? start(node) ?? offset
  }
  return offset
}

const start = (node: unknown): number | undefined => (isNode(node) ? (node as Node).range?.[0] : undefined)

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function tooLarge(file: string, size: number): ProblemsError {
  const mebibytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
  return new ProblemsError([
    {
      file,
      what: `has ${mebibytes(size)}, more than the ${mebibytes(maxSourceBytes)} that are read`,
      remedy: 'make it smaller',
    },
  ])
}
