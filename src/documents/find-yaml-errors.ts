/** Describes the errors of a YAML text. It runs only after the parser has found one. */
import { Lexer, type YAMLParseError } from 'yaml'

import { hintAtSyntaxError } from './lines.js'
import type { Position, Problem } from './problem.js'

const maxProblems = 100

/** A quoted text of several lines, by the offsets of its quotes. */
interface Quoted {
  readonly start: number
  readonly end: number
}

/**
 * Lists the repeated keys of a text up to its first syntax error, and that error. Errors after it are its consequences.
 *
 * Without a closing quote, a text ends at the next quote, so the parser finds the error there. The problem is at the opening quote.
 */
export function findYamlErrors(
  file: string,
  text: string,
  errors: readonly YAMLParseError[],
  positionOf: (offset: number) => Position,
): Problem[] {
  const sorted = errors.toSorted((one, other) => one.pos[0] - other.pos[0])
  const first = sorted.findIndex(({ code }) => code !== 'DUPLICATE_KEY')
  const repeated = first === -1 ? sorted : sorted.slice(0, first)
  const problems = repeated.slice(0, maxProblems).map(({ message, pos: [offset] }): Problem => ({
    file,
    position: positionOf(offset),
    what: `is not YAML: ${firstLine(message)}`,
    hint: 'remove one of them',
  }))
  const error = sorted[first]
  if (!error) return problems
  const [offset] = error.pos
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1
  const quoted = quotedTextsIn(text).find(({ end, start }) => start <= offset && end >= lineStart)
  const position = positionOf(quoted?.start ?? offset)
  const what = quoted
    ? `the quoted text that begins here has no closing quote before line ${positionOf(quoted.end - 1).line}`
    : firstLine(error.message)
  return [...problems, { file, position, what: `is not YAML: ${what}`, hint: hintAtSyntaxError(text, position) }]
}

const firstLine = (message: string): string => message.split('\n')[0] ?? ''

function quotedTextsIn(text: string): readonly Quoted[] {
  const found: Quoted[] = []
  let offset = 0
  let isUnquoted = false
  for (const lexeme of new Lexer().lex(text)) {
    // The lexer marks the start of a document, the end of a flow collection and each unquoted text by a control character.
    const isMark = ['\u0002', '\u0018', '\u001F'].includes(lexeme)
    if (!isUnquoted && /^["']/u.test(lexeme) && lexeme.includes('\n'))
      found.push({ start: offset, end: offset + lexeme.length })
    isUnquoted = lexeme === '\u001F'
    if (!isMark) offset += lexeme.length
  }
  return found
}
