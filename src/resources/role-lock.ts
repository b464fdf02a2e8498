/** The lock of contracts: a file with the role and the effects of each operation, with which a later start is compared. */
import { basename, dirname, join } from 'node:path'

import { isUrl } from '../addresses.js'
import { isObject, type JsonObject, objectAt, objectOf } from '../documents/object.js'
import { findStats } from '../documents/paths.js'
import { valueAt } from '../documents/pointer.js'
import { addFlagToHints, type Problem, problemAt, ProblemsError } from '../documents/problem.js'
import { readSource, type Source } from '../documents/source.js'
import { explainResources } from './explain.js'
import type { ExplainedOperation } from './explanation.js'
import { differingKeys } from './json.js'
import type { Service } from './load-service.js'
import type { Decision } from './roles/role.js'

export const lockName = 'double.lock.json'

/** Returns the path of a lock: the given one, else the one next to the contract. Undefined: a contract from a URL has no place for one. */
export const lockFileOf = (contractFile: string, lockFile?: string): string | undefined =>
  lockFile ?? (isUrl(contractFile) ? undefined : join(dirname(contractFile), lockName))

/** Returns the key of a contract in a lock: a folder has one lock for all of its contracts. */
const keyOf = ({ contract: { file } }: Service): string => basename(isUrl(file) ? new URL(file).pathname : file)

/** The properties of an explained operation that are no effects, and its parameters, each of which is an effect of its own. */
const notEffects = new Set(
  'operation method path reason basis file line scopes security parameters copies unset rulesInTexts'.split(' '),
)

/** Returns the role and the effects of each operation, as the JSON of a file, in the order of the contract. */
function rolesOf(service: Service): ReadonlyMap<string, JsonObject> {
  const { collections, decisions } = service.resources
  const decided = [...decisions.values()]
  const effectsOf = ({ parameters, role, ...explained }: ExplainedOperation, decision?: Decision): JsonObject => {
    if (!decision || decision.role === 'mocked' || role === 'handler') return { role }
    const { collection } = decision
    const id = collections.find(({ name }) => name === collection)?.model.idPath.join('.')
    const own = Object.entries(explained).filter(([key]) => !notEffects.has(key))
    const acting = parameters.filter(({ acts }) => acts !== null)
    const effects = acting.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter.acts])
    return { role, collection, id, ...Object.fromEntries([...own, ...effects]) }
  }
  const explained = explainResources(service).operations.map((each, index) => {
    const effects: unknown = JSON.parse(JSON.stringify(effectsOf(each, decided[index])))
    return [each.operation, objectOf(effects)] as const
  })
  return new Map(explained)
}

/**
 * Says what differs between two states of a contract, by operation: its role, its collection, a property of its explanation, or a parameter such
 * as `query limit`. Of an operation that is or was mocked, the role alone: it has no effects.
 */
function compareRoles(before: JsonObject, after: ReadonlyMap<string, JsonObject>) {
  return [...new Set([...after.keys(), ...Object.keys(before)])].flatMap((operation) => {
    const [was, now] = [objectAt(before, operation), after.get(operation) ?? {}]
    const isNew = !Object.hasOwn(before, operation)
    if (isNew || !after.has(operation)) {
      const what = `operation ${operation} is ${isNew ? 'new' : 'gone'}: ${textOf({ ...was, ...now }['role'])}`
      return [{ operation, what }]
    }
    const isMocked = [was, now].some(({ role }) => role === 'mocked')
    const textAt = (effects: JsonObject, name: string): string => textOf(valueAt(effects, [name]))
    return differingKeys(was, now)
      .filter((name) => name === 'role' || !isMocked)
      .map((name) => ({
        operation,
        what: `the ${name} of ${operation} was ${textAt(was, name)}, and is ${textAt(now, name)}`,
      }))
  })
}

/** Reads a lock. @returns Undefined: there is none, and there need be none. @throws {ProblemsError} It cannot be read, or is no lock. */
async function readLock(file: string, isOptional: boolean): Promise<Source | undefined> {
  if (isOptional && !(await findStats(file))) return undefined
  const source = await readSource(file).catch((error: unknown) => {
    throw addFlagToHints('--lock-file', error)
  })
  const wrong = isObject(source.value)
    ? Object.entries(source.value).flatMap(([key, operations]) =>
        isObject(operations)
          ? Object.keys(operations).flatMap((id) => (objectAt(operations, id)['role'] ? [] : [[key, id]]))
          : [[key]],
      )
    : [[]]
  const hint = 'restore it, or remove the file and run explain --lock'
  if (wrong.length === 0) return source
  throw new ProblemsError(wrong.map((path) => problemAt(source, path, 'is not what explain --lock writes', hint)))
}

/**
 * Lists the operations, roles and effects that are not as in the lock. None if there is no lock.
 *
 * @param lockFile - Default: the one next to the contract. @throws {ProblemsError} The lock cannot be read, or is no lock.
 */
export async function findLockProblems(service: Service, lockFile?: string): Promise<readonly Problem[]> {
  const file = lockFileOf(service.contract.file, lockFile)
  const source = file === undefined ? undefined : await readLock(file, lockFile === undefined)
  if (!source) return []
  const key = keyOf(service)
  const locked = objectOf(source.value)
  if (!Object.hasOwn(locked, key))
    return [problemAt(source, [], `has no roles of ${key}`, 'add them with explain --lock')]
  const hint = 'accept it with explain --lock, or correct the contract'
  return compareRoles(objectAt(locked, key), rolesOf(service)).map(({ operation, what }) =>
    problemAt(source, [key, operation], what, hint, 'key'),
  )
}

const textOf = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)

/** Writes the text of a lock: a line for each operation, and the other contracts that it has. @throws {ProblemsError} There is a file that is no lock. */
export async function writeLockText(service: Service, lockFile: string): Promise<string> {
  const known = objectOf((await readLock(lockFile, true))?.value)
  const own = { [keyOf(service)]: Object.fromEntries(rolesOf(service)) }
  const sections = Object.entries({ ...known, ...own }).map(([name, operations]) => {
    const entries = Object.entries(objectOf(operations))
    const lines = entries.map(([id, effects]) => `    ${JSON.stringify(id)}: ${JSON.stringify(effects)}`)
    return `  ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n  }`
  })
  return `{\n${sections.join(',\n')}\n}\n`
}
