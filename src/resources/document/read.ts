/** Reads a document as a state. */
import { isObject, type JsonObject, objectOf } from '../../documents/object.js'
import { valueAt } from '../../documents/pointer.js'
import { suggest } from '../../nearest-name.js'
import type { FixtureOrigin, State } from '../records/state.js'
import type { Resources } from '../resources.js'
import { type DocumentProblem, maxProblems, type ReportProblem } from './document-problem.js'
import { readCallers } from './read-callers.js'
import { readRecords } from './read-records.js'

const documentKeys = ['$schema', '$description', '$callers', '$seed', '$lastIds'] as const

export type ReadResult = { readonly state: State } | { readonly problems: readonly DocumentProblem[] }

/**
 * Reads a fixture, a state file or an inline document. Never throws.
 *
 * @param value - A JSON value. The records in it are frozen.
 */
export function readDocument(value: unknown, { collections, contract }: Resources): ReadResult {
  const problems: DocumentProblem[] = []
  const isFull = (): boolean => problems.length > maxProblems
  const report: ReportProblem = (path, message, hint, at = 'value') => {
    if (!isFull()) problems.push({ path, at, message, hint })
  }
  const names = collections.map(({ name }) => name)
  if (!isObject(value)) {
    report([], 'is not a fixture', `write an object with ${['$callers', ...names].join(', ')}`)
    return { problems }
  }
  checkKeys(value, names, report)
  const { $callers: declared, $description, $lastIds, $seed } = value
  // An unknown key may be a misspelled $callers, which is one mistake and not two.
  const isMisspelled = declared === undefined && problems.length > 0
  const callers = isMisspelled ? [] : readCallers(declared, contract, report)
  const origin = readOrigin($seed, report)
  const numbers = readNumbers($lastIds, names, report)
  const callerNames = new Set(Object.keys(objectOf(declared)))
  const read = collections.map((collection) => {
    const { name } = collection
    const records = valueAt(value, [name])
    const context = { collection, callers: callerNames, lastNumber: numbers.get(name) ?? 0, isFull, report }
    return [name, readRecords(records === undefined ? [] : records, context)] as const
  })
  if (problems.length > 0) return { problems }
  const description = typeof $description === 'string' ? $description : undefined
  return { state: Object.freeze({ description, callers, origin, collections: new Map(read) }) }
}

function checkKeys(document: JsonObject, collections: readonly string[], report: ReportProblem): void {
  const known: readonly string[] = documentKeys
  for (const key of Object.keys(document)) {
    if (known.includes(key) || collections.includes(key)) continue
    if (key.startsWith('$') || known.includes(`$${key}`))
      report([key], `key "${key}" is not known`, suggest(key, known), 'key')
    else {
      const none = 'the contract has no collection; insights-double explain says why'
      const hint = collections.length === 0 ? none : `use ${collections.join(', ')}`
      report([key], `there is no collection "${key}"`, hint, 'key')
    }
  }
  for (const key of ['$schema', '$description']) {
    const text = valueAt(document, [key])
    if (text !== undefined && typeof text !== 'string') report([key], `${key} must be a string`, 'write it in quotes')
  }
}

function readOrigin(value: unknown, report: ReportProblem): FixtureOrigin | undefined {
  if (value === undefined) return undefined
  const { fixture, records, seed, sha256 } = objectOf(value)
  if (typeof sha256 === 'string') {
    if (fixture === null || typeof fixture === 'string') return Object.freeze({ fixture, sha256 })
    if (isCount(records) && isCount(seed)) return Object.freeze({ records, seed, sha256 })
  }
  report(['$seed'], '$seed must have sha256, and fixture or records and seed', 'leave it out; the double writes it')
  return undefined
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

function readNumbers(value: unknown, collections: readonly string[], report: ReportProblem): Map<string, number> {
  const numbers = new Map<string, number>()
  if (value === undefined) return numbers
  const hint = 'leave it out; the double writes it'
  if (!isObject(value)) report(['$lastIds'], '$lastIds must be an object', hint)
  for (const [name, number] of Object.entries(objectOf(value))) {
    if (!collections.includes(name)) report(['$lastIds', name], `there is no collection "${name}"`, hint, 'key')
    else if (!isCount(number)) report(['$lastIds', name], 'must be an integer from 0', hint)
    else numbers.set(name, number)
  }
  return numbers
}
