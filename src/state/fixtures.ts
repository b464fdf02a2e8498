/** Fixture files: finding, reading and checking them. A file is taken whole or refused whole, with everything that is wrong with it. */
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'

import { isObject } from '../documents/object.js'
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import { redactProblems } from '../documents/redact-problems.js'
import type { Source } from '../documents/source.js'
import { readSource, sourceExtensions } from '../documents/source.js'
import type { DocumentProblem } from '../resources/document/problem.js'
import { maxProblems } from '../resources/document/problem.js'
import { readDocument } from '../resources/document/read.js'
import type { State } from '../resources/records/state.js'
import { withSeed } from '../resources/records/state.js'
import type { Resources } from '../resources/resources.js'

/** A fixture: a state with a name. */
export interface Fixture {
  /** The file's base name without its ending. Null: the fixture is an inline document. */
  readonly name: string | null
  readonly state: State
}

/** The name that a fixture file goes by. */
export const fixtureName = (file: string): string => basename(file, extname(file))

/** Lists the fixture files of a folder by name. A folder that is not there has none. */
export async function listFixtures(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile() && sourceExtensions.includes(extname(entry.name)))
  return new Map(files.map((entry) => [fixtureName(entry.name), join(folder, entry.name)]))
}

/**
 * Reads a fixture file.
 *
 * @throws {ProblemsError} Everything that is wrong with it.
 */
export async function loadFixture(file: string, resources: Resources): Promise<Fixture> {
  const name = fixtureName(file)
  const source = await readSource(file)
  const sha256 = createHash('sha256').update(source.text).digest('hex')
  return { name, state: withSeed(parseFixture(source, resources), { fixture: name, sha256 }) }
}

/**
 * Reads an inline document as a fixture without a name. Its problems have no file.
 *
 * @throws {ProblemsError} Everything that is wrong with it.
 */
export function readInline(document: unknown, resources: Resources): Fixture {
  const locate: Source['locate'] = () => ({ line: 1, column: 1 })
  const state = parseFixture({ file: '', text: '', value: document, locate }, resources)
  return { name: null, state: withSeed(state, { fixture: null, sha256: hashOf(document) }) }
}

/** Hashes a document record by record: the text of a large one is never held whole. */
function hashOf(document: unknown): string {
  const hash = createHash('sha256')
  for (const [key, value] of Object.entries(isObject(document) ? document : {})) {
    if (key === '$seed') continue
    hash.update(JSON.stringify(key))
    const parts: readonly unknown[] = Array.isArray(value) ? value : [value]
    for (const part of parts) hash.update(JSON.stringify(part))
  }
  return hash.digest('hex')
}

/**
 * Makes a state of a document, if nothing is wrong with it.
 *
 * @throws {ProblemsError} Everything that is.
 */
export function parseFixture(source: Source, resources: Resources): State {
  const read = readDocument(source.value, resources)
  if ('state' in read) return read.state
  throw new ProblemsError(redactProblems(placed(source, read.problems), tokensIn(source.value)))
}

function placed({ file, locate }: Source, found: readonly DocumentProblem[]): Problem[] {
  const problems = found.slice(0, maxProblems).map(({ at, hint, message, path }): Problem => ({
    file,
    position: locate(path, at),
    path,
    what: message,
    hint,
  }))
  const next = found[maxProblems]
  if (!next) return problems
  const position = locate(next.path, next.at)
  return [...problems, { file, position, what: 'has further problems from here on', hint: 'correct these first' }]
}

/** Whatever a document has in the place of a token. */
function tokensIn(document: unknown): string[] {
  if (!isObject(document)) return []
  return [document['$callers'], document['callers']].filter(isObject).flatMap((callers) =>
    Object.values(callers)
      .flatMap((caller) => {
        if (!isObject(caller)) return [caller]
        const { token, tokens } = caller
        return [token, ...(isObject(tokens) ? Object.values(tokens) : [])]
      })
      .filter((token) => typeof token === 'string'),
  )
}
