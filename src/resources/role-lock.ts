/** The lock of contracts: a file with the role and the effects of each operation, with which a later start is compared. */
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

import { isUrl } from '../addresses.js'
import { isObject, type JsonObject, objectAt, objectOf } from '../documents/object.js'
import { addFlagToHints, type Problem, problemAt, ProblemsError } from '../documents/problem.js'
import { findStats } from '../documents/real-path.js'
import { readSource, type Source } from '../documents/source.js'
import { explainResources } from './explain.js'
import type { ExplainedOperation } from './explanation.js'
import type { Service } from './load-service.js'

/** An operation, a role or an effect that is not as in the lock. */
export interface LockChange {
  readonly operation: string
  /** `operation`, `role`, `collection`, `id`, a property of the explanation, or a parameter such as `query limit`. */
  readonly what: string
  /** Undefined: it is new. */
  readonly before: unknown
  /** Undefined: it is gone. */
  readonly after: unknown
}

export const lockName = 'double.lock.json'

/** Returns the path of a lock: the given one, else the one next to the contract. Undefined: a contract from a URL has no place for one. */
export const lockFileOf = (contractFile: string, lockFile?: string): string | undefined =>
  lockFile ?? (isUrl(contractFile) ? undefined : join(dirname(contractFile), lockName))

/** Returns the key of a contract in a lock: a folder has one lock for all of its contracts. */
const keyOf = ({ contract: { file } }: Service): string => basename(isUrl(file) ? new URL(file).pathname : file)

/** The properties of an explained operation that are no effects, and its parameters, each of which is an effect of its own. */
const notEffects = new Set('operation method path reason basis file line scopes security parameters'.split(' '))

/** Returns the role and the effects of each operation, as JSON, in the order of the contract. */
export function rolesOf(service: Service): ReadonlyMap<string, JsonObject> {
  const { collections, decisions } = service.resources
  const byId = new Map([...decisions.values()].map((decision) => [decision.operation.id, decision]))
  const effectsOf = ({ parameters, role, ...explained }: ExplainedOperation): JsonObject => {
    const decision = byId.get(explained.operation)
    if (!decision || decision.role === 'mocked' || role === 'handler') return { role }
    const { collection } = decision
    const id = collections.find(({ name }) => name === collection)?.model.idProperty
    const own = Object.entries(explained).filter(([key]) => !notEffects.has(key))
    const acting = parameters.filter(({ acts }) => acts !== 'none' && acts !== null)
    const effects = acting.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter.acts])
    return { role, collection, id, ...Object.fromEntries([...own, ...effects]) }
  }
  // As JSON, so that they are equal to those of a file.
  return new Map(
    explainResources(service).operations.map((each) => [
      each.operation,
      objectOf(JSON.parse(JSON.stringify(effectsOf(each)))),
    ]),
  )
}

/** Lists what differs between two states of a contract. Of an operation that is or was mocked, the role alone: it has no effects. */
export function compareRoles(before: JsonObject, after: ReadonlyMap<string, JsonObject>): readonly LockChange[] {
  return [...new Set([...after.keys(), ...Object.keys(before)])].flatMap((operation): LockChange[] => {
    const now = after.get(operation)
    if (!now || !Object.hasOwn(before, operation))
      return [{ operation, what: 'operation', before: before[operation], after: now }]
    const was = objectAt(before, operation)
    const isMocked = now['role'] === 'mocked' || was['role'] === 'mocked'
    const keys = isMocked ? ['role'] : [...new Set([...Object.keys(now), ...Object.keys(was)])]
    return keys
      .filter((what) => !isDeepStrictEqual(valueAt(was, what), valueAt(now, what)))
      .map((what) => ({ operation, what, before: valueAt(was, what), after: valueAt(now, what) }))
  })
}

const valueAt = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined)

/**
 * Reads a lock.
 *
 * @param isNew - True if there need be none.
 * @returns Undefined: there is none, and none was named. @throws {ProblemsError} It cannot be read, or is no lock.
 */
async function readLock({ contract }: Service, lockFile?: string, isNew = false): Promise<Source | undefined> {
  const file = lockFileOf(contract.file, lockFile)
  if (file === undefined || ((lockFile === undefined || isNew) && !(await findStats(file)))) return undefined
  const source = await readSource(file).catch((error: unknown) => {
    throw addFlagToHints('--lock-file', error)
  })
  const wrong = (path: readonly string[]): Problem =>
    problemAt(
      source,
      path,
      'is not what explain --lock writes',
      'restore it, or remove the file and run explain --lock',
    )
  const problems = isObject(source.value)
    ? Object.entries(source.value).flatMap(([key, operations]) =>
        isObject(operations)
          ? Object.entries(operations).flatMap(([id, each]) =>
              typeof objectAt(operations, id)['role'] === 'string' && isObject(each) ? [] : [wrong([key, id])],
            )
          : [wrong([key])],
      )
    : [wrong([])]
  if (problems.length > 0) throw new ProblemsError(problems)
  return source
}

/**
 * Lists the operations, roles and effects that are not as in the lock, as problems. None if there is no lock.
 *
 * @param lockFile - Default: the one next to the contract. @throws {ProblemsError} The lock cannot be read, or is no lock.
 */
export async function findLockProblems(service: Service, lockFile?: string): Promise<readonly Problem[]> {
  const source = await readLock(service, lockFile)
  if (!source) return []
  const key = keyOf(service)
  const hint = 'accept it with explain --lock, or correct the contract'
  const locked = objectOf(source.value)
  if (!Object.hasOwn(locked, key))
    return [problemAt(source, [], `has no roles of ${key}`, 'add them with explain --lock')]
  return compareRoles(objectAt(locked, key), rolesOf(service)).map((change) =>
    problemAt(source, [key, change.operation], describeChange(change), hint, 'key'),
  )
}

export function describeChange({ after, before, operation, what }: LockChange): string {
  if (what !== 'operation') return `the ${what} of ${operation} was ${textOf(before)}, and is ${textOf(after)}`
  const role = textOf(objectOf(after ?? before)['role'])
  return before === undefined ? `operation ${operation} is new: ${role}` : `operation ${operation} is gone: ${role}`
}

const textOf = (value: unknown): string =>
  value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)

/**
 * Writes the text of a lock with the roles of a contract, and those of the other contracts that it has. It has a line for each operation.
 *
 * @returns Also what changes in it. @throws {ProblemsError} There is a file that is no lock.
 */
export async function updateLock(
  service: Service,
  lockFile: string,
): Promise<{ readonly text: string; readonly changes: readonly LockChange[] }> {
  const known = objectOf((await readLock(service, lockFile, true))?.value)
  const key = keyOf(service)
  const roles = rolesOf(service)
  const contracts = new Map(Object.entries(known)).set(key, Object.fromEntries(roles))
  const sections = [...contracts].map(([name, operations]) => {
    const entries = name === key ? [...roles] : Object.entries(objectOf(operations))
    const lines = entries.map(([id, each]) => `    ${JSON.stringify(id)}: ${JSON.stringify(each)}`)
    return `  ${JSON.stringify(name)}: {\n${lines.join(',\n')}\n  }`
  })
  const changes = Object.hasOwn(known, key) ? compareRoles(objectAt(known, key), roles) : []
  return { text: `{\n${sections.join(',\n')}\n}\n`, changes }
}
