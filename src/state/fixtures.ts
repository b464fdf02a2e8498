/** Fixture files: finding, reading and checking them. A file is taken whole or refused whole, with everything that is wrong with it. */
import { readdir } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'

import { isObject } from '../documents/object.js'
import type { Segment } from '../documents/pointer.js'
import type { Problem } from '../documents/problem.js'
import { ProblemsError } from '../documents/problem.js'
import { redactProblems } from '../documents/redact-problems.js'
import type { Source } from '../documents/source.js'
import { readSource, sourceExtensions } from '../documents/source.js'
import type { FixtureDocument, State } from './state.js'
import { anyToken, toState } from './state.js'

/** What the contract says of an insight. Passed in, so that state knows nothing of contracts. */
export interface InsightRules {
  /** The names of the fields that the contract gives an insight. */
  readonly fields: readonly string[]
  /** Checks one insight, without its access. @returns Where in it, and what is wrong: a sentence. */
  check(insight: unknown): readonly { readonly path: readonly string[]; readonly message: string }[]
  /** Whether nothing is wrong with any of many insights. Much faster than checking them one by one. */
  allFit(insights: readonly unknown[]): boolean
}

/** A fixture: a named state. */
export interface Fixture {
  /** The file's base name without its ending. */
  readonly name: string
  readonly state: State
}

/** A bearer token as RFC 6750 writes it (b64token). Any other could never be sent. */
const tokenPattern = /^[A-Za-z0-9._~+/-]+=*$/u

/** The longest token, in characters. */
const maxTokenLength = 512

/** The most problems that are listed of a document. One mistake in a program may spoil every record. */
const maxProblems = 1000

/** How many insights are checked at a time. Only where one of them is wrong, each is checked on its own. */
const batchSize = 1000

/** How many names of callers a hint lists. */
const maxNamesShown = 50

const callerNamePattern = /^[A-Za-z0-9._~-]{1,64}$/u
const topKeys: readonly string[] = ['$schema', 'description', 'callers', 'insights']

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
export async function loadFixture(file: string, rules: InsightRules): Promise<Fixture> {
  return { name: fixtureName(file), state: parseFixture(await readSource(file), rules) }
}

/**
 * Makes a state of a document, if nothing is wrong with it.
 *
 * @throws {ProblemsError} Everything that is.
 */
export function parseFixture(source: Source, rules: InsightRules): State {
  const problems = checkFixture(source, rules)
  if (problems.length > 0) throw new ProblemsError(redactProblems(problems, tokensIn(source.value)))
  return toState(source.value as FixtureDocument)
}

/** Whatever a document has in the place of a token. */
function tokensIn(document: unknown): string[] {
  if (!isObject(document) || !isObject(document['callers'])) return []
  return Object.values(document['callers'])
    .map((caller) => (isObject(caller) ? caller['token'] : caller))
    .filter((token) => typeof token === 'string')
}

type Report = (path: readonly Segment[], what: string, hint: string, at?: 'key' | 'value') => void

/** Lists what is wrong with a document as a fixture. @throws {ProblemsError} There is more than a list should hold. */
function checkFixture(source: Source, rules: InsightRules): Problem[] {
  const problems: Problem[] = []
  const report: Report = (path, what, hint, at = 'value') => {
    const position = source.locate(path, at)
    if (problems.length === maxProblems) {
      const rest = {
        file: source.file,
        position,
        what: 'has further problems from here on',
        hint: 'mend these first',
      }
      throw new ProblemsError([...problems, rest])
    }
    problems.push({ file: source.file, position, path, what, hint })
  }
  const { value } = source
  if (!isObject(value)) {
    report([], 'is not a fixture', 'write an object with callers and insights')
    return problems
  }
  for (const key of Object.keys(value)) {
    if (!topKeys.includes(key)) report([key], `key "${key}" is not known`, `use ${topKeys.join(', ')}`, 'key')
  }
  for (const key of ['$schema', 'description']) {
    if (value[key] !== undefined && typeof value[key] !== 'string')
      report([key], `${key} must be a string`, 'write it in quotes')
  }
  const names = checkCallers(value['callers'], report)
  checkInsights(value['insights'], names, rules, report)
  return problems
}

function checkCallers(callers: unknown, report: Report): readonly string[] {
  const hint = 'list who may call, such as {"ada": {"token": "…"}}'
  if (!isObject(callers)) {
    report(['callers'], callers === undefined ? 'callers is missing' : 'callers must be an object', hint)
    return []
  }
  const holders = new Map<string, string>()
  for (const [name, caller] of Object.entries(callers)) {
    const path = ['callers', name]
    if (!callerNamePattern.test(name))
      report(path, `caller name ${JSON.stringify(name)} must match ${callerNamePattern.source}`, 'rename it', 'key')
    if (!isObject(caller)) {
      report(path, 'a caller must be an object', 'write {"token": "…"}')
      continue
    }
    for (const key of Object.keys(caller))
      if (key !== 'token') report([...path, key], `key "${key}" is not known`, 'use token', 'key')
    const { token } = caller
    if (typeof token !== 'string') {
      report([...path, 'token'], 'token must be a string', 'give the caller a token, or "*" for any')
      continue
    }
    if (token !== anyToken && !tokenPattern.test(token)) {
      report([...path, 'token'], `token must match ${tokenPattern.source}, or be "*"`, 'use letters, digits and -._~+/')
    }
    if (token.length > maxTokenLength)
      report([...path, 'token'], `token has ${token.length} characters`, `use at most ${maxTokenLength}`)
    const holder = holders.get(token)
    if (holder !== undefined)
      report([...path, 'token'], `token is that of caller "${holder}"`, 'give each caller a token of its own')
    holders.set(token, name)
  }
  if (Object.keys(callers).length === 0) report(['callers'], 'callers is empty, so nobody could call', hint)
  return Object.keys(callers)
}

function checkInsights(insights: unknown, callers: readonly string[], rules: InsightRules, report: Report): void {
  if (!Array.isArray(insights)) {
    report(
      ['insights'],
      insights === undefined ? 'insights is missing' : 'insights must be an array',
      'list the insights; [] is none',
    )
    return
  }
  const positions = new Map<string, number>()
  const names = new Set(callers)
  for (let first = 0; first < insights.length; first += batchSize) {
    const batch = (insights as unknown[]).slice(first, first + batchSize).map((record, place) => {
      const index = first + place
      if (!isObject(record)) return { index }
      const { access, ...written } = record
      const id = written['id'] === undefined ? `insight-${index + 1}` : written['id']
      return { index, access, written, insight: { ...written, id } }
    })
    const allFit = rules.allFit(batch.map(({ insight }) => insight))
    for (const { access, index, insight, written } of batch) {
      const path = ['insights', index]
      if (!insight) {
        report(path, 'an insight must be an object', 'write {"content": "…"}')
        continue
      }
      for (const key of Object.keys(written)) {
        if (!rules.fields.includes(key))
          report([...path, key], `key "${key}" is not known`, `use ${rules.fields.join(', ')}, access`, 'key')
      }
      for (const { path: inside, message } of allFit ? [] : rules.check(insight))
        report([...path, ...inside], message, 'mend the value')
      const { id } = insight
      if (typeof id === 'string') {
        const other = positions.get(id)
        if (other !== undefined)
          report([...path, 'id'], `id "${id}" is that of insight ${other + 1}`, 'give each insight an id of its own')
        else positions.set(id, index)
      }
      checkAccess(access, [...path, 'access'], names, report)
    }
  }
}

function checkAccess(access: unknown, path: readonly Segment[], callers: ReadonlySet<string>, report: Report): void {
  if (access === undefined) return
  if (!Array.isArray(access)) {
    report(path, 'access must be an array', 'list the names of callers, or leave it out for every caller')
    return
  }
  const listed = new Set<string>()
  for (const [index, name] of (access as unknown[]).entries()) {
    if (typeof name !== 'string' || !callers.has(name)) {
      report(
        [...path, index],
        `${JSON.stringify(name)} is not a caller`,
        `use ${[...callers].slice(0, maxNamesShown).join(', ') || 'a name under callers'}`,
      )
    } else if (listed.has(name)) report([...path, index], `"${name}" is listed twice`, 'leave one out')
    else listed.add(name)
  }
}
