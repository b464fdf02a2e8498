/**
 * Reads a JSON or YAML file into a value that knows where each part of it stands.
 *
 * JSON is read by the engine's own parser, which is a hundred times as fast as a parser that keeps positions. Positions are looked up in
 * the text, when somebody asks for one.
 */
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'

import { createJsonLocator } from './json-places.js'
import { parseJson } from './json.js'
import { describeFileKind, describePathError } from './path-problem.js'
import type { Segment } from './pointer.js'
import { readPositions } from './positions.js'
import type { Position } from './problem.js'
import { ProblemsError } from './problem.js'
import { redactProblems } from './redact-problems.js'

const mebibyte = 1024 * 1024

/**
 * The largest JSON file that is read: 511 MiB, just below the longest string that Node can hold. The text of every state that the double
 * accepts is shorter, so it can read whatever it has written.
 */
export const maxJsonBytes = 511 * mebibyte

/** The largest YAML file that is read: 8 MiB, room for some 25,000 records. Its parser takes 50 times the memory and time of JSON's. */
const maxYamlBytes = 8 * mebibyte

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
  const unreadable = (reason: string): ProblemsError =>
    new ProblemsError([{ file, what: `cannot be read: ${reason}`, hint: 'check the path and its permissions' }])
  let bytes: Buffer
  try {
    const stats = await stat(file)
    const reason = describeFileKind(stats)
    if (reason !== undefined) throw unreadable(reason)
    checkSize(file, stats.size)
    bytes = await readFile(file)
  } catch (error) {
    throw error instanceof ProblemsError ? error : unreadable(describePathError(error))
  }
  try {
    return parseSource(file, bytes)
  } catch (error) {
    throw error instanceof ProblemsError
      ? new ProblemsError(redactProblems(error.problems, tokensIn(bytes.toString())))
      : error
  }
}

/**
 * Parses a text as what its file name says it is: JSON for `.json`, YAML for all else.
 *
 * @throws {ProblemsError} Every mistake in the text, with its place.
 */
function parseSource(file: string, bytes: Buffer): Source {
  const text = bytes.toString('utf8')
  if (!/\S/u.test(text)) {
    throw new ProblemsError([{ file, position: { line: 1, column: 1 }, what: 'is empty', hint: 'restore its content' }])
  }
  if (isJsonFile(file)) return { file, text, value: parseJson(file, bytes, text), locate: createJsonLocator(text) }
  const positions = readPositions(file, text)
  const value = positions.value()
  // The parser's tree takes more memory than the value. It is read again if a place is asked for later.
  let kept = new WeakRef(positions)
  const locate: Source['locate'] = (path, at) => {
    const current = kept.deref() ?? readPositions(file, text)
    kept = new WeakRef(current)
    return current.locate(path, at)
  }
  return { file, text, value, locate }
}

const isJsonFile = (file: string): boolean => extname(file) === '.json'

function checkSize(file: string, size: number): void {
  const mebibytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`
  const most = isJsonFile(file) ? maxJsonBytes : maxYamlBytes
  if (size <= most) return
  const what = `has ${mebibytes(size)}, more than the ${mebibytes(most)} that are read of ${isJsonFile(file) ? 'JSON' : 'YAML'}`
  const hint = isJsonFile(file)
    ? 'make it smaller'
    : `make it smaller, or JSON, of which ${mebibytes(maxJsonBytes)} are read`
  throw new ProblemsError([{ file, what, hint }])
}

/** What looks like the token of a caller in a text that cannot be parsed. The YAML parser quotes what it does not understand. */
const tokensIn = (text: string): string[] =>
  [...text.matchAll(/\btoken["']?\s*:\s*["'*&!]?([^\s"',}]+)/gu)].map(([, token = '']) => token)
