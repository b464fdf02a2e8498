/**
 * Reads a JSON or YAML file into a value that knows where each part of it stands.
 *
 * JSON is read by the engine's own parser, which is a hundred times as fast as a parser that keeps positions. That one reads the
 * text a second time, and only when somebody asks for a position.
 */
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'

import { reasonOf } from '../reason.js'
import { notJson, parseJson } from './json.js'
import type { Segment } from './pointer.js'
import type { Positions } from './positions.js'
import { readPositions } from './positions.js'
import type { Position } from './problem.js'
import { ProblemsError } from './problem.js'
import { redactProblems } from './redact-problems.js'

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
    const text = await readFile(file, 'utf8')
    try {
      return parseSource(file, text)
    } catch (error) {
      throw error instanceof ProblemsError ? new ProblemsError(redactProblems(error.problems, tokensIn(text))) : error
    }
  } catch (error) {
    if (error instanceof ProblemsError) throw error
    throw new ProblemsError([
      { file, what: `cannot be read: ${reasonOf(error)}`, remedy: 'check the path and its permissions' },
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
  if (json === 'mistaken') throw new ProblemsError([notJson(file, text)])
  if (json) {
    let positions: Positions | undefined
    return {
      file,
      text,
      value: json.value,
      locate: (path, at) => (positions ??= readPositions(file, text)).locate(path, at),
    }
  }
  const { locate, value } = readPositions(file, text)
  return { file, text, value: value(), locate }
}

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

/** What looks like the token of a caller in a text that cannot be parsed. The YAML parser quotes what it does not understand. */
const tokensIn = (text: string): string[] =>
  [...text.matchAll(/\btoken["']?\s*:\s*["'*&!]?([^\s"',}]+)/gu)].map(([, token = '']) => token)
