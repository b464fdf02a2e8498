/** Finds the records that a path lies below. */
import { documentedResponse, type Operation } from '../contract/contract.js'
import { asSegments, parameterNames, untilParameter } from '../contract/path-template.js'
import type { CollectionModel } from './infer/collection-model.js'
import { holderByName, shape } from './infer/parents.js'
import { hasAccess } from './records/records.js'
import { everyone, recordsOf } from './records/state.js'
import { fail, findRecord, pathValue } from './roles/find-record.js'
import type { FindMissing, MatchedRole, Target } from './roles/role.js'

/** Tells whether a path lies below the records of a collection. Names of parameters do not count. */
export const liesBelow = (path: string | undefined, { itemPath }: CollectionModel): boolean =>
  path !== undefined && itemPath !== undefined && shape(path).startsWith(`${shape(itemPath)}/`)

export interface StatefulCollection {
  readonly name: string
  readonly model: CollectionModel
  readonly matches: ReadonlyMap<Operation, MatchedRole>
}

/** Finds a collection as its item path shows it: its other paths may have other parents. */
const targetOf = ({ model, name }: StatefulCollection): Target => ({
  collection: name,
  model: { ...model, parents: model.itemParents },
})

/** Tells whether a path is that of a record of a collection, or lies below it. */
export const liesAtOrBelow = (path: string, model: CollectionModel): boolean =>
  liesBelow(path, model) || (model.itemPath !== undefined && shape(path) === shape(model.itemPath))

/**
 * Creates the function that finds a missing parent. Undefined: the path lies below no collection, or the contract documents no 404.
 *
 * @param own - The collection of the operation. Undefined: the operation is mocked, so that its path may be that of a record, too.
 */
export function findMissingParent(
  operation: Operation,
  all: readonly StatefulCollection[],
  own?: StatefulCollection,
): FindMissing | undefined {
  const { path: template, security } = operation
  const mayLack = (each: Operation): boolean => documentedResponse(each, 404) !== undefined
  // What it creates could never be read.
  const reads = [...(own?.matches.keys() ?? [])].filter(({ method }) => method === 'GET')
  const isNeeded = /^P(?:OS|U)T$/u.test(operation.method) && reads.length > 0 && reads.every(mayLack)
  if (!mayLack(operation) && !isNeeded) return undefined
  // A mocked PUT or POST at the path of a record may create it.
  const isOfRecord = !own && operation.method !== 'PUT' && operation.method !== 'POST'
  const isAbove = ({ model }: StatefulCollection): boolean => (isOfRecord ? liesAtOrBelow : liesBelow)(template, model)
  const names = parameterNames(template)
  const parents = all.filter(isAbove).map((each) => ({
    target: targetOf(each),
    parameters: parameterNames(each.model.itemPath ?? ''),
  }))
  const named = names.flatMap((name) => {
    // Records that are listed, and have no path of their own.
    const isListed = ({ model: { idProperty, itemPath, path, recordModel } }: StatefulCollection): boolean =>
      itemPath === undefined &&
      recordModel.properties.has(idProperty) &&
      shape(untilParameter(asSegments(template), name)) === shape(`${path}/{${name}}`)
    const isAboveName = template.includes(`{${name}}/`)
    const holder = isAboveName ? (holderByName(name, all) ?? all.find(isListed)) : undefined
    return holder && holder !== own && !isAbove(holder) ? [{ holder, name }] : []
  })
  if (parents.length + named.length === 0) return undefined
  return (state, caller, request) => {
    // A request to an operation without security names no caller, so it cannot show that it has access.
    const knownCaller = security.length === 0 ? everyone : caller
    for (const { holder, name } of named) {
      const id = pathValue(request, name)
      const isFound = recordsOf(state, holder.name).chunks.some((chunk) => {
        const having = chunk.having(holder.model.idProperty, false)
        const entries = having.get(id) ?? having.get(String(id)) ?? []
        return entries.some((each) => security.length === 0 || hasAccess(each, caller?.name))
      })
      if (!isFound) return fail(targetOf(holder), 'unknown_record', { id: String(id) })
    }
    for (const { parameters, target } of parents) {
      const path = Object.fromEntries(parameters.map((name, at) => [name, pathValue(request, names[at] ?? '')]))
      const found = findRecord({ target, state, caller: knownCaller, request: { ...request, path } })
      if ('error' in found) return found
    }
    return undefined
  }
}
