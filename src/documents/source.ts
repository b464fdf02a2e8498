/** `JSON.parse` is a hundred times as fast as a parser that keeps positions. So positions in JSON are found on request. */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'

import { once } from '../once.js'
import { parsedYamlFolder } from '../package-files.js'
import { createRedactor } from '../redaction.js'
import { createJsonLocator, parseJson } from './parse-json.js'
import { pathProblem, statFile } from './paths.js'
import { toPointer } from './pointer.js'
import { createLineCounter, type Locate, type Position, type Problem, ProblemsError } from './problem.js'

const mebibyte = 1024 * 1024

/** 511 MiB, just below the longest string of Node. Every state that the double accepts is shorter, so it can read all files that it writes. */
export const maxJsonBytes = 511 * mebibyte

/** The maximum size of a YAML file: 8 MiB, about 25,000 records. The YAML parser needs 50 times the memory and time of the JSON parser. */
const maxYamlBytes = 8 * mebibyte

export const sourceExtensions: readonly string[] = ['.json', '.yaml', '.yml']

export interface Source {
  /** The file's path, as the user named it. */
  readonly file: string
  readonly text: string
  /** The parsed value, not validated. */
  readonly value: unknown
  readonly locate: Locate
}

/** Reads and parses a file. @throws {ProblemsError} If it cannot be read, is too large, or is not JSON or YAML. */
export async function readSource(file: string): Promise<Source> {
  // Finds the file in the working folder also after that was deleted and created again. A relative path would not.
  const path = resolve(file)
  const unreadable = pathProblem(file, 'cannot be read', 'check the path and its permissions')
  const stats = await statFile(path).catch(unreadable)
  checkSize(file, stats?.size ?? 0)
  const bytes = await readFile(path).catch(unreadable)
  return (await readParsedYaml(file, bytes)) ?? parseDocument(file, bytes)
}

/** The positions of the values of a document, by the pointers to them. The document itself has no key. */
type Positions = Readonly<Record<string, { readonly value: Position; readonly key: Position }>>

/** Reads the value of one of the package's own specs as JSON, in a hundredth of the time. @returns Undefined: the text is another one. */
async function readParsedYaml(file: string, bytes: Buffer): Promise<Source | undefined> {
  if (isJsonFile(file)) return undefined
  const parsed = join(parsedYamlFolder, createHash('sha256').update(bytes).digest('hex'))
  const json = await readFile(`${parsed}.json`, 'utf8').catch(() => undefined)
  if (json === undefined) return undefined
  const text = bytes.toString()
  const positions = once(() => JSON.parse(readFileSync(`${parsed}.positions.json`, 'utf8')) as Positions)
  const locate: Locate = (path, at = 'value') => {
    const known = positions()[toPointer(path)]
    return known ? { file, text, ...known[at] } : locate(path.slice(0, -1))
  }
  return { file, text, value: JSON.parse(json), locate }
}

/** @param isJson - Default: by the extension of the file. @throws {ProblemsError} If it is too large, or is not JSON or YAML. */
export async function parseDocument(file: string, bytes: Buffer, isJson = isJsonFile(file)): Promise<Source> {
  checkSize(file, bytes.length, isJson)
  return parseSource(file, bytes, isJson).catch((error: unknown) => {
    if (!(error instanceof ProblemsError)) throw error
    throw new ProblemsError(redactProblems(error.problems, tokensIn(bytes.toString())))
  })
}

/** @throws {ProblemsError} The text is invalid, or is not UTF-8. It has every syntax error with its position. */
async function parseSource(file: string, bytes: Buffer, isJson: boolean): Promise<Source> {
  // Windows editors write a byte order mark.
  const text = bytes.toString('utf8').replace(/^\uFEFF/u, '')
  if (!isUtf8(bytes)) {
    const position = createLineCounter(text)(Math.max(0, text.indexOf('\uFFFD')))
    throw new ProblemsError([{ file, position, what: 'is not UTF-8', hint: 'save the file as UTF-8' }])
  }
  if (!/\S/u.test(text))
    throw new ProblemsError([{ file, position: { line: 1, column: 1 }, what: 'is empty', hint: 'write a document' }])
  if (isJson) return { file, text, value: parseJson(file, bytes, text), locate: createJsonLocator(file, text) }
  // Loaded on use: the package's own documents need no parser of YAML.
  return { file, text, ...(await import('./parse-yaml.js')).parseYaml(file, text) }
}

/** Tells by its extension, in lower case, whether a file is JSON. */
export const isJsonFile = (file: string): boolean => extname(file) === '.json'

function checkSize(file: string, size: number, isJson = isJsonFile(file)): void {
  const mebibytes = (bytes: number): string => `${(bytes / mebibyte).toFixed(1)} MiB`
  const maxBytes = isJson ? maxJsonBytes : maxYamlBytes
  if (size <= maxBytes) return
  const what = `has ${mebibytes(size)}, more than ${mebibytes(maxBytes)}, the maximum for ${isJson ? 'JSON' : 'YAML'}`
  const otherwise = isJson ? '' : `, or use JSON, whose maximum is ${mebibytes(maxJsonBytes)}`
  throw new ProblemsError([{ file, what, hint: `make the file smaller${otherwise}` }])
}

/** Finds values that look like tokens in a text that cannot be parsed. The YAML parser quotes text in its errors. */
const tokensIn = (text: string): string[] =>
  [...text.matchAll(/\btoken["']?\s*:\s*["'*&!]?([^\s"',}]+)/gu)].map(([, token = '']) => token)

export function redactProblems(problems: readonly Problem[], secrets: readonly string[]): Problem[] {
  const redact = createRedactor(secrets)
  return problems.map((problem) => {
    const path = problem.path?.map((segment) => (typeof segment === 'string' ? redact(segment) : segment))
    return { ...problem, ...(path && { path }), what: redact(problem.what), hint: redact(problem.hint) }
  })
}
