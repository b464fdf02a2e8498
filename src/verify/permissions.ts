/** Reads and checks the permissions of `--may`. */
import { listOf, objectOf } from '../documents/object.js'
import { suggest } from '../nearest-name.js'
import type { PulledState } from '../pull/pull.js'
import { RunError } from '../pull/service-client.js'
import { idOf } from '../resources/infer/id-property.js'
import type { Service } from '../resources/load-service.js'

/** The operations that may change the service on made-up ids and records that the run created, and the ids of other records that each may change. */
export type Permissions = ReadonlyMap<string, readonly string[]>

/** @param values - `operationId`, or `operationId=id,id`. @throws {RunError} Unknown, or creates records that no permitted operation removes. */
export function parsePermissions(values: readonly string[], { contract, resources }: Service): Permissions {
  const permitted = new Map<string, readonly string[]>()
  const known = contract.operations.map(({ id }) => id)
  for (const value of values) {
    const [, name = '', ids] = /^([^=]*)(?:=(.*))?$/su.exec(value) ?? []
    if (!known.includes(name)) {
      const hint = suggest(name, known, `the contract has ${known.join(', ')}.`)
      throw new RunError(`--may: there is no operation "${name}"; ${hint}`)
    }
    const named = ids === undefined ? [] : ids.split(',').filter((id) => id !== '')
    permitted.set(name, [...(permitted.get(name) ?? []), ...named])
  }
  for (const { operations } of resources.collections) {
    const create = operations.get('create')?.id
    const remove = operations.get('remove')?.id
    if (create !== undefined && permitted.has(create) && (remove === undefined || !permitted.has(remove))) {
      const needed = remove === undefined ? 'the contract has no operation that removes them' : `add --may ${remove}`
      throw new RunError(`--may: ${create} creates records, and they have to be removed again; ${needed}.`)
    }
  }
  return permitted
}

/** Checks that every id is the id of a listed record. @throws {RunError} One of them is not. */
export function checkIds(permissions: Permissions, { resources }: Service, { document }: PulledState): void {
  for (const { model, name, operations } of resources.collections) {
    const ids = new Set(listOf(document[name]).map((each) => String(idOf(model, objectOf(each)))))
    for (const { id: operation } of operations.values()) {
      const unknown = permissions.get(operation)?.find((id) => !ids.has(id))
      if (unknown !== undefined)
        throw new RunError(`--may: no listing of ${name} has the id "${unknown}" of ${operation}.`)
    }
  }
}
